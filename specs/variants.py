"""The shipped designs: each is the fenced planner with a knob or two turned, and says what it loses by that.

`loses` is data for tests and documents: the properties that fall, each with the minimal sets of faults that bring it
down. Under any other faults of one call and three epochs the property holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .properties import Planner


class LastWriter(Planner, decide="last-writer"):
    """Mutations are keyed on the call alone: whatever result comes last is written."""


class LateBump(Planner, bump="on-return"):
    """The fence is bumped when the compensator returns, so epoch 1 stays live while compensation runs."""


class LenientEcho(Planner, echo="optional"):
    """A result that echoes no epoch counts as live."""


class BumpAfterCommit(Planner, check_commit=False):
    """The scheduler does not look whether the call is committed before it bumps the fence."""


@dataclass(frozen=True)
class Variant:
    """A shipped design: its class, a sentence about it, and what falls under which minimal sets of faults."""

    model: type[Planner]
    loses: dict[str, list[frozenset[str]]] = field(default_factory=dict[str, list[frozenset[str]]])


def sets(*alternatives: str) -> list[frozenset[str]]:
    """Minimal fault sets, each written as names joined by +; the empty text is the empty set."""
    return [frozenset(filter(None, text.split("+"))) for text in alternatives]


EARLY = ("delay", "clock-jump")
GONE = ("loss", "empty-body", "no-echo")

VARIANTS: dict[str, Variant] = {
    "fenced": Variant(Planner),
    "last-writer": Variant(
        LastWriter,
        {
            "single-commit": sets(""),
            "no-ghost": sets(*EARLY),
            "stale-rejected": sets(*EARLY, "loss+comp-delay"),
            "malformed-rejected": sets("no-echo", "empty-body"),
        },
    ),
    "late-bump": Variant(LateBump, {"no-ghost": sets(*EARLY), "stale-rejected": sets(*EARLY, *GONE)}),
    "lenient-echo": Variant(
        LenientEcho,
        {"malformed-rejected": sets("no-echo"), "no-ghost": sets(*(f"no-echo+{early}" for early in EARLY))},
    ),
    "bump-after-commit": Variant(BumpAfterCommit, {"no-bump-after-commit": sets("")}),
}

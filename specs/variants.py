"""The shipped designs: each is the fenced planner with a knob or two turned, and says what it loses by that.

`loses` is data for tests and documents: the properties that fall, each with the minimal sets of faults that bring it
down. Under any other faults of one call and three epochs the property holds.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from .properties import Planner


class LastWriter(Planner, decide="last-writer", basis="copy"):
    """Mutations are keyed on the call alone: whatever result comes last is written."""


class LateBump(Planner, bump="on-return"):
    """The fence is bumped when the compensator returns, so epoch 1 stays live while compensation runs."""


class LenientEcho(Planner, echo="optional"):
    """A result that echoes no epoch counts as live."""


class BumpAfterCommit(Planner, check_commit=False):
    """The scheduler does not look whether the call is committed before it bumps the fence."""


class Replay(Planner, on_timeout="replay"):
    """A timeout sends the original call again in the next epoch, with an idempotency key that the tool honours."""


class ReplayNoKey(Planner, on_timeout="replay", tool_key="none"):
    """A timeout sends the original call again in the next epoch, and the tool takes it for a new one."""


class Wait(Planner, on_timeout="wait"):
    """There is no deadline, and so no retransmission either."""


class NoOutbox(Planner, bump="after-send", basis="copy"):
    """The bump is in memory, the request is sent, and then the bump is written to the record."""


class EpochKeyedCompensator(Planner, compensator_key="call-epoch"):
    """The compensator's idempotency key is the call with its epoch, so every epoch compensates anew."""


class PlannerOnlyFence(Planner, world_fence=False):
    """The record is fenced, and the world is not."""


class TwoPlanners(Planner, basis="copy"):
    """Each planner decides by its own copy of the fence."""


class TwoPlannersFenced(Planner):
    """Two planners that compare and set the durable fence: the fenced planner, with somebody to race against."""


class FoldedRetry(Planner, on_timeout="compensate-and-retry"):
    """One retry policy for everybody: a timeout compensates, and sends the tool call again in the live epoch."""


@dataclass(frozen=True)
class Variant:
    """A shipped design: its class, and what falls under which minimal sets of faults."""

    model: type[Planner]
    loses: dict[str, list[frozenset[str]]] = field(default_factory=dict[str, list[frozenset[str]]])


EARLY = ("delay", "clock-jump")
GONE = ("loss", "empty-body", "no-echo")


def sets(text: str) -> list[frozenset[str]]:
    """Minimal fault sets: alternatives separated by `;`, faults by `+`; `early` and `gone` stand for any of several."""
    found: set[frozenset[str]] = set()
    for alternative in text.split(";"):
        names = [name.strip() for name in alternative.split("+") if name.strip() != "none"]
        choices = [{"early": EARLY, "gone": GONE}.get(name, (name,)) for name in names]
        found.update(frozenset(chosen) for chosen in itertools.product(*choices))
    return sorted(found, key=sorted)


VARIANTS: dict[str, Variant] = {
    "fenced": Variant(Planner),
    "last-writer": Variant(
        LastWriter,
        {
            "single-commit": sets("none"),
            "no-ghost": sets("early"),
            "stale-rejected": sets(
                "early; loss + comp-delay; comp-delay + second-planner; loss + comp-loss + second-planner"
            ),
            "malformed-rejected": sets("no-echo; empty-body"),
            "commit-durable": sets("early; second-planner; loss + comp-delay"),
            "no-bump-after-commit": sets("second-planner"),
            "effect-matches-record": sets("early"),
        },
    ),
    "replay": Variant(Replay),
    "replay-no-key": Variant(ReplayNoKey, {"apply-once": sets("none")}),
    "wait": Variant(Wait, {"settles": sets("gone"), "no-deadlock": sets("gone")}),
    "late-bump": Variant(
        LateBump,
        {
            "no-ghost": sets("early"),
            "effect-matches-record": sets("early"),
            "write-ahead": sets("early; gone"),
            "stale-rejected": sets("early; gone"),
        },
    ),
    "no-outbox": Variant(
        NoOutbox,
        {
            "write-ahead": sets("early; gone; second-planner"),
            "stale-rejected": sets("early; gone; second-planner"),
            "no-bump-after-commit": sets("early; gone; second-planner"),
            "no-ghost": sets("crash + early; crash + gone; second-planner + early"),
            "effect-matches-record": sets(
                "crash + early; crash + gone; second-planner + early; crash + second-planner"
            ),
            "single-commit": sets("second-planner"),
            "commit-durable": sets("second-planner"),
            "settles": sets("crash + second-planner + early; crash + second-planner + gone"),
        },
    ),
    "lenient-echo": Variant(
        LenientEcho,
        {
            "malformed-rejected": sets("no-echo"),
            "no-ghost": sets("no-echo + early"),
            "effect-matches-record": sets("no-echo + early"),
        },
    ),
    "bump-after-commit": Variant(
        BumpAfterCommit, {"no-bump-after-commit": sets("none"), "effect-matches-record": sets("none")}
    ),
    "epoch-keyed-compensator": Variant(
        EpochKeyedCompensator,
        {
            "compensate-once": sets(
                "early + comp-delay; early + comp-loss; gone + comp-delay; gone + comp-loss; gone + clock-jump;"
                "delay + clock-jump"
            )
        },
    ),
    "planner-only-fence": Variant(PlannerOnlyFence, {"effect-matches-record": sets("early")}),
    "two-planners": Variant(
        TwoPlanners,
        {
            "single-commit": sets("second-planner"),
            "commit-durable": sets("second-planner"),
            "no-bump-after-commit": sets("second-planner"),
            "no-ghost": sets("second-planner + early"),
            "stale-rejected": sets("second-planner + early; second-planner + gone"),
            "effect-matches-record": sets("second-planner + early; second-planner + crash"),
            "settles": sets("crash + second-planner + early; crash + second-planner + gone"),
        },
    ),
    "two-planners-fenced": Variant(TwoPlannersFenced),
    "folded-retry": Variant(
        FoldedRetry, {"no-ghost": sets("early; gone"), "effect-matches-record": sets("early; gone")}
    ),
}

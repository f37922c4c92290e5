"""What a search of all combinations of safeguards comes to: sufficient sets and cuts, each checked on its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fenceproof.model.trace import Trace

from .result import CheckResult
from .space import Space


@dataclass(frozen=True, slots=True)
class Fall:
    """The model falls without some safeguards: under which minimal sets of faults, and by what first.

    `faults` is the first of these sets; under it `by` (a property, or None where the model itself goes wrong) has the
    shortest trace, and `result` is the check that found it.
    """

    without: tuple[str, ...]
    minimal_faults: tuple[tuple[str, ...], ...]
    faults: tuple[str, ...]
    by: str | None
    trace: Trace
    result: CheckResult


@dataclass(frozen=True, slots=True)
class Sufficient:
    """Nothing falls with these safeguards alone, as `result` says; and what happens without each one of them as well.

    Where the model holds without one all the same, as it may where safeguards hinder each other, there is no fall.
    """

    safeguards: tuple[str, ...]
    result: CheckResult
    without_one: tuple[tuple[str, Fall | None], ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """All of it. `sufficient` is empty where the search was not complete, since then nothing is known to hold."""

    sufficient: tuple[Sufficient, ...]
    cuts: tuple[Fall, ...]
    never_needed: tuple[str, ...]
    is_monotone: bool
    by_faults: tuple[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]], ...]


def findings(space: Space, progress: Callable[[str], None] = lambda _: None) -> Findings:
    """Name the minimal sets of a space, and check each of them on its own. InternalError where that differs."""
    known: dict[tuple[str, ...], Fall | None] = {}

    def fall(without: Sequence[str]) -> Fall | None:
        key = tuple(name for name in space.safeguards if name in without)
        if key not in known:
            progress(f"checking on its own: without {', '.join(key) or 'nothing'}")
            known[key] = _fall(space, key)
        return known[key]

    cuts = tuple(found for cut in space.cuts() if (found := fall(cut)) is not None)
    if not space.complete:
        return Findings((), cuts, (), False, ())
    sufficient: list[Sufficient] = []
    for kept in space.sufficient():
        without = tuple(name for name in space.safeguards if name not in kept)
        progress(f"checking on its own: {', '.join(kept) or 'no safeguard'}")
        result = space.confirm(without)
        sufficient.append(Sufficient(kept, result, tuple((name, fall((*without, name))) for name in kept)))
    alone = [(), *((fault,) for fault in space.faults)]
    return Findings(
        tuple(sufficient),
        cuts,
        tuple(space.never_needed()),
        space.is_monotone(),
        tuple((faults, tuple(space.sufficient(faults))) for faults in alone),
    )


def _fall(space: Space, without: tuple[str, ...]) -> Fall | None:
    minimal = space.minimal_faults(without)
    if not minimal:
        return None
    result = space.confirm(without, minimal[0])
    if result.wrong is not None:
        return Fall(without, tuple(minimal), minimal[0], None, result.wrong.trace, result)
    violated = [(p.name, p.trace) for p in result.properties if p.trace is not None]
    if not violated:
        return None  # Only of a part that was searched, where time ended a level half way.
    name, trace = min(violated, key=lambda found: len(found[1]))
    return Fall(without, tuple(minimal), minimal[0], name, trace, result)

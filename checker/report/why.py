"""Why a trace violates a property: the clauses that are false and would have to be true, with the values there.

They are said as an author writes them. The line is that of the property: an expression that occurs
twice remembers where it was written first, which may be in another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from fenceproof.model.errors import Site
from fenceproof.model.step import false_clauses
from fenceproof.model.system import Judgement, TransitionSystem

from ..result import PropertyResult, Sort, Wrong
from .mistaken import misjudged
from .needed import Needed, Point, needs

#: Clauses, or actions of a deadlock, that are listed; the rest is counted.
MOST_CLAUSES: Final = 6


def why(system: TransitionSystem, found: PropertyResult | Wrong) -> list[str]:
    """What is false at the end of a violated property's trace and has to be true, a line each; the line on which the
    property is written comes last. Of a mistake in the model, what goes wrong with which values."""
    lines = _wrong(system, found) if isinstance(found, Wrong) else _violated(system, found)
    # An author's values may break into lines of their own.
    return [" ".join(line.split()) for line in lines]


def _violated(system: TransitionSystem, found: PropertyResult) -> list[str]:
    trace = found.trace
    if trace is None:
        return []
    point = Point(system, trace.states[-1])
    match found.sort:
        case Sort.DEADLOCK:
            return list(_stuck(point))
        case Sort.LIVENESS:
            lively = next(p for p in system.liveness if p.name == found.name)
            if lively.goal.holds.is_const:
                return [_placed("what has to come can never be", lively.site)]
            return _lines("what has to come never does: at the end ", needs(point, lively.goal.holds), lively.site)
        case Sort.STEP:
            step = next(p for p in system.step_properties if p.name == found.name)
            position = trace.transitions[-1]
            transition = system.transitions[position]
            point = Point(system, trace.states[-2], trace.states[-1], transition)
            outcome = transition.outcomes[point.outcome]
            of = f"any {transition.called}{'' if outcome is None else f' with the outcome {outcome}'}"
            return _judged(point, step.judgements[position], of, step.site)
        case Sort.INVARIANT:
            invariant = next(i for i in system.invariants if i.name == found.name)
            return _judged(point, invariant.judgement, "any state", invariant.site)


def _wrong(system: TransitionSystem, wrong: Wrong) -> list[str]:
    """What goes wrong, an action or a property, and the values with which it does."""
    trace = wrong.trace
    if trace.mistake is not None:
        transition = system.transitions[trace.mistake]
        values = Point(system, trace.states[-1]).values([transition.mistake])
        return [_with(f"{transition.called} goes wrong", values)]
    goes_wrong = (found for found in misjudged(system, trace) if found.mistake == wrong.mistake)
    return [_with(f"{found.name} cannot be judged", found.values) for found in goes_wrong][:1]


def _with(text: str, values: str) -> str:
    return f"{text}; here {values}" if values else f"{text}, whatever the state"


def _judged(point: Point, judgement: Judgement, of: str, site: Site | None) -> list[str]:
    if judgement.holds.is_const:
        return [_placed(f"it is false of {of}", site)]
    return _lines("", needs(point, judgement.holds), site)


def _lines(first: str, needed: list[Needed], site: Site | None) -> list[str]:
    """What is false, and at the end the line on which it is written."""
    lines = [need.falsity for need in needed[:MOST_CLAUSES]]
    if len(needed) > MOST_CLAUSES:
        lines.append(f"{len(needed) - MOST_CLAUSES} more")
    lines[0] = f"{first}{lines[0]}"
    lines[-1] = _placed(lines[-1], site)
    return lines


def _placed(text: str, site: Site | None) -> str:
    return text if site is None else f"{text} ({site})"


def _stuck(point: Point) -> Iterator[str]:
    """For each action, but for faults, what keeps it from happening."""
    told: dict[str, str] = {}
    for transition in point.system.transitions:
        if transition.fault is not None or transition.action in told or transition.guard.is_const:
            continue
        # The first is what its author asks first; that another one is false as well is no news.
        clause = false_clauses(transition, point.before)[0]
        need = needs(point, clause)[0]
        told[transition.action] = _placed(f"{transition.called} needs {need.want}", transition.site_of(clause))
    yield from list(told.values())[:MOST_CLAUSES]
    if len(told) > MOST_CLAUSES:
        yield f"{len(told) - MOST_CLAUSES} actions more"
    end = point.system.terminal.holds
    if not end.is_const:
        yield from (f"to end there needs {need.want}" for need in needs(point, end)[:1])

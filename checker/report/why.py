"""Why a trace violates a property: the clauses that decide it, as they would have to be, with the values there.

What would have been needed is said as an author writes it. The line is that of the property: an expression that occurs
twice remembers where it was written first, which may be in another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from fenceproof.model.errors import Site
from fenceproof.model.expressions import evaluate
from fenceproof.model.step import false_clauses
from fenceproof.model.system import Judgement, TransitionSystem

from ..result import PropertyResult, Sort
from .needed import Point, needs

#: Clauses, or actions of a deadlock, that are listed; the rest is counted.
MOST_CLAUSES: Final = 6


def why(system: TransitionSystem, found: PropertyResult) -> list[str]:
    """What was needed and was not so at the end of a violated property's trace, a line each; the line on which the
    property is written comes last."""
    trace = found.trace
    if trace is None:
        return []
    match found.sort:
        case Sort.DEADLOCK:
            return list(_stuck(Point(system, trace.states[-1])))
        case Sort.LIVENESS:
            lively = next(p for p in system.liveness if p.name == found.name)
            point = Point(system, trace.states[-1])
            lines = needs(point, lively.goal.holds)
            return _lines("what has to come needs", lines, lively.site)
        case Sort.STEP:
            step = next(p for p in system.step_properties if p.name == found.name)
            position = trace.transitions[-1]
            transition = system.transitions[position]
            point = Point(system, trace.states[-2], trace.states[-1], transition)
            return _judged(point, step.judgements[position], f"any {transition.called}", step.site)
        case Sort.INVARIANT:
            invariant = next(i for i in system.invariants if i.name == found.name)
            return _judged(Point(system, trace.states[-1]), invariant.judgement, "any state", invariant.site)


def _judged(point: Point, judgement: Judgement, of: str, site: Site | None) -> list[str]:
    if evaluate([judgement.mistake], point.before, point.after, point.outcome)[0]:
        return []
    if judgement.holds.is_const:
        return _lines("", [f"it is false of {of}"], site)
    return _lines("needed:", needs(point, judgement.holds), site)


def _lines(first: str, lines: list[str], site: Site | None) -> list[str]:
    shown = lines[:MOST_CLAUSES]
    if len(lines) > MOST_CLAUSES:
        shown.append(f"{len(lines) - MOST_CLAUSES} more")
    if shown:
        shown[0] = f"{first} {shown[0]}".strip()
        shown[-1] += f" ({site})" if site is not None else ""
    return shown


def _stuck(point: Point) -> Iterator[str]:
    """For each action, but for faults, what keeps it from happening."""
    told: dict[str, str] = {}
    for transition in point.system.transitions:
        if transition.fault is not None or transition.action in told or transition.guard.is_const:
            continue
        clause = false_clauses(transition, point.before)[0]
        needed = " and ".join(needs(point, clause)[:1])
        where = f" ({transition.site})" if transition.site is not None else ""
        told[transition.action] = f"{transition.called} needs {needed}{where}"
    yield from list(told.values())[:MOST_CLAUSES]
    if len(told) > MOST_CLAUSES:
        yield f"{len(told) - MOST_CLAUSES} actions more"

"""What goes wrong at the end of a trace: a property that cannot be judged there, or a step that cannot be finished."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fenceproof.model.expressions import Expression, evaluate
from fenceproof.model.step import enabled, is_quiescent, take
from fenceproof.model.system import Judgement, Mistake, TransitionSystem
from fenceproof.model.trace import Trace

from ..result import Wrong
from .needed import Point


@dataclass(frozen=True, slots=True)
class Misjudged:
    """A property that goes wrong, by name; `values` are those with which it does."""

    name: str
    mistake: Mistake
    values: str


def misjudged(system: TransitionSystem, trace: Trace) -> Iterator[Misjudged]:
    """The properties that cannot be judged in the last state, or over the last step, of a trace."""
    for name, judgement, point in _judgements(system, trace):
        mistake: Expression = judgement.mistake
        position = evaluate([mistake], point.before, point.after, point.outcome)[0]
        if position:
            yield Misjudged(name, judgement.mistakes[position - 1], point.values([mistake]))


def mistake_of(system: TransitionSystem, trace: Trace) -> Wrong | None:
    """How the model goes wrong at the end of a trace that does not say it itself; None where it does not."""
    for found in misjudged(system, trace):
        return Wrong(found.mistake, trace)
    for position in enabled(system, trace.states[-1]):
        mistake = take(system.transitions[position], trace.states[-1]).mistake
        if mistake is not None:
            return Wrong(mistake, replace(trace, mistake=position))
    return None


def _judgements(system: TransitionSystem, trace: Trace) -> Iterator[tuple[str, Judgement, Point]]:
    last = trace.states[-1]
    here = Point(system, last)
    if trace.transitions:
        position = trace.transitions[-1]
        step = Point(system, trace.states[-2], last, system.transitions[position])
        yield from ((p.name, p.judgements[position], step) for p in system.step_properties)
    rests = is_quiescent(system, last)
    yield from ((p.name, p.judgement, here) for p in system.invariants if rests or not p.quiescent)
    for lively in system.liveness:
        yield from ((lively.name, part, here) for part in (lively.trigger, lively.goal) if part is not None)
    if rests:
        yield "what may end", system.terminal, here

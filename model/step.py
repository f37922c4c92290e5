"""One step of a transition system, the slow and plain way: the meaning that every engine is held against.

Enabled transitions, the successor, which clause of a guard is false. Not a search: it looks at one state at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .expressions import Expression, clauses, evaluate
from .system import Judgement, Mistake, State, Transition, TransitionSystem


@dataclass(frozen=True, slots=True)
class Successor:
    """What taking a transition gives: the next state and the outcome, or the model's mistake instead of both."""

    state: State | None
    outcome: str | None
    mistake: Mistake | None


@dataclass(frozen=True, slots=True)
class Judged:
    """A property in one state or over one step; `exercised` is True where the property has no antecedent."""

    holds: bool
    exercised: bool
    mistake: Mistake | None


def is_enabled(transition: Transition, state: State, params: Sequence[int] = ()) -> bool:
    """Whether the guard is true in this state."""
    return bool(evaluate([transition.guard], state, params=params)[0])


def enabled(system: TransitionSystem, state: State) -> list[int]:
    """The positions of the transitions that are enabled in this state, in the model's order."""
    values = evaluate([t.guard for t in system.transitions], state)
    return [i for i, value in enumerate(values) if value]


def take(transition: Transition, state: State, params: Sequence[int] = ()) -> Successor:
    """The successor of a state by an enabled transition; `params` are its arguments that have no bound."""
    changed = [expression for _, expression in transition.updates]
    mistake, outcome, *values = evaluate([transition.mistake, transition.outcome, *changed], state, params=params)
    if mistake:
        return Successor(None, None, transition.mistakes[mistake - 1])
    after = list(state)
    for (position, _), value in zip(transition.updates, values, strict=True):
        after[position] = value
    return Successor(tuple(after), transition.outcomes[outcome], None)


def false_clauses(transition: Transition, state: State) -> list[Expression]:
    """Which conjuncts of the guard are false here, in the author's order; empty where the transition is enabled."""
    parts = clauses(transition.guard)
    return [part for part, value in zip(parts, evaluate(parts, state), strict=True) if not value]


def judge_state(judgement: Judgement, state: State) -> Judged:
    """A state property in one state."""
    return _judge(judgement, state, (), 0)


def judge_step(
    judgement: Judgement, transition: Transition, before: State, after: State, params: Sequence[int] = ()
) -> Judged:
    """A step property over one step; `judgement` is the property's for this transition."""
    return _judge(judgement, before, after, evaluate([transition.outcome], before, params=params)[0], params)


def _judge(judgement: Judgement, before: State, after: State, outcome: int, params: Sequence[int] = ()) -> Judged:
    roots = [judgement.mistake, judgement.holds]
    if judgement.exercised is not None:
        roots.append(judgement.exercised)
    mistake, holds, *exercised = evaluate(roots, before, after, outcome, params)
    if mistake:
        return Judged(holds=False, exercised=False, mistake=judgement.mistakes[mistake - 1])
    return Judged(bool(holds), bool(exercised[0]) if exercised else True, None)


def is_stuck(system: TransitionSystem, state: State) -> bool:
    """Whether nothing but a fault can happen here, though the state is not terminal: a deadlock."""
    return not judge_state(system.terminal, state).holds and is_quiescent(system, state)


def is_quiescent(system: TransitionSystem, state: State) -> bool:
    """Whether nothing but a fault can happen here."""
    return all(system.transitions[i].fault is not None for i in enabled(system, state))

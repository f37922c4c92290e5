"""What is to be proved, as truths of a state or of a step: the properties, and that nothing goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fenceproof.model.expressions import Expression
from fenceproof.model.system import Judgement, TransitionSystem

from .backend import Term, z3
from .encode import Encoder
from .questions import Question, StateQuestion, StepQuestion


@dataclass(frozen=True, slots=True)
class StateGoal:
    """Something that is true of every reachable state."""

    name: str
    holds: Expression


@dataclass(frozen=True, slots=True)
class StepGoal:
    """Something that is true of every reachable step: `holds[i]` of those that take the system's transition i."""

    name: str
    holds: tuple[Expression, ...] = field(repr=False)

    def broken(self, picked: Callable[[int], Term], encoders: Sequence[Encoder]) -> Term:
        """That a step breaks it, whatever transition it takes."""
        parts = [
            z3.And(picked(position), z3.Not(encoder.term(holds)))
            for position, (encoder, holds) in enumerate(zip(encoders, self.holds, strict=True))
            if not (holds.is_const and holds.value)
        ]
        return z3.Or(parts)


def goal(system: TransitionSystem, question: Question) -> StateGoal | StepGoal:
    """That a property is not violated; where judging it goes wrong it says nothing (see `nothing_wrong`)."""
    return _goal(system, question, question.name, lambda j: _unless_wrong(system, j, j.holds))


def never_tested(system: TransitionSystem, question: Question) -> StateGoal | StepGoal:
    """That a property is nowhere put to the test."""

    def untested(judgement: Judgement) -> Expression:
        exercised = judgement.exercised
        return system.expressions.false if exercised is None else system.expressions.negate(exercised)

    return _goal(system, question, f"untested {question.name}", untested)


def nothing_wrong(system: TransitionSystem, asked: Sequence[Question]) -> list[StateGoal | StepGoal]:
    """That no step goes wrong, and judging none of some properties does; empty where nothing can."""
    x = system.expressions
    wrong = [x.conjoin((t.guard, x.negate(_is_right(system, t.mistake)))) for t in system.transitions if t.mistakes]
    found: list[StateGoal | StepGoal] = []
    if wrong:
        found.append(StateGoal("no step goes wrong", x.negate(x.disjoin(wrong))))
    for question in asked:
        if _may_go_wrong(question):
            found.append(_goal(system, question, f"judging {question.name}", lambda j: _is_right(system, j.mistake)))
    return found


def never_enabled(system: TransitionSystem, action: str) -> StateGoal:
    """That an action is enabled nowhere."""
    x = system.expressions
    guards = [t.guard for t in system.transitions if t.action == action]
    return StateGoal(f"never {action}", x.negate(x.disjoin(guards)))


def _may_go_wrong(question: Question) -> bool:
    if isinstance(question, StateQuestion):
        return bool(question.judgement.mistakes)
    assert isinstance(question, StepQuestion), "a question is of states or of steps"
    return any(j.mistakes for j in question.judgements)


def _goal(
    system: TransitionSystem, question: Question, name: str, of: Callable[[Judgement], Expression]
) -> StateGoal | StepGoal:
    x = system.expressions
    if isinstance(question, StateQuestion):
        holds = of(question.judgement)
        if question.quiescent:
            moves = x.disjoin(t.guard for t in system.transitions if t.fault is None)
            holds = x.disjoin((moves, holds))
        return StateGoal(name, holds)
    assert isinstance(question, StepQuestion), "a question is of states or of steps"
    return StepGoal(name, tuple(of(j) for j in question.judgements))


def _unless_wrong(system: TransitionSystem, judgement: Judgement, holds: Expression) -> Expression:
    x = system.expressions
    return x.disjoin((x.negate(_is_right(system, judgement.mistake)), holds))


def _is_right(system: TransitionSystem, mistake: Expression) -> Expression:
    return system.expressions.equal(mistake, system.expressions.const(0))

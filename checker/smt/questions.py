"""What is asked of each depth of an unrolling: whether a property is violated there, tested there, or goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fenceproof.model.expressions import Expression
from fenceproof.model.system import DEADLOCK, Invariant, Judgement, StepProperty, TransitionSystem

from ..result import Sort
from .backend import Term, z3
from .encode import Encoder
from .unroll import Unrolling

STUCK = "No reachable state is stuck, that is, without anything but faults left to happen and yet not terminal."


@dataclass(frozen=True, slots=True)
class Asked:
    """A property at one depth, as terms: that it is violated, that it is tested, that judging it goes wrong."""

    violated: Term
    tested: Term
    wrong: Term


@dataclass(slots=True)
class Question:
    """A property: its name, sort and meaning, and whether it was put to the test yet."""

    name: str
    sort: Sort
    meaning: str
    tested: bool


@dataclass(slots=True)
class StateQuestion(Question):
    """An invariant, in every state or where only faults can still happen; or that nothing is stuck."""

    judgement: Judgement
    quiescent: bool

    def at(self, unrolling: Unrolling, depth: int) -> Asked:
        """The question of one state."""
        encoder = unrolling.encoders[depth]
        here = is_quiescent(unrolling.system, encoder) if self.quiescent else z3.BoolVal(True)
        asked = judged(encoder, self.judgement)
        return Asked(z3.And(here, asked.violated), z3.And(here, asked.tested), z3.And(here, asked.wrong))


@dataclass(slots=True)
class StepQuestion(Question):
    """A step property."""

    judgements: Sequence[Judgement]

    def of_last(self, unrolling: Unrolling, encoders: Sequence[Encoder]) -> Asked:
        """The question of the last step, whatever transition it takes."""
        parts = [judged(encoder, judgement) for encoder, judgement in zip(encoders, self.judgements, strict=True)]
        picked = [unrolling.picked(unrolling.depth - 1, position) for position in range(len(parts))]

        def any_of(term: Callable[[Asked], Term]) -> Term:
            return z3.Or([z3.And(here, term(part)) for here, part in zip(picked, parts, strict=True)])

        return Asked(any_of(lambda p: p.violated), any_of(lambda p: p.tested), any_of(lambda p: p.wrong))


def questions(system: TransitionSystem, wanted: Sequence[str] | None) -> list[Question]:
    """What is asked of a system, in the order in which it is reported; liveness is not asked about."""

    def is_wanted(name: str) -> bool:
        return wanted is None or name in wanted

    found: list[Question] = [_step(p) for p in system.step_properties if is_wanted(p.name)]
    found += [_state(i) for i in system.invariants if is_wanted(i.name)]
    if is_wanted(DEADLOCK):
        found.append(StateQuestion(DEADLOCK, Sort.DEADLOCK, STUCK, True, system.terminal, quiescent=True))
    return found


def _step(prop: StepProperty) -> Question:
    tested = all(j.exercised is None for j in prop.judgements)
    return StepQuestion(prop.name, Sort.STEP, prop.meaning, tested, prop.judgements)


def _state(invariant: Invariant) -> Question:
    tested = invariant.judgement.exercised is None and not invariant.quiescent
    return StateQuestion(
        invariant.name, Sort.INVARIANT, invariant.meaning, tested, invariant.judgement, invariant.quiescent
    )


def is_quiescent(system: TransitionSystem, encoder: Encoder) -> Term:
    """That nothing but a fault can happen in a state."""
    return z3.Not(z3.Or([encoder.term(t.guard) for t in system.transitions if t.fault is None]))


def judged(encoder: Encoder, judgement: Judgement) -> Asked:
    """What a judgement says; where it goes wrong it says nothing else."""
    wrong = goes_wrong(encoder, judgement.mistake)
    exercised = judgement.exercised
    tested = z3.BoolVal(True) if exercised is None else encoder.term(exercised)
    return Asked(z3.And(z3.Not(wrong), z3.Not(encoder.term(judgement.holds))), tested, wrong)


def goes_wrong(encoder: Encoder, mistake: Expression) -> Term:
    """That a mistake's code is not 0."""
    code = encoder.term(mistake)
    return code != z3.BitVecVal(0, code.size())

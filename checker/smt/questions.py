"""What is asked of each depth of an unrolling: whether a property is violated there, tested there, or goes wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fenceproof.model.expressions import Expression
from fenceproof.model.system import DEADLOCK, Invariant, Judgement, StepProperty, TransitionSystem

from ..result import Sort
from .backend import Term, z3
from .encode import Encoder
from .unroll import Unrolling

STUCK = "No reachable state is stuck, that is, without anything but faults left to happen and yet not terminal."


@dataclass(slots=True)
class Question:
    """A property: its name, sort and meaning, whether it was put to the test yet, and in how many steps it falls."""

    name: str
    sort: Sort
    meaning: str
    tested: bool

    def of_state(self, unrolling: Unrolling, depth: int) -> tuple[Term, Term]:
        """That it is violated, and that it is tested, in a state; both false for what is not about states."""
        del unrolling, depth
        return z3.BoolVal(False), z3.BoolVal(False)

    def of_step(self, unrolling: Unrolling, encoders: Sequence[Encoder]) -> tuple[Term, Term]:
        """The same of the last step."""
        del unrolling, encoders
        return z3.BoolVal(False), z3.BoolVal(False)


@dataclass(slots=True)
class StateQuestion(Question):
    """An invariant, in every state or where only faults can still happen; or that nothing is stuck."""

    judgement: Judgement
    quiescent: bool

    def of_state(self, unrolling: Unrolling, depth: int) -> tuple[Term, Term]:
        encoder = unrolling.encoders[depth]
        here = is_quiescent(unrolling.system, encoder) if self.quiescent else z3.BoolVal(True)
        violated, tested = judged(encoder, self.judgement)
        return z3.And(here, violated), z3.And(here, tested)


@dataclass(slots=True)
class StepQuestion(Question):
    """A step property."""

    judgements: Sequence[Judgement]

    def of_step(self, unrolling: Unrolling, encoders: Sequence[Encoder]) -> tuple[Term, Term]:
        violated: list[Term] = []
        tested: list[Term] = []
        for position, (encoder, judgement) in enumerate(zip(encoders, self.judgements, strict=True)):
            picked = unrolling.picked(unrolling.depth - 1, position)
            bad, test = judged(encoder, judgement)
            violated.append(z3.And(picked, bad))
            tested.append(z3.And(picked, test))
        return z3.Or(violated), z3.Or(tested)


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


def judged(encoder: Encoder, judgement: Judgement) -> tuple[Term, Term]:
    """That a judgement says violated, and that it was put to the test; where it goes wrong it says nothing."""
    fine = z3.Not(goes_wrong(encoder, judgement.mistake))
    exercised = judgement.exercised
    tested = z3.BoolVal(True) if exercised is None else encoder.term(exercised)
    return z3.And(fine, z3.Not(encoder.term(judgement.holds))), tested


def goes_wrong(encoder: Encoder, mistake: Expression) -> Term:
    """That a mistake's code is not 0."""
    code = encoder.term(mistake)
    return code != z3.BitVecVal(0, code.size())

"""What is asked of each depth of an unrolling: whether a property is violated there, tested there, or goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fenceproof.model.system import DEADLOCK, Invariant, Judgement, StepProperty

from ..result import Sort
from .backend import Term, z3
from .encode import Encoder
from .relation import Relation, goes_wrong
from .unroll import Unrolling

STUCK = "No reachable state is stuck, that is, without anything but faults left to happen and yet not terminal."


@dataclass(frozen=True, slots=True)
class Question:
    """A property as terms over a step of the relation (`of_steps`) or over the state before one.

    `violated`, `tested` and `wrong` say that it is violated, that it is put to the test, and that judging it goes
    wrong; where it goes wrong it is neither of the others. `judgements` has one judgement, or one a transition.
    """

    name: str
    sort: Sort
    meaning: str
    violated: Term
    tested: Term
    wrong: Term
    judgements: Sequence[Judgement]
    of_steps: bool = False

    def at(self, unrolling: Unrolling, term: Term, depth: int) -> Term:
        """One of the terms, of the state after so many steps, or of the step that leads there (`depth` is 1 then)."""
        return unrolling.of_step(term, depth - 1) if self.of_steps else unrolling.of_state(term, depth)


def questions(relation: Relation, wanted: Sequence[str] | None) -> list[Question]:
    """What is asked of a system, in the order in which it is reported; liveness is not asked about."""
    system = relation.system

    def is_wanted(name: str) -> bool:
        return wanted is None or name in wanted

    found = [_of_steps(relation, p) for p in system.step_properties if is_wanted(p.name)]
    found += [_of_states(relation, i) for i in system.invariants if is_wanted(i.name)]
    if is_wanted(DEADLOCK):
        # It is tested anywhere: that a state is not stuck says something of the property.
        here, parts = is_quiescent(relation), judged(relation.encoder, system.terminal)
        violated, wrong = _simple(z3.And(here, parts.violated)), _simple(z3.And(here, parts.wrong))
        found.append(Question(DEADLOCK, Sort.DEADLOCK, STUCK, violated, z3.BoolVal(True), wrong, (system.terminal,)))
    return found


def _of_states(relation: Relation, invariant: Invariant) -> Question:
    parts = judged(relation.encoder, invariant.judgement)
    here = is_quiescent(relation) if invariant.quiescent else z3.BoolVal(True)
    violated, tested, wrong = (_simple(z3.And(here, term)) for term in (parts.violated, parts.tested, parts.wrong))
    return Question(invariant.name, Sort.INVARIANT, invariant.meaning, violated, tested, wrong, (invariant.judgement,))


def _of_steps(relation: Relation, prop: StepProperty) -> Question:
    parts = [judged(encoder, j) for encoder, j in zip(relation.encoders, prop.judgements, strict=True)]
    # Where some transitions have an antecedent, the others do not put the property to the test; where none has, there
    # is nothing to test.
    if all(j.exercised is None for j in prop.judgements):
        tested = z3.BoolVal(True)
    else:
        tested = _any(relation, parts, lambda part: part.tested, [j.exercised is not None for j in prop.judgements])
    violated, wrong = _any(relation, parts, lambda part: part.violated), _any(relation, parts, lambda part: part.wrong)
    return Question(prop.name, Sort.STEP, prop.meaning, violated, tested, wrong, prop.judgements, of_steps=True)


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgement as terms."""

    violated: Term
    tested: Term
    wrong: Term


def judged(encoder: Encoder, judgement: Judgement) -> Judged:
    """What a judgement says; where it goes wrong it says nothing else."""
    wrong = goes_wrong(encoder, judgement.mistake)
    exercised = judgement.exercised
    tested = z3.BoolVal(True) if exercised is None else encoder.term(exercised)
    return Judged(z3.And(z3.Not(wrong), z3.Not(encoder.term(judgement.holds))), z3.And(z3.Not(wrong), tested), wrong)


def is_quiescent(relation: Relation) -> Term:
    """That nothing but a fault can happen in the state before the step."""
    guards = [relation.encoder.term(t.guard) for t in relation.system.transitions if t.fault is None]
    return z3.Not(z3.Or(guards))


def _any(
    relation: Relation, parts: Sequence[Judged], term: Callable[[Judged], Term], counts: Sequence[bool] | None = None
) -> Term:
    """A term of the judgement of whatever transition is taken."""

    def ways() -> Iterator[Term]:
        for position, (picked, part) in enumerate(zip(relation.picked, parts, strict=True)):
            if counts is None or counts[position]:
                yield z3.And(picked, term(part))

    return _simple(z3.Or(list(ways())))


def _simple(term: Term) -> Term:
    # What can never be, as most mistakes, is False after this, and not asked.
    return z3.simplify(term)

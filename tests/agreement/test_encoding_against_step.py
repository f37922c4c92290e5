"""The transition relation in z3 against the one-step interpreter: every transition of every state, both ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from every_kind import Everything
from fenceproof.checker.smt.backend import Term, z3
from fenceproof.checker.smt.encode import Encoder, constant
from fenceproof.checker.smt.questions import judged, questions
from fenceproof.checker.smt.relation import Relation, goes_wrong
from fenceproof.model.budgets import Settings
from fenceproof.model.expressions import evaluate
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, is_quiescent, judge_state, judge_step, take
from fenceproof.model.system import Judgement, State, TransitionSystem
from fenceproof.specs.variants import VARIANTS
from random_models import random_model
from some_designs import some_later
from toys import clock, counter, graph

#: States of a system that are compared, the first ones of a breadth-first search.
MOST = 16
TOYS = {
    "counter": counter(5),
    "counter that goes wrong": counter(5, wrong_at=3),
    "clock": clock(),
    "graph": graph([(0, 1), (1, 2), (2, 0), (1, 3)], faults=[(1, 3)], bad=[3]),
}


def states_of(system: TransitionSystem) -> list[State]:
    found = dict.fromkeys(system.initial)
    for state in (queue := list(found)):
        for position in enabled(system, state):
            after = take(system.transitions[position], state).state
            if after is not None and after not in found and len(found) < MOST:
                found[after] = None
                queue.append(after)
    return list(found)


class Compared:
    """The relation of a system with constants in the place of its variables."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system, self.relation = system, Relation(system)
        self.asked = {q.name: q for q in questions(self.relation, None)}
        self.solver = z3.SolverFor("QF_FD")
        self.solver.add(self.relation.step, self.relation.within)

    def pairs(self, variables: Sequence[Term], state: State) -> Iterator[tuple[Term, Term]]:
        for variable, slot, value in zip(variables, self.system.slots, state, strict=True):
            if variable is not None:
                yield variable, constant(slot, value)

    def taking(self, position: int) -> Iterator[tuple[Term, Term]]:
        relation = self.relation
        yield relation.number, z3.BitVecVal(position, relation.number.size())
        for other, picked in enumerate(relation.picked):
            yield picked, z3.BoolVal(other == position)

    def successors(self, state: State) -> None:
        """Each step of the interpreter's is one of z3's, and z3 has no other."""
        relation, before = self.relation, list(self.pairs(self.relation.before, state))
        known: list[Term] = []
        for position, transition in enumerate(self.system.transitions):
            after = take(transition, state).state if position in enabled(self.system, state) else None
            if after is None:
                continue
            step = [*self.pairs(relation.after, after), *self.taking(position)]
            assert z3.is_true(z3.simplify(z3.substitute(relation.step, *before, *step))), (state, transition.action)
            known.append(z3.And([variable == value for variable, value in step]))
        at = [variable == value for variable, value in before]
        assert self.solver.check(*map(self.literal, (z3.And(at), z3.Not(z3.Or(known))))) == z3.unsat, state

    def literal(self, term: Term) -> Term:
        literal = z3.FreshBool("asked")
        self.solver.add(z3.Implies(literal, term))
        return literal

    def parts(self, state: State) -> None:
        """Guards, mistakes, outcomes and judgements mean the same."""
        before = list(self.pairs(self.relation.before, state))
        wrong = False
        for position, transition in enumerate(self.system.transitions):
            is_enabled = position in enabled(self.system, state)
            assert value(self.relation.encoder.term(transition.guard), before) == is_enabled
            if not is_enabled:
                continue
            code, outcome = evaluate([transition.mistake, transition.outcome], state)
            assert value(goes_wrong(self.relation.encoder, transition.mistake), before) == bool(code)
            wrong = wrong or bool(code)
            if code:
                continue
            assert value(self.relation.encoder.term(transition.outcome), before) == outcome
            after = take(transition, state).state
            assert after is not None
            step = [*before, *self.pairs(self.relation.after, after), *self.taking(position)]
            for prop in self.system.step_properties:
                found = judge_step(prop.judgements[position], transition, state, after)
                same(self.relation.encoders[position], prop.judgements[position], found, step)
                violated = value(self.asked[prop.name].violated, step)
                assert violated == (not found.holds and found.mistake is None)
        assert value(self.relation.wrong, before) == wrong
        for invariant in self.system.invariants:
            found = judge_state(invariant.judgement, state)
            same(self.relation.encoder, invariant.judgement, found, before)
            here = is_quiescent(self.system, state) or not invariant.quiescent
            violated = value(self.asked[invariant.name].violated, before)
            assert violated == (here and not found.holds and found.mistake is None)


def value(term: Term, pairs: Sequence[tuple[Term, Term]]) -> Any:
    found = z3.simplify(z3.substitute(term, *pairs))
    return found.as_signed_long() if z3.is_bv_value(found) else z3.is_true(found)


def same(encoder: Encoder, judgement: Judgement, found: Any, pairs: Sequence[tuple[Term, Term]]) -> None:
    terms = judged(encoder, judgement)
    wrong = found.mistake is not None
    assert value(terms.wrong, pairs) == wrong
    assert value(terms.violated, pairs) == (not wrong and not found.holds)
    assert value(terms.tested, pairs) == (not wrong and found.exercised)


def check_agrees(system: TransitionSystem) -> None:
    compared = Compared(system)
    for state in states_of(system):
        compared.successors(state)
        compared.parts(state)


@pytest.mark.parametrize("name", TOYS)
def test_the_relation_of_a_toy_is_the_interpreters(name: str) -> None:
    check_agrees(TOYS[name])


def test_the_relation_of_a_model_with_every_kind_is_the_interpreters() -> None:
    check_agrees(lift(Everything()))


@pytest.mark.parametrize("seed", range(30))
def test_the_relation_of_a_random_model_is_the_interpreters(seed: int) -> None:
    check_agrees(lift(random_model(seed)))


@pytest.mark.parametrize("name", ["fenced", *some_later(v for v in VARIANTS if v != "fenced")])
def test_the_relation_of_a_shipped_variant_is_the_interpreters(name: str) -> None:
    check_agrees(lift(VARIANTS[name].model(epochs=2), Settings(most_faults=2)))

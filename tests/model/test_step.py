"""One step, the plain way: what is enabled, what follows, which clause is false, what is judged, where it is stuck."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fenceproof.model.kinds import BoolKind, RangeKind
from fenceproof.model.rendering import render
from fenceproof.model.step import (
    Judged,
    Successor,
    enabled,
    false_clauses,
    is_enabled,
    is_stuck,
    judge_state,
    judge_step,
    take,
)
from fenceproof.model.system import Judgement, Mistake, Transition
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import Builder, clock, counter, graph


def swap() -> tuple[Builder, Transition]:
    """Two numbers of which the first is smaller change places; the outcome says how far they were apart."""
    b = Builder({"a": RangeKind(0, 3), "b": RangeKind(0, 3), "c": BoolKind()})
    apart = b.x.less(b.x.const(1), b.x.subtract(b.slot(1), b.slot(0)))
    guard = b.x.conjoin([b.x.less(b.slot(0), b.slot(1)), b.slot(2)])
    b.act(
        "swap", guard, {0: b.slot(1), 1: b.slot(0)}, outcome=b.x.number(apart), outcomes=("near", "far"), fault="mixup"
    )
    return b, b.transitions[0]


STATES = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 1))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(STATES)
def test_all_updates_are_of_the_state_before_and_the_rest_keeps_its_value(state: tuple[int, int, int]) -> None:
    _, transition = swap()
    a, b, c = state
    assert is_enabled(transition, state) == (a < b and c == 1)
    assert take(transition, state) == Successor((b, a, c), "far" if b - a > 1 else "near", None)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(STATES)
def test_a_transition_is_enabled_exactly_where_no_clause_is_false(state: tuple[int, int, int]) -> None:
    _, transition = swap()
    a, b, c = state
    expected = [text for text, holds in (("(s0 < s1)", a < b), ("s2", c == 1)) if not holds]
    assert [render(clause) for clause in false_clauses(transition, state)] == expected
    assert is_enabled(transition, state) == (not expected)


def test_the_enabled_transitions_are_given_in_the_models_order() -> None:
    system = graph([(1, 0), (0, 2), (0, 1), (2, 1)])
    assert [enabled(system, (node, 0)) for node in range(3)] == [[1, 2], [0], [3]]


def test_a_step_in_which_the_model_goes_wrong_has_no_successor() -> None:
    transition = counter(3, wrong_at=2).transitions[0]
    assert take(transition, (1,)) == Successor((2,), None, None)
    assert take(transition, (2,)) == Successor(None, None, Mistake("up goes wrong", None))


def test_the_right_one_of_several_mistakes_is_told() -> None:
    b = Builder({"n": RangeKind(0, 2)})
    b.act("go", b.x.true, {}, mistake=b.slot(0))
    named = replace(b.transitions[0], mistakes=(Mistake("first", None), Mistake("second", None)))
    assert [take(named, (n,)).mistake for n in range(3)] == [None, *named.mistakes]


def test_a_property_without_an_antecedent_is_always_put_to_the_test() -> None:
    b = Builder({"n": RangeKind(0, 2)})
    holds = b.x.less(b.slot(0), b.x.const(1))
    assert [judge_state(b.judge(holds), (n,)) for n in (0, 1)] == [Judged(True, True, None), Judged(False, True, None)]


def test_a_property_with_an_antecedent_is_put_to_the_test_where_that_is_true() -> None:
    b = Builder({"n": RangeKind(0, 2)})
    antecedent = b.x.equal(b.slot(0), b.x.const(2))
    judgement = b.judge(b.x.negate(antecedent), antecedent)
    found = [judge_state(judgement, (n,)) for n in (1, 2)]
    assert found == [Judged(True, False, None), Judged(False, True, None)]


def test_a_property_that_cannot_be_evaluated_does_not_hold_and_says_why() -> None:
    b = Builder({"n": RangeKind(0, 2)})
    mistakes = (Mistake("one", None), Mistake("two", None))
    judgement = Judgement(b.x.true, None, b.slot(0), mistakes)
    assert judge_state(judgement, (0,)) == Judged(True, True, None)
    assert judge_state(judgement, (2,)) == Judged(False, False, mistakes[1])


def test_a_step_is_judged_by_both_states_and_the_outcome() -> None:
    b, transition = swap()
    rises = b.x.less(b.slot(0), b.next(0))
    far = b.x.equal(b.x.outcome(2), b.x.const(1))
    judgement = b.judge(b.x.conjoin([rises, far]), far)
    assert judge_step(judgement, transition, (0, 2, 1), (2, 0, 1)) == Judged(True, True, None)
    assert judge_step(judgement, transition, (0, 1, 1), (1, 0, 1)) == Judged(False, False, None)
    assert judge_step(judgement, transition, (0, 3, 1), (0, 3, 1)) == Judged(False, True, None)


def test_a_state_is_stuck_where_nothing_is_enabled_though_it_is_not_terminal() -> None:
    assert [is_stuck(counter(2), (n,)) for n in range(3)] == [False, False, True]
    assert [is_stuck(clock(), (on,)) for on in (0, 1)] == [False, False]


def test_a_fault_is_no_way_out_of_a_deadlock() -> None:
    system = graph([(0, 1), (1, 0), (0, 0)], faults=[(0, 1), (0, 0)])
    assert [is_stuck(system, (node, 0)) for node in (0, 1)] == [True, False]


@pytest.mark.parametrize(("rests", "stuck"), [(True, False), (False, True)])
def test_a_terminal_state_is_never_stuck(rests: bool, stuck: bool) -> None:
    system = counter(2)
    x = system.expressions
    assert is_stuck(replace(system, terminal=Judgement(x.truth(rests), None, x.const(0), ())), (2,)) is stuck

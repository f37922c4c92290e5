"""Compiled expressions give what `evaluate` gives, on random expressions and at the edges of the types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fenceproof.checker.engines.compile import as_mask, column_type, compile_roots, is_column, narrowest
from fenceproof.model.expressions import Expression, Expressions, evaluate
from fenceproof.model.layout import Slot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SLOTS = (
    Slot("a", -3, 9),
    Slot("b", 0, 1, is_bool=True),
    Slot("c", 0, 127),
    Slot("d", -128, 127),
    Slot("e", -40_000, 2**33),
    Slot("f", 0, 200),
)
RELAXED = settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


class Drawn:
    """Draws expressions over the slots."""

    def __init__(self, draw: Any, *, primed: bool = False) -> None:
        self.x, self.draw, self.primed = Expressions(), draw, primed

    def leaf(self) -> Expression:
        position: int = self.draw(st.integers(0, len(SLOTS) - 1))
        slot = SLOTS[position]
        if self.primed and self.draw(st.booleans()):
            return self.x.next_slot(position, slot.lo, slot.hi, is_bool=slot.is_bool)
        return self.x.slot(position, slot.lo, slot.hi, is_bool=slot.is_bool)

    def number(self, depth: int) -> Expression:
        x = self.x
        if depth == 0:
            return x.const(self.draw(st.integers(-300, 300))) if self.draw(st.booleans()) else x.number(self.leaf())
        a, b = self.number(depth - 1), self.number(depth - 1)
        match self.draw(st.integers(0, 5)):
            case 0:
                return x.add(a, b)
            case 1:
                return x.subtract(a, b)
            case 2 if max(abs(a.lo), abs(a.hi)) * max(abs(b.lo), abs(b.hi)) < 2**60:
                return x.multiply(a, b)
            case 3:
                return x.divide(a, x.const(self.draw(st.sampled_from([-3, -1, 2, 7]))))
            case 4:
                return x.modulo(a, x.const(self.draw(st.sampled_from([-5, -2, 3, 4]))))
            case _:
                return x.choose(self.truth(depth - 1), a, b)

    def truth(self, depth: int) -> Expression:
        x = self.x
        if depth == 0:
            leaf = self.leaf()
            bound = x.const(self.draw(st.sampled_from([leaf.lo, leaf.lo + 1, leaf.hi])))
            return leaf if leaf.is_bool else x.less(leaf, bound)
        match self.draw(st.integers(0, 5)):
            case 0:
                return x.less(self.number(depth - 1), self.number(depth - 1))
            case 1:
                return x.equal(self.number(depth - 1), self.number(depth - 1))
            case 2:
                return x.negate(self.truth(depth - 1))
            case 3:
                return x.conjoin([self.truth(depth - 1), self.truth(depth - 1)])
            case 4:
                return x.disjoin([self.truth(depth - 1), self.truth(depth - 1)])
            case _:
                return x.choose(self.truth(depth - 1), self.truth(depth - 1), self.truth(depth - 1))


STATES = st.lists(
    st.tuples(*(st.one_of(st.sampled_from([s.lo, s.lo + 1, s.hi]), st.integers(s.lo, s.hi)) for s in SLOTS)),
    min_size=1,
    max_size=8,
)


def columns(states: list[tuple[int, ...]], wanted: tuple[int, ...]) -> list[Any]:
    return [np.array([state[i] for state in states], dtype=column_type(SLOTS[i])) for i in wanted]


def rows(value: Any, count: int) -> list[int]:
    return [int(v) for v in (value if is_column(value) else [value] * count)]


@RELAXED
@given(st.data(), STATES)
def test_compiled_guards_and_updates_are_what_evaluate_says(data: st.DataObject, states: list[tuple[int, ...]]) -> None:
    drawn = Drawn(data.draw)
    roots = [drawn.truth(2), drawn.number(3)]
    program = compile_roots(roots)
    values = program.run(columns(states, program.slots))
    found = [rows(value, len(states)) for value in values]
    assert found == [[evaluate([root], state)[0] for state in states] for root in roots]


@RELAXED
@given(st.data(), STATES)
def test_what_stands_for_the_state_after_a_step_is_computed_from_the_state_before(
    data: st.DataObject, states: list[tuple[int, ...]]
) -> None:
    drawn = Drawn(data.draw, primed=True)
    x = drawn.x
    before = [x.slot(i, s.lo, s.hi, is_bool=s.is_bool) for i, s in enumerate(SLOTS)]
    after = [x.negate(before[1]) if i == 1 else before[i] for i in range(len(SLOTS))]
    after[0] = x.modulo(before[2], x.const(7))
    bindings = {x.next_slot(i, s.lo, s.hi, is_bool=s.is_bool): after[i] for i, s in enumerate(SLOTS)}
    later = [drawn.truth(2), drawn.number(2)]
    reached = [tuple(evaluate(after, state)) for state in states]
    program = compile_roots([], later, bindings)
    values = program.run(columns(states, program.slots))
    found = [rows(value, len(states)) for value in values]
    assert found == [[evaluate([root], b, a)[0] for b, a in zip(states, reached, strict=True)] for root in later]


@pytest.mark.parametrize(
    ("lo", "hi", "expected"),
    [
        (0, 127, np.int8),
        (-128, 0, np.int8),
        (0, 128, np.int16),
        (-129, 0, np.int16),
        (0, 2**15, np.int32),
        (-(2**31), 2**31 - 1, np.int32),
        (0, 2**31, np.int64),
        (-(2**62), 2**62, np.int64),
    ],
)
def test_the_narrowest_type_holds_both_ends(lo: int, hi: int, expected: type) -> None:
    assert narrowest(lo, hi) is expected


def test_a_sum_that_no_longer_fits_its_column_is_widened() -> None:
    x = Expressions()
    c = x.slot(2, 0, 127, is_bool=False)
    program = compile_roots([x.add(c, c), x.multiply(c, x.const(1000)), x.subtract(x.const(-128), c)])
    values = program.run([np.array([127, 100], dtype=np.int8)])
    assert [v.tolist() for v in values] == [[254, 200], [127_000, 100_000], [-255, -228]]


@pytest.mark.parametrize(("a", "b"), [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (-6, 3)])
def test_division_rounds_down_and_the_rest_has_the_sign_of_the_divisor_as_in_python(a: int, b: int) -> None:
    x = Expressions()
    n = x.slot(3, -128, 127, is_bool=False)
    program = compile_roots([x.divide(n, x.const(b)), x.modulo(n, x.const(b))])
    assert [v.tolist() for v in program.run([np.array([a], dtype=np.int8)])] == [[a // b], [a % b]]


def test_a_division_by_zero_in_a_branch_not_taken_does_not_matter() -> None:
    x = Expressions()
    n = x.slot(5, 0, 200, is_bool=False)
    program = compile_roots([x.choose(x.equal(n, x.const(0)), x.const(-1), x.divide(x.const(100), n))])
    with np.errstate(divide="ignore"):
        (value,) = program.run([np.array([0, 7, 200], dtype=np.int16)])
    assert value.tolist() == [-1, 14, 0]


def test_a_program_reads_only_the_slots_that_its_roots_need() -> None:
    x = Expressions()
    assert compile_roots([x.less(x.slot(4, 0, 9, is_bool=False), x.slot(2, 0, 9, is_bool=False))]).slots == (2, 4)


def test_a_constant_is_a_scalar_and_becomes_a_mask_where_one_is_wanted() -> None:
    x = Expressions()
    (value,) = compile_roots([x.true]).run([])
    assert not is_column(value)
    assert as_mask(value, 3).tolist() == [True, True, True]
    assert as_mask(np.array([True, False]), 2).tolist() == [True, False]


def test_what_is_shared_is_computed_once() -> None:
    x = Expressions()
    n = x.slot(0, 0, 9, is_bool=False)
    shared = x.multiply(n, n)
    calls: list[int] = []

    class Counted(np.ndarray[Any, Any]):
        def __mul__(self, other: Any) -> Any:
            calls.append(1)
            return np.asarray(self) * np.asarray(other)

    program = compile_roots([x.add(shared, x.const(1)), x.less(shared, x.const(5))], [x.less(x.const(7), shared)])
    program.run([np.array([3], dtype=np.int8).view(Counted)])
    assert len(calls) == 1


def test_a_division_by_nothing_is_0_and_warns_nobody(recwarn: pytest.WarningsRecorder) -> None:
    x = Expressions()
    a = x.slot(0, 0, 3, is_bool=False)
    program = compile_roots([x.divide(x.const(5), a), x.modulo(x.const(5), a)])
    quotient, rest = program.run([np.array([0, 2], dtype=np.int8)])
    assert (quotient.tolist(), rest.tolist(), len(recwarn)) == ([0, 2], [0, 1], 0)

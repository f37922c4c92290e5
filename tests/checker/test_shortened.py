"""Truth values said shorter mean the same in every state, and are said as an author would say them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

import pytest
from fenceproof import check
from fenceproof.checker.page.guards import distinct_clauses
from fenceproof.checker.report.named import Names
from fenceproof.checker.report.shortened import shortened
from fenceproof.checker.report.why import why
from fenceproof.model import Array, Bag, Bool, Choice, Model, Queue, Range, Set, action, count, invariant, require
from fenceproof.model.expressions import Expression, Expressions, Op, evaluate, reachable
from fenceproof.model.lift import lift
from fenceproof.model.rendering import render
from hypothesis import given, settings
from hypothesis import strategies as st

Recipe: TypeAlias = tuple[Any, ...]

#: Least and greatest value of each slot; the last two are truth values.
SLOTS: Final = [(0, 3), (-1, 2), (0, 1), (0, 1)]

comparisons = st.tuples(
    st.sampled_from(["equal", "less", "more"]), st.sampled_from(["n", "m", "sum"]), st.integers(-2, 6)
)
truths = st.sampled_from([("truth", 2), ("truth", 3)])
recipes = st.recursive(
    st.one_of(comparisons, truths),
    lambda below: st.one_of(
        st.tuples(st.just("negate"), below),
        st.tuples(st.just("conjoin"), below, below, below),
        st.tuples(st.just("disjoin"), below, below, below),
        st.tuples(st.just("choose"), below, below, below),
    ),
    max_leaves=12,
)


def numbers(x: Expressions) -> dict[str, Expression]:
    n, m = (x.slot(position, *SLOTS[position], is_bool=False) for position in (0, 1))
    return {"n": n, "m": m, "sum": x.add(n, m)}


def build(x: Expressions, recipe: Recipe) -> Expression:
    match recipe:
        case ("equal", name, value):
            return x.equal(numbers(x)[name], x.const(value))
        case ("less", name, value):
            return x.less(numbers(x)[name], x.const(value))
        case ("more", name, value):
            return x.less(x.const(value), numbers(x)[name])
        case ("truth", position):
            return x.slot(position, 0, 1, is_bool=True)
        case ("negate", part):
            return x.negate(build(x, part))
        case ("choose", *parts):
            condition, then, other = (build(x, part) for part in parts)
            return x.choose(condition, then, other)
        case (junction, *parts):
            join: Callable[[Iterable[Expression]], Expression] = x.conjoin if junction == "conjoin" else x.disjoin
            return join(build(x, part) for part in parts)
        case _:
            raise AssertionError(recipe)


def anything(_: Expression) -> bool:
    return True


@settings(max_examples=400, deadline=None, derandomize=True)
@given(recipes)
def test_what_is_said_shorter_has_the_same_value_in_every_state(recipe: Recipe) -> None:
    x = Expressions()
    node = build(x, recipe)
    short = shortened(x, node, anything)
    for state in itertools.product(*(range(lo, hi + 1) for lo, hi in SLOTS)):
        assert evaluate([node], state) == evaluate([short], state), (render(node), render(short), state)


def _same(x: Expressions, values: Iterable[int]) -> Expression:
    n = numbers(x)["n"]
    return x.disjoin(x.equal(n, x.const(value)) for value in values)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((0, 1), "(s0 < 2)"),
        ((1, 0, 2), "(s0 < 3)"),
        ((2, 3), "(1 < s0)"),
        ((0, 2, 3), "(s0 != 1)"),
        ((0, 3), "((s0 == 0) or (s0 == 3))"),
        ((1, 2), "((s0 == 1) or (s0 == 2))"),
        ((2,), "(s0 == 2)"),
        ((0, 1, 2, 3), "True"),
    ],
)
def test_the_cases_of_one_number_are_one_comparison_where_one_says_them(values: tuple[int, ...], said: str) -> None:
    x = Expressions()
    assert render(shortened(x, _same(x, values), anything)) == said


def test_what_is_no_number_to_an_author_keeps_its_cases() -> None:
    x = Expressions()
    node = _same(x, (0, 1))
    assert shortened(x, node, lambda _: False) is node


def test_what_both_branches_say_is_said_once_whichever_case_it_is() -> None:
    x = Expressions()
    n, other = numbers(x)["n"], x.slot(2, 0, 1, is_bool=True)
    rest = x.conjoin((x.negate(x.equal(n, x.const(2))), other))
    cases = x.choose(x.equal(n, x.const(0)), other, x.choose(x.equal(n, x.const(1)), other, rest))
    assert any(node.op is Op.ITE for node in reachable([cases]))
    assert render(shortened(x, cases, anything)) == "(s2 and (s0 != 2))"


class Shelf(Model):
    """What is counted in every way there is."""

    def __init__(self) -> None:
        self.line = Queue(Range(0, 1), capacity=3)
        self.stock = Bag(Choice("x", "y"), most=3)
        self.shelves = Array(2, Set(Choice("a", "(b)", "c")))
        self.lit = Array(3, Bool())
        self.steps = Range(0, 3)

    @action
    def come(self) -> None:
        require(len(self.line) < 2)
        self.line.append(0)

    @action
    def sell(self) -> None:
        require(len(self.line) > 0 and len(self.stock) != 3)
        self.line.popleft()
        self.stock.add("x")

    @action(shelf=2)
    def fill(self, shelf: int) -> None:
        require(len(self.shelves[shelf]) != 2 and self.steps < 3)
        self.shelves[shelf].add("a")
        self.shelves[shelf].add("c")

    @action(lamp=3)
    def light(self, lamp: int) -> None:
        self.lit[lamp] = True

    @invariant
    def some_room(self) -> bool:
        return len(self.stock) != 2

    @invariant
    def short_line(self) -> bool:
        return not (len(self.line) == 2 and self.steps == 0)

    @invariant
    def few(self) -> bool:
        return len(self.shelves[0]) + len(self.shelves[1]) < 3

    @invariant
    def dark(self) -> bool:
        return count(self.lit) != 2

    @invariant
    def mostly_dark(self) -> bool:
        return count(self.lit, lambda lamp: not lamp) > 1 or self.steps > 0

    @invariant
    def none_of_x(self) -> bool:
        return self.stock.count("x") + self.steps < 1


def test_sizes_and_counts_are_named_as_an_author_writes_them() -> None:
    result = check(Shelf())
    said = {p.name: " ".join(why(result.system, p)).rsplit(" (", 1)[0] for p in result.properties}
    assert said["some_room"] == "len(stock) != 2 is false; here len(stock) = 2"
    assert said["short_line"] == "(len(line) != 2 or steps != 0) is false; here len(line) = 2, steps = 0"
    assert said["few"] == (
        "(len(shelves[0]) == 0 or len(shelves[1]) == 0) is false; here len(shelves[0]) = 2, len(shelves[1]) = 2"
    )
    assert said["dark"] == (
        "count([lit[0], lit[1], lit[2]]) != 2 is false; here lit[0] = true, lit[1] = true, lit[2] = false"
    )
    assert said["none_of_x"] == (
        "((number of x in stock) + steps) < 1 is false; here (number of x in stock) = 1, steps = 0"
    )


def test_guards_in_a_page_say_lengths_and_not_their_cases() -> None:
    _, shown, _ = distinct_clauses(lift(Shelf()))
    texts = {clause.text for clause in shown}
    assert "len(line) < 2" in texts
    assert not [text for text in texts if "==" in text or " if " in text], texts


def test_a_sum_is_a_size_only_where_it_adds_up_all_of_one_thing() -> None:
    system = lift(Shelf())
    x, names = system.expressions, Names(system)
    at = {slot.name: position for position, slot in enumerate(system.slots)}

    def read(name: str, *, after: bool = False) -> Expression:
        slot = system.slots[at[name]]
        made = (x.next_slot if after else x.slot)(at[name], slot.lo, slot.hi, is_bool=slot.is_bool)
        return x.number(made)

    a, b, c = (read(f"shelves[0]{{'{name}'}}") for name in ("a", "(b)", "c"))
    assert names.size(x.add(x.add(a, b), c)) == "len(shelves[0])"
    assert names.size(x.add(a, b)) is None
    assert names.size(x.add(x.add(a, a), c)) is None
    assert names.size(x.add(x.add(x.add(a, b), c), x.const(1))) is None
    stock = [read(f"stock{{'{name}'}}", after=after) for after in (False, True) for name in "xy"]
    assert names.size(x.add(*stock[:2])) == "len(stock)"
    assert names.size(x.add(*stock[2:])) == "len(stock)'"
    assert names.size(x.add(stock[0], stock[3])) is None
    assert names.clause(x.less(x.add(stock[0], a), x.const(3))) == (
        "((number of x in stock) + (1 if (a in shelves[0]) else 0)) < 3"
    )

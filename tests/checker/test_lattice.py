"""Tables over sets, against what their names say of plain sets."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from fenceproof.checker.lattice import (
    any_below,
    is_closed_upwards,
    least_below,
    makes_no_difference,
    maximal,
    members_of,
    minimal,
    names,
    number_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

Sets = dict[frozenset[int], int]


def subsets(members: int) -> Iterator[frozenset[int]]:
    for size in range(members + 1):
        yield from map(frozenset, itertools.combinations(range(members), size))


def number(members: frozenset[int]) -> int:
    return sum(2**member for member in members)


def table(values: Sets) -> NDArray[np.int32]:
    found = np.zeros(len(values), dtype=np.int32)
    for members, value in values.items():
        found[number(members)] = value
    return found


def sets_of(numbers: list[int]) -> list[frozenset[int]]:
    return [frozenset(bit for bit in range(n.bit_length()) if n >> bit & 1) for n in numbers]


@st.composite
def values_of_sets(draw: st.DrawFn, most: int = 9) -> Sets:
    """A value for every set of some members; often few of them are 0, as few combinations hold or few fall."""
    members = draw(st.integers(0, 4))
    value = st.one_of(st.integers(0, most), st.sampled_from([0, most]))
    return {members: draw(value) for members in subsets(members)}


@settings(max_examples=150, deadline=None, derandomize=True)
@given(values_of_sets())
def test_the_least_entry_of_all_subsets(values: Sets) -> None:
    before = table(values)
    expected = {s: min(values[part] for part in values if part <= s) for s in values}
    assert least_below(before).tolist() == table(expected).tolist()
    assert before.tolist() == table(values).tolist(), "the table that was given is left as it was"


@settings(max_examples=150, deadline=None, derandomize=True)
@given(values_of_sets(1))
def test_whether_an_entry_of_a_subset_is_true(values: Sets) -> None:
    expected = {s: int(any(values[part] for part in values if part <= s)) for s in values}
    assert any_below(table(values) > 0).tolist() == (table(expected) > 0).tolist()


@settings(max_examples=150, deadline=None, derandomize=True)
@given(values_of_sets(1))
def test_the_minimal_and_the_maximal_sets_with_a_true_entry(values: Sets) -> None:
    true = {s for s, value in values.items() if value}
    least = minimal(table(values) > 0)
    most = maximal(table(values) > 0)
    assert {s for s in true if not any(other < s for other in true)} == set(sets_of(least))
    assert {s for s in true if not any(other > s for other in true)} == set(sets_of(most))
    assert least == sorted(least, key=lambda n: (n.bit_count(), n))
    assert [n.bit_count() for n in most] == sorted((n.bit_count() for n in most), reverse=True)
    assert len({*least}) == len(least) and len({*most}) == len(most)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(values_of_sets(1), st.booleans())
def test_whether_what_is_true_of_a_set_is_true_of_all_that_contain_it(values: Sets, closed: bool) -> None:
    if closed:
        values = {s: int(any(values[part] for part in values if part <= s)) for s in values}
    expected = all(values[larger] >= values[s] for s in values for larger in values if s <= larger)
    assert is_closed_upwards(table(values) > 0) is expected


@settings(max_examples=150, deadline=None, derandomize=True)
@given(values_of_sets(1), st.integers(0, 3), st.booleans())
def test_whether_a_member_makes_a_difference(values: Sets, member: int, without: bool) -> None:
    members = members_of(table(values))
    if member >= members:
        return
    if without:
        values = {s: values[s - {member}] for s in values}
    expected = all(values[s] == values[s | {member}] for s in values)
    assert makes_no_difference(table(values), member) is expected


@given(st.lists(values_of_sets(), min_size=2, max_size=2))
def test_only_the_last_axis_of_a_table_is_one_of_sets(rows: list[Sets]) -> None:
    first, second = rows
    if len(first) == len(second):
        both = least_below(np.stack([table(first), table(second)]))
        assert both.tolist() == [least_below(table(first)).tolist(), least_below(table(second)).tolist()]


@given(st.sets(st.sampled_from("abcd")))
def test_a_set_and_its_number_are_the_same(chosen: set[str]) -> None:
    members = "abcd"
    assert number_of(sorted(chosen), members) == number(frozenset(members.index(name) for name in chosen))
    assert names(number_of(sorted(chosen, reverse=True), members), members) == tuple(sorted(chosen))


def test_a_member_that_is_named_twice_counts_once_and_one_that_is_none_is_refused() -> None:
    assert number_of(["b", "b"], ["a", "b"]) == 2
    with pytest.raises(ValueError, match="c"):
        number_of(["c"], ["a", "b"])


def test_the_empty_set_alone_is_a_table_too() -> None:
    assert (members_of(np.array([True])), minimal(np.array([True])), maximal(np.array([False]))) == (0, [0], [])
    assert is_closed_upwards(np.array([False]))

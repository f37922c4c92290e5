"""Batches of packed states: nothing is lost, each state is there once, and a bad mix costs time, never a state."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from fenceproof.checker.engines import words
from fenceproof.checker.engines.words import (
    Batch,
    Run,
    StateSet,
    Words,
    column,
    distinct,
    join,
    pack,
    positions,
    size,
    take,
    unpack,
)
from fenceproof.model.layout import Layout, Slot
from hypothesis import given, settings
from hypothesis import strategies as st

NARROW = (Slot("a", -3, 9), Slot("b", 0, 1, is_bool=True))
WIDE = (Slot("a", -3, 9), Slot("b", 0, 1, is_bool=True), Slot("c", -(2**40), 2**40), Slot("d", 0, 2**40))
STATES = st.lists(
    st.tuples(st.integers(-3, 9), st.integers(0, 1), st.integers(-(2**40), 2**40), st.integers(0, 3)), max_size=40
)


@pytest.fixture(params=["a good mix", "the same mix for all", "two mixes in all"])
def _mixed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    """Each test that uses this runs with the mix as it is, and with mixes that tell states badly apart."""
    if request.param != "a good mix":
        kept = 0 if request.param == "the same mix for all" else 1

        def bad(batch: Batch) -> Words:
            return batch[0] & np.uint64(kept)

        monkeypatch.setattr(words, "mix", bad)


def batch_of(states: Sequence[tuple[int, ...]]) -> Batch:
    return pack(Layout.of(WIDE), states)


def states_of(batch: Batch) -> list[tuple[int, ...]]:
    return unpack(Layout.of(WIDE), batch)


def mixed(batch: Batch) -> Words:
    return words.mix(batch)


def test_the_wide_states_take_two_words_and_the_narrow_ones_one() -> None:
    assert (Layout.of(WIDE).words, Layout.of(NARROW).words) == (2, 1)


@settings(derandomize=True, deadline=None)
@given(STATES)
def test_what_is_packed_is_unpacked_the_same(states: list[tuple[int, ...]]) -> None:
    assert states_of(batch_of(states)) == states
    narrow = [state[:2] for state in states]
    assert unpack(Layout.of(NARROW), pack(Layout.of(NARROW), narrow)) == narrow


@settings(derandomize=True, deadline=None)
@given(STATES)
def test_a_column_holds_one_slot_of_every_state_in_the_narrowest_type(states: list[tuple[int, ...]]) -> None:
    batch, layout = batch_of(states), Layout.of(WIDE)
    columns = [column(batch, field, slot) for field, slot in zip(layout.fields, WIDE, strict=True)]
    assert [c.dtype for c in columns] == [np.int8, np.bool_, np.int64, np.int64]
    assert [c.tolist() for c in columns] == [[state[i] for state in states] for i in range(4)]


@pytest.mark.usefixtures("_mixed")
def test_distinct_keeps_each_state_once() -> None:
    states = [(1, 0, 7, 0), (1, 1, 7, 0), (1, 0, 7, 0), (-3, 0, -9, 2), (1, 1, 7, 0), (1, 0, 8, 3)]
    run = distinct(batch_of(states))
    assert len(run) == 4
    assert sorted(states_of(run.batch)) == sorted(set(states))
    assert run.keys.tolist() == sorted(run.keys.tolist())


def test_distinct_of_states_of_one_word_are_the_sorted_words() -> None:
    batch = (np.array([5, 3, 5, 2**64 - 1, 3, 0], dtype=np.uint64),)
    assert distinct(batch).batch[0].tolist() == [0, 3, 5, 2**64 - 1]


@pytest.mark.parametrize("count", [1, 2])
def test_distinct_of_nothing_is_nothing(count: int) -> None:
    empty = tuple(np.array([], dtype=np.uint64) for _ in range(count))
    assert len(distinct(empty)) == 0


@pytest.mark.usefixtures("_mixed")
def test_positions_finds_each_state_where_it_stands_and_no_other() -> None:
    run = distinct(batch_of([(i, i % 2, i * 3, i) for i in range(6)]))
    asked = batch_of([(4, 0, 12, 4), (9, 0, 0, 0), (0, 0, 0, 0), (4, 1, 12, 4), (5, 1, 15, 5)])
    found = positions(run, asked, mixed(asked))
    assert [states_of(take(run.batch, [at]))[0] if at >= 0 else None for at in found.tolist()] == [
        (4, 0, 12, 4),
        None,
        (0, 0, 0, 0),
        None,
        (5, 1, 15, 5),
    ]


def test_in_an_empty_run_nothing_is_found() -> None:
    run, asked = distinct(batch_of([])), batch_of([(0, 0, 0, 0)])
    assert positions(run, asked, mixed(asked)).tolist() == [-1]


@pytest.mark.usefixtures("_mixed")
def test_a_set_of_states_grows_by_what_it_has_not_seen_and_holds_each_once() -> None:
    seen, everything = StateSet(), set[tuple[int, ...]]()
    for start in range(0, 60, 7):
        states = [(i % 13 - 3, i % 2, i // 3, i % 4) for i in range(start, start + 15)]
        fresh = seen.unseen(distinct(batch_of(states)))
        assert set(states_of(fresh.batch)) == set(states) - everything
        seen.add(fresh)
        everything |= set(states)
        assert len(seen) == len(everything)
    assert sorted(states_of(seen.merged(batch_of([])).batch)) == sorted(everything)


def test_the_runs_of_a_set_at_least_halve_so_that_there_are_few() -> None:
    seen = StateSet()
    for i in range(100):
        seen.add(distinct((np.array([i], dtype=np.uint64),)))
        lengths = list(map(len, seen.runs))
        assert all(longer >= 2 * shorter for longer, shorter in pairwise(lengths))
    assert len(seen) == 100


def test_memory_counts_every_word_and_the_keys_where_they_are_kept_apart() -> None:
    two = distinct(batch_of([(0, 0, 0, 0), (1, 0, 0, 0), (2, 0, 0, 0)]))
    one = distinct((np.arange(3, dtype=np.uint64),))
    assert (two.bytes, one.bytes) == (3 * 3 * 8, 3 * 8)
    seen = StateSet()
    seen.add(two)
    assert seen.bytes == 72


def test_join_puts_batches_one_after_the_other() -> None:
    a, b = [(1, 0, 5, 0)], [(2, 1, 6, 1), (1, 0, 5, 0)]
    joined = join([batch_of(a), batch_of(b)])
    assert (size(joined), states_of(joined)) == (3, a + b)


@settings(derandomize=True, deadline=None)
@given(STATES)
def test_the_mix_depends_on_the_state_alone(states: list[tuple[int, ...]]) -> None:
    together: Any = mixed(batch_of(states)).tolist()
    assert together == [int(mixed(batch_of([state]))[0]) for state in states]


def test_an_unseen_run_is_handed_back_whole() -> None:
    run = distinct(batch_of([(1, 0, 0, 0)]))
    assert isinstance(StateSet().unseen(run), Run)
    assert StateSet().unseen(run) is run

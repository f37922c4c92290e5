"""A state as words and back: nothing is lost, two states are equal exactly when their words are."""

from __future__ import annotations

from typing import Any

import pytest
from fenceproof.model.layout import WORD_BITS, Field, Layout, Slot
from hypothesis import given, settings
from hypothesis import strategies as st

ALWAYS = settings(max_examples=300, deadline=None, derandomize=True)


@st.composite
def slots(draw: Any) -> Slot:
    """A slot of any width up to a whole word, at any place on the number line."""
    bits = draw(st.one_of(st.integers(0, 4), st.integers(0, WORD_BITS)))
    lo = draw(st.integers(-(2**45), 2**45))
    return Slot("s", lo, lo + draw(st.integers((1 << bits) >> 1, (1 << bits) - 1)))


@st.composite
def slots_and_states(draw: Any) -> tuple[list[Slot], tuple[int, ...], tuple[int, ...]]:
    """Some slots and two states of them, which are equal in most places."""
    chosen = draw(st.lists(slots(), max_size=12))
    state = [draw(st.sampled_from([s.lo, s.hi]) | st.integers(s.lo, s.hi)) for s in chosen]
    other = [draw(st.just(v) | st.integers(s.lo, s.hi)) for s, v in zip(chosen, state, strict=True)]
    return chosen, tuple(state), tuple(other)


@ALWAYS
@given(slots_and_states())
def test_unpacking_what_was_packed_gives_the_same_state(case: tuple[list[Slot], tuple[int, ...], Any]) -> None:
    chosen, state, _ = case
    layout = Layout.of(chosen)
    words = layout.pack(state)
    assert layout.unpack(words) == state
    assert len(words) == layout.words
    assert all(0 <= word < 2**WORD_BITS for word in words)


@ALWAYS
@given(slots_and_states())
def test_two_states_are_equal_exactly_when_their_words_are(
    case: tuple[list[Slot], tuple[int, ...], tuple[int, ...]],
) -> None:
    chosen, state, other = case
    layout = Layout.of(chosen)
    assert (layout.pack(state) == layout.pack(other)) == (state == other)


@ALWAYS
@given(st.lists(slots(), max_size=12))
def test_fields_lie_side_by_side_within_their_words(chosen: list[Slot]) -> None:
    layout = Layout.of(chosen)
    taken = [0] * layout.words
    for slot, field in zip(chosen, layout.fields, strict=True):
        bits = field.mask << field.shift
        assert field.mask == (1 << slot.bits) - 1 and field.lo == slot.lo
        assert bits < 2**WORD_BITS and taken[field.word] & bits == 0
        taken[field.word] |= bits


@pytest.mark.parametrize(
    ("lo", "hi", "bits"),
    [(0, 0, 0), (7, 7, 0), (0, 1, 1), (-1, 1, 2), (0, 3, 2), (0, 4, 3), (-4, 3, 3), (-(2**40), 2**40, 42)],
)
def test_a_slot_takes_as_many_bits_as_tell_its_values_apart(lo: int, hi: int, bits: int) -> None:
    assert Slot("s", lo, hi).bits == bits


@pytest.mark.parametrize(
    ("widths", "places", "words"),
    [
        ([], [], 1),
        ([1, 2, 3], [(0, 0), (0, 1), (0, 3)], 1),
        ([64], [(0, 0)], 1),
        ([64, 1], [(0, 0), (1, 0)], 2),
        ([63, 2, 1, 62], [(0, 0), (1, 0), (0, 63), (1, 2)], 2),
        ([40, 40, 40, 24], [(0, 0), (1, 0), (2, 0), (0, 40)], 3),
        ([64, 0, 64, 0], [(0, 0), (0, 0), (1, 0), (0, 0)], 2),
        ([1] * 130, [(i // 64, i % 64) for i in range(130)], 3),
    ],
)
def test_slots_are_laid_out_first_fit_and_none_across_a_words_end(
    widths: list[int], places: list[tuple[int, int]], words: int
) -> None:
    layout = Layout.of(Slot("s", -1, 2**width - 2) for width in widths)
    assert [(f.word, f.shift) for f in layout.fields] == places
    assert layout.words == words


def test_one_slot_can_be_read_and_changed_in_place() -> None:
    layout = Layout.of([Slot("a", -8, 7), Slot("b", 0, 1, is_bool=True), Slot("c", 3, 60)])
    assert layout.fields[2] == Field(word=0, shift=5, mask=63, lo=3)
    (word,) = layout.pack((-8, 1, 60))
    assert word == 57 << 5 | 1 << 4
    field = layout.fields[0]
    assert layout.unpack([word | (2 - field.lo) << field.shift]) == (2, 1, 60)


def test_states_of_several_words_are_packed_exactly() -> None:
    layout = Layout.of([Slot("a", 0, 2**64 - 1), Slot("b", -1, 2**64 - 2), Slot("c", 0, 5)])
    assert layout.pack((2**64 - 1, -1, 5)) == (2**64 - 1, 0, 5)
    assert layout.unpack((1, 2**64 - 1, 3)) == (1, 2**64 - 2, 3)


@pytest.mark.parametrize("state", [(-2, 0), (3, 0), (0, -1), (0, 5), (0, 2**70)])
def test_a_value_outside_its_slot_is_never_wrapped(state: tuple[int, int]) -> None:
    layout = Layout.of([Slot("a", -1, 2), Slot("b", 0, 3)])
    with pytest.raises(AssertionError, match="outside its slot"):
        layout.pack(state)


@pytest.mark.parametrize("state", [(), (0,), (0, 0, 0)])
def test_a_state_of_another_length_is_never_packed(state: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="zip"):
        Layout.of([Slot("a", 0, 1), Slot("b", 0, 1)]).pack(state)

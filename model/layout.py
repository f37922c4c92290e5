"""Packed states: a state as a few unsigned words, so that two states are equal exactly when their words are.

Not a hash and not a fingerprint: nothing is lost. Which bits a slot has is decided here alone; engines treat words
as opaque, save that a field's `word`, `shift` and `mask` let them change one slot of many states in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WORD_BITS = 64


@dataclass(frozen=True, slots=True)
class Slot:
    """One scalar of a state: its name (`token[0]`) and its least and greatest value."""

    name: str
    lo: int
    hi: int
    is_bool: bool = False

    @property
    def bits(self) -> int:
        """How many bits it takes to tell its values apart."""
        return (self.hi - self.lo).bit_length()


@dataclass(frozen=True, slots=True)
class Field:
    """Where a slot lies: `(words[word] >> shift) & mask` is its value less `lo`."""

    word: int
    shift: int
    mask: int
    lo: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of all slots, in the slots' order, and how many words a state takes."""

    fields: tuple[Field, ...]
    words: int

    @classmethod
    def of(cls, slots: Iterable[Slot]) -> Layout:
        """Lay slots out first fit, none across a word's end. A slot with one value takes no bits."""
        free: list[int] = [WORD_BITS]
        fields: list[Field] = []
        for slot in slots:
            word = next((w for w, room in enumerate(free) if room >= slot.bits), len(free))
            if word == len(free):
                free.append(WORD_BITS)
            fields.append(Field(word, (WORD_BITS - free[word]) % WORD_BITS, (1 << slot.bits) - 1, slot.lo))
            free[word] -= slot.bits
        return cls(tuple(fields), len(free))

    def pack(self, values: Sequence[int]) -> tuple[int, ...]:
        """One state's slot values as words. A value outside its slot is our bug (AssertionError), never wrapped."""
        words = [0] * self.words
        for field, value in zip(self.fields, values, strict=True):
            assert 0 <= value - field.lo <= field.mask, f"{value} lies outside its slot"
            words[field.word] |= (value - field.lo) << field.shift
        return tuple(words)

    def unpack(self, words: Sequence[int]) -> tuple[int, ...]:
        """The slot values of one state."""
        return tuple(((int(words[f.word]) >> f.shift) & f.mask) + f.lo for f in self.fields)

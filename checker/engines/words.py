"""Many packed states at once: columns of their slots, and sorted sets of them.

A batch of states is one uint64 array a word, all of one length. Equality is always decided on all words: where a
state takes several, a 64-bit mix of them only chooses the order in which they are sorted, and states whose mixes are
equal though they differ are put in order by the words themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from fenceproof.model.layout import Field, Layout, Slot
from fenceproof.model.system import State
from numpy.typing import NDArray

from .compile import column_type

Words: TypeAlias = NDArray[np.uint64]
Batch: TypeAlias = tuple[Words, ...]

_NARROW = (np.uint8, np.uint16, np.uint32, np.uint64)
_ODD = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)


def pack(layout: Layout, states: Iterable[State]) -> Batch:
    """States as a batch."""
    rows = [layout.pack(state) for state in states]
    return tuple(np.array([row[w] for row in rows], dtype=np.uint64) for w in range(layout.words))


def unpack(layout: Layout, batch: Batch) -> list[State]:
    """A batch as states."""
    rows = zip(*(word.tolist() for word in batch), strict=True)
    return [layout.unpack(row) for row in rows]


def column(batch: Batch, field: Field, slot: Slot) -> NDArray[Any]:
    """The values of one slot, in the slot's column type."""
    kind = column_type(slot)
    # Cast to the narrowest unsigned type first: masking then moves an eighth of the memory for a small slot.
    narrow = _NARROW[(field.mask.bit_length() > 8) + (field.mask.bit_length() > 16) + (field.mask.bit_length() > 32)]
    values: NDArray[Any] = (batch[field.word] >> np.uint64(field.shift)).astype(narrow)
    values &= narrow(field.mask)
    if slot.is_bool:
        return values.view(np.bool_)
    if field.lo == 0 and values.itemsize == np.dtype(kind).itemsize:
        return values.view(kind)
    if field.lo == 0:
        return values.astype(kind)
    return (values.astype(np.int64) + np.int64(field.lo)).astype(kind)


def size(batch: Batch) -> int:
    """How many states a batch has."""
    return len(batch[0])


def take(batch: Batch, rows: Any) -> Batch:
    """Some states of a batch, by position or mask."""
    return tuple(word[rows] for word in batch)


def join(batches: Sequence[Batch]) -> Batch:
    """Batches one after the other."""
    return tuple(np.concatenate([batch[w] for batch in batches]) for w in range(len(batches[0])))


def mix(batch: Batch) -> Words:
    """A 64-bit number for each state, the same for the same state: the word itself where there is only one."""
    if len(batch) == 1:
        return batch[0]
    result = batch[0] * np.uint64(_ODD[0])
    for i, word in enumerate(batch[1:], start=1):
        result ^= result >> np.uint64(29)
        result = (result + word) * np.uint64(_ODD[i % len(_ODD)])
    result ^= result >> np.uint64(32)
    return result


@dataclass(frozen=True, slots=True)
class Run:
    """States without repetition, ordered by their mix (`keys`) and then by their words."""

    keys: Words
    batch: Batch

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def bytes(self) -> int:
        """How much memory the states take."""
        words = sum(word.nbytes for word in self.batch)
        return words if len(self.batch) == 1 else words + self.keys.nbytes


def distinct(batch: Batch, *, owned: bool = False) -> Run:
    """The states of a batch, each once, in order. Where the batch is `owned`, its arrays are used up."""
    if len(batch) == 1:
        keys = batch[0] if owned else batch[0].copy()
        keys.sort()
        if len(keys):
            fresh = np.empty(len(keys), dtype=np.bool_)
            fresh[0] = True
            np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
            # Positions and then a take: half the time of taking by a mask.
            keys = keys.take(np.flatnonzero(fresh))
        return Run(keys, (keys,))
    keys = mix(batch)
    order = np.argsort(keys)
    keys, ordered = keys[order], take(batch, order)
    same_key = keys[1:] == keys[:-1]
    same_state = same_key.copy()
    for word in ordered:
        same_state &= word[1:] == word[:-1]
    if not np.array_equal(same_key, same_state):
        order = np.lexsort((*ordered, keys))
        keys, ordered = keys[order], take(ordered, order)
        same_state = np.logical_and.reduce([word[1:] == word[:-1] for word in ordered])
    fresh = np.concatenate((np.ones(min(1, len(keys)), dtype=np.bool_), ~same_state))
    return Run(keys[fresh], take(ordered, fresh))


def positions(run: Run, batch: Batch, keys: Words) -> NDArray[np.int64]:
    """Where each state of a batch, whose mixes are `keys`, stands in a run; -1 where it is not in it."""
    found = np.full(len(keys), -1, dtype=np.int64)
    if not len(run):
        return found
    place = np.searchsorted(run.keys, keys)
    inside = place < len(run)
    waiting = np.flatnonzero(inside)[run.keys[place[inside]] == keys[inside]]
    while len(waiting):
        at = place[waiting]
        equal = np.logical_and.reduce([r[at] == b[waiting] for r, b in zip(run.batch, batch, strict=True)])
        found[waiting[equal]] = at[equal]
        # Others with the same mix may follow: go on to the next place for those that were not found.
        waiting = waiting[~equal]
        place[waiting] += 1
        waiting = waiting[place[waiting] < len(run)]
        waiting = waiting[run.keys[place[waiting]] == keys[waiting]]
    return found


class StateSet:
    """All states seen so far, as a few runs whose lengths grow geometrically."""

    def __init__(self) -> None:
        self.runs: list[Run] = []

    def __len__(self) -> int:
        return sum(map(len, self.runs))

    @property
    def bytes(self) -> int:
        """How much memory the states take."""
        return sum(run.bytes for run in self.runs)

    def merged(self, like: Batch) -> Run:
        """All states as one run; `like` says how many words a state takes."""
        if len(self.runs) == 1:
            return self.runs[0]
        return distinct(join([run.batch for run in self.runs] or [take(like, slice(0, 0))]), owned=True)

    def unseen(self, run: Run) -> Run:
        """The states of a run that are not in the set."""
        for old in reversed(self.runs):
            if not len(run):
                break
            if len(run.batch) == 1:
                place = np.searchsorted(old.keys, run.keys)
                place[place == len(old)] = 0
                fresh = old.keys[place] != run.keys
            else:
                fresh = positions(old, run.batch, run.keys) < 0
            if not fresh.all():
                rows = np.flatnonzero(fresh)
                batch = take(run.batch, rows)
                run = Run(batch[0] if len(batch) == 1 else run.keys[rows], batch)
        return run

    def add(self, run: Run) -> None:
        """Put states in that are not in the set yet."""
        if not len(run):
            return
        self.runs.append(run)
        while len(self.runs) > 1 and len(self.runs[-2]) < 2 * len(self.runs[-1]):
            newer, older = self.runs.pop(), self.runs.pop()
            self.runs.append(distinct(join([older.batch, newer.batch]), owned=True))

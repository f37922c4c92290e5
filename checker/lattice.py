"""Sets as bits of a number, and tables with an entry for each set: what holds of a set, of all smaller ones, of none.

A table is an array whose last axis has 2**n entries; entry i belongs to the set of the members whose bits are set in i.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)


def _sides(table: NDArray[T], member: int) -> tuple[NDArray[T], NDArray[T]]:
    """Views of the entries whose set lacks a member, and of the same sets with it."""
    pairs = table.reshape(*table.shape[:-1], -1, 2, 1 << member)
    return pairs[..., 0, :], pairs[..., 1, :]


def members_of(table: NDArray[Any]) -> int:
    """How many members the sets of a table have at most."""
    return int(table.shape[-1]).bit_length() - 1


def least_below(table: NDArray[T]) -> NDArray[T]:
    """For each set the least entry of all its subsets, itself included (the zeta transform, with min for plus)."""
    result = table.copy()
    for member in range(members_of(table)):
        lacks, has = _sides(result, member)
        np.minimum(has, lacks, out=has)
    return result


def any_below(table: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """For each set whether an entry of one of its subsets is true."""
    result = table.copy()
    for member in range(members_of(table)):
        lacks, has = _sides(result, member)
        has |= lacks
    return result


def minimal(table: NDArray[np.bool_]) -> list[int]:
    """The sets with a true entry no proper subset of which has one, small ones first."""
    closed = any_below(table)
    least = closed.copy()
    for member in range(members_of(table)):
        lacks, _ = _sides(closed, member)
        _, has = _sides(least, member)
        has &= ~lacks
    return sorted(np.flatnonzero(least).tolist(), key=lambda number: (number.bit_count(), number))


def maximal(table: NDArray[np.bool_]) -> list[int]:
    """The sets with a true entry no proper superset of which has one, large ones first."""
    whole = table.shape[-1] - 1
    return [whole ^ number for number in minimal(table[::-1])]


def is_closed_upwards(table: NDArray[np.bool_]) -> bool:
    """Whether every set that contains one with a true entry has a true entry."""
    return bool(np.array_equal(any_below(table), table))


def makes_no_difference(table: NDArray[Any], member: int) -> bool:
    """Whether every set has the same entry with and without a member."""
    lacks, has = _sides(table, member)
    return bool((lacks == has).all())


def names(number: int, members: Sequence[str]) -> tuple[str, ...]:
    """The members of a set."""
    return tuple(name for bit, name in enumerate(members) if number >> bit & 1)


def number_of(chosen: Sequence[str], members: Sequence[str]) -> int:
    """The number of a set. Raises ValueError for what is no member."""
    return sum(1 << members.index(name) for name in set(chosen))

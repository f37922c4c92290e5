"""Kinds without an upper bound: natural numbers, sets of them, and the numbers that an action's parameter ranges over.

A set of natural numbers is one slot, whose value in a state is the number with binary digit i set for each element i.
A set of records of which one field is such a number has a slot for each combination of the other fields. Only a proof
can deal with them: there are infinitely many states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NoReturn, cast

from .constants import as_items, is_whole, shown
from .errors import ModelError
from .expressions import PREDICATE, UNBOUNDED, digits
from .kinds import MOST_ELEMENTS, BoolKind, ChoiceKind, Kind, RangeKind, RecordKind, Values
from .layout import Slot


class Naturals:
    """The whole numbers from `lo` on, as the values of an action's parameter."""

    def __init__(self, lo: int) -> None:
        self.lo = lo

    def __str__(self) -> str:
        return f"{self.lo}.."

    def __repr__(self) -> str:
        return f"naturals({self.lo})"

    def __iter__(self) -> NoReturn:
        raise ModelError(
            f"{self!r} has no end, and cannot be gone through.",
            None,
            "It gives the values of an action's parameter: @action(epoch=…).",
        )


def _check_least(lo: object, what: str) -> None:
    if not is_whole(lo) or lo < 0:
        raise ModelError(f"the least value of {what} is {lo!r}.", None, "Write a whole number from 0 on.")


def naturals(lo: int = 0) -> Naturals:
    """The whole numbers from `lo` on, for the parameter of an action. Raises ModelError for a negative `lo`."""
    _check_least(lo, "naturals()")
    return Naturals(lo)


class NaturalKind(RangeKind):
    """A whole number from lo on."""

    def __init__(self, lo: int, start: object = None) -> None:
        _check_least(lo, "Natural()")
        self.lo, self.hi, self.start = lo, UNBOUNDED, start

    def __str__(self) -> str:
        return f"Natural({self.lo})"

    def members(self) -> Iterator[object]:
        raise ModelError(
            f"the values of {self} cannot be listed.", None, "Give it a bound, Range(lo, hi), where each is needed."
        )


class NaturalSetKind(Kind):
    """A set of natural numbers, or of records of which one field is one and the others are finite."""

    def __init__(self, item: Kind, start: object = None) -> None:
        self.item, self.start = item, start
        self.field, self.lo, self.groups = self._taken_apart(item)
        self.width = len(self.groups)

    @staticmethod
    def _taken_apart(item: Kind) -> tuple[str | None, int, list[dict[str, object]]]:
        """The field that is a natural number (None: the element itself), its least value, the others' combinations."""
        if isinstance(item, NaturalKind):
            return None, item.lo, [{}]
        fields = item.fields if isinstance(item, RecordKind) else {}
        natural = {name: kind for name, kind in fields.items() if isinstance(kind, NaturalKind)}
        others = {name: kind for name, kind in fields.items() if name not in natural}
        if len(natural) != 1 or not all(isinstance(k, BoolKind | RangeKind | ChoiceKind) for k in others.values()):
            raise ModelError(
                f"Set({item}) is a set over more than one number without a bound.",
                None,
                "Its elements may have one Natural each, the other fields being Bool, Range or Choice.",
            )
        groups: list[dict[str, object]] = [{}]
        for name, kind in others.items():
            groups = [{**group, name: value} for group in groups for value in kind.members()]
            if len(groups) > MOST_ELEMENTS:
                raise ModelError(f"Set({item}) has too many combinations of values.", None, "Make the fields smaller.")
        ((field, kind),) = natural.items()
        return field, kind.lo, groups

    def __str__(self) -> str:
        return f"Set({self.item})"

    def slots(self, name: str) -> list[Slot]:
        labels = (", ".join(f"{field}={shown(value)}" for field, value in group.items()) for group in self.groups)
        return [Slot(f"{name}{{{label}}}" if label else name, 0, PREDICATE) for label in labels]

    def default(self) -> Values:
        return (0,) * self.width

    def element(self, group: int, number: object) -> object:
        """The element of a combination of the other fields with a number, plain or not."""
        if not isinstance(self.item, RecordKind):
            return number
        record: object = object.__new__(cast("type[object]", self.item.owner))
        named: dict[str, object] = {**self.groups[group], self.field or "": number}
        vars(record).update({name: named[name] for name in self.item.fields}, _shared=True)
        return record

    def encode(self, value: object) -> Values:
        elements = as_items(value)
        if elements is None:
            raise self._refuse(value)
        found = [0] * self.width
        for element in elements:
            encoded = self.item.encode(element)
            group = next(g for g in range(self.width) if self._without_number(g) == self._others(encoded))
            found[group] |= 1 << encoded[self._offset]
        return tuple(found)

    @property
    def _offset(self) -> int:
        return self.item.offsets[self.field or ""] if isinstance(self.item, RecordKind) else 0

    def _others(self, encoded: Values) -> Values:
        return encoded[: self._offset] + encoded[self._offset + 1 :]

    def _without_number(self, group: int) -> Values:
        return self._others(self.item.encode(self.element(group, self.lo)))

    def to_json(self, values: Sequence[int]) -> object:
        return [
            self.item.to_json(self.item.encode(self.element(group, number)))
            for group, elements in enumerate(values)
            for number in digits(elements)
        ]


def has_no_bound(kind: Kind) -> bool:
    """Whether a kind holds a natural number without a bound."""
    return any(slot.hi >= UNBOUNDED for slot in kind.slots(""))

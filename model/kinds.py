"""Kinds: what a state variable may hold, one class a kind, and how its values lie in slots.

A kind is data: its slots, its starting values, its values as JSON. How an action reads and writes it is `symbols.py`.
The names authors type (`Range`, `Maybe`, …) are in `language.py`, typed as the value and not as the kind.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, cast

from .constants import Alternatives, as_items, as_mapping, choice_json, constant_key, is_whole, shortened, shown
from .errors import FormatError, ModelError
from .fields import check_fields, kind_as_value
from .layout import Slot

Values = tuple[int, ...]

#: A set or bag has one slot for each value its elements may have; more than this is refused.
MOST_ELEMENTS: Final = 4096
MOST_INITIAL: Final = 1_000_000


class Kind:
    """What a variable may hold. `start` is a value, `Alternatives`, or None for the kind's own default."""

    width: int
    start: object = None

    def slots(self, name: str) -> list[Slot]:
        """The slots of a variable called `name`, `width` of them."""
        raise NotImplementedError

    def default(self) -> Values:
        """The slot values of the kind's own starting value, whatever `start` says."""
        raise NotImplementedError

    def encode(self, value: object) -> Values:
        """The slot values of a Python or JSON value. Raises ValueError with a sentence where it does not fit."""
        raise NotImplementedError

    def to_json(self, values: Sequence[int]) -> object:
        """Slot values as JSON: numbers, strings, lists, objects, null."""
        raise NotImplementedError

    def members(self) -> Iterator[object]:
        """Every value, as Python constants, in order: what a set of this kind may hold."""
        raise ModelError(
            f"{self} cannot be an element or a key.", None, "Use Bool, Range, Choice, or a record of them."
        )

    def size(self) -> float:
        """How many values there are."""
        return math.prod(slot.hi - slot.lo + 1 for slot in self.slots(""))

    def starts(self) -> list[Values]:
        """The slot values of every possible starting value."""
        if self.start is None:
            return [self.default()]
        options = self.start.values if isinstance(self.start, Alternatives) else (self.start,)
        return list(dict.fromkeys(self.encode(value) for value in options))

    def from_json(self, value: object, name: str) -> Values:
        """As `encode`, with a FormatError that names the variable."""
        try:
            return self.encode(value)
        except ValueError as error:
            raise FormatError(f"{name}: {error}") from error

    def _refuse(self, value: object) -> ValueError:
        return ValueError(f"{shortened(value)} is not a value of {self}")


class BoolKind(Kind):
    """False or True."""

    width = 1

    def __init__(self, start: object = None) -> None:
        self.start = start

    def __str__(self) -> str:
        return "Bool()"

    def slots(self, name: str) -> list[Slot]:
        return [Slot(name, 0, 1, is_bool=True)]

    def default(self) -> Values:
        return (0,)

    def encode(self, value: object) -> Values:
        if not isinstance(value, bool):
            raise self._refuse(value)
        return (int(value),)

    def to_json(self, values: Sequence[int]) -> object:
        return bool(values[0])

    def members(self) -> Iterator[object]:
        return iter((False, True))


class RangeKind(Kind):
    """A whole number from lo to hi, both included."""

    width = 1

    def __init__(self, lo: int, hi: int, start: object = None) -> None:
        for bound in (lo, hi):
            if not is_whole(bound):
                raise ModelError(
                    f"a Range is bounded by two whole numbers, and {bound!r} is not one.",
                    None,
                    "Every kind is finite: write Range(0, 3), and give a bound where there is none.",
                )
        if lo > hi:
            raise ModelError(f"Range({lo}, {hi}) holds nothing.", None, "Write the smaller bound first.")
        if max(abs(lo), abs(hi)) > 2**40:
            raise ModelError(f"Range({lo}, {hi}) is too wide.", None, "Keep bounds within 2**40.")
        self.lo, self.hi, self.start = lo, hi, start

    def __str__(self) -> str:
        return f"Range({self.lo}, {self.hi})"

    def slots(self, name: str) -> list[Slot]:
        return [Slot(name, self.lo, self.hi)]

    def default(self) -> Values:
        return (self.lo,)

    def encode(self, value: object) -> Values:
        if not is_whole(value) or not self.lo <= value <= self.hi:
            raise self._refuse(value)
        return (value,)

    def to_json(self, values: Sequence[int]) -> object:
        return int(values[0])

    def members(self) -> Iterator[object]:
        return iter(range(self.lo, self.hi + 1))


class ChoiceKind(Kind):
    """One of some constants: strings, numbers, enum members, or a mixture. A slot holds the position."""

    width = 1

    def __init__(self, values: Iterable[object], start: object = None) -> None:
        self.values = tuple(values)
        self.start = start
        if not self.values:
            raise ModelError("a Choice needs at least one value.", None, 'Write Choice("a", "b").')
        shown = [choice_json(v) for v in self.values]
        if len(set(map(repr, shown))) != len(shown):
            raise ModelError(f"{self} has a value twice.", None, "Give each value once.")
        for value in self.values:
            if value is None:
                raise ModelError(
                    f"{self} has None among its values.",
                    None,
                    "Write Maybe(Choice(…)): there `is None` means what it says.",
                )
            if isinstance(value, float):
                raise ModelError(f"{self} holds a float.", None, "Use strings, whole numbers or enum members.")
        self.positions = {(type(v), v): i for i, v in enumerate(self.values)}
        self._by_json = {repr(s): i for i, s in enumerate(shown)}

    def __str__(self) -> str:
        return f"Choice({', '.join(map(shown, self.values))})"

    def slots(self, name: str) -> list[Slot]:
        return [Slot(name, 0, len(self.values) - 1)]

    def default(self) -> Values:
        return (0,)

    def position(self, value: object) -> int | None:
        """Where a constant stands among the values, or None where it is none of them."""
        try:
            return self.positions.get((type(value), value))
        except TypeError:  # a list, or a tuple with one inside, has no hash and is no constant
            return None

    def encode(self, value: object) -> Values:
        position = self.position(value)
        if position is None:
            position = self._by_json.get(repr(value))
        if position is None:
            raise self._refuse(value)
        return (position,)

    def to_json(self, values: Sequence[int]) -> object:
        return choice_json(self.values[values[0]])

    def members(self) -> Iterator[object]:
        return iter(self.values)


class MaybeKind(Kind):
    """A value of another kind, or None. A scalar takes one slot, in which None lies one below the least value."""

    def __init__(self, inner: Kind, start: object = None) -> None:
        if isinstance(inner, MaybeKind):
            raise ModelError("a Maybe inside a Maybe cannot be told apart.", None, "Use one Maybe.")
        self.inner, self.start = inner, start
        self.is_scalar = isinstance(inner, BoolKind | RangeKind | ChoiceKind)
        self.width = 1 if self.is_scalar else 1 + inner.width
        #: The slot value that means None, of a scalar.
        self.none = inner.slots("")[0].lo - 1 if self.is_scalar else 0

    def __str__(self) -> str:
        return f"Maybe({self.inner})"

    def slots(self, name: str) -> list[Slot]:
        if self.is_scalar:
            slot = self.inner.slots(name)[0]
            return [Slot(name, slot.lo - 1, slot.hi)]
        return [Slot(f"{name}?", 0, 1, is_bool=True), *self.inner.slots(name)]

    def default(self) -> Values:
        return (self.none,) if self.is_scalar else (0, *self.inner.default())

    def encode(self, value: object) -> Values:
        if value is None:
            return self.default()
        return self.inner.encode(value) if self.is_scalar else (1, *self.inner.encode(value))

    def to_json(self, values: Sequence[int]) -> object:
        if self.is_scalar:
            return None if values[0] == self.none else self.inner.to_json(values)
        return self.inner.to_json(values[1:]) if values[0] else None

    def members(self) -> Iterator[object]:
        return itertools.chain((None,), self.inner.members())


class SequenceKind(Kind):
    """Items of one kind at fixed places; the base of arrays and maps."""

    def __init__(self, keys: Sequence[object], item: Kind, start: object) -> None:
        self.keys, self.item, self.start = tuple(keys), item, start
        self.width = len(self.keys) * item.width

    def slots(self, name: str) -> list[Slot]:
        return [slot for key in self.keys for slot in self.item.slots(f"{name}[{shown(key)}]")]

    def default(self) -> Values:
        return self.item.default() * len(self.keys)

    def starts(self) -> list[Values]:
        if self.start is not None:
            return super().starts()
        return product([self.item.starts()] * len(self.keys))

    def parts(self, values: Sequence[int]) -> list[Sequence[int]]:
        """The slot values of each item."""
        w = self.item.width
        return [values[i * w : (i + 1) * w] for i in range(len(self.keys))]


class ArrayKind(SequenceKind):
    """A fixed number of items, by position."""

    def __init__(self, length: int, item: Kind, start: object = None) -> None:
        if not is_whole(length) or not 0 <= length <= MOST_ELEMENTS:
            raise ModelError(
                f"an Array has a whole number of items up to {MOST_ELEMENTS}, not {length!r}.",
                None,
                "Write Array(3, Bool()): the length first, then the kind.",
            )
        super().__init__(range(length), item, start)

    def __str__(self) -> str:
        return f"Array({len(self.keys)}, {self.item})"

    def encode(self, value: object) -> Values:
        items = as_items(value)
        if items is None or len(items) != len(self.keys):
            raise self._refuse(value)
        return tuple(itertools.chain.from_iterable(map(self.item.encode, items)))

    def to_json(self, values: Sequence[int]) -> object:
        return [self.item.to_json(part) for part in self.parts(values)]


class MapKind(SequenceKind):
    """An item for each of some constant keys."""

    def __init__(self, keys: Iterable[object] | Kind, item: Kind, start: object = None) -> None:
        listed = tuple(keys.members() if isinstance(keys, Kind) else keys)
        self.positions = {key: i for i, key in enumerate(listed)}
        # Keys are looked up as in a dict, where 1 == True, and written as text, where 1 is "1".
        if not len(self.positions) == len({str(choice_json(k)) for k in listed}) == len(listed):
            raise ModelError("a Map has a key twice.", None, "Give each key once, and none that is another's text.")
        super().__init__(listed, item, start)

    def __str__(self) -> str:
        return f"Map([{', '.join(map(shown, self.keys))}], {self.item})"

    def encode(self, value: object) -> Values:
        mapping = as_mapping(value)
        if mapping is None:
            raise self._refuse(value)
        given = {str(choice_json(k)): v for k, v in mapping.items()}
        wanted = [str(choice_json(k)) for k in self.keys]
        if set(given) != set(wanted):
            raise self._refuse(value)
        return tuple(itertools.chain.from_iterable(self.item.encode(given[k]) for k in wanted))

    def to_json(self, values: Sequence[int]) -> object:
        parts = zip(self.keys, self.parts(values), strict=True)
        return {str(choice_json(key)): self.item.to_json(part) for key, part in parts}


class ElementsKind(Kind):
    """Elements out of a finite universe, one slot each; the base of sets and bags."""

    def __init__(self, item: Kind, start: object) -> None:
        if item.size() > MOST_ELEMENTS:
            raise ModelError(
                f"{type(self).__name__[:-4]}({item}) has a slot for each of {item.size():,.0f} values.",
                None,
                f"Keep the elements' kind to {MOST_ELEMENTS} values.",
            )
        self.item, self.start = item, start
        self.universe = tuple(item.members())
        self.positions = {constant_key(element): i for i, element in enumerate(self.universe)}
        self.width = len(self.universe)

    def default(self) -> Values:
        return (0,) * self.width

    def _positions_of(self, value: object) -> list[int]:
        elements = as_items(value)
        if elements is None:
            raise self._refuse(value)
        found: list[int] = []
        for element in elements:
            encoded = self.item.encode(element)
            found.append(next(i for i, u in enumerate(self.universe) if self.item.encode(u) == encoded))
        return found

    def _element_json(self, position: int) -> object:
        return self.item.to_json(self.item.encode(self.universe[position]))


class SetKind(ElementsKind):
    """A set: each element of the universe is in it or not."""

    def __init__(self, item: Kind, start: object = None) -> None:
        super().__init__(item, start)

    def __str__(self) -> str:
        return f"Set({self.item})"

    def slots(self, name: str) -> list[Slot]:
        return [Slot(f"{name}{{{shown(e)}}}", 0, 1, is_bool=True) for e in self.universe]

    def encode(self, value: object) -> Values:
        present = set(self._positions_of(value))
        return tuple(int(i in present) for i in range(self.width))

    def to_json(self, values: Sequence[int]) -> object:
        return [self._element_json(i) for i, value in enumerate(values) if value]


class BagKind(ElementsKind):
    """A multiset of at most `most` elements in all."""

    def __init__(self, item: Kind, most: int, start: object = None) -> None:
        if not is_whole(most) or not 1 <= most <= MOST_ELEMENTS:
            raise ModelError(f"a Bag holds at most a whole number of elements, not {most!r}.", None, "Write most=4.")
        super().__init__(item, start)
        self.most = most

    def __str__(self) -> str:
        return f"Bag({self.item}, most={self.most})"

    def slots(self, name: str) -> list[Slot]:
        return [Slot(f"{name}{{{shown(e)}}}", 0, self.most) for e in self.universe]

    def encode(self, value: object) -> Values:
        positions = self._positions_of(value)
        if len(positions) > self.most:
            raise self._refuse(value)
        return tuple(positions.count(i) for i in range(self.width))

    def to_json(self, values: Sequence[int]) -> object:
        return [self._element_json(i) for i, value in enumerate(values) for _ in range(value)]


class QueueKind(Kind):
    """First in, first out, up to a capacity: a length and that many places; places beyond the length are blank."""

    def __init__(self, item: Kind, capacity: int, start: object = None) -> None:
        if not is_whole(capacity) or not 1 <= capacity <= MOST_ELEMENTS:
            raise ModelError(f"a Queue's capacity is a whole number, not {capacity!r}.", None, "Write capacity=4.")
        self.item, self.capacity, self.start = item, capacity, start
        self.width = 1 + capacity * item.width

    def __str__(self) -> str:
        return f"Queue({self.item}, capacity={self.capacity})"

    def slots(self, name: str) -> list[Slot]:
        places = (slot for i in range(self.capacity) for slot in self.item.slots(f"{name}[{i}]"))
        return [Slot(f"len({name})", 0, self.capacity), *places]

    def default(self) -> Values:
        return (0, *self.item.default() * self.capacity)

    def encode(self, value: object) -> Values:
        items = as_items(value)
        if items is None or len(items) > self.capacity:
            raise self._refuse(value)
        blank = self.item.default() * (self.capacity - len(items))
        return (len(items), *itertools.chain.from_iterable(map(self.item.encode, items)), *blank)

    def to_json(self, values: Sequence[int]) -> object:
        w = self.item.width
        return [self.item.to_json(values[1 + i * w : 1 + (i + 1) * w]) for i in range(values[0])]


class RecordKind(Kind):
    """Named fields. `owner` is the author's record class, whose methods its values have."""

    def __init__(self, owner: type, fields: Mapping[str, Kind]) -> None:
        if not fields:
            raise ModelError(f"the record {owner.__name__} has no fields.", None, "Give it an attribute with a kind.")
        self.owner, self.fields = owner, dict(fields)
        self.width = sum(kind.width for kind in fields.values())
        self.offsets = dict(zip(fields, itertools.accumulate([0, *(k.width for k in fields.values())]), strict=False))

    def __str__(self) -> str:
        return f"{self.owner.__name__}({', '.join(f'{n}={k}' for n, k in self.fields.items())})"

    def slots(self, name: str) -> list[Slot]:
        return [slot for field, kind in self.fields.items() for slot in kind.slots(f"{name}.{field}")]

    def default(self) -> Values:
        return tuple(itertools.chain.from_iterable(kind.default() for kind in self.fields.values()))

    def starts(self) -> list[Values]:
        return product([kind.starts() for kind in self.fields.values()])

    def field_of(self, value: object, name: str) -> object:
        """One field of a Python value: of an object with that attribute, or a mapping with that key."""
        mapping = as_mapping(value)
        try:
            found = getattr(value, name) if mapping is None else mapping[name]
        except (KeyError, AttributeError):
            raise ValueError(f"{shortened(value)} has no {name}, which {self.owner.__name__} has") from None
        if isinstance(found, Kind):
            raise kind_as_value(self.owner, self.fields)
        return found

    def check_fields(self, value: object) -> None:
        """Raise FieldError for a record that the author made and gave other fields than there are, or none."""
        if type(value) is not self.owner:
            return
        held: dict[str, object] = object.__getattribute__(value, "__dict__")
        if "_kind" in held:
            return  # it lies in the state
        given = [name for name in held if not name.startswith("_")]
        if not given or any(isinstance(held[name], Kind) for name in given):
            raise kind_as_value(self.owner, self.fields)
        check_fields(self.owner, self.fields, given)

    def encode(self, value: object) -> Values:
        mapping = as_mapping(value)
        if mapping is not None and set(mapping) != set(self.fields):
            raise self._refuse(value)
        self.check_fields(value)
        parts = (kind.encode(self.field_of(value, name)) for name, kind in self.fields.items())
        return tuple(itertools.chain.from_iterable(parts))

    def to_json(self, values: Sequence[int]) -> object:
        offsets = self.offsets
        return {n: k.to_json(values[offsets[n] : offsets[n] + k.width]) for n, k in self.fields.items()}

    def members(self) -> Iterator[object]:
        for combination in itertools.product(*(tuple(kind.members()) for kind in self.fields.values())):
            record: object = object.__new__(cast("type[object]", self.owner))
            vars(record).update(zip(self.fields, combination, strict=True), _shared=True)
            yield record


def product(options: Sequence[list[Values]]) -> list[Values]:
    """Every way to take one of each, joined. Raises ModelError when there are too many."""
    if math.prod(map(len, options)) > MOST_INITIAL:
        raise ModelError(
            f"there are more than {MOST_INITIAL:,} initial states.", None, "Choose fewer starting values at once."
        )
    return [tuple(itertools.chain.from_iterable(combination)) for combination in itertools.product(*options)]

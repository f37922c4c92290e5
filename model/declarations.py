"""What an attribute of a model is declared to be: the kinds, and records of them.

A kind is typed as its value, so that editors and type checkers see in a model what its methods will see.
"""

from __future__ import annotations

import functools
import inspect
from collections import deque
from collections.abc import Callable, Iterable, MutableSet
from enum import Enum
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, Self, TypeVar, cast, overload

from .constants import constant_key
from .errors import ModelError, UsageError, nearest
from .fields import FieldError, check_fields, form
from .kind_equality import is_same_kind
from .kinds import (
    ArrayKind,
    BagKind,
    BoolKind,
    ChoiceKind,
    Kind,
    MapKind,
    MaybeKind,
    QueueKind,
    RangeKind,
    RecordKind,
    SetKind,
)
from .path import Path, active
from .places import Place
from .source import here
from .symbols import truth
from .unbounded_kinds import NaturalKind, NaturalSetKind, has_no_bound

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)
E = TypeVar("E", bound=Enum)
K = TypeVar("K")
F = TypeVar("F", bound=Callable[..., Any])


class BagValue(Protocol[T_contra]):
    """What a `Bag` is to an action: a multiset."""

    def add(self, value: T_contra, /) -> None: ...
    def remove(self, value: T_contra, /) -> None: ...
    def count(self, value: T_contra, /) -> int: ...
    def __contains__(self, value: object, /) -> bool: ...
    def __iter__(self) -> Any: ...
    def __len__(self) -> int: ...


# Kinds


def _written_as(example: str) -> Callable[[F], F]:
    """Where a kind is told too little, or what has no meaning, the error says on which line, and what to write."""

    def decorate(kind: F) -> F:
        signature = inspect.signature(kind)

        @functools.wraps(kind)
        def told(*values: Any, **named: Any) -> Any:
            try:
                signature.bind(*values, **named)
            except TypeError as error:
                raise ModelError(f"{kind.__name__}: {error}.", here(), f"Write {example}.") from error
            try:
                return kind(*values, **named)
            except ModelError as error:
                if error.site is not None:
                    raise
                raise ModelError(error.message, here(), error.remedy) from error

        return cast(F, told)

    return decorate


@_written_as("Bool()")
def Bool(*, start: object = None) -> bool:
    """False or True; it starts as False."""
    return cast(bool, BoolKind(start))


@_written_as("Range(0, 3): the least and the greatest")
def Range(lo: int, hi: int, *, start: object = None) -> int:
    """A whole number from `lo` to `hi`, both included; it starts as `lo`. Leaving the range is a model error."""
    return cast(int, RangeKind(lo, hi, start))


@overload
def Choice(values: type[E], /, *, start: object = None) -> E: ...
@overload
def Choice(*values: T, start: object = None) -> T: ...
@_written_as('Choice("a", "b")')
def Choice(*values: Any, start: object = None) -> Any:
    """One of some constants, or of an enum's members; it starts as the first."""
    if len(values) == 1 and isinstance(values[0], type) and issubclass(values[0], Enum):
        return ChoiceKind(values[0], start)
    for value in values:
        if isinstance(value, list | set | dict | range):
            listed = cast("object", value)
            raise ModelError(
                f"a Choice has the {type(listed).__name__} {listed!r} among its values.",
                here(),
                'Write the values themselves: Choice("a", "b"), or Choice(*values).',
            )
    return ChoiceKind(values, start)


@_written_as("Natural(), or Natural(1): the least")
def Natural(lo: int = 0, *, start: object = None) -> int:
    """A whole number from `lo` on, without an upper bound; it starts as `lo`. Only a proof can deal with it."""
    return cast(int, NaturalKind(lo, start))


@_written_as("Maybe(kind)")
def Maybe(kind: T, *, start: object = None) -> T | None:
    """A value of `kind`, or None; it starts as None."""
    return cast("T | None", MaybeKind(as_kind(kind), start))


@_written_as("Array(3, kind): how many, and of what")
def Array(length: int, kind: T, *, start: object = None) -> list[T]:
    """A fixed number of items, indexed from 0."""
    return cast("list[T]", ArrayKind(length, as_kind(kind), start))


@_written_as("Map(keys, kind)")
def Map(keys: Iterable[K], kind: T, *, start: object = None) -> dict[K, T]:
    """An item for each of some constant keys (or for each value of a kind)."""
    listed = as_kind(keys) if isinstance(keys, Kind) or _is_enum(keys) else keys
    return cast("dict[K, T]", MapKind(cast(Any, listed), as_kind(kind), start))


@_written_as("Set(kind)")
def Set(kind: T, *, start: object = None) -> MutableSet[T]:
    """A set of values of `kind`; it starts empty."""
    item = as_kind(kind)
    return cast("MutableSet[T]", NaturalSetKind(item, start) if has_no_bound(item) else SetKind(item, start))


@_written_as("Bag(kind, most=4): how many it holds")
def Bag(kind: T, *, most: int, start: object = None) -> BagValue[T]:
    """A multiset of at most `most` elements in all; it starts empty. Overfilling it is a model error."""
    return cast("BagValue[T]", BagKind(as_kind(kind), most, start))


@_written_as("Queue(kind, capacity=4): how many it holds")
def Queue(kind: T, *, capacity: int, start: object = None) -> deque[T]:
    """First in, first out: `append` and `popleft`. Appending to a full or popping an empty one is a model error."""
    return cast("deque[T]", QueueKind(as_kind(kind), capacity, start))


def _is_enum(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Enum)


def as_kind(value: object) -> Kind:
    """The kind that an author wrote, where a kind is wanted. Raises ModelError for anything else."""
    if isinstance(value, Kind):
        return value
    if _is_enum(value):
        return ChoiceKind(cast(Iterable[object], value))
    if isinstance(value, Record) or (isinstance(value, type) and issubclass(value, Record)):
        return record_kind(value)
    raise ModelError(
        f"{value!r} is not a kind.",
        here(),
        "Write Bool(), Range(lo, hi), Natural(), Choice(…), Maybe(…), Array(n, …), Map(keys, …), Set(…), "
        "Bag(…), Queue(…), or a Record.",
    )


class Record:
    """Named fields: a subclass has kinds as attributes, of the class or set in its `__init__`.

    `Message()` is the kind, and `Message.of(sender=0, body="hello")` a value of it.
    A record in the state has the class's methods.
    """

    @classmethod
    def of(cls, **values: Any) -> Self:
        """A value: a record whose fields have these values."""
        record = object.__new__(cls)
        vars(record).update(values)
        return record

    if not TYPE_CHECKING:

        def __init__(self, *values: object, **fields: object) -> None:
            if values or fields:
                owner = type(self)
                raise ModelError(
                    f"{owner.__name__}(…) is a kind, and takes no values.",
                    here(),
                    f"For a value, write {form(owner, record_fields(owner))}.",
                )

        def __getattribute__(self, name: str) -> Any:
            held = object.__getattribute__(self, "__dict__")
            kind = held.get("_kind")
            if kind is not None and name in kind.fields:
                return _get()(held["_anchor"].place.shifted(kind.offsets[name], name), kind.fields[name])
            return object.__getattribute__(self, name)

        def __getattr__(self, name: str) -> Any:
            # Asked only where there is no such attribute.
            if name.startswith("_"):
                raise AttributeError(name)
            raise AttributeError(nearest(name, _record_items(self), f"In {type(self).__name__}, the field"))

        def __setattr__(self, name: str, value: object) -> None:
            held = self.__dict__
            kind = held.get("_kind")
            if kind is None:
                if "_shared" in held:
                    _refuse(
                        f"{name} of an element of a set is changed.",
                        f"Take it out and put another in: {type(self).__name__}.of(…).",
                    )
                object.__setattr__(self, name, value)
                return
            place = held["_anchor"].place
            if name not in kind.fields:
                place.env.path.refuse(
                    f"{kind.owner.__name__} has no field {name!r}.", f"It has {', '.join(kind.fields)}."
                )
            from .values import put

            put(place.shifted(kind.offsets[name], name), kind.fields[name], value)

        def __eq__(self, other: object) -> Any:
            if type(other) is not type(self):
                return False
            place, theirs = _place_of(self), _place_of(other)
            if place is not None and theirs is not None and is_same_kind(self._kind, other._kind):
                path, slots = place.env.path, range(self._kind.width)
                same = [path.expressions.equal(place.read(i), theirs.read(i)) for i in slots]
                return truth(path, path.expressions.conjoin(same))
            mine, others = _record_items(self), _record_items(other)
            path = active.get()
            if path is None:
                return mine == others
            if mine.keys() != others.keys():
                _refuse_other_fields(path, self, other)
                return False
            from .values import node_of

            return truth(path, path.expressions.conjoin(node_of(path, mine[name] == others[name]) for name in mine))

        def __hash__(self) -> int:
            key = constant_key(self)
            if key is None:
                _refuse("a record of the state is hashed.", "Use a tuple of its fields, or a loop that compares them.")
            return hash(key)

        def __copy__(self) -> Any:
            from .views import get

            held = self.__dict__
            if "_kind" in held:
                return get(held["_anchor"].copy(), held["_kind"])
            return type(self).of(**_record_items(self))

        def __deepcopy__(self, memo: object) -> Any:
            return self.__copy__()

        def __repr__(self) -> str:
            place = _place_of(self)
            if place is not None and active.get() is not place.env.path:
                return f"<{place.name}>"  # outside of its run, to a debugger say, it has no value
            return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in _record_items(self).items())})"


@functools.cache
def _get() -> Callable[[Place, Kind], Any]:
    # Imported once, and not each time: fields are read all the time.
    from .views import get

    return get


def _refuse(message: str, remedy: str) -> NoReturn:
    path = active.get()
    if path is None:
        raise UsageError(f"{message} {remedy}")
    path.refuse(message, remedy)


def _refuse_other_fields(path: Path, a: Record, b: Record) -> None:
    """Refuse to compare a record of the state with one that an author gave other fields."""
    for known, made in ((a, b), (b, a)):
        if vars(known).keys() & {"_kind", "_shared"}:
            try:
                check_fields(type(known), list(_record_items(known)), list(_record_items(made)))
            except FieldError as error:
                path.refuse(f"{error}.", error.remedy)


def _place_of(record: Record) -> Any:
    """Where a record lies in the state; None for one that does not."""
    anchor = vars(record).get("_anchor")
    return None if anchor is None else anchor.place


def _record_items(value: object) -> dict[str, Any]:
    """A record's fields with their values, whether it lies in the state, in a set, or was made by the author."""
    if not isinstance(value, Record):
        return {}
    held = vars(value)
    names = held["_kind"].fields if "_kind" in held else [name for name in held if not name.startswith("_")]
    return {name: getattr(value, name) for name in names}


def record_fields(record: Record | type[Record]) -> dict[str, Kind]:
    """The fields of a record class or of a record made as a kind, in the order in which they were written."""
    owner = record if isinstance(record, type) else type(record)
    given: dict[str, object] = {}
    for base in reversed(owner.__mro__):
        given.update(vars(base))
    if not isinstance(record, type):
        given.update(vars(record))
    return {n: as_kind(v) for n, v in given.items() if isinstance(v, Kind | Record) and not n.startswith("__")}


def record_kind(record: Record | type[Record]) -> Kind:
    """The kind that a record class, or an object of it, stands for."""
    owner = record if isinstance(record, type) else type(record)
    return RecordKind(owner, record_fields(record))

"""Arrays, maps, queues and records as an action sees them while it is lifted, and whatever lies at a place.

A view is a place read through a kind. Indexing with a value that is known only as an expression gives a place with
several alternatives, each under a condition: reading chooses between them, writing changes each of them under its
condition. State has value semantics: assigning a view copies.
"""

from __future__ import annotations

import collections
from collections.abc import (
    Callable,
    ItemsView,
    Iterator,
    KeysView,
    Mapping,
    MutableMapping,
    MutableSequence,
    ValuesView,
)
from typing import Any, cast

from .containers import Container
from .elements import BagView, SetView
from .expressions import Expression
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
    SequenceKind,
    SetKind,
)
from .path import Path
from .places import Anchor, Key, Place
from .symbols import chosen, equal, is_symbol, number, truth
from .unbounded_kinds import NaturalSetKind
from .unbounded_sets import NaturalSetView
from .values import View, default_node, node_of, put


def get(place: Place, kind: Kind) -> Any:
    """What lies at a place, as an action sees it."""
    path = place.env.path
    match kind:
        case BoolKind():
            return truth(path, place.read())
        case RangeKind():
            return number(path, place.read())
        case ChoiceKind():
            return chosen(path, place.read(), kind)
        case MaybeKind(is_scalar=True):
            return _get_maybe_scalar(path, place.read(), kind)
        case MaybeKind():
            return get(place.shifted(1), kind.inner) if path.decide(place.read()) else None
        case RecordKind():
            return record_view(place, kind)
        case _:
            return _VIEWS[type(kind)](place, kind)


def _get_maybe_scalar(path: Path, node: Expression, kind: MaybeKind) -> Any:
    x = path.expressions
    if not path.decide(x.negate(x.equal(node, x.const(kind.none)))):
        return None
    match kind.inner:
        case BoolKind():
            return truth(path, x.equal(node, x.const(1)))
        case ChoiceKind():
            return chosen(path, node, kind.inner)
        case _:
            return number(path, node)


class SequenceView(Container):
    """An array or a map."""

    kind: SequenceKind

    def _find(self, key: object) -> Place:
        place, kind = self.anchor.place, self.kind
        path, width = place.env.path, kind.item.width
        if isinstance(key, slice):
            path.refuse("an Array of the state is sliced.", "Index it, or loop over `range(…)`.")
        if not is_symbol(key):
            position = self._position(key)
            return place.shifted(position * width, Key(kind.keys[position]))
        tests = [(equal(path, key, k), i * width) for i, k in enumerate(self.kind.keys)]
        self._demand_present(path, [test for test, _ in tests])
        open_tests = [(test, o) for test, o in tests if path.facts.answer(test) is not False]
        if len(open_tests) == 1:
            offset = open_tests[0][1]
            return self.place.shifted(offset, Key(self.kind.keys[offset // width]))
        return self.place.one_of(open_tests)

    def _demand_present(self, path: Path, tests: list[Expression]) -> None:
        path.demand(path.expressions.disjoin(tests), f"{self.place.name}: this index or key is not there")

    def _position(self, key: object) -> int:
        raise NotImplementedError

    def __getitem__(self, key: object) -> Any:
        return get(self._find(key), self.kind.item)

    def __setitem__(self, key: object, value: object) -> None:
        put(self._find(key), self.kind.item, value)

    def __len__(self) -> int:
        return len(self.kind.keys)

    def _item(self, position: int) -> Any:
        place = self.place.shifted(position * self.kind.item.width, Key(self.kind.keys[position]))
        return get(place, self.kind.item)


class ArrayView(SequenceView):
    """An array: as a list of fixed length."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        return list

    def text(self) -> str:
        return repr(list(self))

    def same_as(self, other: Any) -> Expression | None:
        if not isinstance(other, list):
            return None
        path, items = self._path, cast("list[object]", other)
        if len(items) != len(self):
            return path.expressions.false
        return path.expressions.conjoin(node_of(path, a == b) for a, b in zip(self, items, strict=True))

    def _position(self, key: object) -> int:
        if not isinstance(key, int):
            raise TypeError(f"list indices must be integers, not {type(key).__name__}")
        count = len(self.kind.keys)
        if not -count <= key < count:
            raise IndexError(f"index {key} of {self.place.name}, which has {count} items")
        return key % count

    def _demand_present(self, path: Path, tests: list[Expression]) -> None:
        message = f"an index is outside 0..{len(self) - 1} in {self.kind}"
        path.demand(path.expressions.disjoin(tests), message)

    def __iter__(self) -> Iterator[Any]:
        return (self._item(i) for i in range(len(self)))

    def __contains__(self, value: object) -> bool:
        return any(item == value for item in self)


class MapView(SequenceView):
    """A map: as a dict with fixed keys."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        return dict

    def text(self) -> str:
        return repr({key: self[key] for key in self})

    def same_as(self, other: Any) -> Expression | None:
        if not isinstance(other, dict):
            return None
        path, items = self._path, cast("dict[object, object]", other)
        if items.keys() != set(self.kind.keys):
            return path.expressions.false
        return path.expressions.conjoin(node_of(path, self[key] == items[key]) for key in self.kind.keys)

    def _position(self, key: object) -> int:
        return cast(MapKind, self.kind).positions[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.kind.keys)

    def __contains__(self, key: object) -> bool:
        return any(bool(truth(self._path, equal(self._path, key, k))) for k in self.kind.keys)

    def keys(self) -> KeysView[Any]:
        """The keys."""
        return KeysView(cast("Mapping[Any, Any]", self))

    def values(self) -> ValuesView[Any]:
        """The items, in the keys' order, as they are when one comes to them."""
        return ValuesView(cast("Mapping[Any, Any]", self))

    def items(self) -> ItemsView[Any, Any]:
        """Keys with their items, as they are when one comes to them."""
        return ItemsView(cast("Mapping[Any, Any]", self))

    def get(self, key: object, default: object = None) -> Any:
        """The item of a key, or a default where the key is not there."""
        return self[key] if self.__contains__(key) else default


class QueueView(Container):
    """A queue: as a `collections.deque` that is appended to on the right and popped on the left."""

    kind: QueueKind

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        return collections.deque

    def text(self) -> str:
        return repr(list(self))  # as traces show it

    def same_as(self, other: Any) -> Expression | None:
        if not isinstance(other, collections.deque):
            return None
        path, x = self._path, self._path.expressions
        items = list(cast("collections.deque[object]", other))
        length = x.equal(self.size(), x.const(len(items)))
        if length is x.false:
            return x.false
        same = (node_of(path, get(self._slot(i), self.kind.item) == item) for i, item in enumerate(items))
        return x.conjoin((length, *same))

    def _slot(self, position: int) -> Place:
        return self.place.shifted(1 + position * self.kind.item.width, Key(position))

    def __len__(self) -> int:
        return self._path.concrete(self.place.read(), lambda: "len() of a queue")

    def size(self) -> Expression:
        """How many items there are."""
        return self.place.read()

    def __bool__(self) -> bool:
        x = self._path.expressions
        return self._path.test(x.less(x.const(0), self.place.read()))

    def __iter__(self) -> Iterator[Any]:
        return (get(self._slot(i), self.kind.item) for i in range(len(self)))

    def __contains__(self, value: object) -> bool:
        return any(item == value for item in self)

    def __getitem__(self, key: Any) -> Any:
        length = len(self)
        if not -length <= key < length:
            raise IndexError(f"index {key} of {self.place.name}, which has {length} items")
        return get(self._slot(int(key) % length), self.kind.item)

    def append(self, value: object) -> None:
        """Put an item in at the end; a full queue is a mistake of the model."""
        length = len(self)
        if length == self.kind.capacity:
            self._path.go_wrong(f"{self.place.name} is full: {self.kind}")
        put(self._slot(length), self.kind.item, value)
        self.place.write(self._path.expressions.const(length + 1))

    def popleft(self) -> Any:
        """Take the first item out; an empty queue is a mistake of the model."""
        length = len(self)
        if length == 0:
            self._path.go_wrong(f"popleft from {self.place.name}, which is empty")
        width, env = self.kind.item.width, self.place.env
        first = self._slot(0)
        taken = get(first, self.kind.item)
        moved = [self._slot(position).read(i) for position in range(1, length) for i in range(width)]
        blank = [default_node(self._path, self.kind.item, i) for i in range(width)]
        env.release(first, width, itself=True)
        for position in range(1, length):
            env.shift(self._slot(position), width, -width)
        for offset, node in enumerate([*moved, *blank]):
            first.write(node, offset)
        self.place.write(self._path.expressions.const(length - 1))
        return taken

    def clear(self) -> None:
        """Take every item out."""
        blank = [default_node(self._path, self.kind, i) for i in range(self.kind.width)]
        self.place.write_all(blank, itself=False)


# Registered, so that `match` takes them apart as it does what they stand for.
cast(Any, MutableSequence).register(ArrayView)
cast(Any, MutableSequence).register(QueueView)
cast(Any, MutableMapping).register(MapView)

_VIEWS: dict[type[Kind], Callable[[Place, Any], View]] = {
    ArrayKind: ArrayView,
    MapKind: MapView,
    SetKind: SetView,
    BagKind: BagView,
    NaturalSetKind: NaturalSetView,
    QueueKind: QueueView,
}


def record_view(place: Place, kind: RecordKind) -> Any:
    """A record at a place: an object of the author's own class whose fields are read from and written to the place."""
    owner: type[object] = kind.owner
    view: object = object.__new__(owner)
    object.__setattr__(view, "_anchor", Anchor(place, kind.width))
    object.__setattr__(view, "_kind", kind)
    return view

"""Arrays, maps, sets, bags, queues and records as an action sees them while it is lifted.

A view is a place read through a kind. Indexing with a value that is known only as an expression gives a place with
several alternatives, each under a condition: reading chooses between them, writing changes each of them under its
condition. State has value semantics: assigning a view copies.
"""

from __future__ import annotations

import collections
from collections.abc import (
    Callable,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    MutableMapping,
    MutableSequence,
    MutableSet,
    ValuesView,
)
from typing import Any, cast

from .expressions import Expression
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
    SequenceKind,
    SetKind,
)
from .path import Path
from .places import Anchor, Place
from .symbols import chosen, equal, is_symbol, number, truth
from .values import View, default_node, element_tests, matches, node_of, put, total


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
    if path.decide(x.equal(node, x.const(kind.none))):
        return None
    match kind.inner:
        case BoolKind():
            return truth(path, x.equal(node, x.const(1)))
        case ChoiceKind():
            return chosen(path, node, kind.inner)
        case _:
            return number(path, node)


class Container(View):
    """What all containers have in common."""

    def universe_tests(self) -> list[tuple[object, Expression]] | None:
        """For a set or bag, each value that could be in it with whether it is; None for anything else."""
        return None

    @property
    def _path(self) -> Path:
        return self.place.env.path

    def same_as(self, other: Any) -> Expression | None:
        """Whether a plain container of the kind that this one stands for has the same in it; None for any other."""
        raise NotImplementedError

    def _same(self, other: object) -> Expression:
        path, x = self._path, self._path.expressions
        if isinstance(other, Container) and is_same_kind(self.kind, other.kind):
            pairs = ((self.place.read(i), other.place.read(i)) for i in range(self.kind.width))
            return x.conjoin(x.equal(a, b) for a, b in pairs)
        found = None if isinstance(other, Container) else self.same_as(other)
        if found is not None:
            return found
        if isinstance(other, Iterable) and not isinstance(other, str | bytes):
            theirs = type(cast(object, other)).__name__
            path.refuse(
                f"{self.place.name}, a {self.kind}, is compared with a {theirs} of another kind.",
                "Compare it with one of its own kind (a Queue with a deque, say), or compare what is in it.",
            )
        return x.false

    def __eq__(self, other: object) -> Any:
        return truth(self._path, self._same(other))

    def __ne__(self, other: object) -> Any:
        return truth(self._path, self._path.expressions.negate(self._same(other)))

    def __copy__(self) -> Any:
        return get(self.anchor.copy(), self.kind)

    def __deepcopy__(self, memo: object) -> Any:
        return self.__copy__()

    def __repr__(self) -> str:
        return f"<{self.place.name} as {self.kind}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        inner = ("place", "kind", "anchor", "universe_tests", "same_as", "size", "membership", "contains")
        methods = [n for n in dir(type(self)) if not n.startswith("_") and n not in inner]
        self._path.refuse(
            f"{self.place.name} is a {type(self.kind).__name__[:-4]}, which has no {name!r}.",
            f"It has {', '.join(methods) or 'only indexing, `in`, `len` and `for`'}.",
        )


class SequenceView(Container):
    """An array or a map."""

    kind: SequenceKind

    def _find(self, key: object) -> Place:
        path, width = self._path, self.kind.item.width
        if isinstance(key, slice):
            path.refuse("an Array of the state is sliced.", "Index it, or loop over `range(…)`.")
        if not is_symbol(key):
            return self.place.shifted(self._position(key) * width)
        tests = [(equal(path, key, k), i * width) for i, k in enumerate(self.kind.keys)]
        self._demand_present(path, [test for test, _ in tests])
        open_tests = [(test, o) for test, o in tests if path.facts.answer(test) is not False]
        if len(open_tests) == 1:
            return self.place.shifted(open_tests[0][1])
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
        return get(self.place.shifted(position * self.kind.item.width), self.kind.item)


class ArrayView(SequenceView):
    """An array: as a list of fixed length."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        return list

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
        if not -len(self) <= key < len(self):
            raise IndexError(f"index {key} of {self.place.name}, which has {len(self)} items")
        return key % len(self)

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


class SetView(Container, MutableSet[Any]):
    """A set. Iterating forks over which elements are in it."""

    kind: SetKind
    __hash__ = None  # type: ignore[assignment]
    __eq__ = Container.__eq__
    __ne__ = Container.__ne__

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        return set

    def same_as(self, other: Any) -> Expression | None:
        if not isinstance(other, set | frozenset):
            return None
        path, x = self._path, self._path.expressions
        present: list[Expression] = [x.false] * self.kind.width
        for element in cast("set[object]", other):
            found = matches(path, self.kind, element)
            if not found:
                return x.false
            for position, test in found:
                present[position] = x.disjoin((present[position], test))
        return x.conjoin(x.equal(self.membership(i), test) for i, test in enumerate(present))

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> Any:
        return set(it)

    def _tests(self, value: object) -> list[Expression]:
        return element_tests(self._path, self.kind, value, self.place.name)

    def membership(self, position: int) -> Expression:
        """Whether an element of the universe is in the set."""
        return self.place.read(position)

    def universe_tests(self) -> list[tuple[object, Expression]]:
        """Each value that could be in the set, with whether it is."""
        return [(element, self.membership(i)) for i, element in enumerate(self.kind.universe)]

    def size(self) -> Expression:
        """How many elements there are."""
        return total(self._path, (self.membership(i) for i in range(self.kind.width)))

    def contains(self, value: object) -> Expression:
        """Whether a value is in the set."""
        x = self._path.expressions
        return x.disjoin(x.conjoin((t, self.membership(i))) for i, t in matches(self._path, self.kind, value))

    def __contains__(self, value: object) -> bool:
        return self._path.decide(self.contains(value))

    def __iter__(self) -> Iterator[Any]:
        for i, element in enumerate(self.kind.universe):
            if self._path.decide(self.membership(i)):
                yield element

    def __len__(self) -> int:
        return self._path.concrete(self.size(), lambda: "len() of a set")

    def __bool__(self) -> bool:
        return self._path.decide(self._path.expressions.disjoin(self.membership(i) for i in range(self.kind.width)))

    def add(self, value: object) -> None:
        """Put an element in."""
        x = self._path.expressions
        for i, test in enumerate(self._tests(value)):
            self.place.write(x.disjoin((self.membership(i), test)), i)

    def discard(self, value: object) -> None:
        """Take an element out, if it is in."""
        x = self._path.expressions
        for i, test in matches(self._path, self.kind, value):
            self.place.write(x.conjoin((self.membership(i), x.negate(test))), i)

    def remove(self, value: object) -> None:
        """Take an element out; that it is not in is a mistake of the model."""
        self._path.demand(self.contains(value), f"an element is removed from {self.place.name} that is not in it")
        self.discard(value)

    def clear(self) -> None:
        """Take every element out."""
        for i in range(self.kind.width):
            self.place.write(self._path.expressions.false, i)

    def update(self, *others: Iterable[object]) -> None:
        """Put the elements of others in."""
        for other in others:
            for element in other:
                self.add(element)


class BagView(Container):
    """A multiset. Iterating yields each element that is in it, once."""

    kind: BagKind

    def same_as(self, other: Any) -> Expression | None:
        return None

    def _tests(self, value: object) -> list[Expression]:
        return element_tests(self._path, self.kind, value, self.place.name)

    def universe_tests(self) -> list[tuple[object, Expression]]:
        """Each value that could be in the bag, with whether it is."""
        x = self._path.expressions
        return [(e, x.less(x.const(0), self.place.read(i))) for i, e in enumerate(self.kind.universe)]

    def _count(self, value: object) -> Expression:
        x = self._path.expressions
        parts = [x.choose(t, self.place.read(i), x.const(0)) for i, t in matches(self._path, self.kind, value)]
        return total(self._path, parts)

    def size(self) -> Expression:
        """How many elements there are in all."""
        return total(self._path, (self.place.read(i) for i in range(self.kind.width)))

    def count(self, value: object) -> Any:
        """How often an element is in the bag."""
        return number(self._path, self._count(value))

    def __contains__(self, value: object) -> bool:
        x = self._path.expressions
        return self._path.decide(x.less(x.const(0), self._count(value)))

    def __iter__(self) -> Iterator[Any]:
        x = self._path.expressions
        for i, element in enumerate(self.kind.universe):
            if self._path.decide(x.less(x.const(0), self.place.read(i))):
                yield element

    def __len__(self) -> int:
        return self._path.concrete(self.size(), lambda: "len() of a bag")

    def __bool__(self) -> bool:
        x = self._path.expressions
        return self._path.decide(x.less(x.const(0), self.size()))

    def add(self, value: object) -> None:
        """Put an element in once more; overfilling is a mistake of the model."""
        x = self._path.expressions
        room = x.less(self.size(), x.const(self.kind.most))
        self._path.demand(room, f"{self.place.name} is overfilled: {self.kind}")
        for i, test in enumerate(self._tests(value)):
            now = self.place.read(i)
            self.place.write(x.choose(test, x.add(now, x.const(1)), now), i)

    def remove(self, value: object) -> None:
        """Take an element out once; that it is not in is a mistake of the model."""
        x = self._path.expressions
        present = x.less(x.const(0), self._count(value))
        self._path.demand(present, f"an element is removed from {self.place.name} that is not in it")
        for i, test in matches(self._path, self.kind, value):
            now = self.place.read(i)
            self.place.write(x.choose(test, x.add(now, x.const(-1)), now), i)


class QueueView(Container):
    """A queue: as a `collections.deque` that is appended to on the right and popped on the left."""

    kind: QueueKind

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        return collections.deque

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
        return self.place.shifted(1 + position * self.kind.item.width)

    def __len__(self) -> int:
        return self._path.concrete(self.place.read(), lambda: "len() of a queue")

    def size(self) -> Expression:
        """How many items there are."""
        return self.place.read()

    def __bool__(self) -> bool:
        x = self._path.expressions
        return self._path.decide(x.less(x.const(0), self.place.read()))

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
        width = self.kind.item.width
        first = self._slot(0)
        taken = get(Anchor(first, width).copy(), self.kind.item)
        moved = [self._slot(position).read(i) for position in range(1, length) for i in range(width)]
        blank = [default_node(self._path, self.kind.item, i) for i in range(width)]
        first.write_all([*moved, *blank])
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
    QueueKind: QueueView,
}


def record_view(place: Place, kind: RecordKind) -> Any:
    """A record at a place: an object of the author's own class whose fields are read from and written to the place."""
    view: object = object.__new__(cast("type[object]", kind.owner))
    object.__setattr__(view, "_anchor", Anchor(place, kind.width))
    object.__setattr__(view, "_kind", kind)
    return view

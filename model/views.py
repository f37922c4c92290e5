"""Arrays, maps, sets, bags, queues and records as an action sees them while it is lifted.

A view is a place in an environment (the expressions of all slots) read through a kind. Indexing with a value that is
known only as an expression gives a place with several alternatives, each under a condition: reading chooses between
them, writing changes each of them under its condition. State has value semantics: assigning a view copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableSet, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from .expressions import Expression
from .kinds import (
    ArrayKind,
    BagKind,
    BoolKind,
    ChoiceKind,
    ElementsKind,
    Kind,
    MapKind,
    MaybeKind,
    QueueKind,
    RangeKind,
    RecordKind,
    SequenceKind,
    SetKind,
)
from .layout import Slot
from .path import Path
from .symbols import Chosen, chosen, equal, is_symbol, number, number_node, truth, truth_node


@dataclass(slots=True)
class Environment:
    """The expression of every slot at this point of a run. `frozen` says why it may not be changed, or is empty."""

    path: Path
    slots: Sequence[Slot]
    values: list[Expression]
    frozen: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value lies: its first slot, or several possible ones, each with the condition under which it is it."""

    env: Environment
    alternatives: tuple[tuple[Expression, int], ...]

    @classmethod
    def at(cls, env: Environment, first: int) -> Place:
        """The place that begins at a slot."""
        return cls(env, ((env.path.expressions.true, first),))

    @property
    def name(self) -> str:
        """The name of the first slot, for messages."""
        return self.env.slots[self.alternatives[0][1]].name

    def shifted(self, offset: int) -> Place:
        """The place some slots further on."""
        return replace(self, alternatives=tuple((c, first + offset) for c, first in self.alternatives))

    def one_of(self, offsets: Iterable[tuple[Expression, int]]) -> Place:
        """One of several places further on, each under a condition."""
        x = self.env.path.expressions
        steps = tuple(offsets)
        return replace(
            self,
            alternatives=tuple((x.conjoin((c, d)), first + o) for c, first in self.alternatives for d, o in steps),
        )

    def read(self, offset: int = 0) -> Expression:
        """The expression of one slot."""
        x, values = self.env.path.expressions, self.env.values
        *others, (_, last) = self.alternatives
        result = values[last + offset]
        for condition, first in reversed(others):
            result = x.choose(condition, values[first + offset], result)
        return result

    def write(self, node: Expression, offset: int = 0) -> None:
        """Give one slot a new expression."""
        if self.env.frozen:
            self.env.path.refuse(f"{self.name} is changed {self.env.frozen}", "Only actions change the state.")
        x, values = self.env.path.expressions, self.env.values
        for condition, first in self.alternatives:
            values[first + offset] = x.choose(condition, node, values[first + offset])


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


def put(place: Place, kind: Kind, value: object) -> None:
    """Assign a value, plain or not, or a view, which is copied."""
    for offset, node in enumerate(nodes_of(place.env.path, kind, value, place.name)):
        place.write(node, offset)


def nodes_of(path: Path, kind: Kind, value: object, name: str) -> list[Expression]:
    """The expressions of a value's slots. A value outside the kind is the model's mistake, or refused outright."""
    x = path.expressions
    if isinstance(value, View):
        if type(value.kind) is type(kind) and value.kind.slots("") == kind.slots(""):
            return [value.place.read(i) for i in range(kind.width)]
        value = list(cast(Iterable[object], value))
    match kind:
        case BoolKind():
            node = truth_node(path, value)
            return [node] if node is not None else _misfit(path, kind, value, name)
        case RangeKind():
            return [_ranged(path, kind, value, name)]
        case ChoiceKind():
            return [_chosen_node(path, kind, value, name)]
        case MaybeKind():
            return _maybe_nodes(path, kind, value, name)
        case RecordKind():
            try:
                fields = [(k, kind.field_of(value, f), f"{name}.{f}") for f, k in kind.fields.items()]
            except ValueError as error:
                path.refuse(f"{name}: {error}.", f"Give a value for each field of {kind}.")
            return [node for k, v, n in fields for node in nodes_of(path, k, v, n)]
        case ArrayKind() | QueueKind() if isinstance(value, list | tuple):
            items = [nodes_of(path, kind.item, v, name) for v in cast(Sequence[object], value)]
            most = len(kind.keys) if isinstance(kind, ArrayKind) else kind.capacity
            if len(items) > most or (isinstance(kind, ArrayKind) and len(items) < most):
                path.go_wrong(f"{name} is given {len(items)} items, and holds {most}")
            flat = [node for item in items for node in item]
            if isinstance(kind, ArrayKind):
                return flat
            blank = [default_node(path, kind.item, i) for i in range(kind.item.width)] * (most - len(items))
            return [x.const(len(items)), *flat, *blank]
        case SetKind() if isinstance(value, Iterable) and not isinstance(value, str):
            elements = [element_tests(path, kind, v, name) for v in cast(Iterable[object], value)]
            return [x.disjoin(tests[i] for tests in elements) for i in range(kind.width)]
        case _:
            if is_symbol(value):
                return _misfit(path, kind, value, name)
            try:
                encoded = kind.encode(value)
            except ValueError:
                return _misfit(path, kind, value, name)
            return [x.truth(bool(v)) if s.is_bool else x.const(v) for s, v in zip(kind.slots(""), encoded, strict=True)]


def _misfit(path: Path, kind: Kind, value: object, name: str) -> list[Expression]:
    path.go_wrong(f"{name} is given {value!r}, which is not a value of {kind}")


def _ranged(path: Path, kind: RangeKind, value: object, name: str) -> Expression:
    node = number_node(path, value)
    if node is None or truth_node(path, value) is not None:
        return _misfit(path, kind, value, name)[0]
    x = path.expressions
    if node.is_const and not kind.lo <= node.value <= kind.hi:
        path.go_wrong(f"{name} becomes {node.value}, which is outside {kind}")
    above = x.less(x.const(kind.hi), node)
    below = x.less(node, x.const(kind.lo))
    path.demand(x.negate(above), f"{name} becomes greater than {kind.hi}, which is outside {kind}")
    path.demand(x.negate(below), f"{name} becomes less than {kind.lo}, which is outside {kind}")
    return node


def _chosen_node(path: Path, kind: ChoiceKind, value: object, name: str) -> Expression:
    if issubclass(type(value), Chosen):
        symbol = cast(Chosen, value)
        if symbol.kind.values == kind.values:
            return symbol.node
    plain = cast(Any, value).plain() if is_symbol(value) else value
    position = kind.position(plain)
    if position is None:
        return _misfit(path, kind, plain, name)[0]
    return path.expressions.const(position)


def _maybe_nodes(path: Path, kind: MaybeKind, value: object, name: str) -> list[Expression]:
    x = path.expressions
    if value is None:
        if kind.is_scalar:
            return [x.const(kind.none)]
        return [x.false, *(default_node(path, kind.inner, i) for i in range(kind.inner.width))]
    nodes = nodes_of(path, kind.inner, value, name)
    return [x.number(nodes[0])] if kind.is_scalar else [x.true, *nodes]


def default_node(path: Path, kind: Kind, offset: int) -> Expression:
    """The blank value of one slot of a kind."""
    value, slot = kind.default()[offset], kind.slots("")[offset]
    return path.expressions.truth(bool(value)) if slot.is_bool else path.expressions.const(value)


def element_tests(path: Path, kind: ElementsKind, value: object, name: str) -> list[Expression]:
    """For each value of a set's universe, whether the given value is it. One outside is the model's mistake."""
    x = path.expressions
    position = None if is_symbol(value) or value.__hash__ is None else _universe_position(kind, value)
    if position is not None:
        known = [x.false] * kind.width
        known[position] = x.true
        return known
    given = nodes_of(path, kind.item, value, name)
    tests: list[Expression] = []
    for element in kind.universe:
        constants = kind.item.encode(element)
        pairs = zip(given, constants, strict=True)
        tests.append(x.conjoin(x.equal(n, x.truth(bool(c)) if n.is_bool else x.const(c)) for n, c in pairs))
    return tests


def _universe_position(kind: ElementsKind, value: object) -> int | None:
    position = kind.positions.get(value)
    # True == 1 for a dictionary, and not for a set of either kind.
    return position if position is not None and type(kind.universe[position]) is type(value) else None


class View:
    """A container at a place, with the methods of the Python container it stands for, as far as they make sense."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, place: Place, kind: Any) -> None:
        self.place = place
        self.kind = kind

    def universe_tests(self) -> list[tuple[object, Expression]] | None:
        """For a set or bag, each value that could be in it with whether it is; None for anything else."""
        return None

    @property
    def _path(self) -> Path:
        return self.place.env.path

    def __eq__(self, other: object) -> Any:
        x = self._path.expressions
        if not isinstance(other, View) and not isinstance(other, list | tuple | set | frozenset | dict):
            return False
        try:
            theirs = nodes_of(self._path, self.kind, cast(object, other), self.place.name)
        except ValueError:
            return False
        mine = (self.place.read(i) for i in range(self.kind.width))
        return truth(self._path, x.conjoin(x.equal(a, b) for a, b in zip(mine, theirs, strict=True)))

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        x = self._path.expressions
        node = truth_node(self._path, same)
        assert node is not None
        return truth(self._path, x.negate(node))

    def __repr__(self) -> str:
        return f"<{self.place.name} as {self.kind}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        methods = [n for n in dir(type(self)) if not n.startswith("_") and n not in ("place", "kind")]
        self._path.refuse(
            f"{self.place.name} is a {type(self.kind).__name__[:-4]}, which has no {name!r}.",
            f"It has {', '.join(methods) or 'only indexing, `in`, `len` and `for`'}.",
        )


class SequenceView(View):
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

    def _position(self, key: object) -> int:
        if isinstance(key, bool) or not isinstance(key, int):
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

    def _position(self, key: object) -> int:
        return cast(MapKind, self.kind).positions[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.kind.keys)

    def __contains__(self, key: object) -> bool:
        return any(bool(truth(self._path, equal(self._path, key, k))) for k in self.kind.keys)

    def keys(self) -> tuple[object, ...]:
        """The keys."""
        return self.kind.keys

    def values(self) -> list[Any]:
        """The items, in the keys' order."""
        return [self._item(i) for i in range(len(self))]

    def items(self) -> list[tuple[Any, Any]]:
        """Keys with their items."""
        return [(key, self._item(i)) for i, key in enumerate(self.kind.keys)]

    def get(self, key: object, default: object = None) -> Any:
        """The item of a key, or a default where the key is not there."""
        return self[key] if self.__contains__(key) else default


class SetView(View, MutableSet[Any]):
    """A set. Iterating forks over which elements are in it."""

    kind: SetKind
    __hash__ = None  # type: ignore[assignment]
    __eq__ = View.__eq__
    __ne__ = View.__ne__

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
        if not is_symbol(value) and not _could_be_element(self._path, self.kind, value):
            return x.false
        tests = enumerate(self._tests(value))
        return x.disjoin(x.conjoin((t, self.membership(i))) for i, t in tests if t is not x.false)

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
        for i, test in enumerate(self._tests(value)):
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


def _could_be_element(path: Path, kind: ElementsKind, value: object) -> bool:
    if isinstance(kind.item, RecordKind):
        return True
    try:
        kind.item.encode(value)
    except ValueError:
        return False
    return True


class BagView(View):
    """A multiset. Iterating yields each element that is in it, once."""

    kind: BagKind

    def _tests(self, value: object) -> list[Expression]:
        return element_tests(self._path, self.kind, value, self.place.name)

    def universe_tests(self) -> list[tuple[object, Expression]]:
        """Each value that could be in the bag, with whether it is."""
        x = self._path.expressions
        return [(e, x.less(x.const(0), self.place.read(i))) for i, e in enumerate(self.kind.universe)]

    def _count(self, value: object) -> Expression:
        x = self._path.expressions
        parts = [x.choose(t, self.place.read(i), x.const(0)) for i, t in enumerate(self._tests(value))]
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
        for i, test in enumerate(self._tests(value)):
            now = self.place.read(i)
            self.place.write(x.choose(test, x.add(now, x.const(-1)), now), i)


class QueueView(View):
    """A queue: as a `collections.deque` that is appended to on the right and popped on the left."""

    kind: QueueKind

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
        first = [self._slot(0).read(i) for i in range(width)]
        for position in range(length):
            for i in range(width):
                last = position == length - 1
                node = default_node(self._path, self.kind.item, i) if last else self._slot(position + 1).read(i)
                self._slot(position).write(node, i)
        self.place.write(self._path.expressions.const(length - 1))
        env = Environment(self._path, self.kind.item.slots("the item"), first, "after it was taken out.")
        return get(Place.at(env, 0), self.kind.item)

    def clear(self) -> None:
        """Take every item out."""
        for offset, value in enumerate(self.kind.default()):
            slot = self.kind.slots("")[offset]
            x = self._path.expressions
            self.place.write(x.truth(bool(value)) if slot.is_bool else x.const(value), offset)


def total(path: Path, nodes: Iterable[Expression]) -> Expression:
    """The sum of numbers and truth values."""
    x = path.expressions
    result = x.const(0)
    for node in nodes:
        result = x.add(result, x.number(node))
    return result


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
    object.__setattr__(view, "_place", place)
    object.__setattr__(view, "_kind", kind)
    return view

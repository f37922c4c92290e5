"""Values of the state as expressions: what is assigned, and what is asked for.

Writing takes any value, plain or not, and gives its slots' expressions; one outside the kind is the model's mistake.
Asking compares, and a value that the kind cannot hold is merely not there. Not here: reading (`views.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from .constants import constant_key
from .expressions import UNBOUNDED, Expression
from .fields import FieldError
from .kind_equality import is_same_kind
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
    SetKind,
)
from .path import Path
from .places import Anchor, Place
from .symbols import Chosen, is_symbol, number_node, truth_node


class View:
    """A container at a place. `__class__` is that of the Python container it stands for."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, place: Place, kind: Any) -> None:
        self.kind = kind
        self.anchor = Anchor(place, kind.width)

    @property
    def place(self) -> Place:
        """Where it lies."""
        return self.anchor.place


def put(place: Place, kind: Kind, value: object) -> None:
    """Assign a value, plain or not, or an object read from the state, which is copied."""
    anchor = anchor_of(value)
    inner = place.shifted(1) if isinstance(kind, MaybeKind) and not kind.is_scalar else place
    if anchor is not None and anchor.place.is_same(inner):
        return  # x.a |= y assigns to x.a the very object that it changed
    place.write_all(nodes_of(place.env.path, kind, value, place.name))


def anchor_of(value: object) -> Anchor | None:
    """Where an object was read from; None for one that was not read from the state."""
    if isinstance(value, View):
        return value.anchor
    try:
        held: dict[str, object] = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return cast("Anchor | None", held.get("_anchor"))


def nodes_of(path: Path, kind: Kind, value: object, name: str) -> list[Expression]:
    """The expressions of a value's slots. A value outside the kind is the model's mistake, or refused outright."""
    x = path.expressions
    if isinstance(value, View):
        if is_same_kind(value.kind, kind):
            return [value.place.read(i) for i in range(kind.width)]
        if isinstance(value.kind, BagKind):
            path.refuse(f"{name} is given a {value.kind}.", "Add its elements one by one.")
        container = cast("Any", value)
        value = {key: container[key] for key in container} if isinstance(value.kind, MapKind) else list(container)
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
                kind.check_fields(value)
                fields = [(k, kind.field_of(value, f), f"{name}.{f}") for f, k in kind.fields.items()]
            except FieldError as error:
                path.refuse(f"{name}: {error}.", error.remedy)
            except ValueError as error:
                path.refuse(f"{name}: {error}.", f"Give a value for each field of {kind}.")
            return [node for k, v, n in fields for node in nodes_of(path, k, v, n)]
        case MapKind() if isinstance(value, Mapping):
            mapping = cast("Mapping[object, object]", value)
            if set(mapping) != set(kind.keys):
                return _misfit(path, kind, dict(mapping), name)
            return [node for key in kind.keys for node in nodes_of(path, kind.item, mapping[key], f"{name}[{key!r}]")]
        case ArrayKind() | QueueKind() if isinstance(value, list | tuple | deque):
            listed = enumerate(cast("Sequence[object]", value))
            items = [nodes_of(path, kind.item, v, f"{name}[{i}]") for i, v in listed]
            most = len(kind.keys) if isinstance(kind, ArrayKind) else kind.capacity
            if len(items) > most or (isinstance(kind, ArrayKind) and len(items) < most):
                path.go_wrong(f"{name} is given {len(items)} items, and holds {most}")
            flat = [node for item in items for node in item]
            if isinstance(kind, ArrayKind):
                return flat
            blank = [default_node(path, kind.item, i) for i in range(kind.item.width)] * (most - len(items))
            return [x.const(len(items)), *flat, *blank]
        case SetKind() if isinstance(value, Iterable) and not isinstance(value, str):
            elements = [element_tests(path, kind, v, name) for v in cast("Iterable[object]", value)]
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
    above = x.less(x.const(kind.hi), node) if kind.hi < UNBOUNDED else x.false
    below = x.less(node, x.const(kind.lo))
    path.demand(x.negate(above), f"{name} becomes greater than {kind.hi}, which is outside {kind}")
    path.demand(x.negate(below), f"{name} becomes less than {kind.lo}, which is outside {kind}")
    return node


def _chosen_node(path: Path, kind: ChoiceKind, value: object, name: str) -> Expression:
    if issubclass(type(value), Chosen):
        symbol = cast(Chosen, value)
        if symbol.fp_kind.values == kind.values:
            return symbol.fp_node
    plain = cast(Any, value).fp_plain() if is_symbol(value) else value
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
    key = constant_key(value)
    if key is not None and key in kind.positions:
        known = [x.false] * kind.width
        known[kind.positions[key]] = x.true
        return known
    given = nodes_of(path, kind.item, value, f"{name}'s element")
    tests: list[Expression] = []
    for element in kind.universe:
        constants = kind.item.encode(element)
        pairs = zip(given, constants, strict=True)
        tests.append(x.conjoin(x.equal(n, x.truth(bool(c)) if n.is_bool else x.const(c)) for n, c in pairs))
    return tests


def matches(path: Path, kind: ElementsKind, value: object) -> list[tuple[int, Expression]]:
    """The positions in a set's universe at which the given value may stand, each with the condition that it does."""
    x = path.expressions
    key = constant_key(value)
    if key is not None:
        if key in kind.positions:
            return [(kind.positions[key], x.true)]
        if isinstance(kind.item, RecordKind):
            try:
                kind.item.check_fields(value)
            except FieldError as error:
                path.refuse(f"{error}.", error.remedy)
        return []
    found = ((i, node_of(path, element == value)) for i, element in enumerate(kind.universe))
    return [(i, test) for i, test in found if test is not x.false]


def node_of(path: Path, answer: object) -> Expression:
    """The answer of a comparison as an expression."""
    node = truth_node(path, answer)
    return node if node is not None else path.expressions.truth(bool(answer))


def total(path: Path, nodes: Iterable[Expression]) -> Expression:
    """The sum of numbers and truth values."""
    x = path.expressions
    result = x.const(0)
    for node in nodes:
        result = x.add(result, x.number(node))
    return result

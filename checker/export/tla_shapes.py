"""Variables of TLA+ for variables of a model, as their author declared them, and where each slot lies in them.

An array or a map is a function, a record a record, a set a set, a bag a function from its elements to how often they
are in it, a queue a record of its length and its places. A `Maybe` of a number has one number more, below the others;
of a choice one string more; of anything else it is a record. So a value of a variable is exactly one of its slots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from fenceproof.model.constants import choice_json, is_whole
from fenceproof.model.kinds import (
    BagKind,
    BoolKind,
    ChoiceKind,
    ElementsKind,
    Kind,
    MaybeKind,
    QueueKind,
    RangeKind,
    RecordKind,
    SequenceKind,
    SetKind,
)

from .tla_names import distinct_strings, field_words


@dataclass(frozen=True, slots=True)
class Truth:
    """A slot that is TRUE or FALSE."""

    type: str = "Bool"
    values: str = "BOOLEAN"

    def literal(self, value: int) -> str:
        return "TRUE" if value else "FALSE"


@dataclass(frozen=True, slots=True)
class Numbers:
    """A slot that holds a number."""

    lo: int
    hi: int
    type: str = "Int"

    @property
    def values(self) -> str:
        return f"{self.lo}..{self.hi}" if self.lo <= self.hi else "{}"

    def literal(self, value: int) -> str:
        return number(value)


@dataclass(frozen=True, slots=True)
class Words:
    """A slot that holds one of some strings, which are in the model's order: the first is that of the number `lo`."""

    lo: int
    strings: tuple[str, ...]
    type: str = "Str"

    @property
    def values(self) -> str:
        return f"{{{', '.join(self.strings)}}}"

    def items(self) -> Mapping[int, str]:
        return dict(enumerate(self.strings, start=self.lo))

    def literal(self, value: int) -> str:
        return self.strings[value - self.lo]


Code: TypeAlias = Truth | Numbers | Words


def number(value: int) -> str:
    """A number where anything may stand before it."""
    return str(value) if value >= 0 else f"(-{-value})"


@dataclass(frozen=True, slots=True)
class Scalar:
    """One slot."""

    slot: int
    code: Code


@dataclass(frozen=True, slots=True)
class Members:
    """A set: each element and the slot that says whether it is in."""

    type: str
    elements: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A function from a few keys."""

    type: str
    domain: str
    items: tuple[tuple[str, Shape], ...]
    empty_type: str


@dataclass(frozen=True, slots=True)
class Fields:
    """A record."""

    items: tuple[tuple[str, Shape], ...]


Shape: TypeAlias = Scalar | Members | Function | Fields


def shape_of(kind: Kind, first: int) -> Shape:
    """The shape of a kind whose slots begin at `first`."""
    match kind:
        case BoolKind():
            return Scalar(first, Truth())
        case RangeKind():
            return Scalar(first, Numbers(kind.lo, kind.hi))
        case ChoiceKind():
            return Scalar(first, Words(0, tuple(_choices(kind))))
        case MaybeKind() if kind.is_scalar:
            return Scalar(first, _maybe(kind))
        case MaybeKind():
            return Fields(
                (("present", Scalar(first, Truth())), ("value", shape_of(kind.inner, first + 1))),
            )
        case RecordKind():
            names = field_words(kind.fields)
            parts = zip(names, kind.fields.items(), strict=True)
            return Fields(tuple((word, shape_of(k, first + kind.offsets[n])) for word, (n, k) in parts))
        case SequenceKind():
            return _function(*_keys(kind.keys), kind.item, first)
        case SetKind():
            literals, of = _universe(kind)
            return Members(of, tuple(zip(literals, range(first, first + kind.width), strict=True)))
        case BagKind():
            literals, of = _universe(kind)
            return _function(literals, of, RangeKind(0, kind.most), first)
        case QueueKind():
            places = _function(list(map(str, range(kind.capacity))), "Int", kind.item, first + 1)
            return Fields((("length", Scalar(first, Numbers(0, kind.capacity))), ("items", places)))
        case _:
            raise AssertionError(f"{type(kind).__name__} has no bounds, and is refused")


def _choices(kind: ChoiceKind) -> list[str]:
    return distinct_strings([str(choice_json(value)) for value in kind.values])


def _maybe(kind: MaybeKind) -> Code:
    match kind.inner:
        case ChoiceKind():
            names = [str(choice_json(value)) for value in kind.inner.values]
            none = next(n for n in _nones() if n not in names)
            # The strings of the choice itself come first, so that they are those of the kind without None.
            *strings, last = distinct_strings([*names, none])
            return Words(-1, (last, *strings))
        case RangeKind():
            return Numbers(kind.inner.lo - 1, kind.inner.hi)
        case _:
            return Numbers(-1, 1)


def _nones() -> Iterator[str]:
    name = "None"
    while True:
        yield name
        name += "_"


def _keys(keys: Sequence[object]) -> tuple[list[str], str]:
    """The keys as TLA+ has them, and their type: numbers where all of them are, or else strings."""
    whole = [key for key in keys if is_whole(key)]
    if len(whole) == len(keys):
        return [number(key) for key in whole], "Int"
    return distinct_strings([str(choice_json(key)) for key in keys]), "Str"


def _universe(kind: ElementsKind) -> tuple[list[str], str]:
    """What may be in a set or a bag, and its type."""
    shape = shape_of(kind.item, 0)
    return [literal(shape, kind.item.encode(element), _BOUND) for element in kind.universe], type_of(shape)


def _function(keys: Sequence[str], key_type: str, item: Kind, first: int) -> Function:
    items = tuple((key, shape_of(item, first + i * item.width)) for i, key in enumerate(keys))
    counts = [str(i) for i in range(len(keys))]
    domain = f"0..{len(keys) - 1}" if keys and list(keys) == counts else f"{{{', '.join(keys)}}}"
    return Function(f"{_wrapped(key_type)} -> ", domain, items, type_of(shape_of(item, first)))


#: Elements of sets hold no functions, and so bind nothing.
_BOUND: Final[tuple[str, ...]] = ()


def type_of(shape: Shape) -> str:
    """The type, as Apalache writes it."""
    match shape:
        case Scalar():
            return shape.code.type
        case Members():
            return f"Set({shape.type})"
        case Function():
            return shape.type + _wrapped(shape.empty_type)
        case Fields():
            return f"{{ {', '.join(f'{name}: {type_of(part)}' for name, part in shape.items)} }}"


def _wrapped(written: str) -> str:
    return f"({written})" if "->" in written and not written.startswith(("{", "Set(")) else written


def values_of(shape: Shape) -> str:
    """The set of all values."""
    match shape:
        case Scalar():
            return shape.code.values
        case Members():
            return f"SUBSET {{{', '.join(element for element, _ in shape.elements)}}}"
        case Function():
            return f"[{shape.domain} -> {values_of(shape.items[0][1]) if shape.items else '{}'}]"
        case Fields():
            return f"[{', '.join(f'{name}: {values_of(part)}' for name, part in shape.items)}]"


def literal(shape: Shape, values: Sequence[int], bound: Sequence[str]) -> str:
    """One value, of the slots of a state. `bound` are names for the arguments of functions, the outermost first."""
    match shape:
        case Scalar():
            return shape.code.literal(values[shape.slot])
        case Members():
            return f"{{{', '.join(element for element, slot in shape.elements if values[slot])}}}"
        case Function():
            if not shape.items:
                return f"[{bound[0]} \\in {{}} |-> 0]"
            parts = [(key, literal(part, values, bound[1:])) for key, part in shape.items]
            return f"[{bound[0]} \\in {shape.domain} |-> {_by_case(bound[0], parts)}]"
        case Fields():
            return f"[{', '.join(f'{name} |-> {literal(part, values, bound)}' for name, part in shape.items)}]"


def _by_case(name: str, parts: Sequence[tuple[str, str]]) -> str:
    """The values of a function by its argument, those that are most often there last."""
    written = [text for _, text in parts]
    most = max(written, key=written.count)
    others = [(key, text) for key, text in parts if text != most]
    if not others:
        return most
    if len(others) == 1:
        return f"IF {name} = {others[0][0]} THEN {others[0][1]} ELSE {most}"
    arms = " [] ".join(f"{name} = {key} -> {text}" for key, text in others)
    return f"CASE {arms} [] OTHER -> {most}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a slot lies: in a variable, further in it, and, for the slot of a set, which element it speaks of."""

    variable: str
    path: str
    element: str | None
    code: Code

    def read(self, prime: str = "") -> str:
        """Its value before a step, or after it."""
        whole = f"{self.variable}{prime}{self.path}"
        return whole if self.element is None else f"({self.element} \\in {whole})"


def places(variable: str, shape: Shape, path: str = "") -> Iterator[tuple[int, Place]]:
    """Every slot and where it lies."""
    match shape:
        case Scalar():
            yield shape.slot, Place(variable, path, None, shape.code)
        case Members():
            for element, slot in shape.elements:
                yield slot, Place(variable, path, element, Truth())
        case Function() | Fields():
            for step, part in _parts(shape):
                yield from places(variable, part, path + step)


def _parts(shape: Function | Fields) -> Iterable[tuple[str, Shape]]:
    is_record = isinstance(shape, Fields)
    return [(f".{key}" if is_record else f"[{key}]", part) for key, part in shape.items]


def changed(variable: str, shape: Shape, members: Callable[[Members, str], str], value: Mapping[int, str]) -> str:
    """A variable after a step that writes `value` into slots; what a set becomes is what `members` says."""
    clauses = list(_clauses(variable, shape, "", members, value))
    if len(clauses) == 1 and not clauses[0][0]:
        return clauses[0][1]
    return f"[{variable} EXCEPT {', '.join(f'!{path} = {text}' for path, text in clauses)}]"


def _clauses(
    variable: str, shape: Shape, path: str, members: Callable[[Members, str], str], value: Mapping[int, str]
) -> Iterator[tuple[str, str]]:
    match shape:
        case Scalar():
            if shape.slot in value:
                yield path, value[shape.slot]
        case Members():
            if any(slot in value for _, slot in shape.elements):
                yield path, members(shape, variable + path)
        case Function() | Fields():
            for step, part in _parts(shape):
                yield from _clauses(variable, part, path + step, members, value)

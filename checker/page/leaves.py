"""A value of a variable as lines, one for each part that can change by itself: where it is, and what is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from fenceproof.model.budgets import SPENT
from fenceproof.model.constants import choice_json
from fenceproof.model.kinds import BagKind, Kind, MaybeKind, RecordKind, SequenceKind, SetKind
from fenceproof.model.system import State, TransitionSystem

from ..report.changes import Slots, shown

Leaf: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Key:
    """A step from a value into a part of it: the key of an item. That to a field is the field's name."""

    key: object


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a value: the way to it from the variable, its kind, and its numbers."""

    way: tuple[str | Key, ...]
    kind: Kind
    value: Slots


def parts(kind: Kind, way: tuple[str | Key, ...], value: Slots) -> Iterator[Part]:
    """The parts of a value of a kind: records and arrays taken apart, a set or a queue as a whole."""
    match kind:
        case RecordKind():
            for field, inner in kind.fields.items():
                yield from parts(inner, (*way, field), value[kind.offsets[field] : kind.offsets[field] + inner.width])
        case SequenceKind():
            for key, part in zip(kind.keys, kind.parts(value), strict=True):
                yield from parts(kind.item, (*way, Key(choice_json(key))), part)
        case MaybeKind(is_scalar=False) if value[0]:
            yield from parts(kind.inner, way, value[1:])
        case _:
            yield Part(way, kind, value)


def parts_of(system: TransitionSystem, state: State) -> Iterator[Part]:
    """The parts of a whole state, without the counters of spent faults."""
    for variable in system.variables:
        if not variable.name.startswith(SPENT):
            value = state[variable.first : variable.first + variable.kind.width]
            yield from parts(variable.kind, (variable.name,), value)


def leaves(kind: Kind, name: str, value: Slots) -> Iterator[Leaf]:
    """The parts of a value as text."""
    return map(_leaf, parts(kind, (name,), value))


def leaves_of(system: TransitionSystem, state: State) -> list[Leaf]:
    """A whole state, without the counters of spent faults."""
    return [_leaf(part) for part in parts_of(system, state)]


def _leaf(part: Part) -> Leaf:
    name, *rest = part.way
    assert isinstance(name, str), "a way begins at a variable"
    return name + "".join(f"[{step.key}]" if isinstance(step, Key) else f".{step}" for step in rest), in_words(part)


def in_words(part: Part) -> str:
    """What is there."""
    kind = part.kind
    if not isinstance(kind, SetKind | BagKind):
        return shown(kind.to_json(part.value))
    elements = (
        f"{shown(kind.item.to_json(kind.item.encode(element)))}{f' ×{count}' if count > 1 else ''}"
        for element, count in zip(kind.universe, part.value, strict=True)
        if count
    )
    return f"{{{', '.join(elements)}}}"

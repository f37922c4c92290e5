"""What a step changes, in words: the parts of the state that differ, as deep inside as they differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import cast

from fenceproof.model.budgets import SPENT
from fenceproof.model.constants import choice_json
from fenceproof.model.kinds import BagKind, ElementsKind, Kind, MaybeKind, RecordKind, SequenceKind, SetKind
from fenceproof.model.system import State, TransitionSystem

Slots = Sequence[int]


def changes(system: TransitionSystem, before: State, after: State) -> Iterator[str]:
    """What differs between two states; the counters of spent faults are left out."""
    for variable in system.variables:
        if not variable.name.startswith(SPENT):
            part = slice(variable.first, variable.first + variable.kind.width)
            yield from difference(variable.kind, variable.name, before[part], after[part])


def difference(kind: Kind, name: str, old: Slots, new: Slots) -> Iterator[str]:
    """What differs between two values of a kind."""
    if old == new:
        return
    match kind:
        case RecordKind():
            for field, inner in kind.fields.items():
                part = slice(kind.offsets[field], kind.offsets[field] + inner.width)
                yield from difference(inner, f"{name}.{field}", old[part], new[part])
        case SequenceKind():
            for key, a, b in zip(kind.keys, kind.parts(old), kind.parts(new), strict=True):
                yield from difference(kind.item, f"{name}[{choice_json(key)}]", a, b)
        case SetKind() | BagKind():
            yield from _elements(kind, name, old, new)
        case MaybeKind(is_scalar=False) if old[0] and new[0]:
            yield from difference(kind.inner, name, old[1:], new[1:])
        case _:
            yield f"{name}: {shown(kind.to_json(old))} → {shown(kind.to_json(new))}"


def _elements(kind: ElementsKind, name: str, old: Slots, new: Slots) -> Iterator[str]:
    for sign, grows in (("+", True), ("−", False)):
        for element, a, b in zip(kind.universe, old, new, strict=True):
            if a != b and (b > a) is grows:
                times = f" ×{abs(b - a)}" if abs(b - a) > 1 else ""
                yield f"{name} {sign} {shown(kind.item.to_json(kind.item.encode(element)))}{times}"


def shown(value: object) -> str:
    """A JSON value in a few words: None as none, a record as its values, with their names where they are no words."""
    match value:
        case None:
            return "none"
        case str():
            # What an author calls "none" is another value than None.
            return json.dumps(value) if value in ("", "none") else value
        case dict():
            return " ".join(_field(name, each) for name, each in cast("dict[str, object]", value).items())
        case _:
            return json.dumps(value, ensure_ascii=False)


def _field(name: str, value: object) -> str:
    text = shown(value)
    if isinstance(value, dict):
        return f"{name}=({text})"
    return text if isinstance(value, str) else f"{name}={text}"

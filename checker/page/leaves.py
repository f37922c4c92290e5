"""A value of a variable as lines, one for each part that can change by itself: where it is, and what is there."""

from __future__ import annotations

from collections.abc import Iterator

from fenceproof.model.budgets import SPENT
from fenceproof.model.constants import choice_json
from fenceproof.model.kinds import BagKind, Kind, MaybeKind, RecordKind, SequenceKind, SetKind
from fenceproof.model.system import State, TransitionSystem

from ..report.changes import Slots, shown

Leaf = tuple[str, str]


def leaves(kind: Kind, name: str, value: Slots) -> Iterator[Leaf]:
    """The parts of a value of a kind: records and arrays taken apart, a set or a queue as a whole."""
    match kind:
        case RecordKind():
            for field, inner in kind.fields.items():
                yield from leaves(
                    inner, f"{name}.{field}", value[kind.offsets[field] : kind.offsets[field] + inner.width]
                )
        case SequenceKind():
            for key, part in zip(kind.keys, kind.parts(value), strict=True):
                yield from leaves(kind.item, f"{name}[{choice_json(key)}]", part)
        case SetKind() | BagKind():
            elements = (
                f"{shown(kind.item.to_json(kind.item.encode(element)))}{f' ×{count}' if count > 1 else ''}"
                for element, count in zip(kind.universe, value, strict=True)
                if count
            )
            yield name, f"{{{', '.join(elements)}}}"
        case MaybeKind(is_scalar=False) if value[0]:
            yield from leaves(kind.inner, name, value[1:])
        case _:
            yield name, shown(kind.to_json(value))


def leaves_of(system: TransitionSystem, state: State) -> list[Leaf]:
    """A whole state, without the counters of spent faults."""
    return [
        leaf
        for variable in system.variables
        if not variable.name.startswith(SPENT)
        for leaf in leaves(variable.kind, variable.name, state[variable.first : variable.first + variable.kind.width])
    ]

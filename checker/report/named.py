"""Slots as an author knows them: the name of each, and its values as an author writes them."""

from __future__ import annotations

from collections.abc import Iterator

from fenceproof.model.kinds import (
    BagKind,
    BoolKind,
    Kind,
    MaybeKind,
    QueueKind,
    RecordKind,
    SequenceKind,
    SetKind,
)
from fenceproof.model.system import TransitionSystem

from .changes import shown

_PRESENCE = BoolKind()


class Names:
    """The slots of a system, by position."""

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system
        self._kinds = [kind for v in system.variables for kind in scalars(v.kind)]

    def name(self, position: int, primed: bool = False) -> str:
        """A slot's name; primed, it is the slot after a step."""
        return f"{self._system.slots[position].name}{chr(39) if primed else ''}"

    def value(self, position: int, value: int) -> str:
        """A value of a slot as an author writes it; a number that is none of its values as it is."""
        slot, kind = self._system.slots[position], self._kinds[position]
        return shown(kind.to_json((value,))) if kind is not None and slot.lo <= value <= slot.hi else str(value)


def scalars(kind: Kind) -> Iterator[Kind | None]:
    """For each slot of a kind what its values mean; None for a plain number."""
    match kind:
        case RecordKind():
            for inner in kind.fields.values():
                yield from scalars(inner)
        case SequenceKind():
            for _ in kind.keys:
                yield from scalars(kind.item)
        case SetKind():
            yield from [_PRESENCE] * kind.width
        case BagKind():
            yield from [None] * kind.width
        case QueueKind():
            yield None
            for _ in range(kind.capacity):
                yield from scalars(kind.item)
        case MaybeKind(is_scalar=False):
            yield _PRESENCE
            yield from scalars(kind.inner)
        case _ if kind.width == 1:
            yield kind
        case _:
            yield from [None] * kind.width

"""Slots as an author knows them: the name of each, and its values as an author writes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fenceproof.model.constants import shown as constant
from fenceproof.model.expressions import Expression, Op
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
from fenceproof.model.rendering import counted, render, terms
from fenceproof.model.system import TransitionSystem

from .changes import shown
from .shortened import shortened

_PRESENCE = BoolKind()
_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.MOD})


class Names:
    """The slots of a system, by position."""

    def __init__(self, system: TransitionSystem) -> None:
        found = [part for v in system.variables for part in parts(v.kind)]
        self._system = system
        self._kinds = [kind for kind, _ in found]
        self._names = [_name(slot.name, *part) for slot, part in zip(system.slots, found, strict=True)]
        self._sizes = _sizes([_holder(slot.name, part) for slot, (_, part) in zip(system.slots, found, strict=True)])

    def name(self, position: int, primed: bool = False) -> str:
        """A slot's name; primed, it is the slot after a step."""
        return f"{self._names[position]}{chr(39) if primed else ''}"

    def value(self, position: int, value: int) -> str:
        """A value of a slot as an author writes it; a number that is none of its values as it is."""
        slot, kind = self._system.slots[position], self._kinds[position]
        return shown(kind.to_json((value,))) if kind is not None and slot.lo <= value <= slot.hi else str(value)

    def compared(self, constant: Expression, other: Expression) -> str | None:
        """A constant as an author writes it beside the slot that it is compared with; None beside anything else."""
        return self.value(other.value, constant.value) if other.op in (Op.SLOT, Op.NEXT) else None

    def size(self, node: Expression) -> str | None:
        """How many elements a set or a bag has, where that is what an expression adds up; else None."""
        if node.op is not Op.ADD:
            return None
        read = list(map(_member, terms(node)))
        ops = {slot.op for slot in read}
        if ops not in ({Op.SLOT}, {Op.NEXT}):
            return None
        found = self._sizes.get(tuple(sorted(slot.value for slot in read)))
        return None if found is None else f"len({found}){chr(39) if ops == {Op.NEXT} else ''}"

    def is_count(self, node: Expression) -> bool:
        """Whether an expression is a number that something was counted to, as a length is."""
        return node.op in _ARITHMETIC or (node.op in (Op.SLOT, Op.NEXT) and self._kinds[node.value] is None)

    def clause(self, node: Expression) -> str:
        """A requirement, without parentheses around the whole."""
        node = shortened(self._system.expressions, node, self.is_count)
        text = render(node, self.name, compared=self.compared, sized=self.size)
        return text[1:-1] if text.startswith("(") else text


@dataclass(frozen=True, slots=True)
class Element:
    """Whether an element is in a set, or how often it is in a bag."""

    value: object
    shown: str
    is_counted: bool


def _name(name: str, kind: Kind | None, part: Element | None) -> str:
    """A slot's name; of an element, that it is in its set, and not the set's name with the element in braces."""
    holder = _holder(name, part)
    if part is None or holder is None:
        return f"({name.removesuffix('?')} is there)" if kind is _PRESENCE else name
    return f"(number of {part.shown} in {holder})" if part.is_counted else f"({part.shown} in {holder})"


def _holder(name: str, part: Element | None) -> str | None:
    """The name of the set or bag that a slot is about an element of; None for any other slot."""
    return None if part is None else name.removesuffix(f"{{{constant(part.value)}}}")


def _member(term: Expression) -> Expression:
    """Of a number that says whether an element is there, that it is; any other number itself."""
    found = counted(term)
    return found[0] if found is not None and found[1] else term


def _sizes(holders: list[str | None]) -> dict[tuple[int, ...], str]:
    """The slots that add up to the size of a set or bag, with its name."""
    found: dict[str, list[int]] = {}
    for position, holder in enumerate(holders):
        if holder is not None:
            found.setdefault(holder, []).append(position)
    return {tuple(positions): holder for holder, positions in found.items()}


def parts(kind: Kind) -> Iterator[tuple[Kind | None, Element | None]]:
    """For each slot of a kind what its values mean, None for a plain number, and the element that it is about."""
    match kind:
        case RecordKind():
            for inner in kind.fields.values():
                yield from parts(inner)
        case SequenceKind():
            for _ in kind.keys:
                yield from parts(kind.item)
        case SetKind() | BagKind():
            is_counted = isinstance(kind, BagKind)
            for value in kind.universe:
                text = shown(kind.item.to_json(kind.item.encode(value)))
                yield None if is_counted else _PRESENCE, Element(value, text, is_counted)
        case QueueKind():
            yield None, None
            for _ in range(kind.capacity):
                yield from parts(kind.item)
        case MaybeKind(is_scalar=False):
            yield _PRESENCE, None
            yield from parts(kind.inner)
        case _ if kind.width == 1:
            yield kind, None
        case _:
            yield from [(None, None)] * kind.width

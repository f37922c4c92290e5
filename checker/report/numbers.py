"""What the numbers in an invariant stand for: a slot holds None and the values of a Choice as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fenceproof.model.expressions import Expression
from fenceproof.model.kinds import ChoiceKind, Kind, MaybeKind, QueueKind, RangeKind, RecordKind, SequenceKind
from fenceproof.model.system import TransitionSystem

from .changes import shown


def numbers(system: TransitionSystem, clauses: Iterable[Expression]) -> list[str]:
    """For the slots that the clauses are about, what is not what it looks like: a row for all that have the same."""
    support = 0
    for clause in clauses:
        support |= clause.support
    rows: dict[str, list[str]] = {}
    for position, kind in enumerate(leaf for variable in system.variables for leaf in _leaves(variable.kind)):
        if kind is not None and support >> 2 * position & 0b11:
            rows.setdefault(_said(kind), []).append(system.slots[position].name)
    return [f"{said} in {', '.join(names)}" for said, names in rows.items()]


def _leaves(kind: Kind) -> Iterator[Kind | None]:
    """The kind of each slot, where its numbers stand for something else."""
    match kind:
        case MaybeKind(is_scalar=True) | ChoiceKind():
            yield kind
        case MaybeKind():
            yield None
            yield from _leaves(kind.inner)
        case RecordKind():
            for inner in kind.fields.values():
                yield from _leaves(inner)
        case SequenceKind():
            for _ in kind.keys:
                yield from _leaves(kind.item)
        case QueueKind():
            yield None
            for _ in range(kind.capacity):
                yield from _leaves(kind.item)
        case _:
            yield from (None,) * kind.width


def _said(kind: Kind) -> str:
    slot = kind.slots("")[0]
    # Of a Maybe(Range(…)) all but None is what it looks like.
    plain = isinstance(kind, MaybeKind) and isinstance(kind.inner, RangeKind)
    values = range(slot.lo, slot.lo + 1 if plain else slot.hi + 1)
    return ", ".join(f"{value} is {shown(kind.to_json((value,)))}" for value in values)

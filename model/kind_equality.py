"""When two kinds are one: their values, and how these lie in slots, are the same."""

from __future__ import annotations

from .kinds import BagKind, ChoiceKind, ElementsKind, Kind, MaybeKind, QueueKind, RangeKind, RecordKind, SequenceKind
from .unbounded_kinds import NaturalSetKind


def is_same_kind(a: Kind, b: Kind) -> bool:
    """Whether two kinds have the same values, written in the same slots the same way."""
    if a is b:  # as items of one array are, which are compared again and again
        return True
    if type(a) is not type(b):
        return False
    match a, b:
        case (RangeKind(), RangeKind()):
            return (a.lo, a.hi) == (b.lo, b.hi)
        case (ChoiceKind(), ChoiceKind()):
            return [(type(v), v) for v in a.values] == [(type(v), v) for v in b.values]
        case (MaybeKind(), MaybeKind()):
            return is_same_kind(a.inner, b.inner)
        case (SequenceKind(), SequenceKind()):
            return a.keys == b.keys and is_same_kind(a.item, b.item)
        case (BagKind(), BagKind()):
            return a.most == b.most and is_same_kind(a.item, b.item)
        case (ElementsKind(), ElementsKind()):
            return is_same_kind(a.item, b.item)
        case (NaturalSetKind(), NaturalSetKind()):
            return is_same_kind(a.item, b.item)
        case (QueueKind(), QueueKind()):
            return a.capacity == b.capacity and is_same_kind(a.item, b.item)
        case (RecordKind(), RecordKind()):
            fields = zip(a.fields.items(), b.fields.items(), strict=False)
            same = all(m == n and is_same_kind(k, j) for (m, k), (n, j) in fields)
            return a.owner is b.owner and len(a.fields) == len(b.fields) and same
        case _:
            return True

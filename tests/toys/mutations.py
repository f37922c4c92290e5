"""Certificates with one thing changed: every place in a document, with other values there."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, TypeAlias, cast

from fenceproof.checker.certificate.document import digest
from fenceproof.checker.certificate.recheck import _SIGNATURE  # pyright: ignore[reportPrivateUsage]
from fenceproof.model.constants import as_items, as_mapping

SIGNATURE = _SIGNATURE
Place: TypeAlias = tuple[str | int, ...]
#: Of a list, so many of its items are mutated: the first ones and the last.
SHOWN = 3


def places(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every place in a document, with what is there; of long lists the first items and the last."""
    if place:
        yield place, value
    fields, listed = as_mapping(value), as_items(value)
    if fields is not None:
        for key, inner in fields.items():
            yield from places(inner, (*place, str(key)))
    elif listed is not None:
        for number in sorted({*range(min(SHOWN, len(listed))), len(listed) - 1} - {-1}):
            yield from places(listed[number], (*place, number))


def replacements(value: Any) -> Iterator[Any]:
    """Other values to put in a place: of the same type, of another, and for a container its items changed about."""
    match value:
        case str():
            yield from (value + "x", "", 7, None)
            yield from (value.replace(a, b) for a, b in TEXTS if a in value)
        case int():
            yield from (value + 1, value - 1, -value - 7, str(value), None, True)
        case None:
            yield from (1, "none", [])
        case list():
            yield from ([], [*value, None], {})
            if value:
                yield from (value[1:], value[:-1], [*value, value[-1]])
            if value != value[::-1]:
                yield value[::-1]
        case dict():
            fields = cast("dict[str, Any]", value)
            yield from ([], {}, {**fields, "more": 1})
            yield from ({k: v for k, v in fields.items() if k != key} for key in fields)
        case _:
            raise AssertionError(value)


TEXTS = (
    *(("<=", "<"), ("<", "<="), ("and", "or"), ("or", "and"), ("not ", ""), ("true", "false"), ("false", "true")),
    *(("0", "1"), ("1", "2"), ("==", "!="), ("bvslt", "bvsle"), ("bvsle", "bvslt"), ("(assert", "; (assert")),
    *(("fence", "sent"), ("done", "sent"), ("check-sat", "exit"), ("bvadd", "bvsub"), ("'", "")),
)


def mutated(document: Any, place: Place, value: Any, *, resigned: bool) -> Any:
    changed = copy.deepcopy(document)
    *rest, last = place
    inner = changed
    for key in rest:
        inner = inner[key]
    inner[last] = value
    if resigned and isinstance(changed.get("digest"), str):
        changed["digest"] = digest(changed)
    return changed


def same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b


def mutations(document: Any, *, resigned: bool) -> Iterator[tuple[Place, Any, Any]]:
    for place, value in places(document):
        # Nobody can tell who made a certificate but by the digest; all else follows from the model.
        if resigned and place[0] in SIGNATURE:
            continue
        for other in replacements(value):
            if not same(other, value):
                yield place, other, mutated(document, place, other, resigned=resigned)

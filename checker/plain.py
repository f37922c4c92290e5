"""Values of somebody else's program as plain JSON values, which share nothing with that program."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, cast

from .quoting import quoted

#: How deep a value is nested at most: one that holds itself is nested without end.
MOST_NESTED: Final = 100


class NotJsonError(Exception):
    """A value that JSON does not have: where in the whole it lies, and what it is."""

    def __init__(self, place: str, what: str) -> None:
        super().__init__(f"{place} is {what}")


def plain(value: object, place: str, nested: int = 0) -> object:
    """A fresh copy that is JSON; enums of text or numbers become these. NotJsonError for what has no JSON form."""
    if nested > MOST_NESTED:
        raise NotJsonError(place, f"nested more than {MOST_NESTED} deep; does it hold itself?")
    if value is None or isinstance(value, bool):
        return value
    # What is derived from text or a number would not be equal to the model's by its type.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value)
        wrong = next((key for key in pairs if not isinstance(key, str)), None)
        if wrong is not None:
            raise NotJsonError(place, f"a mapping with the key {quoted(wrong, 60)}, and keys are text")
        return {str(key): plain(held, f"{place}.{key}", nested + 1) for key, held in pairs.items()}
    if isinstance(value, list | tuple):
        items = cast("list[object]", value)
        return [plain(held, f"{place}[{number}]", nested + 1) for number, held in enumerate(items)]
    if isinstance(value, set | frozenset):
        raise NotJsonError(place, "a set, which has no order: write sorted(…)")
    raise NotJsonError(
        place, f"{quoted(value, 60)}, of the type {type(value).__name__}: not text, a number, true, false or null"
    )

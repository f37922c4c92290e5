"""Whether a record that an author made has the fields of its class: what is missing, what is misspelt.

A record is an object that takes any field, since a class may set its kinds in `__init__`; so this is asked where a
record meets a kind, or another record.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection


class FieldError(ValueError):
    """A record with other fields than its class has; `remedy` says what to write."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


def form(owner: type, fields: Collection[str]) -> str:
    """How a value of a record class is written."""
    return f"{owner.__name__}.of({', '.join(f'{name}=…' for name in fields)})"


def check_fields(owner: type, fields: Collection[str], given: Collection[str]) -> None:
    """Raise FieldError where a value of a record class is given other fields than there are."""
    for name in given:
        if name not in fields:
            near = difflib.get_close_matches(name, fields, n=1, cutoff=0.4)
            hint = f"Did you mean {near[0]}?" if near else f"It has {', '.join(fields)}."
            raise FieldError(f"{owner.__name__} has no field {name!r}", hint)
    for name in fields:
        if name not in given:
            raise FieldError(f"{owner.__name__}.of(…) is given no {name}", f"Write {form(owner, fields)}.")


def kind_as_value(owner: type, fields: Collection[str]) -> FieldError:
    """A record class, or a call of it, where a value is wanted."""
    return FieldError(f"{owner.__name__} is given as a kind, and not as a value", f"Write {form(owner, fields)}.")

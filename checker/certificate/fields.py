"""Untrusted JSON, read strictly: each field there, none unknown, each of its type, with the place in every message."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from fenceproof.model.errors import FormatError, nearest
from fenceproof.model.untrusted import Document, check_fields

_DOCUMENT: Final = Document("certificate", numbers_of="certificate", most_nested=20)

Types = tuple[type, ...]


def read_document(path: Path) -> dict[str, Any]:
    """The JSON object in a file. FormatError where there is none, or it is larger than anybody would write."""
    document = _DOCUMENT.read(path)
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise FormatError(f"{path}: half of a character is written in it, which is no text.") from error
    return document


def check(where: str, value: object, wanted: Mapping[str, Types]) -> dict[str, Any]:
    """An object with exactly these fields, each of one of its types. FormatError names the field that is not so."""
    if not isinstance(value, dict):
        raise FormatError(f"{where} is not an object.")
    fields = cast("dict[str, Any]", value)
    for key in fields:
        if key not in wanted:
            raise FormatError(f"{where}: {nearest(key, wanted, 'The key')}")
    check_fields(where, fields, wanted)
    return fields


def items(where: str, values: Sequence[object], kind: type, most: int) -> list[Any]:
    """A list of so many values of a type. FormatError for more, or for one that is another."""
    if len(values) > most:
        raise FormatError(f"{where} has {len(values):,} items; at most {most:,} are read.")
    for number, value in enumerate(values, start=1):
        if type(value) is not kind:
            raise FormatError(f"{where}: item {number} is {value!r:.60}, which it cannot be.")
    return list(values)


def check_name(where: str, name: str) -> None:
    """Raise FormatError for a name that is not one in a line of a report: it may look like something that we say."""
    if not name.isprintable() or not name.strip():
        raise FormatError(f"{where} is called {name!r:.60}, which cannot be written in a line.")


def objects(
    where: str, values: Sequence[object], wanted: Mapping[str, Types], most: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each object of a list with its place, checked as `check` does."""
    for number, value in enumerate(items(where, values, dict, most), start=1):
        place = f"{where}, item {number},"
        yield place, check(place, value, wanted)

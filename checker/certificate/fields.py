"""Untrusted JSON, read strictly: each field there, none unknown, each of its type, with the place in every message."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from fenceproof.model.errors import FormatError, nearest

#: A certificate larger than this, or nested more deeply, is refused before it is looked at.
MOST_BYTES: Final = 64 * 2**20
MOST_NESTED: Final = 20
#: Digits of a number; one of 64 bits has nineteen.
MOST_DIGITS: Final = 20

Types = tuple[type, ...]


def read_document(path: Path) -> dict[str, Any]:
    """The JSON object in a file. FormatError where there is none, or it is larger than anybody would write."""
    try:
        # Not by its size, which a pipe or a device does not have.
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise FormatError(f"{path}: the file cannot be read: {error.strerror}.") from error
    if len(data) > MOST_BYTES:
        raise FormatError(f"{path}: this is too long for a certificate; at most {MOST_BYTES:,} bytes are read.")
    try:
        document: object = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_once,
            parse_int=_whole,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: this is not text, let alone a certificate.") from error
    except json.JSONDecodeError as error:
        raise FormatError(f"{path}:{error.lineno}: not JSON ({error.msg}); the file may be cut short.") from error
    except RecursionError as error:
        raise FormatError(f"{path}: this is nested too deeply to be a certificate.") from error
    except ValueError as error:
        raise FormatError(f"{path}: {error}") from error
    if not _is_shallow(document):
        raise FormatError(f"{path}: this is nested too deeply to be a certificate.")
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise FormatError(f"{path}: half of a character is written in it, which is no text.") from error
    if not isinstance(document, dict):
        raise FormatError(f"{path}: a certificate is a JSON object, and this is not one.")
    return cast("dict[str, Any]", document)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r:.60} stands twice in one object, so it is not clear which is meant.")
        found[key] = value
    return found


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(f"the number {text:.20}… is larger than any that a certificate holds.")
    return int(text)


def _no_number(text: str) -> Any:
    raise ValueError(f"{text:.20} is not a whole number, and a certificate holds no other.")


def _is_shallow(document: object) -> bool:
    level = [document]
    for _ in range(MOST_NESTED):
        within: list[object] = []
        for value in level:
            if isinstance(value, dict):
                within.extend(cast("dict[str, object]", value).values())
            elif isinstance(value, list):
                within.extend(cast("list[object]", value))
        if not within:
            return True
        level = within
    return False


def check(where: str, value: object, wanted: Mapping[str, Types]) -> dict[str, Any]:
    """An object with exactly these fields, each of one of its types. FormatError names the field that is not so."""
    if not isinstance(value, dict):
        raise FormatError(f"{where} is not an object.")
    fields = cast("dict[str, Any]", value)
    for key in fields:
        if key not in wanted:
            raise FormatError(f"{where}: {nearest(key, wanted, 'The key')}")
    for key, types in wanted.items():
        if key not in fields:
            raise FormatError(f"{where} has no {key!r}.")
        if type(fields[key]) not in types:
            raise FormatError(f"{where} has {fields[key]!r:.60} for {key!r}, which it cannot be.")
    return fields


def items(where: str, values: Sequence[object], kind: type, most: int) -> list[Any]:
    """A list of so many values of a type. FormatError for more, or for one that is another."""
    if len(values) > most:
        raise FormatError(f"{where} has {len(values):,} items; at most {most:,} are read.")
    for number, value in enumerate(values, start=1):
        if type(value) is not kind:
            raise FormatError(f"{where}: item {number} is {value!r:.60}, which it cannot be.")
    return list(values)


def objects(
    where: str, values: Sequence[object], wanted: Mapping[str, Types], most: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each object of a list with its place, checked as `check` does."""
    for number, value in enumerate(items(where, values, dict, most), start=1):
        place = f"{where}, item {number},"
        yield place, check(place, value, wanted)

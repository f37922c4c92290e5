"""Untrusted JSON, read within limits: one object, each key once, whole numbers only unless others are allowed, nested
as deeply as it may be.

Which fields it has to have is for whoever reads it.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from .constants import as_items, as_mapping
from .errors import FormatError

#: A file larger than this is refused before it is looked at.
MOST_BYTES: Final = 64 * 2**20
BYTE_ORDER_MARK: Final = "\ufeff"
#: Digits of a number; one of 64 bits has nineteen.
MOST_DIGITS: Final = 20


@dataclass(frozen=True, slots=True)
class Document:
    """What a file is to be: what it is called in messages, what its numbers are of, and how deeply it may be nested."""

    name: str
    numbers_of: str
    most_nested: int
    fractions: bool = False

    def read(self, path: Path) -> dict[str, Any]:
        """The JSON object in a file. FormatError, with the place, where there is none within the limits."""
        return self.object_in(self.text(path), path)

    def object_in(self, text: str, path: Path, line: int | None = None) -> dict[str, Any]:
        """The JSON object in a text, that of a file or of a line of it. FormatError as from `read`."""
        where = str(path) if line is None else f"{path}:{line}"
        try:
            document: object = json.loads(
                text,
                object_pairs_hook=_once,
                parse_int=self._whole,
                parse_float=self._fraction,
                parse_constant=self._no_number,
            )
        except json.JSONDecodeError as error:
            raise FormatError(self._no_json(path, text, error, line)) from error
        except RecursionError as error:
            raise FormatError(f"{where}: this is nested too deeply to be a {self.name}.") from error
        except ValueError as error:
            raise FormatError(f"{where}: {error}") from error
        if not self._is_shallow(document):
            raise FormatError(f"{where}: this is nested too deeply to be a {self.name}.")
        if not isinstance(document, dict):
            raise FormatError(f"{where}: a {self.name} is a JSON object, and this is not one.")
        return cast("dict[str, Any]", document)

    def _no_json(self, path: Path, text: str, error: json.JSONDecodeError, line: int | None) -> str:
        """What a text is that is not JSON."""
        if text.startswith(BYTE_ORDER_MARK):
            return f"{path}: the file begins with a byte order mark, which JSON has not. Save it as UTF-8 without one."
        if path.suffix == ".py":
            return f"{path}: this is a Python file, and not a {self.name}, which is JSON."
        # It ends within a text, or where there is something to come.
        is_cut = error.msg.startswith("Unterminated") or error.pos >= len(text.rstrip())
        cut = "; the file may be cut short" if is_cut else ""
        return f"{path}:{line or error.lineno}: not JSON ({error.msg}){cut}, so it is no {self.name}."

    def text(self, path: Path) -> str:
        """The text of a file. FormatError where there is none, or too much."""
        try:
            # Before it is opened: to open a pipe waits for whoever writes to it, and a device may have no end.
            mode = path.stat().st_mode
            if not stat.S_ISREG(mode):
                raise FormatError(f"{path}: this is {_what(mode)}, and a {self.name} is a file.")
            with path.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise FormatError(f"{path}: the file cannot be read: {error.strerror}.") from error
        if len(data) > MOST_BYTES:
            raise FormatError(f"{path}: this is too long for a {self.name}; at most {MOST_BYTES:,} bytes are read.")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FormatError(f"{path}: this is not text, let alone a {self.name}.") from error

    def _whole(self, text: str) -> int:
        if len(text) > MOST_DIGITS:
            raise ValueError(f"the number {text:.20}… is larger than any that a {self.numbers_of} holds.")
        return int(text)

    def _fraction(self, text: str) -> float:
        if not self.fractions:
            self._no_number(text)
        return float(text)

    def _no_number(self, text: str) -> Any:
        kind = "number" if self.fractions else "whole number"
        raise ValueError(f"{text:.20} is not a {kind}, and a {self.name} holds no other.")

    def _is_shallow(self, document: object) -> bool:
        """Whether a document is nested no more deeply than messages and comparisons of it may safely recurse."""
        level = [document]
        for _ in range(self.most_nested):
            within: list[object] = []
            for value in level:
                mapping = as_mapping(value)
                within.extend(mapping.values() if mapping is not None else as_items(value) or ())
            if not within:
                return True
            level = within
        return False


def _what(mode: int) -> str:
    """What something is that is no file."""
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    return next((word for is_one, word in kinds if is_one(mode)), "a device")


def check_fields(where: str, fields: Mapping[str, Any], wanted: Mapping[str, tuple[type, ...]]) -> None:
    """Raise FormatError, naming the field, unless each one that is wanted is there and of one of its types."""
    for key, types in wanted.items():
        if key not in fields:
            raise FormatError(f"{where} has no {key!r}.")
        if type(fields[key]) not in types:
            raise FormatError(f"{where} has {fields[key]!r:.60} for {key!r}, which it cannot be.")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r:.60} stands twice in one object, so it is not clear which is meant.")
        found[key] = value
    return found

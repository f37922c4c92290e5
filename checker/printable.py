"""Text that may come from anybody's file, as a terminal may be given it."""

from __future__ import annotations

import json
import unicodedata
from typing import Final

#: What lays text out and does nothing else: rich makes blanks of a tab.
_LAYOUT: Final = "\n\t"


def printable(text: str) -> str:
    """Text where what would move a terminal's cursor, or turn its writing round, is an escape, as JSON has it."""
    return text if text.isprintable() else "".join(map(_letter, text))


def on_one_line(text: str) -> str:
    """A name or a value, which is to begin no line of its own."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def _letter(c: str) -> str:
    is_shown = c.isprintable() or c in _LAYOUT or unicodedata.category(c) == "Zs"
    return c if is_shown else json.dumps(c)[1:-1]

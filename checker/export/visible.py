"""Text of an author's for formats that cannot hold every letter: what cannot be seen is written as an escape.

Two texts never become the same, since a backslash is written as two.
"""

from __future__ import annotations

import json


def visible(text: str) -> str:
    """Text on one line, of letters that are printed: a line break as \\n, others as \\uXXXX or \\UXXXXXXXX."""
    return "".join(_letter(c) for c in text)


def _letter(c: str) -> str:
    if c == "\\":
        return "\\\\"
    if c > "\uffff" and not c.isprintable():
        return f"\\U{ord(c):08x}"  # Not the two halves that JSON writes: those are other letters here.
    return c if c.isprintable() else json.dumps(c)[1:-1]


def visible_json(value: object) -> str:
    """A value as JSON on one line, of letters that are printed: it is read back as the same."""
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in json.dumps(value, ensure_ascii=False))

"""Names and comments for languages whose words are made of ASCII letters, digits and underscores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, count


def fresh(prefix: str, name: str, taken: set[str]) -> str:
    """A readable word for a name that is none of those taken, with the prefix; it is taken from now on.

    Two names never get the same word, since the second finds it taken.
    """
    word = prefix + re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    found = next(w for w in chain((word,), (f"{word}__{k}" for k in count(2))) if w not in taken)
    taken.add(found)
    return found


def locals_beside(taken: set[str], letter: str) -> Iterator[str]:
    """Names for what is bound inside a definition: none that is taken, and always the same ones."""
    return (name for name in (f"{letter}{k}" for k in count(1)) if name not in taken)


def in_comment(text: str) -> str:
    """Text on one line, of ASCII, that ends no comment and begins none."""
    line = " ".join(text.split()).replace("×", "x")
    for mark in ("*/", "/*", "*)", "(*"):
        line = line.replace(mark, f"{mark[0]} {mark[1]}")
    plain = line.encode("ascii", "backslashreplace").decode()
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in plain).replace("??", "? ?")

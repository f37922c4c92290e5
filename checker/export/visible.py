"""Text of a model's author on one line of a drawing, with every letter to be seen."""

from __future__ import annotations


def visible(text: str) -> str:
    """Text without line ends, controls, halves of characters, or what turns the direction of writing.

    They are written as Python escapes them, and a backslash is doubled, so that two texts never look the same.
    """
    return "".join(c if c.isprintable() and c != "\\" else _escaped(c) for c in text)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape", "surrogatepass").decode("ascii")

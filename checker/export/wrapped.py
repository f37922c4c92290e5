"""Text in lines that are no wider than they may be, by an estimate of its letters in a common sans-serif of 13 px."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

#: Widths of DejaVu Sans, which is wider than most: of these letters, and of any other.
_WIDTHS: Final = {"ijl.,:;|!'() []": 5.2, "mwMWOQGND@%&=+→": 11.2}
_OTHER: Final = 8.2
_EAST_ASIAN: Final = 14.0
_OF: Final = {letter: width for letters, width in _WIDTHS.items() for letter in letters}


def wrapped(text: str, wide: float, weight: float = 1.0) -> list[str]:
    """Text in lines of at most so many pixels; `weight` is how much wider its letters are than usual.

    It breaks after a space or a mark, and inside a word that fits on no line. Nothing is left out but spaces at the
    ends of lines.
    """
    lines: list[str] = []
    line, used = "", 0.0
    for piece in _pieces(text, wide / weight):
        width = _width(piece)
        if line and used + _width(piece.rstrip()) > wide / weight:
            lines += [line.rstrip()] if line.strip() else []
            line, used = "", 0.0
        line, used = line + piece, used + width
    return [*lines, line.rstrip()]


def _pieces(text: str, wide: float) -> Iterator[str]:
    """What is not broken unless it has to be."""
    for word in re.findall(r"[^\s,(/]+[\s,(/]*|[\s,(/]+", text):
        piece = ""
        for letter in word:
            if piece and _width(piece + letter) > wide:
                yield piece
                piece = ""
            piece += letter
        yield piece


def _width(text: str) -> float:
    return sum(map(_letter, text))


def _letter(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return _EAST_ASIAN
    return _OF.get(letter, _OTHER)

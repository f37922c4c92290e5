"""Values of somebody else's program as messages show them: short, and whatever their own code does."""

from __future__ import annotations

from typing import Final

#: Letters of a value that are shown.
MOST: Final = 200


def quoted(value: object, most: int = MOST) -> str:
    """`repr` of a value, cut; the name of its type where `repr` itself raises."""
    try:
        text = repr(value)
    except Exception as error:
        return f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"
    return _cut(text, most)


def said(error: BaseException, most: int = MOST) -> str:
    """The text of an exception, cut; empty where there is none, or where `str` itself raises."""
    try:
        text = str(error)
    except Exception:
        return ""
    return _cut(text, most)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"

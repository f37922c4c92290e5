"""What a notebook shows of a run: a table of verdicts, and the first counterexample as a sequence diagram."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Final

from ..export import mermaid, svg
from ..export.traces import Shown
from ..export.visible import visible

_COLUMNS: Final = ("property", "verdict", "steps", "it says")
#: Notebooks have ideas of their own about tables, which are for numbers.
_LEFT: Final = "text-align: left; vertical-align: top; padding: 2px 12px 2px 0"


@dataclass(frozen=True, slots=True)
class Row:
    """A property, what is said of it, and how many steps its trace has."""

    name: str
    verdict: str
    steps: int | None
    meaning: str


def bundle(plain: str, said: str, rows: Iterable[Row], shown: Shown | None) -> dict[str, str]:
    """The same by media type, of which a notebook shows the richest it can. Without a counterexample, no diagram.

    `plain` is what is shown where there is nothing but text, and `said` what is said of the whole.
    """
    drawn = "" if shown is None else svg.write(shown)
    found = {"text/plain": plain, "text/html": _html(said, rows, drawn)}
    if shown is not None:
        found |= {"image/svg+xml": drawn, "text/vnd.mermaid": mermaid.write(shown)}
    return found


def _html(said: str, rows: Iterable[Row], drawn: str) -> str:
    head = "".join(f'<th scope="col" style="{_LEFT}">{column}</th>' for column in _COLUMNS)
    body = "\n".join(
        f"<tr>{_cell(row.name)}{_cell(row.verdict)}{_cell('' if row.steps is None else row.steps)}"
        f"{_cell(row.meaning)}</tr>"
        for row in rows
    )
    caption = f'<caption style="{_LEFT}"><strong>{_safe(said)}</strong></caption>'
    table = f"<table>\n{caption}\n<tr>{head}</tr>\n{body}\n</table>\n"
    return f'<div style="overflow-x: auto">\n{table}{drawn}</div>\n'


def _cell(value: object) -> str:
    return f'<td style="{_LEFT}">{_safe(str(value))}</td>'


def _safe(text: str) -> str:
    """What an author wrote on several lines is one sentence."""
    return escape(visible(" ".join(text.split())))

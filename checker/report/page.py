"""Designs side by side as one HTML page that needs nothing else: no script, nothing loaded, everything escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from ..matrix import Cell, Design, Matrix, Row
from ..verdict import Verdict
from .matrix import LEGEND, Grid, claim, column_names, mark, minimal_grid, sets, trade_off_grid

_STYLE: Final = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1c2024; }
table { border-collapse: collapse; margin: .6rem 0 1.6rem; }
th, td { border: 1px solid #d6dadf; padding: .2rem .5rem; text-align: left; vertical-align: top; }
thead th { background: #f3f5f7; font-weight: 600; }
td.violated { background: #fbd5d5; font-weight: 600; text-align: center; }
td.holds { color: #1d7a3e; text-align: center; }
td.vacuous, td.inconclusive { color: #8a6d00; text-align: center; }
[title] { cursor: help; }
"""


def as_html(matrix: Matrix, *, minimal_only: bool) -> str:
    """The page. A violated cell shows whoever rests on it the actions of a trace under the fewest of its faults,
    which may be longer than one that all of them together allow."""
    parts: list[str] = []
    if not minimal_only:
        parts.append(f"<p>{escape(LEGEND)} Rest on a number to see a trace under the fewest of its faults.</p>")
        parts += [_design(matrix, design) for design in matrix.designs]
    parts.append(_grid(minimal_grid(matrix)))
    if not minimal_only:
        parts.append(_grid(trade_off_grid(matrix)))
    body = "\n".join([*parts, f"<p>Checked: {escape(claim(matrix))}.</p>"])
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>Fencing designs side by side</title><style>{_STYLE}</style></head>\n"
        f"<body><h1>Fencing designs side by side</h1>\n{body}\n</body></html>\n"
    )


def _design(matrix: Matrix, design: Design) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in ("property", *column_names(matrix)))
    rows = "\n".join(f"<tr>{''.join(_cells(matrix, design, row))}</tr>" for row in design.rows)
    return (
        f"<h2>{escape(design.target)}</h2><p>{escape(design.system.meaning)}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>"
    )


def _cells(matrix: Matrix, design: Design, row: Row) -> Iterator[str]:
    yield f'<th title="{escape(row.meaning)}">{escape(row.name)}</th>'
    cells = {cell.faults: cell for cell in row.cells}
    for faults in matrix.columns:
        cell = cells.get(faults)
        yield "<td></td>" if cell is None else _cell(design, row, cell)


def _cell(design: Design, row: Row, cell: Cell) -> str:
    title = ""
    if cell.trace is not None:
        actions = "\n".join(design.system.transitions[position].called for position in cell.trace.transitions)
        title = f' title="{escape(f"{row.name} under {sets([cell.faults])}:")}&#10;{escape(actions)}"'
    kind = "violated" if cell.verdict is Verdict.VIOLATED else str(cell.verdict)
    return f'<td class="{kind}"{title}>{escape(mark(cell))}</td>'


def _grid(grid: Grid) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in grid.headings)
    rows = "\n".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in grid.rows)
    remark = f"<p>{escape(grid.remark)}</p>" if grid.remark else ""
    return (
        f"<h2>{escape(grid.title)}</h2>{remark}<table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>"
    )

"""Several checks as a person reads them: a row for each model, and how many came out how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from ..row import Checked, Row, tally, verdict_of, word
from .plain import Text
from .styles import STYLES
from .summary import counted, reason

#: Below so many columns the last one would be cut.
_TABLE_WIDTH: Final = 78
_BOUNDED: Final = (
    "What holds, holds in every reachable state under the model's own bounds and faults, and no further: "
    "fenceproof check TARGET says which they are, and shows the traces."
)

_IN_STEPS: Final = (
    "What holds up to a number of steps was not violated in so many, under the model's own bounds and faults; what "
    "comes later was not looked at. fenceproof check TARGET shows the traces."
)


def print_rows(console: Console, rows: Sequence[Row]) -> None:
    """A row for each model with what became of it, or in a narrow terminal some lines, and what all that is about."""
    console.print(_table(rows) if console.width >= _TABLE_WIDTH else _list(rows))
    console.print()
    bounds = {row.result.bound for row in rows if isinstance(row, Checked)} - {None}
    console.print(Text(f"{counted(len(rows), 'model')}: {tally(rows)}. {_IN_STEPS if bounds else _BOUNDED}"))


def _table(rows: Sequence[Row]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("target", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    table.add_column("states", justify="right", no_wrap=True)
    table.add_column("took", justify="right", no_wrap=True)
    table.add_column("found", overflow="fold", min_width=24)
    for row in rows:
        table.add_row(row.target, _said(row), *_figures(row), Text(reason(row)))
    return table


def _list(rows: Sequence[Row]) -> Table:
    table = Table.grid()
    table.add_column(overflow="fold")
    for row in rows:
        states, took = _figures(row)
        figures = ", ".join(part for part in (f"{states} states" if states else "", took) if part)
        table.add_row(Text.assemble(f"{row.target}: ", _said(row), f", {figures}" if figures else ""))
        if why := reason(row):
            table.add_row(Padding(Text(why), (0, 0, 0, 2)))
    return table


def _said(row: Row) -> Text:
    verdict = verdict_of(row)
    return Text(word(row), style="dim" if verdict is None else STYLES[verdict])


def _figures(row: Row) -> tuple[str, str]:
    """States and seconds, where there are some."""
    if not isinstance(row, Checked):
        return "", ""
    return "" if row.result.distinct is None else f"{row.result.distinct:,}", f"{row.result.seconds:.2f} s"

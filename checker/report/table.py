"""Several checks as a person reads them: a row for each model, and how many came out how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.table import Table

from ..row import Checked, Row, tally, verdict_of, word
from .plain import Text
from .styles import STYLES
from .summary import counted, reason

_BOUNDED: Final = (
    "What holds, holds in every reachable state under the model's own bounds and faults, and no further: "
    "fenceproof check TARGET says which they are, and shows the traces."
)

_IN_STEPS: Final = (
    "What holds up to a number of steps was not violated in so many, under the model's own bounds and faults; what "
    "comes later was not looked at. fenceproof check TARGET shows the traces."
)


def print_rows(console: Console, rows: Sequence[Row]) -> None:
    """A table of what became of each model."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("target", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    table.add_column("states", justify="right", no_wrap=True)
    table.add_column("took", justify="right", no_wrap=True)
    table.add_column("found", overflow="fold", min_width=24)
    for row in rows:
        verdict = verdict_of(row)
        states, took = "", ""
        if isinstance(row, Checked):
            took = f"{row.result.seconds:.2f} s"
            states = "" if row.result.distinct is None else f"{row.result.distinct:,}"
        style = "dim" if verdict is None else STYLES[verdict]
        table.add_row(row.target, Text(word(row), style=style), states, took, Text(reason(row)))
    console.print(table)
    console.print()
    bounds = {row.result.bound for row in rows if isinstance(row, Checked)} - {None}
    console.print(Text(f"{counted(len(rows), 'model')}: {tally(rows)}. {_IN_STEPS if bounds else _BOUNDED}"))

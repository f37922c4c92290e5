"""What each of several engines said: beside each other for people, one after the other for machines."""

from __future__ import annotations

from rich.table import Table

from ..agreement import said
from ..result import CheckResult
from .plain import Text
from .styles import STYLES


def engines_table(result: CheckResult) -> Table:
    """A row for each property, a column for each engine; below, why an engine went no further."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("as each engine has it", overflow="fold")
    for each in result.engines:
        table.add_column(each.engine, overflow="fold")
    for row in result.properties:
        cells: list[Text] = []
        for each in result.engines:
            found = next(p for p in each.properties if p.name == row.name)
            cells.append(Text(said(each, found).text, style=STYLES[found.verdict]))
        table.add_row(row.name, *cells)
    if any(each.stop is not None for each in result.engines):
        table.add_row(
            "", *(Text(each.stop.reason if each.stop is not None else "", style="dim") for each in result.engines)
        )
    return table


def engines_document(result: CheckResult) -> list[dict[str, object]]:
    """What each engine said; empty where one alone was asked."""
    names = {p.name for p in result.properties}
    return [
        {
            "engine": each.engine,
            "verdict": str(each.verdict),
            "stopped": each.stop.reason if each.stop is not None else None,
            "bound": each.bound,
            "properties": [
                {
                    "name": p.name,
                    "verdict": str(p.verdict),
                    "steps": None if p.trace is None else len(p.trace),
                }
                for p in each.properties
                if p.name in names
            ],
            "seconds": round(each.seconds, 3),
        }
        for each in result.engines
    ]

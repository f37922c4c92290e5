"""Designs side by side as text, Markdown and a JSON document; `page.py` makes the HTML of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from string import ascii_lowercase
from typing import Final

from fenceproof.model.trace import to_json
from rich.console import Console
from rich.table import Table

from ..engines.costs import Costs
from ..matrix import Cell, Design, Matrix, Row, TradeOff
from ..result import Sort
from ..verdict import Verdict
from .claim import bounds
from .plain import Text
from .summary import counted

FORMAT: Final = "fenceproof-matrix"
VERSION: Final = 1
#: What a cell shows where it is not the number of steps of a violation.
MARKS: Final = {Verdict.HOLDS: "·", Verdict.VACUOUS: "v", Verdict.INCONCLUSIVE: "?"}
LEGEND: Final = (
    "A number: violated, in that many steps. ·: holds. v: vacuous, never put to the test. ?: not decided, a limit."
)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of text with a title, a remark, and headings; and lines below it."""

    title: str
    remark: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    below: tuple[str, ...] = ()


def mark(cell: Cell) -> str:
    """A cell in a character or two."""
    return MARKS.get(cell.verdict, str(cell.steps))


def column_keys(matrix: Matrix) -> list[str]:
    """A short heading for each column: `-` for no fault, a letter for each fault, `*` for all of them."""
    letters = (first + second for first in ("", *ascii_lowercase) for second in ascii_lowercase)
    return ["-" if not faults else next(letters) if len(faults) == 1 else "*" for faults in matrix.columns]


def column_names(matrix: Matrix) -> list[str]:
    """What each column is, in words."""
    together = "all of these" if matrix.most_faults is None else f"any {matrix.most_faults} of these"
    return ["no fault" if not f else f[0] if len(f) == 1 else together for f in matrix.columns]


def grids(matrix: Matrix) -> Iterator[Grid]:
    """The matrix, a table for each design."""
    keys = column_keys(matrix)
    for design in matrix.designs:
        rows = tuple((row.name, *(_mark_under(row, faults) for faults in matrix.columns)) for row in design.rows)
        yield Grid(design.target, design.system.meaning, ("property", *keys), rows)


def _mark_under(row: Row, faults: tuple[str, ...]) -> str:
    return next((mark(cell) for cell in row.cells if cell.faults == faults), "")


def minimal_grid(matrix: Matrix) -> Grid:
    """For each design the properties that fall, with the minimal sets of faults under which they do."""
    rows: list[tuple[str, ...]] = []
    for design in matrix.designs:
        fallen = [row for row in design.rows if row.falls]
        rows += [(design.target, row.name, sets(row.minimal_faults)) for row in fallen]
        if not fallen:
            rows.append((design.target, "(nothing falls)" if design.stop is None else "(not decided)", ""))
    rows += [(target, "(not searched)", "") for target in matrix.unsearched]
    together = "" if matrix.most_faults is None else f" of up to {matrix.most_faults}"
    remark = f"every property that falls under some set{together}; under any other set it holds"
    return Grid("Minimal sets of faults", remark, ("design", "property", "falls under"), tuple(rows))


def trade_off_grid(matrix: Matrix) -> Grid:
    """What each design costs."""
    kinds = list(dict.fromkeys(c.name for d in matrix.designs for c in d.trade_off.faulty.costs))
    headings = ("design", "settles in", "with faults", *kinds, "falls")
    rows = tuple(_trade_off_row(design, kinds) for design in matrix.designs)
    remark = "steps until the model is in a @terminal state, at best to at worst, repeats aside"
    if kinds:
        remark += f"; fewest to most {', '.join(kinds)} over all behaviours, + where some may repeat without end"
    below = [f"Open for ever: {design.target}, {_forever(design)}." for design in matrix.designs if _forever(design)]
    return Grid("Trade-offs", remark, headings, rows, tuple(below or ["Open for ever: none."]))


def _trade_off_row(design: Design, kinds: Sequence[str]) -> tuple[str, ...]:
    trade_off: TradeOff = design.trade_off
    known = {cost.name: cost for cost in trade_off.faulty.costs}
    spans = [
        _span(known[name].fewest, known[name].most) + ("+" if known[name].repeats else "") if name in known else "?"
        for name in kinds
    ]
    fallen = [row.name for row in design.rows if row.falls]
    return (
        design.target,
        _steps(trade_off.quiet),
        _steps(trade_off.faulty),
        *spans,
        f"{'' if design.stop is None else 'at least '}{len(fallen)} of {len(design.rows)}",
    )


def _forever(design: Design) -> str:
    """Under which faults something may stay open for ever; empty only where a property of that kind was decided."""
    lively = [row for row in design.rows if row.sort is Sort.LIVENESS]
    if not lively:
        return "not asked, for want of a liveness property"
    if any(cell.verdict is Verdict.INCONCLUSIVE for row in lively for cell in row.cells):
        return "not decided"
    fallen = [row for row in lively if row.falls]
    return "; ".join(f"under {_some(row.minimal_faults)}" for row in fallen)


def _some(minimal: Sequence[Sequence[str]]) -> str:
    """A few sets of faults as text; the others are counted, since the table of minimal sets has them all."""
    more = len(minimal) - 3
    return sets(minimal) if more <= 0 else f"{sets(minimal[:1])}; {more + 2} more"


def _steps(costs: Costs) -> str:
    return "?" if costs.stop is not None else _span(costs.best, costs.worst)


def _span(least: int | None, most: int | None) -> str:
    if least is None or most is None:
        return "never"
    return str(least) if least == most else f"{least}-{most}"


def sets(minimal: Sequence[Sequence[str]]) -> str:
    """Sets of faults as text."""
    return "; ".join(" + ".join(names) or "no fault" for names in minimal)


def claim(matrix: Matrix) -> str:
    """What was searched, in a sentence."""
    distinct, generated = (sum(getattr(d, name) for d in matrix.designs) for name in ("distinct", "generated"))
    together = "" if matrix.most_faults is None else f", at most {matrix.most_faults} in all"
    of = "; ".join(dict.fromkeys(bounds(design.system) for design in matrix.designs)) or "no bounds"
    seen = f"{distinct:,} distinct states, {generated:,} generated"
    is_whole = bool(matrix.designs) and all(design.complete for design in matrix.designs)
    whole = "every reachable state of" if is_whole else "only a part of the states of"
    left_out = f"; not searched: {', '.join(matrix.unsearched)}" if matrix.unsearched else ""
    return f"{whole} {counted(len(matrix.designs), 'design')} at {of}, faults as budgeted{together}: {seen}{left_out}"


def print_matrix(console: Console, matrix: Matrix, *, minimal_only: bool) -> None:
    """The matrix as tables."""
    if not minimal_only:
        console.print(Text(LEGEND))
        for key, name in zip(column_keys(matrix), column_names(matrix), strict=True):
            console.print(Text(f"  {key} {name}"))
        for grid in grids(matrix):
            _print_grid(console, grid, numbers=True)
    _print_grid(console, minimal_grid(matrix), numbers=False)
    if not minimal_only:
        _print_grid(console, trade_off_grid(matrix), numbers=False)
    console.print()
    console.print(Text(f"checked: {claim(matrix)}."))


def _print_grid(console: Console, grid: Grid, *, numbers: bool) -> None:
    console.print()
    console.print(Text.assemble((grid.title, "bold"), f": {grid.remark}" if grid.remark else ""))
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1 if numbers else 2, 0, 0))
    for position, heading in enumerate(grid.headings):
        table.add_column(
            heading,
            justify="right" if numbers and position else "left",
            overflow="fold",
            no_wrap=numbers and position > 0,
            min_width=2 if numbers else None,
        )
    for row in grid.rows:
        table.add_row(*(Text(text, style="red" if numbers and text.isdecimal() else "") for text in row))
    console.print(table)
    for line in grid.below:
        console.print(Text(line))


def as_markdown(matrix: Matrix, *, minimal_only: bool) -> str:
    """The matrix as Markdown."""
    parts: list[str] = []
    if not minimal_only:
        legend = "\n".join(
            f"- `{key}` {name}" for key, name in zip(column_keys(matrix), column_names(matrix), strict=True)
        )
        parts += [f"{LEGEND}\n\n{legend}", *(_markdown(grid) for grid in grids(matrix))]
    parts.append(_markdown(minimal_grid(matrix)))
    if not minimal_only:
        parts.append(_markdown(trade_off_grid(matrix)))
    return "\n\n".join([*parts, f"Checked: {claim(matrix)}."])


def _markdown(grid: Grid) -> str:
    lines = [f"## {_plain(grid.title)}", ""]
    if grid.remark:
        lines += [_plain(grid.remark), ""]
    heading, *rows = ("| " + " | ".join(map(_plain, row)) + " |" for row in (grid.headings, *grid.rows))
    below = [line for text in grid.below for line in ("", _plain(text))]
    return "\n".join([*lines, heading, "|" + " --- |" * len(grid.headings), *rows, *below])


def _plain(text: str) -> str:
    """Text that Markdown takes neither for HTML nor for the end of a table's cell."""
    return escape(text, quote=False).replace("|", "\\|")


def matrix_document(matrix: Matrix) -> dict[str, object]:
    """The matrix as one JSON document."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "most_faults": matrix.most_faults,
        "complete": matrix.complete,
        "unsearched": list(matrix.unsearched),
        "columns": [list(faults) for faults in matrix.columns],
        "designs": [_design(design) for design in matrix.designs],
        "claim": claim(matrix),
    }


def _design(design: Design) -> dict[str, object]:
    return {
        "target": design.target,
        "meaning": design.system.meaning,
        "parameters": dict(design.system.parameters),
        "states": {"distinct": design.distinct, "generated": design.generated, "complete": design.stop is None},
        "stopped": None if design.stop is None else design.stop.reason,
        "properties": [_row(design, row) for row in design.rows],
        "trade_off": {"without_faults": _costs(design.trade_off.quiet), "with_faults": _costs(design.trade_off.faulty)},
    }


def _row(design: Design, row: Row) -> dict[str, object]:
    return {
        "name": row.name,
        "kind": row.sort.value,
        "meaning": row.meaning,
        "cells": [_cell(design, row, cell) for cell in row.cells],
        "falls": [
            {"faults": list(faults), "trace": to_json(design.system, trace, design.target, row.name)}
            for faults, trace in row.falls
        ],
    }


def _cell(design: Design, row: Row, cell: Cell) -> dict[str, object]:
    trace = None if cell.trace is None else to_json(design.system, cell.trace, design.target, row.name)
    return {"faults": list(cell.faults), "verdict": str(cell.verdict), "steps": cell.steps, "trace": trace}


def _costs(costs: Costs) -> dict[str, object]:
    return {
        "steps_to_settle": {"best": costs.best, "worst": costs.worst},
        "costs": [{"name": c.name, "fewest": c.fewest, "most": c.most, "repeats": c.repeats} for c in costs.costs],
        "stopped": None if costs.stop is None else costs.stop.reason,
    }

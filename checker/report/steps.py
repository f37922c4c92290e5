"""A trace as a table in a terminal: its steps, with the outcome of each and what it changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from fenceproof.model.step import take
from fenceproof.model.system import Transition, TransitionSystem
from fenceproof.model.trace import Trace
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from ..printable import on_one_line
from .beginning import beginning
from .changes import changes
from .plain import Text

#: Below so many columns a table breaks its words in two, and the steps are listed instead.
TABLE_WIDTH: Final = 60


def print_trace(console: Console, system: TransitionSystem, trace: Trace, *, violates: bool = False) -> None:
    """A trace, step by step, with the outcome of each step and what it changed; of no steps, the state it ends in.

    With `violates` the last step is marked as the one that violates a property, or goes wrong.
    """
    if not trace.transitions and trace.mistake is None:
        console.print(Text(f"  in the initial state {json.dumps(system.decode(trace.states[0]), ensure_ascii=False)}"))
        _print_round(console, trace)
        return
    rows = list(_rows(system, trace, violates=violates))
    if console.width < TABLE_WIDTH:
        _print_list(console, rows)
    else:
        _print_table(console, rows)
    _print_round(console, trace)


@dataclass(frozen=True, slots=True)
class _Row:
    """A step; `mark` is what stands before the one that violates, and blanks before the others."""

    mark: str
    number: int
    called: Text
    outcome: str
    changes: tuple[str, ...]


def _rows(system: TransitionSystem, trace: Trace, *, violates: bool) -> Iterator[_Row]:
    blank, style = ("  ", "bold red") if violates else ("", "bold")
    is_finished = trace.mistake is None
    begun = tuple(map(on_one_line, beginning(system, trace.states[0])))
    if begun:
        yield _Row(blank, 0, Text("initial state"), "", begun)
    for number, (before, after, position) in enumerate(
        zip(trace.states, trace.states[1:], trace.transitions, strict=False), start=1
    ):
        transition = system.transitions[position]
        is_last = is_finished and number == len(trace)
        called = Text(f"{on_one_line(transition.called)}{_fault(transition)}", style=style if is_last else "")
        outcome = on_one_line(take(transition, before).outcome or "")
        changed = tuple(map(on_one_line, changes(system, before, after))) or ("nothing",)
        yield _Row("> " if violates and is_last else blank, number, called, outcome, changed)
    if trace.mistake is not None:
        transition = system.transitions[trace.mistake]
        called = Text(f"{transition.called}{_fault(transition)}", style="bold red")
        yield _Row("> " if violates else "", len(trace) + 1, called, "", ("goes wrong",))


def _fault(transition: Transition) -> str:
    return f"  [fault: {on_one_line(transition.fault)}]" if transition.fault is not None else ""


def _print_table(console: Console, rows: Iterable[_Row]) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("", "action", "outcome", "changes"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(f"{row.mark}{row.number}.", row.called, Text(row.outcome), Text("\n".join(row.changes)))
    console.print(table)


def _print_list(console: Console, rows: Iterable[_Row]) -> None:
    """The steps one below the other: the columns of a table would be narrower than what stands in them."""
    for row in rows:
        outcome = f" → {row.outcome}" if row.outcome else ""
        head = Table.grid()
        head.add_column(no_wrap=True)
        head.add_column(overflow="fold")
        head.add_row(f"{row.mark}{row.number}. ", Text.assemble(row.called, outcome))
        for changed in row.changes:
            head.add_row("", Padding(Text(changed), (0, 0, 0, 2)))
        console.print(head)


def _print_round(console: Console, trace: Trace) -> None:
    if trace.loop is not None:
        console.print(Text(_round(trace), style="bold"))


def _round(trace: Trace) -> str:
    if trace.loop == len(trace):
        return "Then nothing more has to happen, and the last state may stay for ever."
    return f"Then from step {(trace.loop or 0) + 1} on the same again, for ever."

"""A trace as a table in a terminal: its steps, with the outcome of each and what it changed."""

from __future__ import annotations

import json

from fenceproof.model.step import take
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .changes import changes


def print_trace(console: Console, system: TransitionSystem, trace: Trace, *, violates: bool = False) -> None:
    """A trace, step by step, with the outcome of each step and what it changed; of no steps, the state it ends in.

    With `violates` the last step is marked as the one that violates a property, or goes wrong.
    """
    if not trace.transitions and trace.mistake is None:
        console.print(Text(f"  in the initial state {json.dumps(system.decode(trace.states[0]), ensure_ascii=False)}"))
        _print_round(console, trace)
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("", "action", "outcome", "changes"):
        table.add_column(heading, overflow="fold")
    for number, (before, after, position) in enumerate(
        zip(trace.states, trace.states[1:], trace.transitions, strict=False), start=1
    ):
        transition = system.transitions[position]
        outcome = take(transition, before).outcome or ""
        fault = f"  [fault: {transition.fault}]" if transition.fault is not None else ""
        changed = "\n".join(changes(system, before, after)) or "nothing"
        last, mark = "", ""
        if number == len(trace) and trace.mistake is None:
            last, mark = ("bold red", "> ") if violates else ("bold", "")
        table.add_row(f"{mark}{number}.", Text(transition.called + fault, style=last), Text(outcome), Text(changed))
    if trace.mistake is not None:
        table.add_row(
            f"{'> ' if violates else ''}{len(trace) + 1}.",
            Text(system.transitions[trace.mistake].called, style="bold red"),
            "",
            "goes wrong",
        )
    console.print(table)
    _print_round(console, trace)


def _print_round(console: Console, trace: Trace) -> None:
    if trace.loop is not None:
        console.print(Text(_round(trace), style="bold"))


def _round(trace: Trace) -> str:
    if trace.loop == len(trace):
        return "Then nothing more has to happen, and the last state may stay for ever."
    return f"Then from step {(trace.loop or 0) + 1} on the same again, for ever."

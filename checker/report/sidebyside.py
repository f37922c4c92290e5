"""Two traces side by side, as a person reads them and as JSON; the schema is `sidebyside.schema.json` beside this."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from fenceproof.model.budgets import SPENT
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import to_json
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from ..printable import on_one_line
from ..sidebyside import Half, Pair, SideBySide, Telling
from .changes import shown
from .plain import Text
from .steps import TABLE_WIDTH
from .summary import counted

FORMAT: Final = "fenceproof-trace-diff"
VERSION: Final = 1
_MARK: Final = "≠"


def print_side_by_side(console: Console, found: SideBySide) -> None:
    """The first difference, then every step with what each side does, and what each violates."""
    left, right = found.sides
    console.print(Text.assemble(("A", "bold"), f"  {left.name}, {counted(len(left.trace), 'step')}"))
    console.print(Text.assemble(("B", "bold"), f"  {right.name}, {_length(found)}"))
    for remark in _remarks(left, right):
        console.print(Text(remark, style="dim"))
    console.print()
    console.print(Text(first_difference(found), style="bold green" if found.is_same else "bold"))
    before = _before(found)
    if before is not None:
        console.print(Text(before))
    console.print()
    if found.pairs:
        console.print(_table(found) if console.width >= TABLE_WIDTH else _list(found))
        console.print()
    for letter, side in zip("AB", found.sides, strict=True):
        console.print(Text(f"{letter} {_violations(side)}"))


def _length(found: SideBySide) -> str:
    other = found.sides[1]
    if not any(pair.refused for pair in found.pairs):
        return counted(len(other.trace), "step")
    return f"which takes {len(other.trace)} of the {counted(len(found.pairs), 'event')} of A"


def first_difference(found: SideBySide) -> str:
    """Where two traces differ first, in one line: in what they begin in, in what is seen of a step, or in what it
    changes."""
    if found.begins:
        text = "; ".join(f"{name}: {shown(a)} | {shown(b)}" for name, a, b in found.begins)
        return f"First difference: at the beginning, {text}"
    pair = found.first_seen or found.first
    if pair is not None:
        return f"First difference: step {_number(pair)}, {pair.called}: {' | '.join(_short(found, pair))}"
    if not found.is_same:
        return f"First difference: at the end, {_round(found.sides[0])} | {_round(found.sides[1])}"
    return "No difference: the same steps, outcomes and changes."


def _before(found: SideBySide) -> str | None:
    """A step before the first difference that is seen, if it changes something else on one side than on the other."""
    pair = found.first
    if pair is None or pair.is_seen or found.first_seen is None or found.begins:
        return None
    return f"The state differs before that: step {_number(pair)}, {pair.called}: {' | '.join(_short(found, pair))}"


def _number(pair: Pair) -> int:
    return next(half.number for half in pair.halves if half is not None)


def _round(side: Telling) -> str:
    return "ends there" if side.trace.loop is None else f"goes back to state {side.trace.loop}"


def _short(found: SideBySide, pair: Pair) -> Iterator[str]:
    """What each side does in a step that differs, in a few words."""
    for half, own in zip(pair.halves, pair.own, strict=True):
        if half is None:
            yield _absent(pair)
        elif pair.is_seen and None not in pair.halves:
            yield half.outcome or "no outcome"
        elif pair.is_seen:
            yield half.outcome or "taken"
        else:
            yield "; ".join(own) or "no such change"


def _absent(pair: Pair) -> str:
    return f"refused, because {'; '.join(pair.refused)}" if pair.refused else "no such step"


@dataclass(frozen=True, slots=True)
class _Row:
    """A step of both sides: its number, or numbers, what it is called, and what each side does."""

    mark: str
    numbers: str
    called: str
    cells: tuple[str, str]

    @property
    def style(self) -> str:
        return "" if self.mark else "dim"


def _rows(found: SideBySide) -> Iterator[_Row]:
    for pair in found.pairs:
        numbers = dict.fromkeys(half.number for half in pair.halves if half is not None)
        fault = next((half.fault for half in pair.halves if half is not None), None)
        called = on_one_line(pair.called if fault is None else f"{pair.called}  [fault: {fault}]")
        left, right = (_cell(pair, half, own) for half, own in zip(pair.halves, pair.own, strict=True))
        mark = "" if pair.is_same else _MARK
        yield _Row(mark, "/".join(map(str, numbers)), called, (left, "the same" if pair.is_same else right))


def _table(found: SideBySide) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("", no_wrap=True)
    table.add_column("step", justify="right", no_wrap=True)
    for heading, ratio in (("action", 3), ("A", 4), ("B", 4)):
        table.add_column(heading, overflow="fold", ratio=ratio)
    for row in _rows(found):
        table.add_row(row.mark, *(Text(text, style=row.style) for text in (row.numbers, row.called, *row.cells)))
    return table


def _list(found: SideBySide) -> Table:
    """The steps one below the other, for where the columns of a table would be narrower than what stands in them."""
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in _rows(found):
        table.add_row(row.mark, Text(f"{row.numbers}. {row.called}", style=row.style))
        for letter, cell in zip("AB", row.cells, strict=True):
            first, *rest = cell.split("\n")
            for text in (f"{letter}  {first}", *(f"   {line}" for line in rest)):
                table.add_row("", Padding(Text(text, style=row.style), (0, 0, 0, 3)))
    return table


def _cell(pair: Pair, half: Half | None, own: Sequence[str]) -> str:
    """A side of a step: its outcome, and what it changes that the other side does not."""
    if half is None:
        return _absent(pair)
    parts = [*([half.outcome] if half.outcome is not None else []), *own]
    return "\n".join(map(on_one_line, parts)) or "taken"


def _violations(side: Telling) -> str:
    if not side.violated:
        return "violates no property."
    parts = [f"{name} (step {number})" if number else f"{name} (at the beginning)" for name, number in side.violated]
    return f"violates {', '.join(parts)}."


def _remarks(left: Telling, right: Telling) -> Iterator[str]:
    """What else is not the same on both sides, so that a difference may come of it."""
    one, other = left.system, right.system
    for what, a, b in (
        ("Parameters", one.parameters, other.parameters),
        ("Budgets of faults", one.faults, other.faults),
    ):
        names = [name for name in dict.fromkeys((*a, *b)) if _value(a, name) != _value(b, name)]
        if names:
            text = ", ".join(f"{name}: {_value(a, name)} | {_value(b, name)}" for name in names)
            yield f"{what} differ, {text}."
    if one.without != other.without:
        yield f"Taken away: {', '.join(one.without) or 'nothing'} | {', '.join(other.without) or 'nothing'}."
    only = [_only(one, other), _only(other, one)]
    for letter, names in zip("AB", only, strict=True):
        if names:
            yield f"Only {letter} has, and it is not compared: {', '.join(names)}."


def _value(given: Mapping[str, object], name: str) -> str:
    return shown(given[name]) if name in given else "not there"


def _only(one: TransitionSystem, other: TransitionSystem) -> list[str]:
    names = {v.name for v in other.variables}
    return [v.name for v in one.variables if v.name not in names and not v.name.startswith(SPENT)]


def side_by_side_document(found: SideBySide) -> dict[str, object]:
    """Two traces as one JSON document."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "same": found.is_same,
        "same_events": found.same_events,
        "first_difference": None if found.is_same else first_difference(found),
        "sides": [
            {
                "violated": [{"property": name, "step": number} for name, number in side.violated],
                "trace": to_json(side.system, side.trace, side.name, None),
            }
            for side in found.sides
        ],
        "begins": [{"variable": name, "values": [a, b]} for name, a, b in found.begins],
        "steps": [
            {
                "same": pair.is_same,
                "called": pair.called,
                "sides": [None if half is None else _half(half) for half in pair.halves],
                "refused": list(pair.refused),
            }
            for pair in found.pairs
        ],
    }


def _half(half: Half) -> dict[str, object]:
    return {"step": half.number, "outcome": half.outcome, "fault": half.fault, "changes": list(half.changes)}

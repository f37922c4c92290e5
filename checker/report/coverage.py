"""What a check went through, as a person reads it, as JSON, and beside the source; `coverage.schema.json` is here too.

Nothing is called never taken unless the search was complete: of a part it is said that it was not seen there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from fenceproof.model.errors import Site
from fenceproof.model.source import shown_path
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trail import Side, Span
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from ..coverage import ActionCoverage, Count, Coverage
from ..printable import on_one_line
from ..statements import Statement, source_lines, statements
from ..tested import asked
from ..verdict import Verdict
from .claim import bounds, faults
from .document import states_document
from .named import Names
from .plain import Text
from .steps import TABLE_WIDTH
from .summary import counted
from .text import sheet

FORMAT: Final = "fenceproof-coverage"
VERSION: Final = 1
_VERDICTS: Final = {
    Verdict.HOLDS: "every action was enabled",
    Verdict.VACUOUS: "an action was never enabled",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.MODEL_ERROR: "model error",
}
_STYLES: Final = {Verdict.HOLDS: "green", Verdict.MODEL_ERROR: "red"}


@dataclass(frozen=True, slots=True)
class Test:
    """A truth test as its author wrote it, and how often a step came along each side; None for a side that only ends
    runs. Without `is_all` it asks a part of its text only, and cannot be told which. `number` is its place among the
    `of` tests there that have the same text."""

    span: Span
    text: str
    is_all: bool
    number: int
    of: int
    sides: dict[bool, Count | None]

    @property
    def site(self) -> Site:
        """Where it is, as messages name it."""
        return Site(shown_path(self.span.file), self.span.line)

    @property
    def called(self) -> str:
        """Its text, and which of the tests in that it is."""
        which = f" (test {self.number} of {self.of})" if self.of > 1 else ""
        return f"{'' if self.is_all else 'a part of '}`{self.text}`{which}"


def tests(found: Coverage) -> list[Test]:
    """Every truth test of the state that lies on the way to a step, by file and line."""
    spans = sorted({side.test for side in found.sides})
    places: dict[tuple[object, ...], list[Span]] = {}
    for span in spans:
        places.setdefault((span.file, span.line, span.column, span.end_line, span.end_column), []).append(span)
    result: list[Test] = []
    for alike in places.values():
        said = asked(alike)
        for place, (span, what) in enumerate(zip(alike, said, strict=True)):
            sides = {holds: found.sides.get(Side(span, holds is not what.is_negated)) for holds in (True, False)}
            number, of = said[: place + 1].count(what), said.count(what)
            result.append(Test(span, what.text, what.is_all, number, of, sides))
    return result


def print_coverage(console: Console, target: str, found: Coverage) -> None:
    """The table of actions, what was never taken, and what that was found out of."""
    meaning = f": {found.system.meaning}" if found.system.meaning else ""
    console.print(Text.assemble((target, "bold"), meaning))
    console.print()
    if found.result.wrong is not None:
        console.print(Text(f"The model itself goes wrong: {found.result.wrong.text}", style="red"))
        console.print(Text("What came after that was not explored; fenceproof check shows the way there."))
        console.print()
    console.print(_table(found) if console.width >= TABLE_WIDTH else _list(found))
    console.print()
    never = list(_never(found))
    if never:
        console.print(Text(_heading(found), style="bold"))
        for what, lines in never:
            console.print(Text(f"  {what}"))
            for line in lines:
                console.print(Text(f"    {line}"))
    else:
        console.print(Text("Everything was taken: each action, outcome, side of a test, and line.", style="green"))
    console.print()
    console.print(sheet(_sheet(found), f"{found.result.seconds:.2f} s of exploring"))


def one_line(target: str, found: Coverage) -> str:
    """The verdict, and how many of each sort were taken."""
    but = ", but for faults that are limited" if found.verdict is Verdict.HOLDS and found.result.never_enabled else ""
    return f"{target}: {_VERDICTS[found.verdict]}{but}; {_totals(found)}"


def _totals(found: Coverage) -> str:
    sides = [count for test in tests(found) for count in test.sides.values() if count is not None]
    outcomes = [count for action in found.actions for count in action.outcomes.values()]
    lines = [s.count for s in statements(found) if not s.ends]
    parts = (
        ("actions", [action.count for action in found.actions]),
        ("outcomes", outcomes),
        ("sides of tests", sides),
        ("statements", lines),
    )
    return ", ".join(f"{sum(1 for c in counts if c.times)} of {len(counts)} {name}" for name, counts in parts)


def _heading(found: Coverage) -> str:
    if found.result.complete:
        return "Never taken, in any reachable state:"
    return f"Not seen in the {counted(found.result.visited, 'state')} explored, and maybe in others:"


def _table(found: Coverage) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("action", overflow="fold")
    for heading in ("taken", "times", "depth"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("outcomes", overflow="fold")
    for action in found.actions:
        style = "" if action.count.times else "bold yellow"
        outcomes = "\n".join(
            f"{on_one_line(name or 'none')} {count.times:,}" for name, count in action.outcomes.items()
        )
        table.add_row(
            Text(action.name, style=style),
            f"{action.instances_taken}/{action.instances}",
            f"{action.count.times:,}",
            str(action.count.depth or "never"),
            Text(outcomes),
        )
    return table


def _list(found: Coverage) -> Table:
    """The same for where the columns of a table would be narrower than what stands in them."""
    table = Table.grid()
    table.add_column(overflow="fold")
    for action in found.actions:
        times, depth = action.count.times, action.count.depth
        said = f"{counted(times, 'time')}, first at depth {depth}" if times else "never"
        taken = f"{action.instances_taken}/{action.instances} taken"
        table.add_row(Text(f"{action.name}: {taken}, {said}", style="" if times else "bold yellow"))
        for name, count in action.outcomes.items():
            table.add_row(Padding(Text(_outcome(name, count)), (0, 0, 0, 2)))
    return table


def _outcome(name: str | None, count: Count) -> str:
    return f"{on_one_line(name or 'none')} {count.times:,}"


def _never(found: Coverage) -> Iterator[tuple[str, list[str]]]:
    """What was not taken, each with its source line."""
    for action in found.actions:
        if not action.count.times:
            site = None if action.never is None else action.never.site
            line = [] if site is None else _line(_real(found, site), site.line)
            yield f"{action.name}, at {_action_site(found, action)}: {_why(found.system, action)}", line
    for action in found.actions:
        for outcome, count in action.outcomes.items():
            if action.count.times and not count.times:
                said = "without an outcome" if outcome is None else f"with the outcome {on_one_line(outcome)}"
                yield f"{action.name}, at {_action_site(found, action)}: never {said}", []
    for test in tests(found):
        for holds, side in test.sides.items():
            # Where neither was taken nothing comes along the test at all: its line says so.
            if side is not None and not side.times and (other := test.sides[not holds]) is not None and other.times:
                yield f"{test.site}: {test.called} is {_word(holds)} in no step", _line(test.span.file, test.span.line)
    enabled = {action.name for action in found.actions if action.count.times}
    for statement in statements(found):
        # What belongs to an action that was never enabled is said with it.
        if statement.is_never and (not statement.actions or statement.actions & enabled):
            yield f"{statement.site}: no step comes along this line", [statement.text]


def _real(found: Coverage, site: Site) -> str:
    """The real name of a file that messages call by another."""
    return next((file for file, _ in found.lines if shown_path(file) == site.file), site.file)


def _word(holds: bool) -> str:
    return "true" if holds else "false"


def _line(file: str, line: int) -> list[str]:
    return [text.strip() for text in source_lines(file)[line - 1 : line]]


def _action_site(found: Coverage, action: ActionCoverage) -> str:
    return str(next(t.site for t in found.system.transitions if t.action == action.name))


def _why(system: TransitionSystem, action: ActionCoverage) -> str:
    if action.never is None and action.count.depth:
        return "enabled, but there it goes wrong"
    if action.never is None:
        return "never enabled, and no clause of its guard explains it alone"
    clause = action.never.clause
    if clause.is_const:
        return "never enabled, as no run of it can come to a step"
    where = f" ({action.never.site})" if action.never.site is not None else ""
    others = action.never.instances - 1
    same = f", nor its like in {counted(others, 'other instance')}" if others else ""
    return f"never enabled, because {_clause(system, action)} was never true{where}{same}"


def _clause(system: TransitionSystem, action: ActionCoverage) -> str:
    assert action.never is not None, "there is one that explains it"
    return Names(system).clause(action.never.clause)


def _sheet(found: Coverage) -> list[tuple[str, str]]:
    result = found.result
    seen = f"{counted(result.visited, 'state')}, {counted(result.generated or 0, 'step')}, {result.depth} levels"
    rows = [("taken", _totals(found)), ("explored", f"every reachable state: {seen}")]
    if result.stop is not None:
        rows[1] = ("explored", f"only a part, because {result.stop.reason}: {seen}")
    elif result.wrong is not None:
        rows[1] = ("explored", f"only up to where the model goes wrong: {seen}")
    rows += [("bounds", bounds(found.system)), ("faults", faults(found.system))]
    if found.system.without:
        rows.append(("taken away", ", ".join(found.system.without)))
    return [*rows, ("not counted", "properties; sides of tests and lines that only end a run, as a false require does")]


def print_source(console: Console, found: Coverage) -> None:
    """The files that the model is written in, each line with how often a step came along it."""
    known = statements(found)
    for file in sorted(found.files):
        by_line = {s.line: s for s in known if s.file == file}
        lines = source_lines(file)
        if not lines or not by_line:
            continue
        within = {line for s in by_line.values() for line in range(s.line + 1, s.end_line + 1)}
        console.print(Text(shown_path(file), style="bold"))
        partial = _partial(found, file)
        for number, text in enumerate(lines, start=1):
            mark, times = _margin(by_line.get(number), number in within, number in partial)
            style = {"!": "bold red", "?": "yellow", "-": "dim"}.get(mark, "")
            row = f"{mark} {times:>9} {number:>4}  {text}".rstrip()
            console.print(Text(row, style=style), soft_wrap=True)
    console.print(Text("! no step comes along   ? one side of a test never taken   - only ends runs", style="dim"))


def _partial(found: Coverage, file: str) -> set[int]:
    return {
        test.span.line
        for test in tests(found)
        if test.span.file == file
        and any(c is not None and not c.times for c in test.sides.values())
        and any(c is not None and c.times for c in test.sides.values())
    }


def _margin(statement: Statement | None, is_within: bool, is_partial: bool) -> tuple[str, str]:
    if statement is None:
        return "?" if is_within and is_partial else " ", ""
    if statement.ends:
        return "-", "0"
    mark = "!" if statement.is_never else "?" if is_partial else " "
    return mark, f"{statement.count.times:,}"


def coverage_document(target: str, found: Coverage) -> dict[str, object]:
    """A coverage as one JSON document. The same run gives the same document, but for `seconds`."""
    system, result = found.system, found.result
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": target,
        "model": system.name,
        "parameters": dict(system.parameters),
        "faults": dict(system.faults),
        "most_faults": system.most_faults,
        "without": list(system.without),
        "verdict": str(found.verdict),
        "states": states_document(result),
        "stopped": result.stop.reason if result.stop is not None else None,
        "model_error": result.wrong.text if result.wrong is not None else None,
        "actions": [_action(system, action) for action in found.actions],
        "tests": [_test(test) for test in tests(found)],
        "statements": [_statement(s) for s in statements(found)],
        "seconds": round(result.seconds, 3),
    }


def _count(count: Count | None) -> dict[str, object] | None:
    return None if count is None else {"times": count.times, "depth": count.depth or None}


def _action(system: TransitionSystem, action: ActionCoverage) -> dict[str, object]:
    never = action.never
    site = None if never is None else never.site
    return {
        "action": action.name,
        "fault": action.fault,
        "instances": action.instances,
        "instances_taken": action.instances_taken,
        "taken": _count(action.count),
        "outcomes": [{"outcome": outcome, "taken": _count(c)} for outcome, c in action.outcomes.items()],
        "never_true": None if never is None else {"clause": _clause(system, action), "site": _site(site)},
    }


def _site(site: Site | None) -> dict[str, object] | None:
    return None if site is None else {"file": site.file, "line": site.line}


def _test(test: Test) -> dict[str, object]:
    return {
        **(_site(test.site) or {}),
        "text": test.text,
        "whole": test.is_all,
        "number": test.number,
        "true": _count(test.sides[True]),
        "false": _count(test.sides[False]),
    }


def _statement(s: Statement) -> dict[str, object]:
    return {**(_site(s.site) or {}), "end_line": s.end_line, "text": s.text, "ends": s.ends, "taken": _count(s.count)}

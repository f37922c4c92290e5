"""The statements of the author's functions that a coverage is of, and how often a step came along each.

A statement is a unit of a source file: its lines up to the first one of its body. A file is read and parsed, and
nothing in it is run.
"""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fenceproof.model.errors import Site
from fenceproof.model.source import shown_path

from .coverage import Count, Coverage

_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with its first and last line, its text, and how often a step came along it.

    `ends` says that every run that comes here ends in no step: it is not enabled, or the model goes wrong.
    `actions` are those of which some run that ends in a step comes along it.
    """

    file: str
    line: int
    end_line: int
    text: str
    count: Count
    ends: bool
    actions: frozenset[str]

    @property
    def site(self) -> Site:
        """Where it is, as messages name it."""
        return Site(shown_path(self.file), self.line)

    @property
    def is_never(self) -> bool:
        """Whether it was to be taken and was not."""
        return not self.count.times and not self.ends


def source_lines(file: str) -> list[str]:
    """The lines of a source file; none where it cannot be read, as that of a model that was given as text."""
    try:
        with tokenize.open(Path(file)) as opened:
            return opened.read().splitlines()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return []


def statements(found: Coverage) -> list[Statement]:
    """Every statement of the functions that some run entered, by file and line."""
    taken: dict[tuple[str, int], set[int]] = {}
    for number, (trail, _, _) in enumerate(found.trails):
        for line in trail.lines:
            taken.setdefault(line, set()).add(number)
    result: list[Statement] = []
    for file in sorted({file for file, _ in found.lines}):
        text = source_lines(file)
        run = {line for name, line in found.lines if name == file}
        try:
            tree = ast.parse("\n".join(text))
        except (SyntaxError, ValueError):
            continue
        for first, last in sorted(set(_entered(tree, run))):
            lines = range(first, last + 1)
            trails = {number for line in lines for number in taken.get((file, line), ())}
            count = sum((found.trails[number][1] for number in trails), Count())
            ends = not trails and not run.isdisjoint(lines)
            of = frozenset(found.trails[number][2] for number in trails)
            result.append(Statement(file, first, last, text[first - 1].strip(), count, ends, of))
    return result


def _entered(tree: ast.AST, run: set[int]) -> Iterator[tuple[int, int]]:
    """The lines of each statement in a function of which any line was run."""
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTION):
            own = list(_own(node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body))
            if any(not run.isdisjoint(range(first, last + 1)) for first, last in own):
                yield from own


def _own(body: list[ast.stmt]) -> Iterator[tuple[int, int]]:
    """The lines of the statements in a body, without those of functions that are defined in it."""
    for node in body:
        if isinstance(node, ast.Global | ast.Nonlocal) or (isinstance(node, ast.AnnAssign) and node.value is None):
            continue  # they make no code
        inner = [part for part in _bodies(node) if part]
        first = min((part[0].lineno for part in inner), default=0)
        last = max(node.lineno, first - 1) if inner else node.end_lineno or node.lineno
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            last = node.lineno
        yield node.lineno, last
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for part in inner:
                yield from _own(part)


def _bodies(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    match node:
        case ast.Match():
            yield from (case.body for case in node.cases)
        case ast.Try() | ast.TryStar():
            yield from (node.body, *(handler.body for handler in node.handlers), node.orelse, node.finalbody)
        case ast.If() | ast.For() | ast.AsyncFor() | ast.While():
            yield from (node.body, node.orelse)
        case ast.With() | ast.AsyncWith() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            yield node.body
        case _:
            return

"""What a truth test asks, in its author's words: of `if not (a and b):` it is once `a` and once `b`.

Python tells where a test stands by the piece of source that it belongs to, which may be a whole statement, or a `not`
around what is asked. A file is parsed, and nothing in it is run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from fenceproof.model.trail import Span

from .statements import source_lines

_Place: TypeAlias = tuple[int, int, int, int]
_NODES: Final = (ast.expr, ast.If, ast.While, ast.Assert)


class Asked(NamedTuple):
    """What a test asks: a text, or, without `is_all`, a part of that, and it cannot be told which.

    With `is_negated` its author asks that something is not None, and Python whether it is.
    """

    text: str
    is_all: bool
    is_negated: bool = False


def asked(spans: Sequence[Span]) -> list[Asked]:
    """What each of some tests asks that stand at one piece of source, in the order in which they are made."""
    span = spans[0]
    lines = source_lines(span.file)
    place = span.line, span.column, span.end_line, span.end_column
    node = _nodes("\n".join(lines)).get(place) if span.end_column else None
    if node is None:
        line = lines[span.line - 1 : span.line]
        return [Asked(" ".join(line[0].split()) if line else "a test", False)] * len(spans)
    parts = list(_parts(node))
    if len(parts) == 1:
        return [_of(parts[0], span) for span in spans]
    if len(parts) == len(spans):
        return [_of(part, span) for part, span in zip(parts, spans, strict=True)]
    whole = node.test if isinstance(node, ast.If | ast.While | ast.Assert) else node
    return [Asked(ast.unparse(whole), False)] * len(spans)


@lru_cache(maxsize=16)  # by what is in a file: a file may change while a notebook lives
def _nodes(source: str) -> dict[_Place, ast.AST]:
    """What may be a test, by where it stands: line and byte column of its beginning and of its end."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    found: dict[_Place, ast.AST] = {}
    for node in ast.walk(tree):
        if isinstance(node, _NODES):
            place = node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0
            found.setdefault(place, node)
    return found


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """What is asked one after the other."""
    match node:
        case ast.If() | ast.While() | ast.Assert() | ast.IfExp():
            yield from _parts(node.test)
        case ast.UnaryOp(op=ast.Not()):
            yield from _parts(node.operand)
        case ast.BoolOp():
            for value in node.values:
                yield from _parts(value)
        case _:
            yield node


def _of(node: ast.AST, span: Span) -> Asked:
    is_negated = span.is_none and isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.IsNot)
    is_bool = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "bool"
    return Asked(ast.unparse(node), is_bool or not span.is_within, is_negated)

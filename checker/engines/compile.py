"""Expressions as straight-line numpy code over columns of states.

One column a slot, in the narrowest signed type that holds it; each shared expression is computed once. The text that
is compiled is made from our own nodes only, never from an author's. Widths follow the nodes' bounds: nothing wraps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from fenceproof.model.expressions import Expression, Op, reachable
from fenceproof.model.layout import Slot
from numpy.typing import NDArray

Column: TypeAlias = NDArray[Any]
_TYPES = (np.int8, np.int16, np.int32, np.int64)
_ARITHMETIC = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.DIV: "//", Op.MOD: "%"}


def narrowest(lo: int, hi: int) -> type[np.signedinteger[Any]]:
    """The narrowest signed type that holds lo..hi."""
    return next(t for t in _TYPES if np.iinfo(t).min <= lo and hi <= np.iinfo(t).max)


def column_type(slot: Slot) -> type[np.generic]:
    """The type of a slot's column."""
    return np.bool_ if slot.is_bool else narrowest(slot.lo, slot.hi)


@dataclass(frozen=True, slots=True)
class Program:
    """Compiled expressions: `run(columns)` takes the columns of `slots`, in that order, and gives each root's value.

    A value is an array, or a scalar where the expression is constant.
    """

    slots: tuple[int, ...]
    run: Callable[[Sequence[Column]], tuple[Any, ...]]


class _Writer:
    """Writes the code of nodes, each once. `bound` gives the expression that stands for a node not computed here."""

    def __init__(self, bound: Mapping[Expression, Expression]) -> None:
        self.lines: list[str] = []
        self.slots: dict[int, str] = {}
        self.names: dict[int, str] = {}
        self._bound = bound

    def write(self, roots: Sequence[Expression]) -> None:
        """Write everything below roots."""
        for node in reachable(roots):
            if node.number not in self.names:
                self.names[node.number] = self._one(node)

    def _one(self, node: Expression) -> str:
        bound = self._bound.get(node)
        if bound is not None:
            return self.names[bound.number]
        match node.op:
            case Op.CONST:
                return self._constant(node)
            case Op.SLOT:
                self.slots[node.value] = name = f"s{node.value}"
                return name
            case Op.NEXT | Op.OUTCOME:
                raise AssertionError(f"{node} has no value before the step")
            case _:
                self.lines.append(f"v{node.number} = {self._text(node)}")
                return f"v{node.number}"

    @staticmethod
    def _constant(node: Expression) -> str:
        if node.is_bool:
            return f"np.bool_({bool(node.value)})"
        return f"np.{narrowest(node.value, node.value).__name__}({node.value})"

    def _text(self, node: Expression) -> str:
        args = [self.names[a.number] for a in node.args]
        match node.op:
            case Op.NOT:
                return f"~{args[0]}"
            case Op.AND:
                return " & ".join(args)
            case Op.OR:
                return " | ".join(args)
            case Op.EQ:
                return f"{args[0]} == {args[1]}"
            case Op.LT:
                return f"{args[0]} < {args[1]}"
            case Op.ITE:
                return f"np.where({', '.join(args)})"
            case _:
                wide = narrowest(min(a.lo for a in (node, *node.args)), max(a.hi for a in (node, *node.args)))
                return f" {_ARITHMETIC[node.op]} ".join(self._widened(a, wide.__name__) for a in node.args)

    def _widened(self, node: Expression, wide: str) -> str:
        if node.is_const:
            return f"np.{wide}({node.value})"
        return f"{self.names[node.number]}.astype(np.{wide}, copy=False)"


def compile_roots(
    roots: Sequence[Expression],
    later: Sequence[Expression] = (),
    bindings: Mapping[Expression, Expression] | None = None,
) -> Program:
    """Compile roots, then `later` ones, in which the nodes of `bindings` stand for expressions before the step."""
    bindings = bindings or {}
    writer = _Writer(bindings)
    writer.write(roots)
    writer.write([e for e in bindings.values() if e.number not in writer.names])
    writer.write(later)
    slots = tuple(sorted(writer.slots))
    unpacked = "".join(f"{writer.slots[i]}, " for i in slots)
    body = [f"({unpacked}) = columns" if slots else "", *writer.lines]
    values = "".join(f"{writer.names[r.number]}, " for r in (*roots, *later))
    source = "def run(columns):\n" + "".join(f"    {line}\n" for line in body if line) + f"    return ({values})\n"
    space: dict[str, Any] = {"np": np}
    exec(compile(source, "<expressions>", "exec"), space)
    # Where a divisor is 0 the quotient is, too, and the mistake is noted elsewhere: nothing to warn of.
    return Program(slots, np.errstate(divide="ignore")(space["run"]))


def as_mask(value: Any, rows: int) -> NDArray[np.bool_]:
    """A root's truth values as an array with an entry for each row."""
    return cast("NDArray[np.bool_]", value) if is_column(value) else np.full(rows, bool(value))


def is_column(value: Any) -> bool:
    """Whether a root's value is an array with an entry for each row, and not a scalar."""
    return isinstance(value, np.ndarray) and cast("NDArray[Any]", value).ndim > 0

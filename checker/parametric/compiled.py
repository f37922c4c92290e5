"""Expressions as Python functions, for thousands of evaluations: the interpreter takes some milliseconds for a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from fenceproof.model.expressions import Expression, Op, evaluate, reachable

Function: TypeAlias = Callable[[Sequence[int], Sequence[int], Sequence[int], int], list[int]]

_INFIX: Final = {Op.EQ: "==", Op.LT: "<", Op.ADD: "+", Op.SUB: "-", Op.MUL: "*"}


def compiled(roots: Sequence[Expression]) -> Function:
    """A function of the state before, the state after, the parameters and the outcome that gives the roots' values."""
    quantified: dict[str, Any] = {}
    lines: list[str] = []
    for node in reachable(roots):
        if node.free > 1:
            continue  # inside a quantifier, which the interpreter evaluates
        lines.append(f" v{node.number} = {_text(node, quantified)}")
    source = "def function(s, n, p, o):\n" + "\n".join(lines)
    source += f"\n return [{', '.join(f'v{r.number}' for r in roots)}]\n"
    exec(compile(source, "<expressions>", "exec"), quantified)
    function: Function = quantified["function"]
    return function


def _text(node: Expression, quantified: dict[str, Any]) -> str:
    args = [f"v{a.number}" for a in node.args]
    match node.op:
        case Op.CONST:
            return str(node.value)
        case Op.SLOT:
            return f"s[{node.value}]"
        case Op.NEXT:
            return f"n[{node.value}]"
        case Op.PARAM:
            return f"p[{node.value}]"
        case Op.OUTCOME:
            return "o"
        case Op.NOT:
            return f"1 - {args[0]}"
        case Op.AND:
            return f"int({' and '.join(args)})"
        case Op.OR:
            return f"int({' or '.join(args)})"
        case Op.ITE:
            return f"{args[1]} if {args[0]} else {args[2]}"
        case Op.DIV | Op.MOD:
            return f"{args[0]} {'//' if node.op is Op.DIV else '%'} {args[1]} if {args[1]} else 0"
        case Op.SELECT:
            return f"{args[0]} >> {args[1]} & 1 if {args[1]} >= 0 else 0"
        case Op.STORE:
            return f"{args[0]} | 1 << {args[1]} if {args[2]} else {args[0]} & ~(1 << {args[1]})"
        case Op.EXISTS:
            quantified[f"q{node.number}"] = _interpreted(node)
            return f"q{node.number}(s, n, p, o)"
        case _:
            return f"int({f' {_INFIX[node.op]} '.join(args)})"


def _interpreted(node: Expression) -> Callable[[Sequence[int], Sequence[int], Sequence[int], int], int]:
    def function(before: Sequence[int], after: Sequence[int], params: Sequence[int], outcome: int) -> int:
        return evaluate([node], before, after, outcome, params)[0]

    return function

"""Expressions as Promela writes them. Division rounds down, as ours does and C's does not, and by zero it gives 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fenceproof.model.errors import UsageError
from fenceproof.model.expressions import Expression, Op, reachable

#: Letters of one expression; SPIN copies each several times.
LONGEST = 1_000_000


def in_promela(root: Expression, before: Sequence[str], after: Mapping[int, str], outcome: Expression | None) -> str:
    """An expression over names of the slots before and after a step; `outcome` is that of the step."""
    texts: dict[int, str] = {}
    for node in reachable([root]):
        args = [texts[a.number] for a in node.args]
        text = _written(node, args, before, after, outcome)
        if len(text) > LONGEST:
            raise UsageError(
                "an expression of this model becomes too long for Promela, which cannot share its parts. "
                "Ask about one property with --property, or use --format smtlib."
            )
        texts[node.number] = text
    return texts[root.number]


def _written(
    node: Expression, args: Sequence[str], before: Sequence[str], after: Mapping[int, str], outcome: Expression | None
) -> str:
    match node.op:
        case Op.CONST:
            return str(node.value) if node.value >= 0 else f"(0 - {-node.value})"
        case Op.SLOT:
            return before[node.value]
        case Op.NEXT:
            return after[node.value]
        case Op.OUTCOME:
            assert outcome is not None, "only what is said of steps reads an outcome"
            return in_promela(outcome, before, after, None)
        case Op.NOT:
            return f"!({args[0]})"  # "!!" is a word of its own: sorted send
        case Op.AND:
            return f"({' && '.join(args)})"
        case Op.OR:
            return f"({' || '.join(args)})"
        case Op.EQ | Op.LT | Op.ADD | Op.SUB | Op.MUL:
            return f"({args[0]} {_SIGNS[node.op]} {args[1]})"
        case Op.DIV | Op.MOD:
            return _divided(node, *args)
        case Op.ITE:
            return f"({args[0]} -> {args[1]} : {args[2]})"
        case Op.PARAM | Op.BOUND | Op.SELECT | Op.STORE | Op.EXISTS:
            raise AssertionError(f"{node.op} is only in models without bounds, which are refused")


_SIGNS = {Op.EQ: "==", Op.LT: "<", Op.ADD: "+", Op.SUB: "-", Op.MUL: "*"}


def _divided(node: Expression, a: str, b: str) -> str:
    dividend, divisor = node.args
    sign = "/" if node.op is Op.DIV else "%"
    found = f"({a} {sign} {b})"
    if dividend.lo < 0 or divisor.lo < 0:
        mixed = f"((({a} % {b}) != 0) && (({a} < 0) != ({b} < 0)))"
        mended = f"({found} - 1)" if node.op is Op.DIV else f"({found} + {b})"
        found = f"({mixed} -> {mended} : {found})"
    return found if divisor.lo > 0 or divisor.hi < 0 else f"(({b} == 0) -> 0 : {found})"

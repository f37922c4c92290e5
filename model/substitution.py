"""Expressions of one table rebuilt in another, with something else in the place of each slot before the step.

So two systems come to share a table: side by side (slots moved on), or one read through a map of its state.
"""

from __future__ import annotations

from collections.abc import Sequence

from .expressions import Expression, Expressions, Op, reachable


def substitute(x: Expressions, roots: Sequence[Expression], slots: Sequence[Expression]) -> list[Expression]:
    """The roots in the table `x`, with `slots[i]` for slot i. Of what follows a step they may say nothing."""
    made: dict[int, Expression] = {}
    for node in reachable(roots):
        made[node.number] = _rebuilt(x, node, [made[a.number] for a in node.args], slots)
    return [made[r.number] for r in roots]


def _rebuilt(x: Expressions, node: Expression, args: Sequence[Expression], slots: Sequence[Expression]) -> Expression:
    match node.op:
        case Op.CONST:
            return x.truth(bool(node.value)) if node.is_bool else x.const(node.value)
        case Op.SLOT:
            return slots[node.value]
        case Op.NOT:
            return x.negate(args[0])
        case Op.AND:
            return x.conjoin(args)
        case Op.OR:
            return x.disjoin(args)
        case Op.EQ:
            return x.equal(*args)
        case Op.LT:
            return x.less(*args)
        case Op.ADD:
            return x.add(*args)
        case Op.SUB:
            return x.subtract(*args)
        case Op.MUL:
            return x.multiply(*args)
        case Op.DIV:
            return x.divide(*args)
        case Op.MOD:
            return x.modulo(*args)
        case Op.ITE:
            return x.choose(*args)
        case Op.NEXT | Op.OUTCOME:
            raise AssertionError(f"{node} speaks of what follows a step")

"""Expressions made anew with something else in place of some of their nodes, folded as if they had been written so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .expressions import Expression, Expressions, Op, reachable


def substituted(x: Expressions, root: Expression, replaced: Mapping[int, Expression]) -> Expression:
    """An expression with other nodes in place of some, which are given by number."""
    made: dict[int, Expression] = {}
    for node in reachable([root]):
        made[node.number] = replaced.get(node.number) or rebuilt(x, node, [made[a.number] for a in node.args])
    return made[root.number]


def substitute(x: Expressions, roots: Sequence[Expression], slots: Sequence[Expression]) -> list[Expression]:
    """The roots in another table, `x`, with `slots[i]` for slot i. Of what follows a step they may say nothing.

    So two systems come to share a table: side by side (slots moved on), or one read through a map of its state.
    """
    made: dict[int, Expression] = {}
    for node in reachable(roots):
        made[node.number] = _leaf(x, node, slots) or built(x, node.op, [made[a.number] for a in node.args], node.value)
    return [made[r.number] for r in roots]


def _leaf(x: Expressions, node: Expression, slots: Sequence[Expression]) -> Expression | None:
    """A leaf in another table, a slot as what stands in its place; None for an inner node."""
    match node.op:
        case Op.CONST:
            return x.truth(bool(node.value)) if node.is_bool else x.const(node.value)
        case Op.SLOT:
            return slots[node.value]
        case Op.PARAM:
            return x.param(node.value, node.lo)
        case Op.BOUND:
            return x.bound(node.value, node.lo)
        case Op.NEXT | Op.OUTCOME:
            raise AssertionError(f"{node} speaks of what follows a step")
        case _:
            return None


def rebuilt(x: Expressions, node: Expression, args: Sequence[Expression]) -> Expression:
    """A node with other arguments; a leaf is itself."""
    return built(x, node.op, args, node.value) if node.args else node


def built(x: Expressions, op: Op, args: Sequence[Expression], value: int = 0) -> Expression:
    """An inner node of an operation and its arguments; `value` is that of the node."""
    match op:
        case Op.NOT:
            return x.negate(*args)
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
            return x.divide(*args) if not _is_zero(args[1]) else x.const(0)
        case Op.MOD:
            return x.modulo(*args) if not _is_zero(args[1]) else x.const(0)
        case Op.ITE:
            return x.choose(*args)
        case Op.SELECT:
            return x.select(*args)
        case Op.STORE:
            return x.store(*args)
        case Op.EXISTS:
            return x.exists_at(args[0], args[1], value)
        case Op.CONST | Op.SLOT | Op.NEXT | Op.OUTCOME | Op.PARAM | Op.BOUND:
            raise AssertionError(f"{op.value} has no arguments")


def _is_zero(divisor: Expression) -> bool:
    """Whether this divides by zero, in a branch that is never taken: the interpreter says 0."""
    return divisor.is_const and divisor.value == 0

"""What Spacer found, as expressions of the model: the conjuncts of an invariant over scalars, a number and its sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fenceproof.model.expressions import Expression, Expressions

from ..smt.backend import Term, z3


class NotReadableError(Exception):
    """A term with something in it that an invariant of ours is not made of, such as a quantifier."""


def expression_of(x: Expressions, term: Term, leaves: Mapping[int, Expression]) -> Expression:
    """A term without quantifiers as an expression; `leaves` gives the variables, by z3's number of the term.

    Raises NotReadableError.
    """
    made: dict[int, Expression] = dict(leaves)
    stack: list[Any] = [term]
    while stack:
        node = stack[-1]
        if node.get_id() in made:
            stack.pop()
            continue
        if not z3.is_app(node):
            raise NotReadableError
        waiting = [child for child in node.children() if child.get_id() not in made]
        if waiting:
            stack.extend(waiting)
            continue
        made[node.get_id()] = _node(x, node, [made[child.get_id()] for child in node.children()])
        stack.pop()
    return made[term.get_id()]


def _node(x: Expressions, node: Term, args: Sequence[Expression]) -> Expression:
    kind = node.decl().kind()
    if z3.is_int_value(node):
        return x.const(node.as_long())
    simple: dict[int, Callable[[], Expression]] = {
        z3.Z3_OP_TRUE: lambda: x.true,
        z3.Z3_OP_FALSE: lambda: x.false,
        z3.Z3_OP_NOT: lambda: x.negate(args[0]),
        z3.Z3_OP_AND: lambda: x.conjoin(args),
        z3.Z3_OP_OR: lambda: x.disjoin(args),
        z3.Z3_OP_IMPLIES: lambda: x.disjoin((x.negate(args[0]), args[1])),
        z3.Z3_OP_EQ: lambda: x.equal(args[0], args[1]),
        z3.Z3_OP_ITE: lambda: x.choose(args[0], args[1], args[2]),
        z3.Z3_OP_LE: lambda: _at_most(x, args),
        z3.Z3_OP_GE: lambda: _at_most(x, args[::-1]),
        z3.Z3_OP_LT: lambda: x.negate(_at_most(x, args[::-1])),
        z3.Z3_OP_GT: lambda: x.negate(_at_most(x, args)),
        z3.Z3_OP_ADD: lambda: _sum(x, args),
        z3.Z3_OP_SUB: lambda: x.subtract(args[0], args[1]),
        z3.Z3_OP_MUL: lambda: x.multiply(args[0], args[1]),
        z3.Z3_OP_UMINUS: lambda: x.multiply(args[0], x.const(-1)),
    }
    if kind not in simple:
        raise NotReadableError
    return simple[kind]()


def _at_most(x: Expressions, args: Sequence[Expression]) -> Expression:
    return x.negate(x.less(args[1], args[0]))


def _sum(x: Expressions, args: Sequence[Expression]) -> Expression:
    total = args[0]
    for arg in args[1:]:
        total = x.add(total, arg)
    return total

"""Whether something is true of an element of a set of natural numbers, without a quantifier where none is needed."""

from __future__ import annotations

from collections.abc import Callable

from .expressions import Expression, Expressions, Op, clauses
from .rewrite import substituted


def exists_in(x: Expressions, elements: Expression, lo: int, body: Callable[[Expression], Expression]) -> Expression:
    """Whether `body` is true of an element of a set, all of which are at least lo.

    The quantifier is driven into disjunctions, what does not speak of the element is taken out, and `i == t` in a
    conjunction says which element it is (the one-point rule), so that nothing is left but to ask whether it is there.
    """
    whole = x.exists(elements, lo, body)
    if whole.op is not Op.EXISTS:
        return whole
    inner, level = whole.args[1], whole.value
    parts = inner.args if inner.op is Op.OR else (inner,)
    return x.disjoin(_part(x, elements, lo, part, level) for part in parts)


def _part(x: Expressions, elements: Expression, lo: int, part: Expression, level: int) -> Expression:
    flag = 2 << level
    outside = [c for c in clauses(part) if not c.free & flag]
    inside = [c for c in clauses(part) if c.free & flag]
    for clause in inside:
        point = _point(clause, level)
        if point is not None and not point.free & flag:
            bound = next(a for a in clause.args if a is not point)
            rest = [substituted(x, c, {bound.number: point}) for c in inside if c is not clause]
            return x.conjoin((*outside, is_in(x, elements, lo, point), *rest))
    return x.conjoin((*outside, x.exists_at(elements, x.conjoin(inside), level)))


def _point(clause: Expression, level: int) -> Expression | None:
    """What the bound variable equals, where a clause says just that."""
    if clause.op is Op.EQ:
        for bound, point in (clause.args, clause.args[::-1]):
            if bound.op is Op.BOUND and bound.value == level:
                return point
    return None


def is_in(x: Expressions, elements: Expression, lo: int, number: Expression) -> Expression:
    """Whether a number is in a set, all of whose elements are at least lo."""
    return x.conjoin((x.negate(x.less(number, x.const(lo))), x.select(elements, number)))

"""Truth values said shorter: which values one number may have, as `n < 3` and not as `n == 0 or n == 1 or n == 2`.

Python asks for a plain number where an author writes `len(self.queue) < 3`, and gets one by a case for each length.
What comes of that is put together again here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from fenceproof.model.expressions import Expression, Expressions, Op

#: Values that a number may have for its cases to be put together.
WIDEST: Final = 64

#: Whether the values of an expression are numbers to an author, and may be compared by size.
IsNumber = Callable[[Expression], bool]


def shortened(x: Expressions, root: Expression, is_number: IsNumber) -> Expression:
    """The same truth value, where the cases of one number in a junction are one comparison if one says it.

    No branch asks again for what it is the branch of, and what both branches say is said once: what Python's `a or b`
    gives, `a` where a is true and else `b`, becomes the junction that it is; so does `a and b`.
    """
    made: dict[int, Expression] = {}
    for node in skeleton(root):
        args = [made.get(part.number, part) for part in node.args]
        match node.op:
            case Op.NOT:
                made[node.number] = x.negate(*args)
            case Op.AND | Op.OR:
                made[node.number] = junction(x, node.op, args, is_number)
            case Op.ITE if node.is_bool:
                condition, then, other = args
                branches = _given(x, then, condition), _given(x, other, x.negate(condition))
                made[node.number] = _chosen(x, condition, *branches, is_number)
            case _:
                made[node.number] = node
    return made[root.number]


def skeleton(root: Expression) -> list[Expression]:
    """What an expression says of its truth is made of, down to clauses, parts before what they are part of."""
    seen: dict[int, Expression] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        if node.number not in seen:
            seen[node.number] = node
            if node.op in (Op.NOT, Op.AND, Op.OR) or (node.op is Op.ITE and node.is_bool):
                stack.extend(node.args)
    return [seen[number] for number in sorted(seen)]


def _given(x: Expressions, node: Expression, condition: Expression) -> Expression:
    """A truth value where a condition is true."""
    known = {condition.number: x.true, x.negate(condition).number: x.false}
    if node.op in (Op.AND, Op.OR):
        args = [known.get(part.number, part) for part in node.args]
        return x.conjoin(args) if node.op is Op.AND else x.disjoin(args)
    return known.get(node.number, node)


def _chosen(
    x: Expressions, condition: Expression, then: Expression, other: Expression, is_number: IsNumber
) -> Expression:
    """One of two branches; of `p or a` and `p or b` it is p, or one of `a` and `b`, and so it is with `and`."""
    for op in (Op.OR, Op.AND):
        left, right = [branch.args if branch.op is op else (branch,) for branch in (then, other)]
        same = [part for part in left if part in right]
        if same:
            rest = [junction(x, op, [part for part in side if part not in same], is_number) for side in (left, right)]
            return junction(x, op, [*same, _joined(x, x.choose(condition, *rest), is_number)], is_number)
    if other.op is Op.ITE and other.args[1] is then:
        condition, other = junction(x, Op.OR, [condition, other.args[0]], is_number), other.args[2]
    return _joined(x, x.choose(condition, then, other), is_number)


def _joined(x: Expressions, node: Expression, is_number: IsNumber) -> Expression:
    return junction(x, node.op, node.args, is_number) if node.op in (Op.AND, Op.OR) else node


def junction(x: Expressions, op: Op, parts: Sequence[Expression], is_number: IsNumber) -> Expression:
    """All of parts (AND) or any of them (OR), with the cases of one number put together."""
    join = x.conjoin if op is Op.AND else x.disjoin
    whole = join(parts)
    if whole.op is not op:
        return whole
    about: dict[Expression, list[Expression]] = {}
    for part in whole.args:
        number = compared_number(part)
        if number is not None and is_number(number) and number.hi - number.lo < WIDEST:
            about.setdefault(number, []).append(part)
    said = {number: _said(x, op, number, cases) for number, cases in about.items() if len(cases) > 1}
    if not any(said.values()):
        return whole
    return join(_in_place(part, said) for part in whole.args)


def _in_place(part: Expression, said: dict[Expression, Expression | None]) -> Expression:
    number = compared_number(part)
    found = None if number is None else said.get(number)
    return part if found is None else found


def compared_number(part: Expression) -> Expression | None:
    """The number that a comparison, or its negation, compares with a constant."""
    inner = part.args[0] if part.op is Op.NOT else part
    if inner.op not in (Op.EQ, Op.LT):
        return None
    left, right = inner.args
    if left.is_bool or left.is_const is right.is_const:
        return None
    return right if left.is_const else left


def _said(x: Expressions, op: Op, number: Expression, cases: Sequence[Expression]) -> Expression | None:
    """What cases say of a number together, as one comparison; None where none says it."""
    every = frozenset(range(number.lo, number.hi + 1))
    values = every if op is Op.AND else frozenset[int]()
    for case in cases:
        values = values & _values(number, case) if op is Op.AND else values | _values(number, case)
    if not values or values == every:
        return x.truth(bool(values))
    low, high = min(values), max(values)
    left_out = every - values
    if len(left_out) == 1 and number.lo < min(left_out) < number.hi:
        return x.negate(x.equal(number, x.const(min(left_out))))
    if len(values) == 1:
        return x.equal(number, x.const(low))
    if len(values) != high - low + 1 or (low > number.lo and high < number.hi):
        return None
    if low == number.lo:
        return x.less(number, x.const(high + 1))
    return x.less(x.const(low - 1), number)


def _values(number: Expression, case: Expression) -> frozenset[int]:
    """The values of a number at which a comparison of it is true."""
    inner = case.args[0] if case.op is Op.NOT else case
    left, right = inner.args
    other = left if left.is_const else right

    def holds(value: int) -> bool:
        if inner.op is Op.EQ:
            return value == other.value
        return other.value < value if left.is_const else value < other.value

    return frozenset(v for v in range(number.lo, number.hi + 1) if holds(v) is not (case.op is Op.NOT))

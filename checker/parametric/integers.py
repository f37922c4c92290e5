"""Expressions as z3 terms over the integers, with a truth value or a function for "this number is in that set"."""

from __future__ import annotations

from collections.abc import Callable

from fenceproof.model.expressions import UNBOUNDED, Expression, Op, reachable

from ..smt.backend import Term, z3


class Integers:
    """Translates expressions over one state. `members(predicate, number)` is the term that a number is in a set.

    `sides` are the bounds of the variables that were met, which are part of what their kinds say. Variables are named
    after slots and parameters, so that two translations of one expression are the same.
    """

    def __init__(self, members: Callable[[int, Expression, Term], Term]) -> None:
        self.sides: list[Term] = []
        self.variables: list[Term] = []
        self._members = members
        self._terms: dict[int, Term] = {}

    def term(self, root: Expression) -> Term:
        """The term of an expression without quantifiers."""
        for node in reachable([root]):
            if node.number not in self._terms and not node.is_predicate:
                self._terms[node.number] = self._node(node)
        return self._terms[root.number]

    def _variable(self, name: str, node: Expression) -> Term:
        made = z3.Bool(name) if node.is_bool else z3.Int(name)
        self.variables.append(made)
        if not node.is_bool:
            self.sides.append(made >= node.lo)
            if node.hi < UNBOUNDED:
                self.sides.append(made <= node.hi)
        return made

    def _node(self, node: Expression) -> Term:
        if node.op is Op.SELECT:
            elements, number = node.args
            assert elements.op is Op.SLOT, "what is asked of a set is asked of the state's own"
            return self._members(elements.value, number, self._terms[number.number])
        args = [self._terms[a.number] for a in node.args]
        match node.op:
            case Op.CONST:
                return z3.BoolVal(bool(node.value)) if node.is_bool else z3.IntVal(node.value)
            case Op.SLOT:
                return self._variable(f"s{node.value}", node)
            case Op.PARAM:
                return self._variable(f"p{node.value}_{node.lo}", node)
            case Op.NOT:
                return z3.Not(args[0])
            case Op.AND:
                return z3.And(args)
            case Op.OR:
                return z3.Or(args)
            case Op.EQ:
                return args[0] == args[1]
            case Op.LT:
                return args[0] < args[1]
            case Op.ADD:
                return args[0] + args[1]
            case Op.SUB:
                return args[0] - args[1]
            case Op.MUL:
                return args[0] * args[1]
            case Op.DIV:
                # Rounded down, as in Python; the solvers' rounds so that the rest is not negative. 0 for b == 0.
                a, b = args
                return z3.If(b > 0, a / b, z3.If(b < 0, (-a) / (-b), z3.IntVal(0)))
            case Op.MOD:
                a, b = args
                return z3.If(b > 0, a % b, z3.If(b < 0, -((-a) % (-b)), z3.IntVal(0)))
            case Op.ITE:
                return z3.If(args[0], args[1], args[2])
            case _:
                raise AssertionError(f"{node.op} has no place in an obligation")


def functions(predicates: tuple[int, ...]) -> dict[int, Term]:
    """An uninterpreted function for each set of the state: which numbers are in it."""
    return {p: z3.Function(f"in{p}", z3.IntSort(), z3.BoolSort()) for p in predicates}

"""z3 terms over the bits of slots, read back as expressions over slots: an invariant in the model's own terms.

A bit-vector is taken as the unsigned number it is; what wraps, wraps by a remainder. What is said of one small slot is
written as the ranges of values for which it is true. Whoever uses what is read back has to check it: nothing leans on
this file being right.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from fenceproof.model.expressions import Expression, Op, evaluate, slots_read
from fenceproof.model.system import TransitionSystem

from .backend import Term, z3
from .encode import constant

#: Values of a slot, and combinations of values, that are looked at one by one; beyond it a term stays as it is.
MOST_VALUES: Final = 64
MOST_CASES: Final = 4096


class UnreadableError(Exception):
    """A term that is of no kind known here, over too many values to be read case by case."""


class Decoder:
    """Reads terms over one state's variables, as `encode.variables` makes them."""

    def __init__(self, system: TransitionSystem, variables: Sequence[Term]) -> None:
        self._x = system.expressions
        self._slots = system.slots
        self._variables = variables
        self._position = {term.get_id(): i for i, term in enumerate(variables) if term is not None}
        # With each term, since z3 gives the number of one that is gone to another.
        self._read: dict[int, tuple[Term, Expression]] = {}

    def conjuncts(self, term: Term) -> list[Expression]:
        """A condition as conjuncts that are true together where it is true. Raises UnreadableError."""
        return [self._condition(part) for part in _parts(term)]

    def _condition(self, term: Term) -> Expression:
        try:
            return self._any(term)
        except UnreadableError:
            return self._by_cases(term)

    def _any(self, term: Term) -> Expression:
        known = self._read.get(term.get_id())
        if known is not None:
            return known[1]
        found = self._node(term)
        if found.is_bool:
            found = self._as_ranges(found)
        self._read[term.get_id()] = (term, found)
        return found

    def _node(self, term: Term) -> Expression:
        x = self._x
        position = self._position.get(term.get_id())
        if position is not None:
            slot = self._slots[position]
            read = x.slot(position, slot.lo, slot.hi, is_bool=slot.is_bool)
            return read if slot.is_bool else x.subtract(read, x.const(slot.lo))
        if z3.is_bv_value(term):
            return x.const(int(term.as_long()))
        kind, args = term.decl().kind(), [self._any(a) for a in term.children()]
        if z3.is_bool(term):
            return self._truth(term, kind, args)
        return self._number(term, kind, args)

    def _truth(self, term: Term, kind: int, args: Sequence[Expression]) -> Expression:
        x = self._x
        signed = [self._signed(a, b) for a, b in zip(args, term.children(), strict=True)] if _is_signed(kind) else args
        match kind:
            case z3.Z3_OP_TRUE | z3.Z3_OP_FALSE:
                return x.truth(kind == z3.Z3_OP_TRUE)
            case z3.Z3_OP_NOT:
                return x.negate(args[0])
            case z3.Z3_OP_AND:
                return x.conjoin(args)
            case z3.Z3_OP_OR:
                return x.disjoin(args)
            case z3.Z3_OP_IMPLIES:
                return x.disjoin((x.negate(args[0]), args[1]))
            case z3.Z3_OP_ITE:
                return x.choose(args[0], args[1], args[2])
            case z3.Z3_OP_EQ | z3.Z3_OP_IFF:
                return x.equal(args[0], args[1])
            case z3.Z3_OP_DISTINCT if len(args) == 2:
                return x.negate(x.equal(args[0], args[1]))
            case z3.Z3_OP_XOR if len(args) == 2:
                return x.negate(x.equal(args[0], args[1]))
            case z3.Z3_OP_ULEQ | z3.Z3_OP_SLEQ:
                return x.negate(x.less(signed[1], signed[0]))
            case z3.Z3_OP_UGEQ | z3.Z3_OP_SGEQ:
                return x.negate(x.less(signed[0], signed[1]))
            case z3.Z3_OP_ULT | z3.Z3_OP_SLT:
                return x.less(signed[0], signed[1])
            case z3.Z3_OP_UGT | z3.Z3_OP_SGT:
                return x.less(signed[1], signed[0])
            case z3.Z3_OP_BIT2BOOL:
                (bit,) = term.params()
                return x.equal(x.modulo(x.divide(args[0], x.const(1 << bit)), x.const(2)), x.const(1))
            case _:
                raise UnreadableError(str(term.decl()))

    def _number(self, term: Term, kind: int, args: Sequence[Expression]) -> Expression:
        x, most = self._x, 1 << term.size()
        match kind:
            case z3.Z3_OP_ITE:
                return x.choose(args[0], args[1], args[2])
            case z3.Z3_OP_EXTRACT:
                high, low = term.params()
                return self._wrapped(x.divide(args[0], x.const(1 << low)) if low else args[0], 1 << (high - low + 1))
            case z3.Z3_OP_CONCAT:
                found = args[0]
                for part, of in zip(args[1:], term.children()[1:], strict=True):
                    found = x.add(x.multiply(found, x.const(1 << of.size())), part)
                return found
            case z3.Z3_OP_ZERO_EXT:
                return args[0]
            case z3.Z3_OP_SIGN_EXT:
                return self._wrapped(self._signed(args[0], term.children()[0]), most)
            case z3.Z3_OP_BADD:
                return self._wrapped(_fold(x.add, args), most)
            case z3.Z3_OP_BMUL:
                return self._wrapped(_fold(x.multiply, args), most)
            case z3.Z3_OP_BSUB:
                return self._wrapped(_fold(x.subtract, args), most)
            case z3.Z3_OP_BNEG:
                return self._wrapped(x.subtract(x.const(0), args[0]), most)
            case z3.Z3_OP_BNOT:
                return x.subtract(x.const(most - 1), args[0])
            case _:
                raise UnreadableError(str(term.decl()))

    def _wrapped(self, number: Expression, most: int) -> Expression:
        if number.lo >= 0 and number.hi < most:
            return number
        return self._x.modulo(number, self._x.const(most))

    def _signed(self, number: Expression, term: Term) -> Expression:
        x, half = self._x, 1 << (term.size() - 1)
        below = x.less(number, x.const(half))
        return x.choose(below, number, x.subtract(number, x.const(2 * half)))

    def _as_ranges(self, condition: Expression) -> Expression:
        """A condition on one small slot as the ranges of values for which it is true."""
        slots = slots_read(condition)
        if len(slots) != 1 or condition.op is Op.SLOT or condition.is_const:
            return condition
        x, number = self._x, slots[0]
        slot = self._slots[number]
        if slot.is_bool or slot.hi - slot.lo >= MOST_VALUES:
            return condition
        term = x.slot(number, slot.lo, slot.hi, is_bool=False)
        true = [v for v in range(slot.lo, slot.hi + 1) if evaluate([condition], {number: v})[0]]
        ranges = list(_ranges(true))
        if len(true) == slot.hi - slot.lo:
            missing = next(v for v in range(slot.lo, slot.hi + 1) if v not in true)
            return x.negate(x.equal(term, x.const(missing)))
        return x.disjoin(
            x.equal(term, x.const(a))
            if a == z
            else x.conjoin((x.negate(x.less(term, x.const(a))), x.negate(x.less(x.const(z), term))))
            for a, z in ranges
        )

    def _by_cases(self, term: Term) -> Expression:
        """A condition of any kind, by trying all values of the slots it reads."""
        read = [p for p in map(self._position.get, _leaves(term)) if p is not None]
        slots = [(p, range(self._slots[p].lo, self._slots[p].hi + 1)) for p in dict.fromkeys(read)]
        cases = 1
        for _, values in slots:
            cases *= len(values)
        if cases > MOST_CASES:
            raise UnreadableError(f"{cases} cases")
        x, found = self._x, list[Expression]()
        for combination in itertools.product(*(values for _, values in slots)):
            case = [(p, v) for (p, _), v in zip(slots, combination, strict=True)]
            given = [(self._variables[p], constant(self._slots[p], v)) for p, v in case]
            if z3.is_true(z3.simplify(z3.substitute(term, *given))):
                found.append(x.conjoin(self._is(p, v) for p, v in case))
        return self._as_ranges(x.disjoin(found))

    def _is(self, position: int, value: int) -> Expression:
        x, slot = self._x, self._slots[position]
        term = x.slot(position, slot.lo, slot.hi, is_bool=slot.is_bool)
        return x.equal(term, x.truth(bool(value)) if slot.is_bool else x.const(value))


def _is_signed(kind: int) -> bool:
    return kind in (z3.Z3_OP_SLEQ, z3.Z3_OP_SGEQ, z3.Z3_OP_SLT, z3.Z3_OP_SGT)


def _fold(made: Callable[[Expression, Expression], Expression], args: Sequence[Expression]) -> Expression:
    found = args[0]
    for arg in args[1:]:
        found = made(found, arg)
    return found


def _ranges(values: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as ranges, each from its least to its greatest."""
    for _, run in itertools.groupby(enumerate(values), lambda pair: pair[1] - pair[0]):
        numbers = [value for _, value in run]
        yield numbers[0], numbers[-1]


def _parts(term: Term) -> Iterator[Term]:
    """The conjuncts of a term, through negated disjunctions."""
    if z3.is_and(term):
        for part in term.children():
            yield from _parts(part)
    elif z3.is_not(term) and z3.is_or(term.arg(0)):
        for part in term.arg(0).children():
            yield from _parts(z3.Not(part))
    elif z3.is_not(term) and z3.is_not(term.arg(0)):
        yield from _parts(term.arg(0).arg(0))
    else:
        yield term


def _leaves(term: Term) -> Iterator[int]:
    seen, stack = set[int](), [term]
    while stack:
        node = stack.pop()
        if node.get_id() not in seen:
            seen.add(node.get_id())
            yield node.get_id()
            stack += node.children()

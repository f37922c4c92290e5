"""Expressions as bit-vector terms of the least widths that hold them, without a solver.

A number is signed and as wide as its bounds `lo..hi` take, so nothing wraps, since the bounds of every expression hold
in every state within its slots' ranges. A slot is stored as what it is above its least value, unsigned, in the bits
that tell its values apart; a slot with one value is stored nowhere, and its term is None.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import MutableMapping, Sequence

from fenceproof.model.expressions import Expression, reachable
from fenceproof.model.expressions import Op as Meaning
from fenceproof.model.layout import Slot

from .bitvectors import TRUTH, Op, Term, Terms, width


def stored_constant(terms: Terms, slot: Slot, value: int) -> Term | None:
    """A value of a slot as it is stored. AssertionError for one that lies outside."""
    assert slot.lo <= value <= slot.hi, f"{value} lies outside of {slot.name}"
    if slot.is_bool:
        return terms.truth(bool(value))
    return terms.constant(value - slot.lo, slot.bits) if slot.bits else None


class Lowering:
    """Lowers expressions over a state, or over a step from it; equal expressions become one term."""

    def __init__(
        self,
        terms: Terms,
        slots: Sequence[Slot],
        before: Sequence[Term | None],
        after: Sequence[Term | None] | None = None,
        outcome: Term | None = None,
    ) -> None:
        self.terms = terms
        self._slots = slots
        self._before, self._after = before, after
        self._outcome = outcome
        self._known: MutableMapping[int, Term] = {}

    def over_step(self, after: Sequence[Term | None], outcome: Term) -> Lowering:
        """For what is said of a step from here, on top of what is said of the state before it."""
        lowering = Lowering(self.terms, self._slots, self._before, after, outcome)
        lowering._known = ChainMap({}, self._known)
        return lowering

    def term(self, root: Expression) -> Term:
        """An expression: a truth value, or a signed bit-vector that holds `root.lo..root.hi`."""
        if root.number not in self._known:
            for node in reachable([root]):
                if node.number not in self._known:
                    self._known[node.number] = self._node(node)
        return self._known[root.number]

    def stored(self, slot: Slot, root: Expression) -> Term | None:
        """An expression as it is stored in a slot, within whose range it must be."""
        term = self.term(root)
        if slot.is_bool:
            return term
        if not slot.bits:
            return None
        bits = max(term.bits, width(min(0, slot.lo), slot.hi), slot.bits + 1)
        above = self.terms.arithmetic(Op.SUB, self.terms.sign_extend(term, bits), self.terms.constant(slot.lo, bits))
        return self.terms.low(above, slot.bits)

    def differs_from_zero(self, code: Expression) -> Term:
        """That a mistake's code is not 0."""
        term = self.term(code)
        if term.bits == TRUTH:
            return term
        return self.terms.negate(self.terms.equal(term, self.terms.constant(0, term.bits)))

    def _loaded(self, node: Expression, state: Sequence[Term | None] | None) -> Term:
        assert state is not None, "a state property does not read the state after a step"
        slot, term = self._slots[node.value], state[node.value]
        bits = width(node.lo, node.hi)
        if term is None:
            return self.terms.constant(slot.lo, bits)
        if slot.is_bool:
            return term
        room = max(bits, width(min(0, slot.lo), slot.hi), slot.bits + 1)
        lowest = self.terms.constant(slot.lo, room)
        wide = self.terms.arithmetic(Op.ADD, self.terms.zero_extend(term, room), lowest)
        return self.terms.low(wide, bits)

    def _node(self, node: Expression) -> Term:
        terms = self.terms
        args = [self._known[a.number] for a in node.args]
        match node.op:
            case Meaning.CONST if node.is_bool:
                return terms.truth(bool(node.value))
            case Meaning.CONST:
                return terms.constant(node.value, width(node.lo, node.hi))
            case Meaning.SLOT:
                return self._loaded(node, self._before)
            case Meaning.NEXT:
                return self._loaded(node, self._after)
            case Meaning.OUTCOME:
                assert self._outcome is not None, "a state property has no outcome"
                return self._outcome
            case Meaning.NOT:
                return terms.negate(args[0])
            case Meaning.AND:
                return terms.conjoin(args)
            case Meaning.OR:
                return terms.disjoin(args)
            case Meaning.EQ:
                return terms.equal(*args) if args[0].bits == TRUTH else terms.equal(*self._at_one_width(args))
            case Meaning.LT:
                return terms.less(*self._at_one_width(args))
            case Meaning.ITE if node.is_bool:
                return terms.choose(*args)
            case _:
                return self._number(node, args)

    def _at_one_width(self, args: Sequence[Term], bits: int = 0) -> list[Term]:
        bits = max(bits, *(a.bits for a in args))
        return [self.terms.sign_extend(a, bits) for a in args]

    def _number(self, node: Expression, args: Sequence[Term]) -> Term:
        terms = self.terms
        bits = width(node.lo, node.hi)
        match node.op:
            case Meaning.ADD | Meaning.SUB | Meaning.MUL:
                op = {Meaning.ADD: Op.ADD, Meaning.SUB: Op.SUB, Meaning.MUL: Op.MUL}[node.op]
                term = terms.arithmetic(op, *self._at_one_width(args, bits))
            case Meaning.MOD:
                a, b = self._at_one_width(args, bits)
                # The sign of b, as in Python.
                term = self._unless_zero(b, terms.arithmetic(Op.SMOD, a, b))
            case Meaning.DIV:
                # What b divides may lie one b further from 0 than a does: -15 // 14 is -28 / 14.
                a, b = self._at_one_width(args, max(bits, *(a.bits for a in args)) + 1)
                divided = terms.arithmetic(Op.SUB, a, terms.arithmetic(Op.SMOD, a, b))
                term = self._unless_zero(b, terms.arithmetic(Op.SDIV, divided, b))
            case Meaning.ITE:
                term = terms.choose(args[0], *self._at_one_width(args[1:], bits))
            case _:
                raise AssertionError(f"{node.op} is no number")
        return terms.low(term, bits)

    def _unless_zero(self, divisor: Term, term: Term) -> Term:
        """A branch that is not taken may divide by zero; the interpreter says 0 there."""
        zero = self.terms.constant(0, divisor.bits)
        return self.terms.choose(self.terms.equal(divisor, zero), zero, term)

"""Expressions and states in z3, as truth values and bit-vectors of the least widths that hold them.

A number is a signed bit-vector: as many bits as its bounds `lo..hi` take, so nothing wraps, since the bounds of every
node hold in every state within its slots' ranges. A slot with range lo..hi is a bit-vector of the bits that tell its
values apart, as it is packed; that it is within its range is a constraint of its own (`in_range`). A slot with one
value, which takes no bits, is a constant.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Any

from fenceproof.model.expressions import Expression, Op, reachable
from fenceproof.model.layout import Slot
from fenceproof.model.system import State

from ..bitvectors import width
from .backend import Term, z3


def variable(name: str, slot: Slot) -> Term:
    """A variable that holds a slot."""
    if slot.is_bool:
        return z3.Bool(name)
    return z3.BitVec(name, slot.bits) if slot.bits else None


def variables(slots: Sequence[Slot], suffix: str) -> list[Term]:
    """A variable for each slot."""
    return [variable(f"{slot.name}{suffix}", slot) for slot in slots]


def in_range(slots: Sequence[Slot], state: Sequence[Term]) -> list[Term]:
    """That slots whose values do not fill their bits are within their ranges."""
    found: list[Term] = []
    for slot, term in zip(slots, state, strict=True):
        if not slot.is_bool and slot.bits and slot.hi - slot.lo != (1 << slot.bits) - 1:
            found.append(z3.ULE(term, z3.BitVecVal(slot.hi - slot.lo, slot.bits)))
    return found


def value_of(model: Any, slot: Slot, term: Term) -> int:
    """The value that a z3 model gives to a slot; what it leaves open is the least."""
    if term is None:
        return slot.lo
    found = model.eval(term, model_completion=True)
    if slot.is_bool:
        return int(bool(z3.is_true(found)))
    return slot.lo + int(found.as_long())


def constant(slot: Slot, value: int) -> Term:
    """A slot's value as a term."""
    if slot.is_bool:
        return z3.BoolVal(bool(value))
    return z3.BitVecVal(value - slot.lo, slot.bits) if slot.bits else None


def equals(term: Term, other: Term) -> Term:
    """That two slots of a kind are equal."""
    return z3.BoolVal(True) if term is None else term == other


def is_state(slots: Sequence[Slot], terms: Sequence[Term], state: State) -> Term:
    """That variables hold a state."""
    return z3.And([equals(term, constant(slot, value)) for slot, term, value in zip(slots, terms, state, strict=True)])


class _Shared(dict[int, Term]):
    """Terms over a step, on top of those over the state before it."""

    def __init__(self, below: MutableMapping[int, Term]) -> None:
        super().__init__()
        self._below = below

    def __contains__(self, number: object) -> bool:
        return super().__contains__(number) or number in self._below

    def __missing__(self, number: int) -> Term:
        return self._below[number]


class Encoder:
    """Encodes expressions over one pair of states; equal expressions become one term."""

    def __init__(
        self,
        slots: Sequence[Slot],
        before: Sequence[Term],
        after: Sequence[Term] | None = None,
        outcome: Term | None = None,
    ) -> None:
        self._slots = slots
        self._before, self._after = before, after
        self._outcome = outcome
        self._terms: MutableMapping[int, Term] = {}

    def over_step(self, after: Sequence[Term], outcome: Term) -> Encoder:
        """An encoder of what is said of a step from here, which shares what is said of the state before it."""
        encoder = Encoder(self._slots, self._before, after, outcome)
        encoder._terms = _Shared(self._terms)
        return encoder

    def term(self, root: Expression) -> Term:
        """An expression: a truth value, or a signed bit-vector of `width(root.lo, root.hi)` bits."""
        if root.number not in self._terms:
            for node in reachable([root]):
                if node.number not in self._terms:
                    self._terms[node.number] = self._node(node)
        return self._terms[root.number]

    def slot(self, slot: Slot, root: Expression) -> Term:
        """A number or truth value as what is stored in a slot. It must be within the slot's range."""
        term = self.term(root)
        if slot.is_bool:
            return term
        if not slot.bits:
            return None
        bits = max(width(root.lo, root.hi), width(min(0, slot.lo), slot.hi), width(0, slot.hi - slot.lo))
        wide = self._at(term, bits) - z3.BitVecVal(slot.lo, bits)
        return z3.simplify(z3.Extract(slot.bits - 1, 0, wide))

    def _stored(self, node: Expression, state: Sequence[Term] | None) -> Term:
        assert state is not None, "a state property does not read the state after a step"
        slot, term = self._slots[node.value], state[node.value]
        if slot.is_bool:
            return term
        bits = width(node.lo, node.hi)
        if term is None:
            return z3.BitVecVal(slot.lo, bits)
        room = max(bits, width(min(0, slot.lo), slot.hi), slot.bits + 1)
        wide = z3.ZeroExt(room - slot.bits, term) + z3.BitVecVal(slot.lo, room)
        return z3.Extract(bits - 1, 0, wide) if bits < room else wide

    @staticmethod
    def _at(term: Term, bits: int) -> Term:
        return z3.SignExt(bits - term.size(), term) if bits > term.size() else term

    def _pair(self, node: Expression, bits: int = 0) -> tuple[Term, Term]:
        """The arguments of a node at one width that holds both, and the node as well."""
        a, b = (self._terms[x.number] for x in node.args[-2:])
        bits = max(bits, a.size(), b.size())
        return self._at(a, bits), self._at(b, bits)

    def _node(self, node: Expression) -> Term:
        args = [self._terms[a.number] for a in node.args]
        match node.op:
            case Op.CONST:
                return (
                    z3.BoolVal(bool(node.value)) if node.is_bool else z3.BitVecVal(node.value, width(node.lo, node.hi))
                )
            case Op.SLOT:
                return self._stored(node, self._before)
            case Op.NEXT:
                return self._stored(node, self._after)
            case Op.OUTCOME:
                assert self._outcome is not None, "a state property has no outcome"
                return self._at(self._outcome, width(node.lo, node.hi))
            case Op.NOT:
                return z3.Not(args[0])
            case Op.AND:
                return z3.And(args)
            case Op.OR:
                return z3.Or(args)
            case Op.EQ if node.args[0].is_bool:
                return args[0] == args[1]
            case Op.EQ:
                a, b = self._pair(node)
                return a == b
            case Op.LT:
                a, b = self._pair(node)
                return a < b
            case Op.ITE if node.is_bool:
                return z3.If(args[0], args[1], args[2])
            case _:
                return self._number(node, args)

    def _number(self, node: Expression, args: Sequence[Term]) -> Term:
        bits = width(node.lo, node.hi)
        a, b = self._pair(node, bits)
        zero = z3.BitVecVal(0, a.size())
        match node.op:
            case Op.ADD:
                term = a + b
            case Op.SUB:
                term = a - b
            case Op.MUL:
                term = a * b
            case Op.MOD:
                # The remainder with the sign of b, as in Python; the interpreter says 0 for b == 0.
                term = z3.If(b == zero, zero, a % b)
            case Op.DIV:
                # What is left after the remainder is taken off may need a bit more than a: -15 // 14 is -28 / 14.
                a, b = (z3.SignExt(1, term) for term in (a, b))
                zero = z3.BitVecVal(0, a.size())
                term = z3.If(b == zero, zero, (a - a % b) / b)
            case Op.ITE:
                term = z3.If(args[0], a, b)
            case _:
                raise AssertionError(f"{node.op} is no number")
        return z3.Extract(bits - 1, 0, term) if term.size() > bits else term

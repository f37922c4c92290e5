"""Truth values and bit-vectors of exact widths, as a small table of terms that any format can be written from.

The terms are those that SMT-LIB's theory of fixed-size bit-vectors and BTOR2 have in common. Each is held once, and
numbers grow from arguments to users, as in the table of expressions. Not here: how expressions become such terms
(`lowering.py`), and how terms are written (`smtlib.py`, `export/btor2.py`). No solver is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final


class Op(Enum):
    """What a term does. All arithmetic is in two's complement; `LOW` keeps the lowest bits."""

    CONST = "const"
    VARIABLE = "variable"
    NOT = "not"
    AND = "and"
    OR = "or"
    EQ = "eq"
    SLT = "slt"
    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    SDIV = "sdiv"
    SMOD = "smod"
    ITE = "ite"
    ZEXT = "zext"
    SEXT = "sext"
    LOW = "low"


#: The width of a truth value, which is no bit-vector.
TRUTH: Final = 0


def width(lo: int, hi: int) -> int:
    """How many bits a signed number from lo to hi takes."""
    return max(hi, -1 - lo).bit_length() + 1


class Term:
    """One term. Compare by identity. `bits` is its width, TRUTH for a truth value; `value` a constant, unsigned."""

    __slots__ = ("args", "bits", "name", "number", "op", "value")

    def __init__(self, number: int, op: Op, args: tuple[Term, ...], bits: int, value: int, name: str) -> None:
        self.number, self.op, self.args, self.bits, self.value, self.name = number, op, args, bits, value, name

    @property
    def is_const(self) -> bool:
        """Whether this is a constant."""
        return self.op is Op.CONST

    @property
    def is_leaf(self) -> bool:
        """Whether this is a constant or a variable."""
        return not self.args

    def __repr__(self) -> str:
        shown = self.name or (str(self.value) if self.is_const else " ".join(f"t{a.number}" for a in self.args))
        return f"<t{self.number}: {self.op.value} {shown}, {self.bits} bits>"


class Terms:
    """The table in which terms live; its methods give back the same term for the same question, constants folded."""

    def __init__(self) -> None:
        self._terms: dict[tuple[Op, tuple[int, ...], int, int, str], Term] = {}
        self.true = self._term(Op.CONST, (), TRUTH, 1)
        self.false = self._term(Op.CONST, (), TRUTH, 0)

    def _term(self, op: Op, args: tuple[Term, ...], bits: int, value: int = 0, name: str = "") -> Term:
        key = (op, tuple(a.number for a in args), bits, value, name)
        found = self._terms.get(key)
        if found is None:
            found = self._terms[key] = Term(len(self._terms), op, args, bits, value, name)
        return found

    def truth(self, value: bool) -> Term:
        """A truth value."""
        return self.true if value else self.false

    def constant(self, value: int, bits: int) -> Term:
        """A number, negative ones in two's complement. It must fit: nothing is cut off."""
        assert -(1 << bits - 1) <= value < 1 << bits, f"{value} does not fit {bits} bits"
        return self._term(Op.CONST, (), bits, value % (1 << bits))

    def variable(self, name: str, bits: int) -> Term:
        """A variable; its name is as it is written."""
        return self._term(Op.VARIABLE, (), bits, name=name)

    def negate(self, a: Term) -> Term:
        """Not a, of a truth value."""
        if a.is_const:
            return self.truth(not a.value)
        return a.args[0] if a.op is Op.NOT else self._term(Op.NOT, (a,), TRUTH)

    def conjoin(self, parts: Iterable[Term]) -> Term:
        """All of parts."""
        return self._junction(Op.AND, parts, self.true, self.false)

    def disjoin(self, parts: Iterable[Term]) -> Term:
        """Any of parts."""
        return self._junction(Op.OR, parts, self.false, self.true)

    def _junction(self, op: Op, parts: Iterable[Term], unit: Term, zero: Term) -> Term:
        kept: dict[Term, None] = {}
        for part in parts:
            for p in part.args if part.op is op else (part,):
                if p is zero:
                    return zero
                if p is not unit:
                    kept[p] = None
        if not kept:
            return unit
        return self._term(op, tuple(kept), TRUTH) if len(kept) > 1 else next(iter(kept))

    def equal(self, a: Term, b: Term) -> Term:
        """A == b, of two truth values or two bit-vectors of one width."""
        assert a.bits == b.bits, "both sides have one width"
        if a is b:
            return self.true
        if a.is_const:
            a, b = b, a
        if a.is_const:
            return self.false
        if b.is_const and a.bits == TRUTH:
            return a if b.value else self.negate(a)
        if b.is_const and a.op is Op.ZEXT:
            inner = a.args[0]
            return self.false if b.value >> inner.bits else self.equal(inner, self.constant(b.value, inner.bits))
        return self._term(Op.EQ, (a, b), TRUTH)

    def less(self, a: Term, b: Term) -> Term:
        """A < b, of two signed numbers of one width."""
        assert a.bits == b.bits != TRUTH, "both sides have one width"
        if a.is_const and b.is_const:
            return self.truth(_signed(a) < _signed(b))
        return self.false if a is b else self._term(Op.SLT, (a, b), TRUTH)

    def arithmetic(self, op: Op, a: Term, b: Term) -> Term:
        """ADD, SUB, MUL, SDIV or SMOD of two signed numbers of one width, at that width."""
        assert a.bits == b.bits != TRUTH, "both sides have one width"
        if op in (Op.ADD, Op.SUB) and b.is_const and b.value == 0:
            return a
        if a.is_const and b.is_const and op in (Op.ADD, Op.SUB):
            value = a.value + b.value if op is Op.ADD else a.value - b.value
            return self.constant(value % (1 << a.bits), a.bits)
        return self._term(op, (a, b), a.bits)

    def choose(self, condition: Term, then: Term, other: Term) -> Term:
        """Then if condition else other, of two truth values or two bit-vectors of one width."""
        assert then.bits == other.bits, "both sides have one width"
        if condition.is_const:
            return then if condition.value else other
        if then is other:
            return then
        if condition.op is Op.NOT:
            return self.choose(condition.args[0], other, then)
        if then.bits == TRUTH and then.is_const:
            return self.disjoin([condition, other]) if then.value else self.conjoin([self.negate(condition), other])
        if then.bits == TRUTH and other.is_const:
            return self.disjoin([self.negate(condition), then]) if other.value else self.conjoin([condition, then])
        return self._term(Op.ITE, (condition, then, other), then.bits)

    def zero_extend(self, a: Term, bits: int) -> Term:
        """An unsigned number at `bits` bits, which are no fewer than it has."""
        if a.is_const:
            return self.constant(a.value, bits)
        return a if a.bits == bits else self._term(Op.ZEXT, (a,), bits)

    def sign_extend(self, a: Term, bits: int) -> Term:
        """A signed number at `bits` bits, which are no fewer than it has."""
        if a.is_const:
            return self.constant(_signed(a), bits)
        return a if a.bits == bits else self._term(Op.SEXT, (a,), bits)

    def low(self, a: Term, bits: int) -> Term:
        """The lowest `bits` bits, which are no more than it has."""
        assert 0 < bits <= a.bits, "bits are kept, not added"
        if a.bits == bits:
            return a
        if a.is_const:
            return self.constant(a.value % (1 << bits), bits)
        if a.op in (Op.ZEXT, Op.SEXT):
            inner = a.args[0]
            if bits <= inner.bits:
                return self.low(inner, bits)
            return self._term(a.op, (inner,), bits)
        return self._term(Op.LOW, (a,), bits)


def _signed(a: Term) -> int:
    return a.value - (1 << a.bits) if a.value >> a.bits - 1 else a.value


def reachable(roots: Iterable[Term]) -> list[Term]:
    """Every term below roots once, arguments before users."""
    seen: dict[int, Term] = {}
    stack = list(roots)
    while stack:
        term = stack.pop()
        if term.number not in seen:
            seen[term.number] = term
            stack.extend(term.args)
    return [seen[n] for n in sorted(seen)]

"""Hash-consed expressions over the slots of a state: what guards, updates and properties are made of.

An expression is a whole number or a truth value. It is built by the methods of one `Expressions` table, which gives
back the same object for the same expression, folds constants, and keeps bounds `lo..hi` on every node. Node numbers
grow from arguments to users, so sorting by number *is* the post-order walk; nothing here recurses over deep trees.
Not here: kinds, names and Python objects (a choice is its position, an absent value is one below the range).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Final

from .errors import ModelError, Site

#: Bounds beyond this are refused: every engine computes in 64-bit integers and must never wrap.
LARGEST: Final = 2**62
#: The upper bound of a number that has none; a number made from one has this bound as well, instead of being refused.
UNBOUNDED: Final = 2**200
#: The upper bound of a set of natural numbers, which is the number whose binary digit i says whether i is in it.
PREDICATE: Final = 2**256


class Op(Enum):
    """What a node does.

    `SLOT` reads the state before a step, `NEXT` the one after it, `OUTCOME` the step's outcome, `PARAM` an argument of
    its transition that ranges over the natural numbers. `SELECT` asks whether a number is in a set of them, `STORE` is
    the set with a number put in or taken out, `EXISTS` asks whether the body is true of an element, the `BOUND` one.
    """

    CONST = "const"
    SLOT = "slot"
    NEXT = "next"
    OUTCOME = "outcome"
    NOT = "not"
    AND = "and"
    OR = "or"
    EQ = "eq"
    LT = "lt"
    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    MOD = "mod"
    ITE = "ite"
    PARAM = "param"
    BOUND = "bound"
    SELECT = "select"
    STORE = "store"
    EXISTS = "exists"

    # Each is there once: the inherited one is written in Python, and a table of expressions asks for it all the time.
    __hash__ = object.__hash__


class Expression:
    """One node. Compare by identity: the table holds each expression once.

    `value` is the constant, the slot's position for `SLOT` and `NEXT`, the parameter's for `PARAM`, and the nesting of
    the quantifier for `BOUND` and `EXISTS`. `support` is a bit set: bit 2i for slot i before the step, bit 2i+1 for
    slot i after it. `free` is one of what a state does not tell: bit 0 for parameters, bit n+1 for the bound variable
    of nesting n. `site` is where an author first wrote this expression. `negation` is its negation, once asked for.
    """

    __slots__ = (
        "args", "free", "hi", "is_bool", "is_const", "lo", "negation", "number", "op", "site", "support", "value",
    )  # fmt: skip

    def __init__(
        self,
        number: int,
        op: Op,
        args: tuple[Expression, ...],
        value: int,
        lo: int,
        hi: int,
        is_bool: bool,
        support: int,
        free: int,
        site: Site | None,
    ) -> None:
        self.number = number
        self.op = op
        self.args = args
        self.value = value
        self.lo = lo
        self.hi = hi
        self.is_bool = is_bool
        self.support = support
        self.free = free
        self.site = site
        self.is_const = op is Op.CONST
        self.negation: Expression | None = None

    @property
    def is_predicate(self) -> bool:
        """Whether this is a set of natural numbers (a constant one is written as a number)."""
        return self.hi == PREDICATE

    def __repr__(self) -> str:
        return f"<{self.op.value} {self.number}>"


#: What a set of numbers is made by; a constant one is a number. A set's bound is that of one of these alone.
_MAY_BE_SET: Final = frozenset({Op.SLOT, Op.NEXT, Op.STORE, Op.ITE})
#: The largest number in a constant set: what has one digit more is too large a number.
_LAST_DIGIT: Final = LARGEST.bit_length() - 2
Key = tuple[Op, tuple[Expression, ...], int, int, int, bool]


def _no_site() -> Site | None:
    return None


class Expressions:
    """The table in which a system's expressions live. `locate` tells which source line is being executed."""

    def __init__(self, locate: Callable[[], Site | None] = _no_site) -> None:
        self.locate = locate
        self._nodes: dict[Key, Expression] = {}
        self._nesting = 0
        self.true = self._node(Op.CONST, (), 1, 1, 1, is_bool=True)
        self.false = self._node(Op.CONST, (), 0, 0, 0, is_bool=True)

    def _node(
        self, op: Op, args: tuple[Expression, ...], value: int, lo: int, hi: int, *, is_bool: bool, support: int = 0
    ) -> Expression:
        # A product may have any bound, and be no set.
        if (lo < -LARGEST or hi > LARGEST) and not (hi == PREDICATE and op in _MAY_BE_SET):
            lo, hi = self._clamped(lo, hi, args)
        key = (op, args, value, lo, hi, is_bool)
        found = self._nodes.get(key)
        if found is None:
            free = 1 if op is Op.PARAM else 2 << value if op is Op.BOUND else 0
            for a in args:
                support |= a.support
                free |= a.free
            if op is Op.EXISTS:
                free &= ~(2 << value)
            site = self.locate() if args else None
            found = Expression(len(self._nodes), op, args, value, lo, hi, is_bool, support, free, site)
            self._nodes[key] = found
        return found

    def _clamped(self, lo: int, hi: int, args: tuple[Expression, ...]) -> tuple[int, int]:
        """Bounds of what is made from a number without a bound."""
        if (lo < hi and (hi >= UNBOUNDED or lo <= -UNBOUNDED)) or any(max(a.hi, -a.lo) > LARGEST for a in args):
            # So chosen that no comparison with a number without a bound is ever folded. One less than such a number
            # has no bound either, and neither has what is made from that.
            return (
                -UNBOUNDED if lo < -LARGEST else min(lo, LARGEST),
                UNBOUNDED if hi > LARGEST else max(hi, -LARGEST),
            )
        raise ModelError(
            "a number in this expression may become larger than 64 bits hold.",
            self.locate(),
            "Keep the ranges of the state smaller, or reduce the value with `%` or `min` as you go.",
        )

    # Leaves

    def const(self, value: int) -> Expression:
        """A whole number."""
        return self._node(Op.CONST, (), value, value, value, is_bool=False)

    def truth(self, value: bool) -> Expression:
        """A truth value."""
        return self.true if value else self.false

    def slot(self, position: int, lo: int, hi: int, *, is_bool: bool) -> Expression:
        """The value of a slot before the step."""
        return self._node(Op.SLOT, (), position, lo, hi, is_bool=is_bool, support=1 << 2 * position)

    def next_slot(self, position: int, lo: int, hi: int, *, is_bool: bool) -> Expression:
        """The value of a slot after the step."""
        return self._node(Op.NEXT, (), position, lo, hi, is_bool=is_bool, support=2 << 2 * position)

    def outcome(self, count: int) -> Expression:
        """The position of the step's outcome among the `count` outcomes of its transition."""
        return self._node(Op.OUTCOME, (), 0, 0, count - 1, is_bool=False)

    def param(self, position: int, lo: int) -> Expression:
        """An argument of the transition: a natural number from lo on."""
        return self._node(Op.PARAM, (), position, lo, UNBOUNDED, is_bool=False)

    # Sets of natural numbers

    def select(self, elements: Expression, number: Expression) -> Expression:
        """Whether a number is in a set; `STORE` on the way is looked through."""
        if elements.op is Op.STORE:
            below, at, present = elements.args
            return self.choose(self.equal(at, number), present, self.select(below, number))
        if elements.op is Op.ITE:
            condition, then, other = elements.args
            return self.choose(condition, self.select(then, number), self.select(other, number))
        if elements.is_const:
            return self.disjoin(self.equal(number, self.const(i)) for i in digits(elements.value))
        return self._node(Op.SELECT, (elements, number), 0, 0, 1, is_bool=True)

    def store(self, elements: Expression, number: Expression, present: Expression) -> Expression:
        """A set with a number put in (`present` true) or taken out."""
        is_digit = number.is_const and 0 <= number.value <= _LAST_DIGIT
        if elements.is_const and is_digit and present.is_const:
            return self.const(elements.value & ~(1 << number.value) | present.value << number.value)
        return self._node(Op.STORE, (elements, number, present), 0, 0, PREDICATE, is_bool=False)

    def exists(self, elements: Expression, lo: int, body: Callable[[Expression], Expression]) -> Expression:
        """Whether `body` is true of an element of a set, all of which are at least lo."""
        level = self._nesting
        self._nesting += 1
        try:
            inner = body(self.bound(level, lo))
        finally:
            self._nesting -= 1
        return self.exists_at(elements, inner, level)

    def bound(self, level: int, lo: int) -> Expression:
        """The bound variable of a nesting: a natural number from lo on."""
        return self._node(Op.BOUND, (), level, lo, UNBOUNDED, is_bool=False)

    def exists_at(self, elements: Expression, body: Expression, level: int) -> Expression:
        """As `exists`, with the bound variable of this nesting in the body."""
        if body is self.false:
            return body
        return self._node(Op.EXISTS, (elements, body), level, 0, 1, is_bool=True)

    # Truth values

    def negate(self, a: Expression) -> Expression:
        """Not a."""
        found = a.negation
        if found is None:
            if a.is_const:
                found = self.truth(not a.value)
            elif a.op is Op.NOT:
                found = a.args[0]
            else:
                found = self._node(Op.NOT, (a,), 0, 0, 1, is_bool=True)
            a.negation = found
        return found

    def conjoin(self, parts: Iterable[Expression]) -> Expression:
        """All of parts; nested conjunctions are flattened, the order is kept."""
        return self._junction(Op.AND, parts, self.true, self.false)

    def disjoin(self, parts: Iterable[Expression]) -> Expression:
        """Any of parts; nested disjunctions are flattened, the order is kept."""
        return self._junction(Op.OR, parts, self.false, self.true)

    def _junction(self, op: Op, parts: Iterable[Expression], unit: Expression, zero: Expression) -> Expression:
        seen: dict[int, Expression] = {}
        for part in parts:
            for p in part.args if part.op is op else (part,):
                if p is zero or (p.negation or self.negate(p)).number in seen:
                    return zero
                if p is not unit:
                    seen.setdefault(p.number, p)
        if not seen:
            return unit
        if len(seen) == 1:
            return next(iter(seen.values()))
        return self._node(op, tuple(seen.values()), 0, 0, 1, is_bool=True)

    def equal(self, a: Expression, b: Expression) -> Expression:
        """A == b, of two numbers or two truth values."""
        if a is b:
            return self.true
        if a.hi == PREDICATE or b.hi == PREDICATE:
            raise ModelError(
                "two sets of natural numbers are compared.",
                self.locate(),
                "Ask for elements: `x in s`, exists(s, …), forall(s, …).",
            )
        if a.is_const and not b.is_const:
            a, b = b, a
        if a.hi < b.lo or b.hi < a.lo:
            return self.false
        if a.is_const and b.is_const:
            return self.truth(a.value == b.value)
        if a.is_bool and b.is_const:
            return a if b.value else self.negate(a)
        if a.op is Op.ITE and b.is_const and (a.args[1].is_const or a.args[2].is_const):
            return self.choose(a.args[0], self.equal(a.args[1], b), self.equal(a.args[2], b))
        if a.op is Op.ADD and a.args[1].is_const and b.is_const:
            return self.equal(a.args[0], self.const(b.value - a.args[1].value))
        if not b.is_const and a.number > b.number:
            a, b = b, a
        return self._node(Op.EQ, (a, b), 0, 0, 1, is_bool=True)

    def less(self, a: Expression, b: Expression) -> Expression:
        """A < b, of two numbers."""
        if a is b or a.lo >= b.hi:
            return self.false
        if a.hi < b.lo:
            return self.true
        if a.op is Op.ADD and a.args[1].is_const and b.is_const:
            return self.less(a.args[0], self.const(b.value - a.args[1].value))
        if b.op is Op.ADD and b.args[1].is_const and a.is_const:
            return self.less(self.const(a.value - b.args[1].value), b.args[0])
        if a.op is Op.ITE and b.is_const and a.args[1].is_const and a.args[2].is_const:
            return self.choose(a.args[0], self.less(a.args[1], b), self.less(a.args[2], b))
        return self._node(Op.LT, (a, b), 0, 0, 1, is_bool=True)

    # Numbers

    def add(self, a: Expression, b: Expression) -> Expression:
        """A + b."""
        if a.is_const:
            a, b = b, a
        if b.is_const:
            if a.is_const:
                return self.const(a.value + b.value)
            if b.value == 0:
                return a
            if a.op is Op.ADD and a.args[1].is_const:
                return self.add(a.args[0], self.const(a.args[1].value + b.value))
        return self._node(Op.ADD, (a, b), 0, a.lo + b.lo, a.hi + b.hi, is_bool=False)

    def subtract(self, a: Expression, b: Expression) -> Expression:
        """A - b."""
        if b.is_const:
            return self.add(a, self.const(-b.value))
        if a is b:
            return self.const(0)
        return self._node(Op.SUB, (a, b), 0, a.lo - b.hi, a.hi - b.lo, is_bool=False)

    def multiply(self, a: Expression, b: Expression) -> Expression:
        """A * b."""
        if a.is_const:
            a, b = b, a
        if b.is_const:
            if a.is_const or b.value == 0:
                return self.const(a.value * b.value if a.is_const else 0)
            if b.value == 1:
                return a
        corners = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
        return self._node(Op.MUL, (a, b), 0, min(corners), max(corners), is_bool=False)

    def divide(self, a: Expression, b: Expression) -> Expression:
        """A // b, rounded down as Python does; the caller has excluded b == 0."""
        if a.is_const and b.is_const:
            return self.const(a.value // b.value)
        reach = max(abs(a.lo), abs(a.hi))
        lo = 0 if a.lo >= 0 and b.lo >= 0 else -reach
        return self._node(Op.DIV, (a, b), 0, lo, reach, is_bool=False)

    def modulo(self, a: Expression, b: Expression) -> Expression:
        """A % b, with the sign of b as Python has it; the caller has excluded b == 0."""
        if a.is_const and b.is_const:
            return self.const(a.value % b.value)
        if b.is_const and b.value > a.hi and a.lo >= 0:
            return a
        lo = 0 if b.lo >= 0 else min(0, b.lo + 1)
        hi = 0 if b.hi <= 0 else max(0, b.hi - 1)
        return self._node(Op.MOD, (a, b), 0, lo, hi, is_bool=False)

    def choose(self, condition: Expression, then: Expression, other: Expression) -> Expression:
        """Then if condition else other; both numbers, or both truth values."""
        if condition.is_const:
            return then if condition.value else other
        if then is other:
            return then
        if condition.op is Op.NOT:
            return self.choose(condition.args[0], other, then)
        if then.is_bool:
            if then.is_const:
                return self.disjoin((condition, other)) if then.value else self.conjoin((self.negate(condition), other))
            if other.is_const:
                return self.disjoin((self.negate(condition), then)) if other.value else self.conjoin((condition, then))
        if then.op is Op.ITE and then.args[0] is condition:
            then = then.args[1]
        if other.op is Op.ITE and other.args[0] is condition:
            other = other.args[2]
        if then is other:
            return then
        lo, hi = min(then.lo, other.lo), max(then.hi, other.hi)
        return self._node(Op.ITE, (condition, then, other), 0, lo, hi, is_bool=then.is_bool)

    def number(self, a: Expression) -> Expression:
        """A truth value as 0 or 1; a number as it is."""
        return self.choose(a, self.const(1), self.const(0)) if a.is_bool else a


def reachable(roots: Iterable[Expression]) -> list[Expression]:
    """Every node below roots once, arguments before users: the one walk that everything else is said in."""
    seen: dict[int, Expression] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node.number not in seen:
            seen[node.number] = node
            stack.extend(node.args)
    return [seen[n] for n in sorted(seen)]


def apply(op: Op, args: Sequence[int]) -> int:
    """The meaning of an inner node on the values of its arguments (truth values are 0 and 1)."""
    match op:
        case Op.NOT:
            return 1 - args[0]
        case Op.AND:
            return int(all(args))
        case Op.OR:
            return int(any(args))
        case Op.EQ:
            return int(args[0] == args[1])
        case Op.LT:
            return int(args[0] < args[1])
        case Op.ADD:
            return args[0] + args[1]
        case Op.SUB:
            return args[0] - args[1]
        case Op.MUL:
            return args[0] * args[1]
        case Op.DIV:
            # A branch that is not taken may divide by zero here: its value is never used.
            return args[0] // args[1] if args[1] else 0
        case Op.MOD:
            return args[0] % args[1] if args[1] else 0
        case Op.ITE:
            return args[1] if args[0] else args[2]
        case Op.SELECT:
            return args[0] >> args[1] & 1 if args[1] >= 0 else 0
        case Op.STORE:
            if args[1] < 0:
                # Nor is the value of a step that goes wrong, which puts into a set what it cannot have.
                return args[0]
            return args[0] | 1 << args[1] if args[2] else args[0] & ~(1 << args[1])
        case Op.CONST | Op.SLOT | Op.NEXT | Op.OUTCOME | Op.PARAM | Op.BOUND | Op.EXISTS:
            raise AssertionError(f"{op} is a leaf, or a quantifier")


def digits(elements: int) -> list[int]:
    """The elements of a set that is written as a number, ascending."""
    return [i for i in range(elements.bit_length()) if elements >> i & 1]


def evaluate(
    roots: Sequence[Expression],
    before: Sequence[int] | Mapping[int, int],
    after: Sequence[int] | Mapping[int, int] = (),
    outcome: int = 0,
    params: Sequence[int] = (),
    bound: Mapping[int, int] | None = None,
) -> list[int]:
    """The values of roots in a state (`before`) or over a step (`before`, `after`, position of the outcome).

    `params` are the arguments of the transition that range over the natural numbers, `bound` the elements that
    quantifiers around the roots speak of.
    """
    values: dict[int, int] = {}
    known = bound or {}
    for node in reachable(roots):
        if node.free > 1 and any(level not in known for level in digits(node.free >> 1)):
            continue  # inside a quantifier, which evaluates it for each element
        match node.op:
            case Op.CONST:
                value = node.value
            case Op.SLOT:
                value = before[node.value]
            case Op.NEXT:
                value = after[node.value]
            case Op.OUTCOME:
                value = outcome
            case Op.PARAM:
                value = params[node.value]
            case Op.BOUND:
                value = known[node.value]
            case Op.EXISTS:
                elements, body = node.args
                value = 0
                for i in digits(values[elements.number]):
                    here = {**known, node.value: i}
                    value = value or evaluate([body], before, after, outcome, params, here)[0]
            case _:
                value = apply(node.op, [values[a.number] for a in node.args])
        values[node.number] = value
    return [values[r.number] for r in roots]


def slots_read(node: Expression) -> list[int]:
    """The positions of the slots, before or after the step, that a node depends on, ascending."""
    support = node.support
    found: list[int] = []
    while support:
        low = (support & -support).bit_length() - 1
        found.append(low // 2)
        support &= ~(3 << (low & ~1))
    return found


def clauses(guard: Expression) -> tuple[Expression, ...]:
    """The conjuncts of a guard, in the order in which the author required them."""
    return guard.args if guard.op is Op.AND else (guard,)

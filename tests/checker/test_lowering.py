"""Expressions as bit-vector terms: each operation on every value, against the interpreter; and names of symbols."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import pytest
from fenceproof.checker.bitvectors import TRUTH, Op, Term, Terms, reachable, width
from fenceproof.checker.lowering import Lowering, stored_constant
from fenceproof.checker.smtlib import mangled
from fenceproof.model.expressions import Expression, Expressions, evaluate
from fenceproof.model.kinds import RangeKind

RANGES = [(0, 4), (-3, 3), (-4, -1), (2, 9), (-15, 0), (7, 7), (-8, 7)]


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value


def value_of(root: Term, variables: dict[str, int]) -> int:
    """A term's value, unsigned, by the definitions of SMT-LIB."""
    known: dict[Term, int] = {}
    for term in reachable([root]):
        known[term] = _value(term, [known[a] for a in term.args], variables) % (1 << (term.bits or 1))
    return known[root]


def _value(term: Term, args: Sequence[int], variables: dict[str, int]) -> int:
    inner = [signed(v, t.bits) for v, t in zip(args, term.args, strict=True) if t.bits]
    match term.op:
        case Op.CONST:
            return term.value
        case Op.VARIABLE:
            return variables[term.name]
        case Op.NOT:
            return 1 - args[0]
        case Op.AND:
            return int(all(args))
        case Op.OR:
            return int(any(args))
        case Op.EQ:
            return int(args[0] == args[1])
        case Op.SLT:
            return int(inner[0] < inner[1])
        case Op.ADD:
            return inner[0] + inner[1]
        case Op.SUB:
            return inner[0] - inner[1]
        case Op.MUL:
            return inner[0] * inner[1]
        case Op.SDIV if inner[1]:
            size = abs(inner[0]) // abs(inner[1])
            return size if (inner[0] < 0) == (inner[1] < 0) else -size
        case Op.SDIV:
            return 1 if inner[0] < 0 else -1
        case Op.SMOD:
            return inner[0] % inner[1] if inner[1] else inner[0]
        case Op.ITE:
            return args[1] if args[0] else args[2]
        case Op.SEXT:
            return inner[0]
        case Op.ZEXT | Op.LOW:
            return args[0]


OPERATIONS: dict[str, Callable[[Expressions, Expression, Expression], Expression]] = {
    "add": Expressions.add,
    "subtract": Expressions.subtract,
    "multiply": Expressions.multiply,
    "divide": Expressions.divide,
    "modulo": Expressions.modulo,
    "equal": Expressions.equal,
    "less": Expressions.less,
    "choose": lambda x, a, b: x.choose(x.less(a, b), a, x.subtract(b, x.const(1))),
    "not less": lambda x, a, b: x.negate(x.less(a, b)),
    "both": lambda x, a, b: x.conjoin([x.less(a, b), x.equal(a, x.const(2))]),
    "either": lambda x, a, b: x.disjoin([x.less(b, a), x.equal(b, x.const(-1))]),
    "choice of truths": lambda x, a, b: x.choose(x.equal(a, b), x.less(a, x.const(0)), x.less(x.const(1), b)),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_means_what_the_interpreter_says_for_every_value(name: str) -> None:
    for (lo, hi), (least, most) in product(RANGES, RANGES):
        x, terms = Expressions(), Terms()
        slots = [*RangeKind(lo, hi).slots("a"), *RangeKind(least, most).slots("b")]
        root = OPERATIONS[name](x, *(x.slot(i, s.lo, s.hi, is_bool=False) for i, s in enumerate(slots)))
        state = [terms.variable(s.name, s.bits) if s.bits else None for s in slots]
        term = Lowering(terms, slots, state).term(root)
        for a, b in product(range(lo, hi + 1), range(least, most + 1)):
            found = value_of(term, {"a": a - lo, "b": b - least})
            (expected,) = evaluate([root], (a, b))
            assert (found if term.bits == TRUTH else signed(found, term.bits)) == expected, (a, b)


def test_a_number_is_stored_as_what_it_is_above_the_least_of_its_slot() -> None:
    for (lo, hi), (least, most) in product(RANGES, RANGES):
        x, terms = Expressions(), Terms()
        (slot,), (into,) = RangeKind(lo, hi).slots("a"), RangeKind(least, most).slots("to")
        lowering = Lowering(terms, [slot], [terms.variable("a", slot.bits) if slot.bits else None])
        term = lowering.stored(into, x.slot(0, lo, hi, is_bool=False))
        for value in range(max(lo, least), min(hi, most) + 1):
            constant = stored_constant(terms, into, value)
            assert (term is None) == (constant is None) == (not into.bits)
            if term is not None and constant is not None:
                assert value_of(term, {"a": value - lo}) == constant.value == value - least


def test_a_value_outside_of_its_slot_is_not_stored() -> None:
    (slot,) = RangeKind(2, 5).slots("a")
    with pytest.raises(AssertionError, match="6 lies outside of a"):
        stored_constant(Terms(), slot, 6)


@pytest.mark.parametrize(
    ("lo", "hi", "bits"), [(0, 0, 1), (0, 1, 2), (-1, 0, 1), (-8, 7, 4), (-9, 0, 5), (0, 8, 5), (-8, -7, 4)]
)
def test_a_signed_number_takes_the_bits_of_the_larger_of_its_bounds(lo: int, hi: int, bits: int) -> None:
    assert width(lo, hi) == bits


def test_names_stay_apart_and_hold_nothing_that_a_symbol_cannot() -> None:
    names = [
        "a",
        "a[0]",
        "a<0>",
        "a 0",
        "a%200",
        "a_0",
        "0a",
        "%30a",
        ".a",
        "a.b",
        "é",
        "a|b",
        'a"',
        "a;",
        "(a)",
        "x@1",
        "$x",
        "",
    ]
    made = [mangled(name) for name in names]
    assert len(set(made)) == len(names)
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEF0123456789_.-+*/!?=^&~<>%x") for name in made)
    assert mangled("cells[0]") == "cells<0>"

"""Every operation of expressions in z3 says of every pair of numbers what the interpreter says."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from fenceproof.checker.smt.backend import z3
from fenceproof.checker.smt.encode import Encoder, constant, variables
from fenceproof.model.expressions import Expression, Expressions, evaluate
from fenceproof.model.layout import Slot

#: Ranges that reach the ends of their widths, on both sides of zero.
RANGES = [(0, 3), (0, 7), (-4, 3), (-5, -1), (-16, 15), (2, 9), (-1, 0)]
Operation = Callable[[Expressions, Expression, Expression], Expression]
OPERATIONS: dict[str, Operation] = {
    "add": Expressions.add,
    "subtract": Expressions.subtract,
    "multiply": Expressions.multiply,
    "divide": Expressions.divide,
    "modulo": Expressions.modulo,
    "equal": Expressions.equal,
    "less": Expressions.less,
    "choose": lambda x, a, b: x.choose(x.less(a, b), a, x.subtract(b, a)),
}


def signed(term: object) -> int:
    """The value of a constant term: a truth value as 0 or 1."""
    if z3.is_bool(term):
        return int(bool(z3.is_true(term)))
    return int(z3.simplify(term).as_signed_long())


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_is_the_interpreters_on_every_pair_of_numbers(name: str) -> None:
    for (lo, hi), (low, high) in product(RANGES, RANGES):
        slots = [Slot("a", lo, hi, False), Slot("b", low, high, False)]
        terms = variables(slots, "")
        x = Expressions()
        a, b = (x.slot(i, s.lo, s.hi, is_bool=False) for i, s in enumerate(slots))
        made = OPERATIONS[name](x, a, b)
        encoded = Encoder(slots, terms).term(made)
        for values in product(range(lo, hi + 1), range(low, high + 1)):
            given = [(t, constant(s, v)) for t, s, v in zip(terms, slots, values, strict=True) if t is not None]
            found = z3.simplify(z3.substitute(encoded, *given))
            assert signed(found) == evaluate([made], values)[0], (name, (lo, hi), (low, high), values)

"""Folding: each law gives one and the same object, so that equal expressions are found equal while lifting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fenceproof.model.expressions import Expression, Expressions


def _table() -> tuple[Expressions, Expression, Expression, Expression, Expression]:
    x = Expressions()
    a, b = x.slot(0, -3, 4, is_bool=False), x.slot(1, 0, 9, is_bool=False)
    return x, a, b, x.slot(2, 0, 1, is_bool=True), x.slot(3, 0, 1, is_bool=True)


#: Each law gives two expressions, which are one and the same object.
LAWS: dict[str, Callable[[Expressions, Any, Any, Any, Any], tuple[Expression, Expression]]] = {
    "not not p": lambda x, a, b, p, q: (x.negate(x.negate(p)), p),
    "all of nothing": lambda x, a, b, p, q: (x.conjoin([]), x.true),
    "any of nothing": lambda x, a, b, p, q: (x.disjoin([]), x.false),
    "p and p": lambda x, a, b, p, q: (x.conjoin([p, x.true, p]), p),
    "p or p": lambda x, a, b, p, q: (x.disjoin([p, x.false, p]), p),
    "p and not p": lambda x, a, b, p, q: (x.conjoin([q, p, x.negate(p)]), x.false),
    "p or not p": lambda x, a, b, p, q: (x.disjoin([q, x.negate(p), p]), x.true),
    "p and false": lambda x, a, b, p, q: (x.conjoin([p, x.false]), x.false),
    "p or true": lambda x, a, b, p, q: (x.disjoin([p, x.true]), x.true),
    "nested and": lambda x, a, b, p, q: (x.conjoin([x.conjoin([p, q]), p]), x.conjoin([p, q])),
    "nested or": lambda x, a, b, p, q: (x.disjoin([p, x.disjoin([p, q])]), x.disjoin([p, q])),
    "a == a": lambda x, a, b, p, q: (x.equal(a, a), x.true),
    "a == b": lambda x, a, b, p, q: (x.equal(a, b), x.equal(b, a)),
    "a == 9": lambda x, a, b, p, q: (x.equal(a, x.const(9)), x.false),
    "1 == a": lambda x, a, b, p, q: (x.equal(x.const(1), a), x.equal(a, x.const(1))),
    "p == true": lambda x, a, b, p, q: (x.equal(x.true, p), p),
    "p == false": lambda x, a, b, p, q: (x.equal(p, x.false), x.negate(p)),
    "a + 2 == 3": lambda x, a, b, p, q: (x.equal(x.add(a, x.const(2)), x.const(3)), x.equal(a, x.const(1))),
    "(1 if p else 2) == 2": lambda x, a, b, p, q: (
        x.equal(x.choose(p, x.const(1), x.const(2)), x.const(2)),
        x.negate(p),
    ),
    "a < a": lambda x, a, b, p, q: (x.less(a, a), x.false),
    "a < -3": lambda x, a, b, p, q: (x.less(a, x.const(-3)), x.false),
    "a < 5": lambda x, a, b, p, q: (x.less(a, x.const(5)), x.true),
    "a + 2 < 3": lambda x, a, b, p, q: (x.less(x.add(a, x.const(2)), x.const(3)), x.less(a, x.const(1))),
    "3 < a + 2": lambda x, a, b, p, q: (x.less(x.const(3), x.add(a, x.const(2))), x.less(x.const(1), a)),
    "(1 if p else 5) < 3": lambda x, a, b, p, q: (x.less(x.choose(p, x.const(1), x.const(5)), x.const(3)), p),
    "0 + a": lambda x, a, b, p, q: (x.add(x.const(0), a), a),
    "a + 1 + 2": lambda x, a, b, p, q: (x.add(x.add(a, x.const(1)), x.const(2)), x.add(a, x.const(3))),
    "a + 1 - 1": lambda x, a, b, p, q: (x.subtract(x.add(a, x.const(1)), x.const(1)), a),
    "a - a": lambda x, a, b, p, q: (x.subtract(a, a), x.const(0)),
    "1 * a": lambda x, a, b, p, q: (x.multiply(x.const(1), a), a),
    "a * 0": lambda x, a, b, p, q: (x.multiply(a, x.const(0)), x.const(0)),
    "b % 10": lambda x, a, b, p, q: (x.modulo(b, x.const(10)), b),
    "-7 // 2": lambda x, a, b, p, q: (x.divide(x.const(-7), x.const(2)), x.const(-4)),
    "-7 % 2": lambda x, a, b, p, q: (x.modulo(x.const(-7), x.const(2)), x.const(1)),
    "a if true else b": lambda x, a, b, p, q: (x.choose(x.true, a, b), a),
    "a if p else a": lambda x, a, b, p, q: (x.choose(p, a, a), a),
    "a if not p else b": lambda x, a, b, p, q: (x.choose(x.negate(p), a, b), x.choose(p, b, a)),
    "p asked twice": lambda x, a, b, p, q: (
        x.choose(p, x.choose(p, a, x.const(1)), x.choose(p, x.const(2), b)),
        x.choose(p, a, b),
    ),
    "q if p else false": lambda x, a, b, p, q: (x.choose(p, q, x.false), x.conjoin([p, q])),
    "true if p else q": lambda x, a, b, p, q: (x.choose(p, x.true, q), x.disjoin([p, q])),
    "true as a number": lambda x, a, b, p, q: (x.number(x.true), x.const(1)),
    "a as a number": lambda x, a, b, p, q: (x.number(a), a),
}


@pytest.mark.parametrize("law", LAWS)
def test_folding_finds_the_simpler_expression(law: str) -> None:
    found, expected = LAWS[law](*_table())
    assert found is expected

"""Rebuilt in another table, an expression has the value that it had before: every operation by itself."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import pytest
from fenceproof.model.expressions import Expression, Expressions, Op, evaluate
from fenceproof.model.lift import lift
from fenceproof.model.substitution import substitute
from random_models import random_model

#: A number, another one that is never 0, and a truth value.
SLOTS = ((-3, 3, False), (1, 4, False), (0, 1, True))
STATES = list(itertools.product(*(range(lo, hi + 1) for lo, hi, _ in SLOTS)))
Made = Callable[[Expressions, Sequence[Expression]], Expression]


def _wide(x: Expressions, s: Sequence[Expression]) -> Expression:
    """A conjunction of three, which a pair of arguments would not be enough for."""
    return x.conjoin((s[2], x.less(s[0], s[1]), x.less(x.const(-2), s[0])))


MADE: dict[Op, Made] = {
    Op.SLOT: lambda x, s: s[1],
    Op.NOT: lambda x, s: x.negate(s[2]),
    Op.AND: _wide,
    Op.OR: lambda x, s: x.disjoin((s[2], x.less(s[0], s[1]), x.less(x.const(2), s[0]))),
    Op.EQ: lambda x, s: x.equal(s[0], s[1]),
    Op.LT: lambda x, s: x.less(s[0], s[1]),
    Op.ADD: lambda x, s: x.add(s[0], s[1]),
    Op.SUB: lambda x, s: x.subtract(s[0], s[1]),
    Op.MUL: lambda x, s: x.multiply(s[0], s[1]),
    Op.DIV: lambda x, s: x.divide(s[0], s[1]),
    Op.MOD: lambda x, s: x.modulo(s[0], s[1]),
    Op.ITE: lambda x, s: x.choose(s[2], s[0], s[1]),
}


def slots(x: Expressions, first: int = 0) -> list[Expression]:
    return [x.slot(first + i, lo, hi, is_bool=is_bool) for i, (lo, hi, is_bool) in enumerate(SLOTS)]


def test_every_operation_that_a_state_can_have_is_tried() -> None:
    without_a_bound = {Op.PARAM, Op.BOUND, Op.SELECT, Op.STORE, Op.EXISTS}
    assert set(MADE) == set(Op) - {Op.CONST, Op.NEXT, Op.OUTCOME} - without_a_bound


@pytest.mark.parametrize("op", MADE, ids=lambda op: op.value)
def test_an_operation_means_the_same_with_its_slots_moved_on(op: Op) -> None:
    old, new = Expressions(), Expressions()
    # Another table in which other nodes have the numbers: none of the old may be taken over.
    new.add(new.const(40), new.slot(0, 0, 9, is_bool=False))
    root = MADE[op](old, slots(old))
    assert root.op is op
    (moved,) = substitute(new, [root], slots(new, 5))
    assert (moved.op, moved.is_bool, moved.lo, moved.hi) == (op, root.is_bool, root.lo, root.hi)
    for state in STATES:
        assert evaluate([moved], (9,) * 5 + state) == evaluate([root], state), state


@pytest.mark.parametrize("op", MADE, ids=lambda op: op.value)
def test_an_operation_means_the_same_with_something_else_for_each_slot(op: Op) -> None:
    old, new = Expressions(), Expressions()
    root = MADE[op](old, slots(old))
    a, b, c = slots(new)
    instead = [
        new.choose(c, new.subtract(new.const(1), b), new.const(2)),
        new.add(new.modulo(a, new.const(4)), new.const(1)),
        new.less(a, b),
    ]
    (made,) = substitute(new, [root], instead)
    for state in STATES:
        assert evaluate([made], state) == evaluate([root], evaluate(instead, state)), state


def test_a_constant_stays_a_number_or_a_truth_value() -> None:
    old, new = Expressions(), Expressions()
    made = substitute(new, [old.const(1), old.const(7), old.true, old.false], [])
    assert made == [new.const(1), new.const(7), new.true, new.false]


def test_the_same_expression_becomes_the_same_node() -> None:
    one, other, new = Expressions(), Expressions(), Expressions()
    roots = [_wide(x, slots(x)) for x in (one, other)]
    assert roots[0] is not roots[1]
    made = [substitute(new, [root], slots(new)) for root in roots]
    assert made[0][0] is made[1][0]


def test_what_follows_a_step_is_refused() -> None:
    old, new = Expressions(), Expressions()
    for root in (old.next_slot(0, 0, 3, is_bool=False), old.outcome(2)):
        with pytest.raises(AssertionError, match="what follows a step"):
            substitute(new, [root], slots(new))


def test_what_has_no_bound_is_refused() -> None:
    old, new = Expressions(), Expressions()
    with pytest.raises(AssertionError, match="without a bound"):
        substitute(new, [old.param(0, 0)], slots(new))


def test_guards_and_updates_of_models_mean_the_same_with_their_slots_moved_on() -> None:
    for seed in range(20):
        system = lift(random_model(seed))
        roots = [e for t in system.transitions for e in (t.guard, t.mistake, t.outcome, *(u for _, u in t.updates))]
        x = Expressions()
        moved = [x.slot(i + 3, s.lo, s.hi, is_bool=s.is_bool) for i, s in enumerate(system.slots)]
        rebuilt = substitute(x, roots, moved)
        for state in system.initial:
            assert evaluate(rebuilt, (0, 0, 0, *state)) == evaluate(roots, state)

"""Candidates for lemmas, by templates over the slots of a system: what is true of every state of a sample.

A literal compares a slot with a constant, or two number slots of like kind with each other (epochs, say). A candidate
is one literal (a constant, a tighter range, an order) or two with "or" between them: that a phase or a message in
flight implies another literal. That it is true of what was seen says nothing of what was not: `houdini.py` decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from fenceproof.model.expressions import Expression, Expressions, Op, evaluate
from fenceproof.model.layout import Slot
from fenceproof.model.system import State, TransitionSystem
from numpy.typing import NDArray

from ..engines.compile import as_mask, compile_roots
from ..engines.cover import cover

#: A slot with at most so many values is compared with each of them, one with more with the least and greatest seen.
FEW: Final = 5
#: How many literals a candidate for a counterexample to induction may have.
LONGEST: Final = 4
#: So many candidates are tried at most, shorter ones first.
MOST: Final = 12_000


@dataclass(frozen=True, slots=True)
class Table:
    """Literals, and in which states of the sample each is false: a row for each state, a column for each literal."""

    expressions: Expressions
    literals: tuple[Expression, ...]
    false: NDArray[np.bool_]

    def single(self) -> list[Expression]:
        """The literals that are true of every state of the sample."""
        return [literal for i, literal in enumerate(self.literals) if not self.false[:, i].any()]

    def candidates(self) -> list[Expression]:
        """What is true of every state of the sample: literals, and pairs of those that are not."""
        x = self.expressions
        # The product counts the states in which both are false; numbers below 2**24 are exact in single precision.
        falsity = self.false.astype(np.float32)
        together = falsity.T @ falsity
        always = np.flatnonzero(np.diag(together) == 0)
        found = [self.literals[i] for i in always]
        open_ = np.flatnonzero(np.diag(together) > 0)
        for i, j in np.argwhere(np.triu(together[np.ix_(open_, open_)] == 0, k=1)):
            pair = x.disjoin((self.literals[open_[i]], self.literals[open_[j]]))
            if not pair.is_const and not _is_idle(self.literals[open_[i]], self.literals[open_[j]]):
                found.append(pair)
        return list(dict.fromkeys(found))[:MOST]

    def excluding(self, state: State) -> Expression | None:
        """A clause that is false in a state and true of the whole sample: literals are added as long as one of the
        sample's states is left in which all so far are false, each time the one that leaves fewest."""
        values = {e.number: v for e, v in zip(self.literals, truths(self.literals, state), strict=True)}
        usable = [i for i, literal in enumerate(self.literals) if not values[literal.number]]
        chosen = cover(self.false, usable, LONGEST)
        return self.expressions.disjoin(self.literals[i] for i in chosen) if chosen else None


def _is_idle(a: Expression, b: Expression) -> bool:
    """Whether two comparisons of the same two slots are joined: one literal says the same, or nothing is said."""
    return a.support == b.support and {a.op, b.op} <= {Op.NOT, Op.EQ, Op.LT} and a.support.bit_count() > 1


def truths(roots: Sequence[Expression], state: State) -> list[bool]:
    """What is true in one state."""
    return [bool(value) for value in evaluate(roots, state)]


def table(system: TransitionSystem, columns: dict[int, NDArray[Any]]) -> Table:
    """The literals of a system over the states of a sample."""
    literals = tuple(dict.fromkeys(_literals(system, columns)))
    program = compile_roots(literals)
    rows = len(columns[0])
    values = program.run([columns[i] for i in program.slots])
    false = np.empty((rows, len(literals)), dtype=np.bool_, order="F")
    for i, value in enumerate(values):
        false[:, i] = ~as_mask(value, rows)
    return Table(system.expressions, literals, false)


def _literals(system: TransitionSystem, columns: dict[int, NDArray[Any]]) -> list[Expression]:
    x = system.expressions
    found: list[Expression] = []
    variables = [x.slot(i, s.lo, s.hi, is_bool=s.is_bool) for i, s in enumerate(system.slots)]
    for position, (slot, variable) in enumerate(zip(system.slots, variables, strict=True)):
        if slot.is_bool:
            found += [variable, x.negate(variable)]
        elif slot.hi > slot.lo:
            found += _of_number(x, slot, variable, columns[position])
    numbers = [(s, v) for s, v in zip(system.slots, variables, strict=True) if not s.is_bool and s.hi - s.lo > 1]
    for i, (slot, a) in enumerate(numbers):
        for other, b in numbers[i + 1 :]:
            if _are_alike(slot, other):
                one, two, same = x.less(a, b), x.less(b, a), x.equal(a, b)
                found += [one, two, same, x.negate(one), x.negate(two), x.negate(same)]
    return [literal for literal in found if not literal.is_const]


def _of_number(x: Expressions, slot: Slot, variable: Expression, seen: NDArray[Any]) -> list[Expression]:
    found: list[Expression] = []
    if slot.hi - slot.lo < FEW:
        for value in range(slot.lo, slot.hi + 1):
            equal = x.equal(variable, x.const(value))
            found += [equal, x.negate(equal)]
    values = range(slot.lo, slot.hi + 1) if slot.hi - slot.lo < FEW else (int(seen.min()), int(seen.max()))
    for value in values:
        below = x.less(variable, x.const(value))
        above = x.less(x.const(value), variable)
        found += [below, above, x.negate(below), x.negate(above)]
    return found


def _are_alike(a: Slot, b: Slot) -> bool:
    """Whether two numbers may be of one kind: the same range, or with one value more for none."""
    return a.hi == b.hi and abs(a.lo - b.lo) <= 1

"""An inductive invariant around the states that were reached: from a complete exploration to a proof that stands alone.

Wherever an argument by induction fails, it fails at a state that was never reached. Such a state is excluded by the
shortest clause we find that is true in every reached state, and the argument is tried again, until it holds. (Lemmas
from counterexamples to induction: A. Bradley, "SAT-Based Model Checking without Unrolling", VMCAI 2011. There a clause
is judged by one more question of the solver; here by all reached states, one bit each, which takes microseconds.)

The exploration is not trusted: `inductive_part` asks of the finished invariant what a proof has to show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from fenceproof.model.errors import InternalError
from fenceproof.model.expressions import Expression
from fenceproof.model.layout import Layout
from fenceproof.model.system import State, TransitionSystem
from numpy.typing import NDArray

from ..smt.induction import Induction
from .words import Batch, column, join

Bits: TypeAlias = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Bound:
    """A slot's value from above or from below: `slot <= value`, or `slot >= value`."""

    slot: int
    value: int
    is_upper: bool


class Reached:
    """The reached states, as one bit for each state and bound: whether it is true there."""

    def __init__(self, system: TransitionSystem, levels: Sequence[Batch]) -> None:
        self._slots = system.slots
        layout, states = Layout.of(system.slots), join(levels)
        self._columns = [column(states, field, slot) for field, slot in zip(layout.fields, system.slots, strict=True)]
        self.count = len(states[0])
        self._bits: dict[Bound, Bits] = {}

    def bits(self, bound: Bound) -> Bits:
        """Where a bound is true."""
        found = self._bits.get(bound)
        if found is None:
            values = self._columns[bound.slot]
            found = _packed(values <= bound.value if bound.is_upper else values >= bound.value)
            self._bits[bound] = found
        return found

    def everywhere(self) -> Bits:
        """All states."""
        return _packed(np.ones(self.count, dtype=np.bool_))

    def excluding(self, state: State) -> list[Bound]:
        """Few bounds that are true in a state and, together, in none that was reached."""
        bounds = list(self._around(state))
        left, picked = self.everywhere(), list[Bound]()
        while left.any():
            counts = [int(np.bitwise_count(left & self.bits(b)).sum()) for b in bounds]
            best = min(range(len(bounds)), key=counts.__getitem__)
            picked.append(bounds.pop(best))
            if not bounds and (left & self.bits(picked[-1])).any():
                raise InternalError("an argument by induction fails at a state that was reached. Please report this.")
            left = left & self.bits(picked[-1])
        return self._needed(picked)

    def _needed(self, picked: list[Bound]) -> list[Bound]:
        for bound in tuple(picked):
            others = [b for b in picked if b is not bound]
            left = self.everywhere()
            for other in others:
                left = left & self.bits(other)
            if not left.any():
                picked = others
        return picked

    def _around(self, state: State) -> Iterator[Bound]:
        for number, (slot, value) in enumerate(zip(self._slots, state, strict=True)):
            if value < slot.hi:
                yield Bound(number, value, is_upper=True)
            if value > slot.lo:
                yield Bound(number, value, is_upper=False)


def _packed(values: NDArray[Any]) -> Bits:
    octets = np.packbits(np.asarray(values, dtype=np.bool_))
    return np.concatenate([octets, np.zeros(-len(octets) % 8, dtype=np.uint8)]).view(np.uint64)


class Enclosure:
    """Clauses that are true in every reached state, as many as were needed so far."""

    def __init__(self, system: TransitionSystem, induction: Induction, reached: Reached) -> None:
        self.clauses: list[Expression] = []
        self._system, self._induction, self._reached = system, induction, reached
        self._open: list[Expression] = []

    def exclude(self, bad: Expression) -> None:
        """Add clauses until together they are kept by every step and exclude `bad`. Raises UndecidedError."""
        self._block(bad)
        while self._open:
            self._block(self._induction.lost(self._open[-1]), self._open.pop())

    def _block(self, bad: Expression, kept: Expression | None = None) -> None:
        # Clauses are only ever added, so what is excluded once stays so.
        while (state := self._induction.find(self.clauses, bad)) is not None:
            clause = self._clause(self._reached.excluding(state))
            self.clauses.append(clause)
            self._open.append(clause)

    def _clause(self, bounds: Sequence[Bound]) -> Expression:
        """That some of the bounds is not met."""
        x = self._system.expressions
        by_slot: dict[int, list[Bound]] = {}
        for bound in sorted(bounds, key=lambda b: b.slot):
            by_slot.setdefault(bound.slot, []).append(bound)
        return x.disjoin(x.negate(self._met(number, of_slot)) for number, of_slot in by_slot.items())

    def _met(self, number: int, bounds: Sequence[Bound]) -> Expression:
        x, slot = self._system.expressions, self._system.slots[number]
        term = x.slot(number, slot.lo, slot.hi, is_bool=slot.is_bool)
        if slot.is_bool:
            return x.equal(term, x.truth(not bounds[0].is_upper))
        if len(bounds) == 2:
            return x.equal(term, x.const(bounds[0].value))
        value, is_upper = bounds[0].value, bounds[0].is_upper
        if value in (slot.lo, slot.hi):
            return x.equal(term, x.const(value))
        return x.less(term, x.const(value + 1)) if is_upper else x.less(x.const(value - 1), term)

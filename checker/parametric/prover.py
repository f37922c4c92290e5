"""Proves properties of a system over unbounded integers, one after another, each with what was found for those before.

First by enclosing what is reached with few numbers; where that finds nothing, by Spacer, with the clauses so far as
lemmas. What a proof needs of all that is cut out and checked once more, by fresh solvers and on every state that was
reached, before it is called one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fenceproof.model.expressions import Expression
from fenceproof.model.system import TransitionSystem

from ..engines.explicit import Search, explore
from ..limits import Watch
from ..smt.watched import exceeded
from .core import Cores
from .enclose import Enclosing
from .held import Held, hold
from .horn import Horn, NoInvariantError
from .literals import literals
from .obligations import Obligation, Parametric
from .reached import limited
from .rows import rows_of
from .verify import first_refuted

#: The largest number of the states that are enclosed.
ENCLOSED: Final = 3
#: Seconds for Spacer.
SPACER_S: Final = 10.0
_CHECK_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Shown:
    """An invariant, in conjuncts, that refutes some obligations."""

    invariant: tuple[Expression, ...]


class Prover:
    """Everything that is known of one system."""

    def __init__(self, system: TransitionSystem, watch: Watch) -> None:
        self.parametric = p = Parametric(system)
        self.induction = p.induction()
        self._watch = watch
        self._held: Held = hold(system, ENCLOSED, p.ignored)
        self._search: Search = explore(self._held.system, [], limited(watch), None)[0]
        made = literals(p)
        rows = rows_of(p, self._held, self._search, made)
        self._enclosing = Enclosing(p, self.induction, made, rows, self.is_over)
        self._horn = Horn(p, watch)
        self._cores = Cores(p, self.induction)

    def show(self, obligations: Sequence[Obligation]) -> Shown | None:
        """An invariant that refutes all of the obligations; None where none was found."""
        if self.is_over():
            return None
        if self._enclosing.show(obligations):
            return self._checked(self._enclosing.clauses, obligations)
        try:
            found = self._horn.solve(obligations, self._enclosing.clauses, self._seconds())
        except NoInvariantError:
            return None
        return None if found is None else self._checked([*self._enclosing.clauses, *found], obligations)

    def is_over(self) -> bool:
        """Whether the time is up, or the memory."""
        return exceeded(self._watch) is not None

    def _seconds(self) -> float:
        rest = self._watch.limits.time_s
        return SPACER_S if rest is None else max(0.1, min(SPACER_S, rest - self._watch.seconds))

    def _checked(self, whole: Sequence[Expression], obligations: Sequence[Obligation]) -> Shown | None:
        """What an invariant needs for the obligations, if it is one: whoever found it is not believed."""
        invariant = self._cores.needed(whole, obligations)
        if first_refuted(self.parametric, invariant, [*self.induction, *obligations], _CHECK_S) is not None:
            return None
        if not rows_of(self.parametric, self._held, self._search, invariant).all():
            return None  # a state that was reached is outside: then the obligations say too little
        return Shown(tuple(invariant))

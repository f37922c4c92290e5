"""Arguments by induction over one step, decided by z3: every question is whether some state of the slots' ranges
satisfies what is assumed and yet has something bad about it.

Conjuncts are literals of one solver for finite domains (`QF_FD`), so what it has learned serves the next question, and
its cores tell which conjuncts an answer leaned on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fenceproof.model.expressions import Expression, evaluate
from fenceproof.model.system import State, TransitionSystem

from ..limits import Limits, Watch
from ..obligations import losses
from .backend import Term, new_solver, z3
from .encode import Encoder, in_range, value_of, variables
from .watched import watched


class UndecidedError(Exception):
    """z3 gave up without an answer."""


class Induction:
    """Questions about one system, each under the limits of `watch`.

    Whatever asks may raise UndecidedError; or StoppedError, after which nothing more is to be asked.
    """

    def __init__(self, system: TransitionSystem, watch: Watch | None = None) -> None:
        self.system = system
        self._watch = watch or Watch.start(Limits())
        self._solver = new_solver("QF_FD")
        self._state = variables(system.slots, "")
        self._encoder = Encoder(system.slots, self._state)
        self._solver.add(in_range(system.slots, self._state))
        self._literals: dict[int, Term] = {}
        self._losses: dict[int, Expression] = {}

    def literal(self, condition: Expression) -> Term:
        """A literal that is true exactly where a condition is."""
        found = self._literals.get(condition.number)
        if found is None:
            found = z3.Bool(f"condition@{condition.number}")
            self._solver.add(found == self._encoder.term(condition))
            self._literals[condition.number] = found
        return found

    def find(self, assumed: Iterable[Expression], bad: Expression) -> State | None:
        """A state in which everything assumed is true and so is `bad`; None where there is none."""
        if self._check([*map(self.literal, assumed), self.literal(bad)]):
            model = self._solver.model()
            return tuple(value_of(model, slot, term) for slot, term in zip(self.system.slots, self._state, strict=True))
        return None

    def core(self, assumed: Sequence[Expression], bad: Expression) -> list[Expression] | None:
        """Conjuncts among those assumed that exclude `bad`, none of which can go; None where all of them do not."""
        core = self._core(assumed, bad)
        # The solver's cores are not minimal: of thirteen conjuncts none may be needed at all.
        for conjunct in () if core is None else tuple(core):
            assert core is not None
            if conjunct in core:
                smaller = self._core([c for c in core if c is not conjunct], bad)
                core = core if smaller is None else smaller
        return core

    def _core(self, assumed: Sequence[Expression], bad: Expression) -> list[Expression] | None:
        by_literal = {self.literal(c).get_id(): c for c in assumed}
        if self._check([*map(self.literal, assumed), self.literal(bad)]):
            return None
        return [by_literal[t.get_id()] for t in self._solver.unsat_core() if t.get_id() in by_literal]

    def lost(self, conjunct: Expression) -> Expression:
        """The states, with a conjunct or without, from which a step leads to one without it."""
        found = self._losses.get(conjunct.number)
        if found is None:
            found = self.system.expressions.disjoin(losses(self.system, conjunct))
            self._losses[conjunct.number] = found
        return found

    def _check(self, literals: Sequence[Term]) -> bool:
        answer = watched(lambda: self._solver.check(*literals), self._watch)
        if answer == z3.unknown:
            raise UndecidedError(str(self._solver.reason_unknown()))
        return bool(answer == z3.sat)


def holds_at_first(system: TransitionSystem, conjunct: Expression) -> bool:
    """Whether a condition is true in every initial state."""
    return all(evaluate([conjunct], state)[0] for state in system.initial)


def inductive_part(
    induction: Induction, invariant: Sequence[Expression], bad: Expression
) -> tuple[Expression, ...] | None:
    """Conjuncts of an invariant that suffice to exclude `bad` and are kept by every step, in the order given.

    None where the invariant is none: a conjunct is false at first or lost by a step, or `bad` is not excluded. What
    one question leaned on is asked about in turn, so most conjuncts that are not needed are never looked at.
    """
    needed = induction.core(invariant, bad)
    if needed is None:
        return None
    waiting, kept = list(needed), dict.fromkeys(needed)
    while waiting:
        conjunct = waiting.pop()
        if not holds_at_first(induction.system, conjunct):
            return None
        core = induction.core([conjunct, *(c for c in invariant if c is not conjunct)], induction.lost(conjunct))
        if core is None:
            return None
        fresh = [c for c in core if c not in kept]
        kept.update(dict.fromkeys(fresh))
        waiting += fresh
    return tuple(c for c in invariant if c in kept)


def is_proof(
    system: TransitionSystem, invariant: Sequence[Expression], bad: Expression, watch: Watch | None = None
) -> bool:
    """Whether an invariant is true at first, kept by every step, and excludes `bad`: asked of a solver of its own."""
    induction = Induction(system, watch)
    return (
        all(holds_at_first(system, c) for c in invariant)
        and all(induction.find(invariant, induction.lost(c)) is None for c in invariant)
        and induction.find(invariant, bad) is None
    )

"""Rows of steps from any state, in which a goal is kept until the last: what induction over k states looks at
(M. Sheeran, S. Singh and G. Stålmarck, "Checking Safety Properties Using Induction and a SAT-Solver", FMCAD 2000).

No state comes twice in a row: a shortest way to where a goal is broken repeats none. A goal about steps is broken by
the last step, which may lead back to a state that was there before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fenceproof.model.expressions import Expression
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace

from .backend import Term, z3
from .encode import Encoder, equals
from .goals import StateGoal, StepGoal
from .solve import Budget, decide
from .unroll import Unrolling


@dataclass(frozen=True, slots=True)
class Argument:
    """Why no row breaks a goal: the lemmas it takes, and whether that no state comes twice."""

    lemmas: tuple[Expression, ...]
    simple_path: bool


class Rows:
    """All rows of `length` steps in whose states some lemmas are true."""

    def __init__(self, system: TransitionSystem, lemmas: Sequence[Expression], budget: Budget) -> None:
        self._budget = budget
        self._lemmas = tuple(lemmas)
        self._literals = [z3.Bool(f"lemma!{number}") for number in range(len(self._lemmas))]
        self._unrolling = Unrolling(system, initial=False)
        self._steps: list[list[Encoder]] = []
        self._simple: list[Term] = []
        self._enter()

    @property
    def length(self) -> int:
        """How many steps there are."""
        return self._unrolling.depth

    def extend(self) -> None:
        """Add a step."""
        self._steps.append(self._unrolling.extend())
        self._enter()

    def _enter(self) -> None:
        unrolling = self._unrolling
        last, encoder = unrolling.states[-1], unrolling.encoders[-1]
        for literal, lemma in zip(self._literals, self._lemmas, strict=True):
            unrolling.solver.add(z3.Implies(literal, encoder.term(lemma)))
        fresh = z3.Bool(f"fresh!{len(self._simple)}")
        for earlier in unrolling.states[:-1]:
            same = z3.And([equals(a, b) for a, b in zip(earlier, last, strict=True)])
            unrolling.solver.add(z3.Implies(fresh, z3.Not(same)))
        self._simple.append(fresh)

    def breaks(self, goal: StateGoal | StepGoal) -> Trace | Argument:
        """A row that keeps a goal until it breaks it at its end; or why there is none."""
        solver, unrolling = self._unrolling.solver, self._unrolling
        kept = self._kept(goal)
        literal = z3.FreshBool("question")
        solver.add(z3.Implies(literal, z3.And([*kept[:-1], z3.Not(kept[-1])])))
        simple = self._simple[1:] if isinstance(goal, StateGoal) else self._simple[1:-1]
        model = decide(solver, [literal, *self._literals, *simple], self._budget)
        if model is not None:
            solver.add(z3.Not(literal))
            return unrolling.trace(model, unrolling.depth)
        core = {str(used) for used in solver.unsat_core()}
        used = [c for lit, c in zip(self._literals, self._lemmas, strict=True) if str(lit) in core]
        return Argument(tuple(used), any(str(fresh) in core for fresh in simple))

    def _kept(self, goal: StateGoal | StepGoal) -> list[Term]:
        unrolling = self._unrolling
        if isinstance(goal, StateGoal):
            return [encoder.term(goal.holds) for encoder in unrolling.encoders]

        def kept(step: int) -> Term:
            return z3.Not(goal.broken(lambda position: unrolling.picked(step, position), self._steps[step]))

        return [kept(step) for step in range(unrolling.depth)]

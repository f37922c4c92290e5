"""Which of many candidates are an inductive invariant together (C. Flanagan and K. R. M. Leino, "Houdini, an Annotation
Assistant for ESC/Java", FME 2001).

All are supposed of a state, and a step from it is asked for after which one is false; what is false there is dropped,
and so on until there is no such step. What is left is the largest inductive part of what was given, whatever the
candidates came from: a wrong one costs time and never a wrong proof.
"""

from __future__ import annotations

from collections.abc import Sequence

from fenceproof.model.expressions import Expression, evaluate
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace

from .backend import Term, z3
from .goals import StateGoal, StepGoal
from .solve import Budget, decide
from .unroll import Unrolling


class Houdini:
    """One step from any state. Each candidate is supposed before it, and asked for after it, by literals of its own."""

    def __init__(self, system: TransitionSystem, budget: Budget) -> None:
        self._system = system
        self._budget = budget
        self._unrolling = Unrolling(system, initial=False)
        self._steps = self._unrolling.extend()
        self._supposed: dict[Expression, Term] = {}
        self._broken: dict[Expression, Term] = {}
        self._names: dict[str, Expression] = {}
        self._closed: dict[Expression, tuple[Expression, ...]] = {}

    def inductive(self, candidates: Sequence[Expression]) -> list[Expression]:
        """The largest part of some candidates that is true in every initial state and kept by every step together."""
        left = list(dict.fromkeys(candidates))
        for state in self._system.initial:
            left = _true_of(left, state)
        for candidate in left:
            self._add(candidate)
        while left:
            model = self._ask(z3.Or([self._broken[c] for c in left]), left)
            if model is None:
                return left
            kept = _true_of(left, self._unrolling.trace(model, 1).states[1])
            assert len(kept) < len(left), "a step that breaks a candidate leads to where one is false"
            left = kept
        return left

    def breaks(self, goal: StateGoal | StepGoal, lemmas: Sequence[Expression]) -> Trace | None:
        """A step from where all lemmas are true, and a goal about states too, that breaks the goal; None if none does.

        After None, `used` says which lemmas that took.
        """
        for lemma in lemmas:
            self._add(lemma)
        if isinstance(goal, StateGoal):
            self._add(goal.holds)
            model = self._ask(self._broken[goal.holds], [*lemmas, goal.holds])
        else:
            unrolling = self._unrolling
            model = self._ask(goal.broken(lambda position: unrolling.picked(0, position), self._steps), lemmas)
        return None if model is None else self._unrolling.trace(model, 1)

    def used(self) -> list[Expression]:
        """What was supposed in the last question and is needed to answer it with no."""
        core = [str(literal) for literal in self._unrolling.solver.unsat_core()]
        return [self._names[name] for name in core if name in self._names]

    def support(self, goals: Sequence[Expression], lemmas: Sequence[Expression]) -> tuple[Expression, ...]:
        """Of lemmas that are inductive together, a part that has `goals` in it and is inductive by itself."""
        needed: dict[Expression, None] = {}
        waiting = list(dict.fromkeys(goals))
        while waiting:
            # A lemma whose support is known brings all of it; the others are asked about at once.
            known = [self._closed[lemma] for lemma in waiting if lemma in self._closed]
            needed.update(dict.fromkeys(waiting))
            needed.update(dict.fromkeys(lemma for part in known for lemma in part))
            unknown = [lemma for lemma in waiting if lemma not in self._closed]
            if not unknown:
                break
            broken = self._ask(z3.Or([self._broken[lemma] for lemma in unknown]), lemmas)
            assert broken is None, "no step breaks a lemma of those that are inductive together"
            waiting = [lemma for lemma in self.used() if lemma not in needed]
        closed = tuple(needed)
        self._closed.update((lemma, closed) for lemma in closed if lemma not in self._closed)
        return closed

    def _add(self, candidate: Expression) -> None:
        if candidate in self._supposed:
            return
        solver, encoders = self._unrolling.solver, self._unrolling.encoders
        number = len(self._supposed)
        supposed, broken = z3.Bool(f"supposed!{number}"), z3.Bool(f"broken!{number}")
        solver.add(z3.Implies(supposed, encoders[0].term(candidate)))
        solver.add(z3.Implies(broken, z3.Not(encoders[1].term(candidate))))
        self._supposed[candidate], self._broken[candidate] = supposed, broken
        self._names[str(supposed)] = candidate

    def _ask(self, question: Term, supposed: Sequence[Expression]) -> Term | None:
        solver = self._unrolling.solver
        literal = z3.FreshBool("question")
        solver.add(z3.Implies(literal, question))
        model = decide(solver, [literal, *(self._supposed[c] for c in supposed)], self._budget)
        if model is not None:
            solver.add(z3.Not(literal))
        return model


def _true_of(candidates: Sequence[Expression], state: Sequence[int]) -> list[Expression]:
    return [c for c, value in zip(candidates, evaluate(candidates, state), strict=True) if value]

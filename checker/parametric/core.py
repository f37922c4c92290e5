"""The part of an invariant that a proof needs: from the property, back through what each conjunct rests on.

(A. Bradley and Z. Manna, "Checking Safety by Inductive Generalization of Counterexamples to Induction", FMCAD 2007,
section 4, ask for the same of a clause.) The cores of unsatisfiable questions say what was used.
"""

from __future__ import annotations

from collections.abc import Sequence

from fenceproof.model.expressions import Expression

from ..smt.backend import new_solver, z3
from .integers import Integers, functions
from .obligations import Obligation, Parametric


class Cores:
    """Cuts invariants down. What is asked of a system's steps is kept for the next one."""

    def __init__(self, p: Parametric, induction: Sequence[Obligation]) -> None:
        self._p, self._induction = p, induction
        self._questions: list[_Question] = []
        self._of: tuple[int, ...] = ()

    def needed(self, invariant: Sequence[Expression], bad: Sequence[Obligation]) -> list[Expression]:
        """Conjuncts that are inductive together and refute the obligations; all of them where z3 gives up."""
        kept: set[int] = set()
        waiting: set[int] = set()
        for obligation in bad:
            used = _Question(self._p, invariant, obligation).core(None)
            if used is None:
                return list(invariant)
            waiting |= used
        while waiting:
            goal = waiting.pop()
            kept.add(goal)
            for question in self._steps(invariant):
                used = question.core(invariant[goal])
                if used is None:
                    return list(invariant)
                waiting |= used - kept
        return [invariant[i] for i in sorted(kept)]

    def _steps(self, invariant: Sequence[Expression]) -> list[_Question]:
        of = tuple(conjunct.number for conjunct in invariant)
        if of != self._of or not self._questions:
            self._questions = [_Question(self._p, invariant, obligation) for obligation in self._induction]
            self._of = of
        return self._questions


class _Question:
    """An obligation with the whole invariant before it, each conjunct of which may be left out."""

    def __init__(self, p: Parametric, invariant: Sequence[Expression], obligation: Obligation) -> None:
        members = functions(p.predicates)
        self._p, self._obligation = p, obligation
        self._integers = Integers(lambda predicate, _, number: members[predicate](number))
        self._solver = new_solver(timeout=5000)
        self._names = [z3.Bool(f"use{i}") for i in range(len(invariant))]
        self._solver.add(*(self._integers.term(fact) for fact in obligation.facts))
        terms = obligation.used_at
        for name, conjunct in zip(self._names, invariant, strict=True):
            here = [self._integers.term(p.at(conjunct, term)) for term in (terms if conjunct.free else terms[:1])]
            if here:
                self._solver.assert_and_track(z3.And(here), name)
        self._places = {conjunct.number: i for i, conjunct in enumerate(invariant)}
        self._numbers = {name.get_id(): i for i, name in enumerate(self._names)}

    def core(self, goal: Expression | None) -> set[int] | None:
        """Which conjuncts show the goal afterwards (None: a contradiction); None where they do not."""
        solver = self._solver
        after = None if goal is None else self._p.after(goal, self._obligation)
        if goal is not None and self._is_kept(goal, after):
            return {self._places[goal.number]}
        solver.push()
        if after is not None:
            solver.add(z3.Not(self._integers.term(after)))
        solver.add(*self._integers.sides)
        answer = solver.check()
        used = {self._numbers[name.get_id()] for name in solver.unsat_core()} if answer == z3.unsat else None
        solver.pop()
        return used

    def _is_kept(self, goal: Expression, after: Expression | None) -> bool:
        """Whether a step does not touch what a conjunct speaks of, which needs no solver."""
        obligation = self._obligation
        numbers = {number.number for number in obligation.used_at}
        if not numbers or (goal.free and obligation.number.number not in numbers):
            return False
        return after is self._p.at(goal, obligation.number)

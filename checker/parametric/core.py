"""The part of an invariant that a proof needs: from the property, back through what each conjunct rests on.

(A. Bradley and Z. Manna, "Checking Safety by Inductive Generalization of Counterexamples to Induction", FMCAD 2007,
section 4, ask for the same of a clause.) The cores of unsatisfiable questions say what was used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fenceproof.model.expressions import Expression

from ..smt.backend import new_solver, z3
from .integers import Integers, functions
from .obligations import Obligation, Parametric


class Cores:
    """Cuts invariants down. What is asked of a system's steps is kept, with the conjuncts that it has met so far."""

    def __init__(self, p: Parametric, induction: Sequence[Obligation]) -> None:
        self._p = p
        self._steps = [_Question(p, obligation) for obligation in induction]

    def needed(self, invariant: Sequence[Expression], bad: Sequence[Obligation]) -> list[Expression]:
        """Conjuncts that are inductive together and refute the obligations; all of them where z3 gives up."""
        kept: set[int] = set()
        waiting: set[int] = set()
        for obligation in bad:
            used = _Question(self._p, obligation).core(invariant, None)
            if used is None:
                return list(invariant)
            waiting |= used
        while waiting:
            goal = waiting.pop()
            kept.add(goal)
            for question in self._steps:
                used = question.core(invariant, goal)
                if used is None:
                    return list(invariant)
                waiting |= used - kept
        return [invariant[i] for i in sorted(kept)]


class _Question:
    """An obligation before which conjuncts may be supposed, those that a question names."""

    def __init__(self, p: Parametric, obligation: Obligation) -> None:
        members = functions(p.predicates)
        self._p, self._obligation = p, obligation
        self._integers = Integers(lambda predicate, _, number: members[predicate](number))
        self._solver = new_solver(timeout=5000)
        self._solver.add(*(self._integers.term(fact) for fact in obligation.facts))
        self._names: dict[int, Any] = {}

    def core(self, invariant: Sequence[Expression], goal: int | None) -> set[int] | None:
        """Which conjuncts of an invariant, by position, show one of them afterwards (None: a contradiction); None
        where they do not."""
        solver = self._solver
        after = None if goal is None else self._p.after(invariant[goal], self._obligation)
        if goal is not None and self._is_kept(invariant[goal], after):
            return {goal}
        names = [self._supposed(conjunct) for conjunct in invariant]
        solver.push()
        if after is not None:
            solver.add(z3.Not(self._integers.term(after)))
        solver.add(*self._integers.sides)
        used: set[int] | None = None
        if solver.check(*names) == z3.unsat:
            places = {name.get_id(): i for i, name in enumerate(names)}
            used = {places[name.get_id()] for name in solver.unsat_core()}
        solver.pop()
        return used

    def _supposed(self, conjunct: Expression) -> Any:
        """What to assume for a conjunct to be true of the state before, at every number at hand."""
        if conjunct.number not in self._names:
            terms = self._obligation.used_at
            here = [self._p.at(conjunct, term) for term in (terms if conjunct.free else terms[:1])]
            name = z3.Bool(f"use{conjunct.number}")
            self._solver.add(*(z3.Implies(name, self._integers.term(fact)) for fact in here))
            self._names[conjunct.number] = name
        return self._names[conjunct.number]

    def _is_kept(self, goal: Expression, after: Expression | None) -> bool:
        """Whether a step does not touch what a conjunct speaks of, which needs no solver."""
        obligation = self._obligation
        numbers = {number.number for number in obligation.used_at}
        if not numbers or (goal.free and obligation.number.number not in numbers):
            return False
        return after is self._p.at(goal, obligation.number)

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

from ..limits import Watch
from .backend import Term, z3
from .encode import Encoder
from .unroll import Unrolling


class Houdini:
    """One step from any state. Each candidate is supposed before it, and asked for after it, by literals of its own.

    The row of steps is one long and stays so: with a second step, states after the first that are stuck would be left
    out.
    """

    def __init__(self, system: TransitionSystem, watch: Watch) -> None:
        self._system = system
        self._unrolling = Unrolling(system, initial=False, watch=watch)
        self._unrolling.extend()
        self._before, self._after = (Encoder(system.slots, state) for state in self._unrolling.states)
        self._supposed: dict[Expression, Term] = {}
        self._broken: dict[Expression, Term] = {}
        self._names: dict[int, Expression] = {}
        self._closed: dict[Expression, tuple[Expression, ...]] = {}

    def inductive(self, candidates: Sequence[Expression]) -> list[Expression]:
        """The largest part of some candidates that is true in every initial state and kept by every step together."""
        left = list(dict.fromkeys(candidates))
        for state in self._system.initial:
            left = _true_of(left, state)
        while left:
            found = self._step_that_breaks(left, left)
            if found is None:
                return left
            kept = _true_of(left, found.states[1])
            assert len(kept) < len(left), "a step that breaks a candidate leads to where one is false"
            left = kept
        return left

    def breaks(self, goal: Expression, lemmas: Sequence[Expression]) -> Trace | None:
        """A step from where all lemmas and a goal are true to where the goal is false; None where there is none."""
        return self._step_that_breaks([goal], [*lemmas, goal])

    def support(self, goals: Sequence[Expression], lemmas: Sequence[Expression]) -> tuple[Expression, ...]:
        """Of lemmas that are inductive together, a part that has `goals` in it and is inductive by itself."""
        needed: dict[Expression, None] = {}
        waiting = list(dict.fromkeys(goals))
        while waiting:
            # A lemma whose support is known brings all of it; the others are asked about at once.
            needed.update(dict.fromkeys(waiting))
            needed.update(dict.fromkeys(part for lemma in waiting for part in self._closed.get(lemma, ())))
            unknown = [lemma for lemma in waiting if lemma not in self._closed]
            if not unknown:
                break
            broken = self._step_that_breaks(unknown, lemmas)
            assert broken is None, "no step breaks a lemma of those that are inductive together"
            waiting = [lemma for lemma in self._used() if lemma not in needed]
        closed = tuple(needed)
        self._closed.update((lemma, closed) for lemma in closed if lemma not in self._closed)
        return closed

    def _step_that_breaks(self, goals: Sequence[Expression], supposed: Sequence[Expression]) -> Trace | None:
        for candidate in (*goals, *supposed):
            self._add(candidate)
        unrolling = self._unrolling
        question = unrolling.any_of([self._broken[goal] for goal in goals])
        model = unrolling.ask(question, *(self._supposed[c] for c in supposed))
        return None if model is None else unrolling.trace(model, 1)

    def _used(self) -> list[Expression]:
        """What was supposed in the last question and is needed to answer it with no."""
        return [self._names[used] for used in self._unrolling.core() if used in self._names]

    def _add(self, candidate: Expression) -> None:
        if candidate in self._supposed:
            return
        number = len(self._supposed)
        supposed, broken = z3.Bool(f"@supposed@{number}"), z3.Bool(f"@broken@{number}")
        self._unrolling.add(z3.Implies(supposed, self._before.term(candidate)))
        self._unrolling.add(z3.Implies(broken, z3.Not(self._after.term(candidate))))
        self._supposed[candidate], self._broken[candidate] = supposed, broken
        self._names[supposed.get_id()] = candidate


def _true_of(candidates: Sequence[Expression], state: Sequence[int]) -> list[Expression]:
    return [c for c, value in zip(candidates, evaluate(candidates, state), strict=True) if value]

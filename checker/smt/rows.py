"""Rows of steps from any state, in which a goal is kept until the last: what induction over k states looks at
(M. Sheeran, S. Singh and G. Stålmarck, "Checking Safety Properties Using Induction and a SAT-Solver", FMCAD 2000).

No state comes twice in a row: a shortest way to where a goal is broken repeats none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fenceproof.model.expressions import Expression
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace

from ..limits import Watch
from .backend import Term, z3
from .encode import equals
from .unroll import Unrolling


@dataclass(frozen=True, slots=True)
class Argument:
    """Why no row breaks a goal: the lemmas it takes, and whether that no state comes twice."""

    lemmas: tuple[Expression, ...]
    simple_path: bool


class Rows:
    """All rows of so many steps in whose states some lemmas are true."""

    def __init__(self, system: TransitionSystem, lemmas: Sequence[Expression], watch: Watch) -> None:
        self._unrolling = Unrolling(system, initial=False, watch=watch)
        self._lemmas = {z3.Bool(f"@lemma@{number}"): lemma for number, lemma in enumerate(lemmas)}
        encoder = self._unrolling.relation.encoder
        self._supposed = z3.And([z3.Implies(literal, encoder.term(c)) for literal, c in self._lemmas.items()])
        self._fresh: list[Term] = []
        self._enter()

    def extend(self) -> None:
        """Add a step."""
        self._unrolling.extend()
        self._enter()

    def _enter(self) -> None:
        unrolling = self._unrolling
        unrolling.add(unrolling.of_state(self._supposed, unrolling.depth))
        if not unrolling.depth:
            return
        last, fresh = unrolling.states[-1], z3.Bool(f"@fresh@{unrolling.depth}")
        for earlier in unrolling.states[:-1]:
            same = z3.And([equals(a, b) for a, b in zip(earlier, last, strict=True)])
            unrolling.add(z3.Implies(fresh, z3.Not(same)))
        self._fresh.append(fresh)

    def breaks(self, goal: Expression) -> Trace | Argument:
        """A row that keeps a goal until it breaks it at its end; or why there is none."""
        unrolling = self._unrolling
        *kept, last = (unrolling.term(goal, depth) for depth in range(unrolling.depth + 1))
        question = unrolling.literal(z3.And([*kept, z3.Not(last)]))
        model = unrolling.ask(question, *self._lemmas, *self._fresh)
        if model is not None:
            return unrolling.trace(model, unrolling.depth)
        core = unrolling.core()
        used = [lemma for literal, lemma in self._lemmas.items() if literal.get_id() in core]
        return Argument(tuple(used), any(fresh.get_id() in core for fresh in self._fresh))

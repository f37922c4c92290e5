"""Invariants of all numbers by enclosing what was reached: each way out of them is closed with a clause.

A way out is a counterexample to induction: a state with everything that is claimed so far, and a step to one without
it, or to what is to be refuted. A clause that is true of every state that was reached with few numbers, and false of
that one, is claimed as well, until there is no way out. (P. Garg, C. Löding, P. Madhusudan and D. Neider, "ICE: A
Robust Framework for Learning Invariants", CAV 2014, with what was reached as the examples; it needs no implications,
since a state that no clause tells from those that were reached ends the attempt.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from fenceproof.model.expressions import Expression
from numpy.typing import NDArray

from ..smt.backend import new_solver, z3
from .compiled import compiled
from .integers import Integers, functions
from .obligations import Obligation, Parametric
from .rows import Rows, covering

#: More clauses than this are no argument that anybody would read, and a sign that it leads nowhere.
MOST_CLAUSES: Final = 300
_TIMEOUT_MS: Final = 5000
#: A number from a solver may be as large as it likes, and a set with it takes as many bits.
_LARGEST: Final = 1 << 16


class GaveUpError(Exception):
    """There is a way out that no clause closes, or the solver, or the time, was at its end."""


class Enclosing:
    """The clauses that are known to be kept by every step, together; they grow with each property that is shown."""

    def __init__(
        self,
        p: Parametric,
        induction: Sequence[Obligation],
        literals: Sequence[Expression],
        rows: Rows,
        stopped: Callable[[], bool],
    ) -> None:
        self._p, self._literals, self._rows, self._stopped = p, literals, rows, stopped
        self._read = compiled(literals)
        self._steps = [_Question(p, obligation) for obligation in induction if not obligation.is_initial]
        self.clauses: list[Expression] = []

    def show(self, bad: Sequence[Obligation]) -> bool:
        """Whether the obligations are refuted now, with clauses that every step keeps. Nothing is claimed if not."""
        asked = [_Question(self._p, obligation) for obligation in bad]
        before = len(self.clauses)
        for question in asked:
            question.assume(self.clauses)
        for step in self._steps:
            step.begin()
        try:
            self._close(asked, before)
        except GaveUpError:
            del self.clauses[before:]
            for step in self._steps:
                step.undo()
            return False
        return True

    def _close(self, asked: Sequence[_Question], before: int) -> None:
        for question in asked:
            while (found := question.way_out(())) is not None:
                self._exclude(found, [*asked, *self._steps])
        done = [before] * len(self._steps)
        while any(d < len(self.clauses) for d in done):
            for i, step in enumerate(self._steps):
                while done[i] < len(self.clauses):
                    count = len(self.clauses)
                    found = step.way_out(self.clauses[done[i] :])
                    if found is None:
                        done[i] = count
                    else:
                        self._exclude(found, self._steps)

    def _exclude(self, found: Sequence[Seen], everywhere: Sequence[_Question]) -> None:
        if self._stopped() or len(self.clauses) >= MOST_CLAUSES:
            raise GaveUpError
        options = [covering(self._rows, self._false(seen)) for seen in found]
        closing = [clause for clause in options if clause is not None]
        if not closing:
            raise GaveUpError
        clause = self._p.x.disjoin(self._literals[i] for i in min(closing, key=len))
        self.clauses.append(clause)
        for question in everywhere:
            question.assume([clause])

    def _false(self, seen: Seen) -> NDArray[np.bool_]:
        state, number = seen
        arguments = [0] * self._p.number.value + [number]
        return ~np.array(self._read(state, (), arguments, 0), dtype=np.bool_)


#: A state, with the sets as they are at one number alone, and that number.
Seen = tuple[tuple[int, ...], int]


class _Question:
    """An obligation with a solver that is kept."""

    def __init__(self, p: Parametric, obligation: Obligation) -> None:
        self._p, self._obligation = p, obligation
        self._members = functions(p.predicates)
        self._integers = Integers(lambda predicate, _, number: self._members[predicate](number))
        self._solver = new_solver(timeout=_TIMEOUT_MS)
        after = (obligation.after or {}).values()
        for node in (*map(p.slot, p.scalars), *obligation.used_at, *(n for n in after if not n.is_predicate)):
            self._integers.term(node)
        self._solver.add(*(self._integers.term(fact) for fact in obligation.facts), *self._integers.sides)

    def begin(self) -> None:
        """From here on what is assumed may be undone."""
        self._solver.push()

    def undo(self) -> None:
        """Forget what was assumed since the beginning of the attempt."""
        self._solver.pop()

    def assume(self, clauses: Sequence[Expression]) -> None:
        """Claim clauses of the state, at each number at hand."""
        terms = self._obligation.used_at
        for clause in clauses:
            for term in terms if clause.free else terms[:1]:
                self._solver.add(self._integers.term(self._p.at(clause, term)))

    def way_out(self, goals: Sequence[Expression]) -> list[Seen] | None:
        """A state from which a step leads out of a goal, as it is at each number at hand; None for none."""
        broken: list[Any] = []
        if self._obligation.after is not None:
            for goal in goals:
                after = self._p.after(goal, self._obligation)
                if after is not self._p.at(goal, self._obligation.number):
                    broken.append(z3.Not(self._integers.term(after)))
            if not broken:
                return None
        self._solver.push()
        if broken:
            self._solver.add(z3.Or(broken))
        answer = self._solver.check()
        found = self._seen(self._solver.model()) if answer == z3.sat else None
        self._solver.pop()
        if answer == z3.unknown:
            raise GaveUpError
        return found

    def _seen(self, model: Any) -> list[Seen]:
        p = self._p
        state = [0] * len(p.system.slots)
        for s in p.scalars:
            state[s] = self._value(model, self._integers.term(p.slot(s)))
        found: list[Seen] = []
        for term in self._obligation.used_at:
            number = self._value(model, self._integers.term(term))
            if number > _LARGEST:
                continue
            for s in p.predicates:
                state[s] = self._value(model, self._members[s](number)) << number
            found.append((tuple(state), number))
        return found

    @staticmethod
    def _value(model: Any, term: Any) -> int:
        value = model.eval(term, model_completion=True)
        return int(z3.is_true(value)) if z3.is_bool(value) else int(value.as_long())

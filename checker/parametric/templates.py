"""Invariants out of templates: which clauses of one or two literals hold of every reachable state, for every number?

Literals are truths of the state, values of small slots, orders between numbers, and membership of the number that an
invariant speaks of. Houdini keeps the largest set of clauses that is inductive (C. Flanagan and K. R. M. Leino,
"Houdini, an Annotation Assistant for ESC/Java", FME 2001); states that were reached rule most of them out beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np
from fenceproof.model.expressions import UNBOUNDED, Expression
from fenceproof.model.system import State

from ..smt.backend import Term, z3
from .integers import Integers, functions
from .obligations import Obligation, Parametric
from .sampling import compiled, largest

#: Slots with more values than this are no cases to tell apart.
_MOST_VALUES: Final = 4
#: More candidates than this take longer than they are worth.
MOST_CANDIDATES: Final = 4000
_TIMEOUT_MS: Final = 5000

#: A clause as the positions of its literals.
Clause = tuple[int, ...]


def literals(p: Parametric) -> list[Expression]:
    """What clauses are made of."""
    x = p.x
    atoms: list[Expression] = [x.select(p.slot(s), p.number) for s in p.predicates]
    numbers = [p.number] if p.predicates else []
    for s in p.scalars:
        slot, node = p.system.slots[s], p.slot(s)
        if slot.is_bool:
            atoms.append(node)
        elif slot.hi - slot.lo < _MOST_VALUES:
            atoms += [x.equal(node, x.const(v)) for v in range(slot.lo, slot.hi + 1)]
        elif slot.hi >= UNBOUNDED:
            numbers.append(node)
            atoms += [x.less(node, x.const(slot.lo + 1)), x.less(node, x.const(slot.lo + 2))]
        else:
            atoms.append(x.equal(node, x.const(slot.lo)))
    for a, b in combinations(numbers, 2):
        atoms += [x.less(a, b), x.less(b, a)]
    found = {n.number: n for atom in atoms for n in (atom, x.negate(atom)) if not n.is_const}
    return list(found.values())


def candidates(p: Parametric, made: Sequence[Expression], states: Sequence[State]) -> list[Clause]:
    """The clauses that are true of every state that was reached, none of them a part of another."""
    read = compiled(made)
    numbers = max((largest(p.system, s) for s in states), default=0) + 3 if p.predicates else 1
    arguments = [0] * (p.number.value + 1)
    rows: set[tuple[int, ...]] = set()
    for state in states:
        for number in range(numbers):
            arguments[-1] = number
            rows.add(tuple(read(state, (), arguments, 0)))
    false = 1 - np.array(sorted(rows), dtype=np.int32)
    together = false.T @ false
    units = [i for i in range(len(made)) if not together[i, i]]
    single = set(units)
    pairs = [
        (i, j)
        for i, j in combinations(range(len(made)), 2)
        if not together[i, j]
        and i not in single
        and j not in single
        and p.x.disjoin((made[i], made[j])) is not p.x.true
    ]
    return [*((i,) for i in units), *pairs][:MOST_CANDIDATES]


def houdini(
    p: Parametric, induction: Sequence[Obligation], states: Sequence[State], stopped: Callable[[], bool]
) -> list[Expression]:
    """Clauses that hold in every reachable state, for every number; none where it is stopped before its end."""
    made = literals(p)
    clauses = candidates(p, made, states)
    alive = set(range(len(clauses)))
    checks = [_Check(p, made, clauses, obligation) for obligation in induction]
    changed = True
    while changed:
        changed = False
        for check in checks:
            while dropped := check.refuted(alive):
                if stopped():
                    return []
                alive -= dropped
                changed = True
    return [p.x.disjoin(made[i] for i in clauses[c]) for c in sorted(alive)]


class _Check:
    """One obligation, for any subset of the clauses."""

    def __init__(
        self, p: Parametric, made: Sequence[Expression], clauses: Sequence[Clause], obligation: Obligation
    ) -> None:
        members = functions(p.predicates)
        integers = Integers(lambda predicate, _, number: members[predicate](number))
        self._clauses = clauses
        self._solver: Any = z3.Solver()
        self._solver.set("timeout", _TIMEOUT_MS)
        self._solver.add(*(integers.term(fact) for fact in obligation.facts))
        self._used = [z3.Bool(f"use{c}") for c in range(len(clauses))]
        self._wanted = [z3.Bool(f"want{c}") for c in range(len(clauses))]
        self._after = [integers.term(p.after(literal, obligation)) for literal in made]
        for number in obligation.used_at:
            here = [integers.term(p.at(literal, number)) for literal in made]
            for used, clause in zip(self._used, clauses, strict=True):
                self._solver.add(z3.Or([z3.Not(used), *(here[i] for i in clause)]))
        names = [z3.Bool(f"after{i}") for i in range(len(made))]
        self._solver.add(*(name == term for name, term in zip(names, self._after, strict=True)))
        for wanted, clause in zip(self._wanted, clauses, strict=True):
            self._solver.add(*(z3.Or(z3.Not(wanted), z3.Not(names[i])) for i in clause))
        self._names = names
        self._solver.add(*integers.sides)

    def refuted(self, alive: set[int]) -> set[int]:
        """Clauses that a step from a state with all of them leads out of; none where there is no such step."""
        solver = self._solver
        solver.push()
        solver.add(z3.Or([self._wanted[c] for c in alive]))
        answer = solver.check(*(self._used[c] for c in alive))
        if answer == z3.unknown:
            solver.pop()
            return set(alive)  # nothing is claimed of what a solver gives up on
        found: set[int] = set()
        if answer == z3.sat:
            model = solver.model()
            truth = [_is_true(model, name) for name in self._names]
            found = {c for c in alive if not any(truth[i] for i in self._clauses[c])}
        solver.pop()
        return found


def _is_true(model: Term, name: Term) -> bool:
    return bool(z3.is_true(model.eval(name, model_completion=True)))

"""Constrained Horn clauses, one for each transition, in the form that CHC-COMP asks for.

`reachable` is the least relation that holds of the initial states and is kept by every step; the query says that no bad
state is among them. So sat (there is an interpretation of `reachable`, which is an inductive invariant) means that the
properties hold at any depth, and unsat that one of them is violated. (N. Bjørner et al., "Horn Clause Solvers for
Program Verification", 2015.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..bitvectors import Term
from ..smtlib import applied, sort, with_let
from .header import with_header
from .machine import Machine


def write(target: str, machine: Machine, depth: int | None) -> str:
    """The clauses. They have no depth."""
    assert depth is None, "clauses are about any number of steps"
    what = [
        "Horn clauses (SMT-LIB 2): can a property be violated, in any number of steps?",
        "sat: none of those below can, and a model of `reachable` is an inductive invariant; unsat: one of them is",
    ]
    return with_header(target, machine, what, _script(machine))


def _script(machine: Machine) -> Iterator[str]:
    terms = machine.terms
    now = [cell.now for cell in machine.cells]
    later = [terms.variable(f"{cell.name}@next", cell.bits) for cell in machine.cells]
    here, there = (applied("reachable", (v.name for v in state)) for state in (now, later))
    yield "(set-logic HORN)"
    yield f"(declare-fun reachable ({' '.join(sort(cell.bits) for cell in machine.cells)}) Bool)"
    yield _clause(now, [], [machine.is_initial()], here)
    for move in machine.moves:
        action = machine.system.transitions[move.transition].action
        yield f"; {move.transition}: {' '.join(action.split())}{', going wrong' if move.goes_wrong else ''}"
        steps = [terms.equal(a, b) for a, b in zip(later, move.after, strict=True)]
        yield _clause([*now, *later], [here], [move.happens, *steps], there)
    yield "; never"
    yield _clause(now, [here], [terms.disjoin(bad.term for bad in machine.bads)], "false")
    yield "(check-sat)"


def _clause(over: Sequence[Term], facts: Sequence[str], constraint: Sequence[Term], head: str) -> str:
    def implies(texts: Sequence[str]) -> str:
        return f"(=> {applied('and', [*facts, *texts])} {head})"

    body = with_let(constraint, implies)
    if not over:
        return f"(assert {body})"
    variables = " ".join(f"({v.name} {sort(v.bits)})" for v in over)
    return f"(assert (forall ({variables})\n  {body}))"

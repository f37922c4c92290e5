"""Whether an invariant of all natural numbers proves what it is said to: each obligation put to a fresh solver.

Sets are uninterpreted functions from numbers to truth values here, so nothing is taken over from how the invariant was
found. Every one of what `refutation` gives has to be unsatisfiable.
"""

from __future__ import annotations

from collections.abc import Sequence

from fenceproof.model.expressions import UNBOUNDED, Expression

from ..smt.backend import Term, new_solver, z3
from .integers import Integers, functions
from .obligations import Obligation, Parametric


def asserted(p: Parametric, invariant: Sequence[Expression], obligation: Obligation) -> list[Term]:
    """What would refute an obligation, as terms that are all true."""
    members = functions(p.predicates)
    integers = Integers(lambda predicate, _, number: members[predicate](number))
    made = [integers.term(fact) for fact in refutation(p, invariant, obligation)]
    return [*made, *integers.sides]


def refutation(
    p: Parametric,
    invariant: Sequence[Expression],
    obligation: Obligation,
    known: dict[tuple[int, int], Expression] | None = None,
) -> list[Expression]:
    """What would refute an obligation, as expressions that are all true, of numbers within their bounds.

    `known` keeps conjuncts at numbers, by both numbers of the table, from one obligation to the next.
    """
    x, terms = p.x, obligation.used_at
    kept = {} if known is None else known
    facts = list(obligation.facts)
    here: set[int] = set()
    for conjunct in invariant:
        for term in terms if conjunct.free else terms[:1]:
            key = (conjunct.number, term.number)
            if key not in kept:
                kept[key] = p.at(conjunct, term)
            here.add(kept[key].number)
            facts.append(kept[key])
    if obligation.after is not None:
        goals = [p.after(c, obligation) for c in invariant]
        goals += [_fits(p, position, node) for position, node in obligation.after.items()]
        # What the step does not touch is among the facts.
        facts.append(x.negate(x.conjoin(goal for goal in goals if goal.number not in here)))
    return facts


def _fits(p: Parametric, position: int, node: Expression) -> Expression:
    """That a slot stays within its kind."""
    x, slot = p.x, p.system.slots[position]
    if slot.is_bool or p.slot(position).is_predicate:
        return x.true
    above = x.less(x.const(slot.hi), node) if slot.hi < UNBOUNDED else x.false
    return x.conjoin((x.negate(x.less(node, x.const(slot.lo))), x.negate(above)))


def first_refuted(
    p: Parametric, invariant: Sequence[Expression], obligations: Sequence[Obligation], timeout_s: float
) -> str | None:
    """The first obligation that an invariant does not meet, or not within the time; None if it meets all."""
    for obligation in obligations:
        solver = new_solver(timeout=max(1, int(timeout_s * 1000)))
        solver.add(*asserted(p, invariant, obligation))
        if solver.check() != z3.unsat:
            return obligation.name
    return None

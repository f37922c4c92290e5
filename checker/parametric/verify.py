"""Whether an invariant of all natural numbers proves what it is said to: each obligation put to a fresh solver.

Sets are uninterpreted functions from numbers to truth values here, so nothing is taken over from how the invariant was
found. The scripts are plain SMT-LIB 2, for any solver of integers: every one of them has to be unsatisfiable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fenceproof.model.expressions import UNBOUNDED, Expression, Op, reachable

from ..smt.backend import Term, z3
from .integers import Integers, functions
from .obligations import Obligation, Parametric


@dataclass(frozen=True, slots=True)
class Script:
    """One obligation: its name, and what would refute it, as SMT-LIB 2 text. It is met if that is unsatisfiable."""

    name: str
    text: str


def asserted(p: Parametric, invariant: Sequence[Expression], obligation: Obligation) -> tuple[list[Term], bool]:
    """What would refute an obligation, as terms that are all true; and whether numbers are multiplied in it."""
    members = functions(p.predicates)
    integers = Integers(lambda predicate, _, number: members[predicate](number))
    facts = refutation(p, invariant, obligation)
    made = [integers.term(fact) for fact in facts]
    return [*made, *integers.sides], any(n.op in (Op.MUL, Op.DIV, Op.MOD) for n in reachable(facts))


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
        terms, _ = asserted(p, invariant, obligation)
        solver = z3.Solver()
        solver.set("timeout", max(1, int(timeout_s * 1000)))
        solver.add(*terms)
        if solver.check() != z3.unsat:
            return obligation.name
    return None


def scripts(p: Parametric, invariant: Sequence[Expression], obligations: Sequence[Obligation]) -> Iterator[Script]:
    """Every obligation of an invariant as SMT-LIB 2."""
    for obligation in obligations:
        terms, multiplies = asserted(p, invariant, obligation)
        solver = z3.Solver()
        solver.add(*terms)
        lines = [line for line in solver.to_smt2().splitlines() if not line.startswith((";", "(set-"))]
        logic = "QF_UFNIA" if multiplies else "QF_UFLIA"
        yield Script(obligation.name, f"(set-logic {logic})\n" + "\n".join(lines) + "\n")

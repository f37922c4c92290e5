"""Spacer over the integers: does an invariant of all natural numbers exist that refutes some obligations?

One relation holds of a state's scalars, a number, and its membership in each set; an obligation is a Horn clause that
uses it at each of its numbers (A. Komuravelli, A. Gurfinkel and S. Chaki, "SMT-Based Model Checking for Recursive
Programs", CAV 2014). What is found is not taken on trust: `verify.py` looks at it again. Finding none says nothing
of the system, since the clauses say less than it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from fenceproof.model.expressions import Expression, clauses

from ..limits import Watch
from ..smt.backend import Term, new_spacer, z3
from ..smt.watched import GaveUpError, watched
from .back import NotReadableError, expression_of
from .integers import Integers
from .obligations import Obligation, Parametric

#: So that what Spacer answers speaks of every argument of the relation, and of no other relation.
_OPTIONS = {"xform.slice": False, "xform.inline_eager": False, "xform.inline_linear": False}


class NoInvariantError(Exception):
    """No invariant of this form refutes what was asked: it happens, or to refute it takes more than one number."""


class Horn:
    """The Horn clauses of a system's induction, to which questions are put."""

    def __init__(self, p: Parametric, watch: Watch) -> None:
        self._p, self._watch = p, watch
        sorts = [z3.BoolSort() if p.slot(s).is_bool else z3.IntSort() for s in p.scalars]
        if p.predicates:
            sorts += [z3.IntSort(), *([z3.BoolSort()] * len(p.predicates))]
        self._relation: Any = z3.Function("Reached", *sorts, z3.BoolSort())
        self._arguments = [z3.Const(f"a{i}", sort) for i, sort in enumerate(sorts)]
        self._induction = p.induction()

    def solve(
        self, obligations: Sequence[Obligation], lemmas: Sequence[Expression], timeout_s: float
    ) -> list[Expression] | None:
        """The conjuncts of an invariant that, with lemmas that hold anyhow, refutes the obligations; None for none.

        Raises NoInvariantError where there is none of this form, and StoppedError where a limit or an interrupt ends
        the search.
        """
        bad = z3.Function("Bad", z3.BoolSort())
        engine = new_spacer(timeout=max(1, int(timeout_s * 1000)), **_OPTIONS)
        engine.register_relation(self._relation)
        engine.register_relation(bad)
        for obligation in (*self._induction, *obligations):
            engine.add_rule(self._clause(obligation, lemmas, bad()))
        try:
            answer = watched(lambda: engine.query(bad()), self._watch)
            if answer == z3.sat:
                raise NoInvariantError
            return self._read(engine.get_answer()) if answer == z3.unsat else None
        except (GaveUpError, NotReadableError):
            return None  # cancelled by its timeout, or an answer with a quantifier in it

    def _clause(self, obligation: Obligation, lemmas: Sequence[Expression], bad: Term) -> Term:
        p = self._p
        table: dict[tuple[int, int], Term] = {}
        numbers: dict[int, Term] = {}

        def member(predicate: int, number: Expression, term: Term) -> Term:
            numbers[number.number] = term
            if (predicate, number.number) not in table:
                table[predicate, number.number] = z3.Bool(f"m{predicate}_{number.number}")
            return table[predicate, number.number]

        integers = Integers(member)
        body = [integers.term(fact) for fact in obligation.facts]
        for term in obligation.used_at:
            body.append(self._at(integers, term))
            body += [integers.term(p.at(lemma, term)) for lemma in lemmas]
        head = bad
        if obligation.after is not None:
            values = [integers.term(obligation.after.get(s, p.slot(s))) for s in p.scalars]
            if p.predicates:
                values.append(integers.term(obligation.number))
                sets = [obligation.after.get(s, p.slot(s)) for s in p.predicates]
                values += [integers.term(p.x.select(s, obligation.number)) for s in sets]
            head = self._relation(*values)
        for a, b in combinations(numbers, 2):
            pairs = [(table[s, a], table[s, b]) for s in p.predicates if (s, a) in table and (s, b) in table]
            body.append(z3.Implies(numbers[a] == numbers[b], z3.And([m == n for m, n in pairs])))
        variables = [*integers.variables, *table.values()]
        clause = z3.Implies(z3.And([*body, *integers.sides]), head)
        return z3.ForAll(variables, clause) if variables else clause

    def _at(self, integers: Integers, number: Expression) -> Term:
        p = self._p
        values = [integers.term(p.slot(s)) for s in p.scalars]
        if p.predicates:
            values.append(integers.term(number))
            values += [integers.term(p.x.select(p.slot(s), number)) for s in p.predicates]
        return self._relation(*values)

    def _read(self, answer: Term) -> list[Expression]:
        """The invariant out of Spacer's answer: a conjunction that says of each relation what it is."""
        p = self._p
        for part in answer.children() if z3.is_and(answer) else [answer]:
            if not z3.is_quantifier(part):
                continue
            relation, meaning = part.body().children()
            if relation.decl().name() != self._relation.name():
                relation, meaning = meaning, relation
            if relation.decl().name() != self._relation.name():
                continue
            given: list[Term] = [None] * part.num_vars()
            for place, argument in zip(relation.children(), self._arguments, strict=True):
                given[z3.get_var_index(place)] = argument
            nodes = [p.slot(s) for s in p.scalars]
            if p.predicates:
                nodes += [p.number, *(p.x.select(p.slot(s), p.number) for s in p.predicates)]
            leaves = {a.get_id(): node for a, node in zip(self._arguments, nodes, strict=True)}
            found = expression_of(p.x, z3.substitute_vars(meaning, *given), leaves)
            return list(clauses(found))
        raise NotReadableError

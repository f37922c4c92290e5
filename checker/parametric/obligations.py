"""What an invariant of all natural numbers has to show of a system, as expressions without quantifiers.

An invariant is a formula over the scalar slots, one number n, and the truth of "n is in S" for each set S of the
state; it is said of every n. Each obligation is about a state: facts that are true of it, numbers at which the
invariant may be used there, and what it is to be shown of. (N. Bjørner, K. McMillan and A. Rybalchenko, "On Solving
Universally Quantified Horn Clauses", SAS 2013, section 3, with one index; A. Gurfinkel, S. Shoham and Y. Meshman,
"SMT-Based Verification of Parameterized Systems", FSE 2016.)

What is left out only weakens the facts: of a statement about all numbers, the cases of the numbers at hand are kept.
So what is shown is true, and what is not shown may be true all the same. Not here: solvers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from fenceproof.model.budgets import SPENT, SPENT_IN_ALL
from fenceproof.model.expressions import Expression, Op, reachable
from fenceproof.model.rewrite import substituted
from fenceproof.model.system import DEADLOCK, Judgement, Transition, TransitionSystem

#: Positions of parameters that no transition has: the number that an invariant speaks of, and numbers made up here.
NUMBER: Final = 900
_FRESH: Final = 1000


@dataclass(frozen=True, slots=True)
class Obligation:
    """With `facts` true of a state, and the invariant at each of `terms`, it has to hold afterwards, at `number`.

    `after` are the slots that change, by position; it is None where the facts are to be contradictory instead.
    """

    name: str
    facts: tuple[Expression, ...]
    terms: tuple[Expression, ...]
    after: Mapping[int, Expression] | None
    number: Expression

    @property
    def is_initial(self) -> bool:
        """Whether this is about an initial state, before which there is none."""
        return self.after is not None and not self.facts

    @property
    def used_at(self) -> tuple[Expression, ...]:
        """The numbers at which the invariant may be used: one at least, if there is a state before."""
        return () if self.is_initial else self.terms or (self.number,)


class Parametric:
    """A system as one over a state's scalars and a number: which slots change, and the obligations of an invariant."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self.x = system.expressions
        #: The number that an invariant speaks of.
        self.number = self.x.param(NUMBER, 0)
        #: Counters of spent faults: they are read by guards only, which they can but make false, so a proof that does
        #: without them is one for any budgets.
        self.ignored = spent_slots(system)
        changed = {position for t in system.transitions for position, _ in t.updates} - self.ignored
        self._at: dict[tuple[int, int], Expression] = {}
        self._fixed: dict[int, Expression] = {}
        live: list[int] = []
        for position, slot in enumerate(system.slots):
            values = {slot.lo} if position in self.ignored else {state[position] for state in system.initial}
            if position in changed or len(values) > 1:
                live.append(position)
            else:
                value = values.pop()
                constant = self.x.truth(bool(value)) if slot.is_bool else self.x.const(value)
                self._fixed[self.slot(position).number] = constant
        self.predicates = tuple(p for p in live if self.slot(p).is_predicate)
        self.scalars = tuple(p for p in live if not self.slot(p).is_predicate)

    def slot(self, position: int) -> Expression:
        """The value of a slot before a step."""
        slot = self.system.slots[position]
        return self.x.slot(position, slot.lo, slot.hi, is_bool=slot.is_bool)

    def at(self, formula: Expression, number: Expression) -> Expression:
        """A formula about the number that an invariant speaks of, said of another one."""
        key = (formula.number, number.number)
        if key not in self._at:
            self._at[key] = substituted(self.x, formula, {self.number.number: number})
        return self._at[key]

    def after(self, formula: Expression, obligation: Obligation) -> Expression:
        """A formula of an invariant as an obligation has it: at its number, of the state after its step."""
        assert obligation.after is not None, "there is no state after a contradiction"
        replaced = {self.slot(p).number: node for p, node in obligation.after.items()}
        return substituted(self.x, formula, {**replaced, self.number.number: obligation.number})

    # Obligations

    def induction(self) -> list[Obligation]:
        """That an invariant holds at the beginning, and that each step keeps it."""
        return [*self._initial(), *self._steps()]

    def _initial(self) -> list[Obligation]:
        found: list[Obligation] = []
        for i, state in enumerate(self.system.initial):
            values = {
                p: self.x.truth(bool(state[p])) if self.slot(p).is_bool else self.x.const(state[p])
                for p in (*self.scalars, *self.predicates)
            }
            found.append(Obligation(f"initial state {i}", (), (), values, self._fresh(0)))
        return found

    def _steps(self) -> list[Obligation]:
        found: list[Obligation] = []
        for t in self.system.transitions:
            number = self._fresh(0)
            updates = {p: self._known(node) for p, node in t.updates if p not in self.ignored}
            seen = [self.x.select(updates.get(p, self.slot(p)), number) for p in self.predicates]
            facts = self._known(self._taken(t))
            if facts is self.x.false:
                continue
            read = [*updates.values(), *seen]
            made = self._obligation(t.called, facts, quiet=False, seen=read, number=number)
            # Without the quantifiers that were in them.
            found.append(replace(made, after=dict(zip(updates, read, strict=False))))
        return found

    def _taken(self, t: Transition) -> Expression:
        return self.x.conjoin((t.guard, self.x.equal(t.mistake, self.x.const(0))))

    def mistakes(self) -> list[Obligation]:
        """That the model never goes wrong in an action."""
        wrong = ((t, self.x.conjoin((t.guard, self._is_wrong(t.mistake)))) for t in self.system.transitions)
        return [self._refuted(f"{t.called} goes wrong", fact) for t, fact in wrong if fact is not self.x.false]

    def violations(self, name: str) -> list[Obligation]:
        """That a property is never violated, and judging it never goes wrong. KeyError for none of safety."""
        return self._of(name, self._is_violated)

    def tests(self, name: str) -> list[Obligation] | None:
        """That a property is never put to the test, which it had better be; None where it always is."""
        judged = self._judged(name)
        if name == DEADLOCK or all(j.exercised is None and not quiet for _, j, quiet in judged):
            return None

        def is_tested(judgement: Judgement) -> Expression:
            return self.x.true if judgement.exercised is None else judgement.exercised

        return self._of(name, is_tested)

    def enabled(self, action: str) -> list[Obligation]:
        """That an action is never enabled, which it had better be."""
        guards = [t.guard for t in self.system.transitions if t.action == action]
        return [self._refuted(f"{action} is enabled", guard) for guard in guards if guard is not self.x.false]

    def _of(self, name: str, asked: Callable[[Judgement], Expression]) -> list[Obligation]:
        found: list[Obligation] = []
        for t, judgement, quiet in self._judged(name):
            fact = asked(judgement)
            if t is not None:
                fact = self.x.conjoin((self._taken(t), self._over_step(fact, t)))
            if fact is not self.x.false:
                found.append(self._refuted(f"{name}{f' in {t.called}' if t else ''}", fact, quiet=quiet))
        return found

    def _judged(self, name: str) -> list[tuple[Transition | None, Judgement, bool]]:
        """A property's judgements: of which step (None: of a state), and whether of quiescent states only."""
        if name == DEADLOCK:
            return [(None, self.system.terminal, True)]
        for prop in self.system.step_properties:
            if prop.name == name:
                return [(t, j, False) for t, j in zip(self.system.transitions, prop.judgements, strict=True)]
        for invariant in self.system.invariants:
            if invariant.name == name:
                return [(None, invariant.judgement, invariant.quiescent)]
        raise KeyError(name)

    # Making facts

    def _is_violated(self, judgement: Judgement) -> Expression:
        return self.x.disjoin((self.x.negate(judgement.holds), self._is_wrong(judgement.mistake)))

    def _is_wrong(self, mistake: Expression) -> Expression:
        return self.x.negate(self.x.equal(mistake, self.x.const(0)))

    def _over_step(self, node: Expression, t: Transition) -> Expression:
        """A condition on a step as one on the state before it."""
        updates = dict(t.updates)
        replaced = {n.number: updates.get(n.value, self.slot(n.value)) for n in reachable([node]) if n.op is Op.NEXT}
        replaced.update({n.number: t.outcome for n in reachable([node]) if n.op is Op.OUTCOME})
        return substituted(self.x, node, replaced)

    def _known(self, node: Expression) -> Expression:
        """An expression with the values of what never changes put in."""
        return substituted(self.x, node, self._fixed)

    def _fresh(self, lo: int, count: int = 0) -> Expression:
        return self.x.param(_FRESH + count, lo)

    def _refuted(self, name: str, fact: Expression, *, quiet: bool = False) -> Obligation:
        return self._obligation(name, self._known(fact), quiet=quiet, seen=[], number=self._fresh(0))

    def _obligation(
        self, name: str, fact: Expression, *, quiet: bool, seen: list[Expression], number: Expression
    ) -> Obligation:
        """What follows from a fact; `seen` is read beside it, and loses its quantifiers in place."""
        facts = [fact]
        if quiet:
            facts += [self._known(self.x.negate(t.guard)) for t in self._progress() if not t.params]
        self._without_quantifiers(facts, seen)
        if quiet:
            facts += self._nothing_enabled(self._numbers([*facts, *seen, *self._asked_at(number)]))
            self._without_quantifiers(facts, seen)
        terms = self._numbers([*facts, *seen, *self._asked_at(number)])
        return Obligation(name, tuple(facts), tuple(t for t in terms if t.lo >= 0), None, number)

    def _asked_at(self, number: Expression) -> list[Expression]:
        return [self.x.select(self.slot(p), number) for p in self.predicates]

    def _progress(self) -> list[Transition]:
        return [t for t in self.system.transitions if t.fault is None]

    def _nothing_enabled(self, terms: Sequence[Expression]) -> list[Expression]:
        """Of actions with parameters: that none is enabled with the numbers at hand."""
        found: list[Expression] = []
        for t in self._progress():
            for chosen in itertools.product(terms, repeat=len(t.params)) if t.params else ():
                pairs = [(parameter, term) for (_, parameter), term in zip(t.params, chosen, strict=True)]
                fits = [self.x.negate(self.x.less(term, self.x.const(parameter.lo))) for parameter, term in pairs]
                guard = substituted(self.x, t.guard, {parameter.number: term for parameter, term in pairs})
                found.append(self._known(self.x.negate(self.x.conjoin((*fits, guard)))))
        return found

    def _numbers(self, nodes: Iterable[Expression]) -> list[Expression]:
        """The numbers of which it is asked whether they are in a set."""
        asked = (n.args[1] for n in reachable(nodes) if n.op is Op.SELECT and n.free <= 1)
        return list({t.number: t for t in asked}.values())

    def _without_quantifiers(self, facts: list[Expression], seen: list[Expression]) -> None:
        """Put a truth value of its own in the place of each quantifier, in place, and add to the facts what is known
        of it.

        If it is true, then of an element, which is given a name; if the body is true of a number at hand, it is true.
        """
        x = self.x
        while True:
            node = next((n for n in reachable([*facts, *seen]) if n.op is Op.EXISTS and n.free <= 1), None)
            if node is None:
                return
            used = (n.value - _FRESH for n in reachable([*facts, *seen]) if n.op is Op.PARAM)
            count = 1 + max(used, default=0)
            named = x.equal(self._fresh(0, max(count, 1)), x.const(1))
            element = self._fresh(_least(node), max(count, 1) + 1)
            terms = self._numbers([*facts, *seen])
            for nodes in (facts, seen):
                nodes[:] = [substituted(x, each, {node.number: named}) for each in nodes]
            facts.append(x.disjoin((x.negate(named), self._body(node, element))))
            facts += [x.disjoin((x.negate(self._body(node, term)), named)) for term in terms]

    def _body(self, quantifier: Expression, number: Expression) -> Expression:
        x, (elements, body) = self.x, quantifier.args
        bound = [n for n in reachable([body]) if n.op is Op.BOUND and n.value == quantifier.value]
        fits = x.negate(x.less(number, x.const(_least(quantifier))))
        return self._known(
            x.conjoin(
                (
                    fits,
                    x.select(elements, number),
                    substituted(x, body, dict.fromkeys([n.number for n in bound], number)),
                )
            )
        )


def _least(quantifier: Expression) -> int:
    """The least number that a quantifier speaks of."""
    found = (n.lo for n in reachable(quantifier.args) if n.op is Op.BOUND and n.value == quantifier.value)
    return next(found, 0)


def spent_slots(system: TransitionSystem) -> frozenset[int]:
    """The slots that count the faults that were spent: called so, and used as nothing else."""
    hidden = (v for v in system.variables if v.name == SPENT_IN_ALL or v.name.removeprefix(SPENT) in system.faults)
    named = (v.first + i for v in hidden if v.name.startswith(SPENT) for i in range(v.kind.width))
    return frozenset(position for position in named if _is_counter(system, position))


def _is_counter(system: TransitionSystem, position: int) -> bool:
    """Whether a slot is only counted up, and read by faults alone, to happen as long as it is less than something: with
    its least value they may happen as often, and more. A name may come from a file, and says nothing of that."""
    slot = system.slots[position]
    counted = system.expressions.slot(position, slot.lo, slot.hi, is_bool=slot.is_bool)
    read = 0b11 << 2 * position

    def keeps_away(t: Transition) -> bool:
        parts = t.guard.args if t.guard.op is Op.AND else (t.guard,)
        return t.fault is not None and all(
            part.op is Op.LT and part.args[0] is counted and part.args[1].is_const
            for part in parts
            if part.support & read
        )

    def counts_up(node: Expression) -> bool:
        return node.op is Op.ADD and node.args[0] is counted and node.args[1].is_const and node.args[1].value > 0

    judgements = [system.terminal, *(i.judgement for i in system.invariants)]
    judgements += [j for p in system.step_properties for j in p.judgements]
    elsewhere = [t.outcome for t in system.transitions] + [t.mistake for t in system.transitions]
    elsewhere += [node for t in system.transitions for p, node in t.updates if p != position]
    elsewhere += [node for j in judgements for node in (j.holds, j.mistake, j.exercised or j.holds)]
    return (
        not slot.is_bool
        and not any(node.support & read for node in elsewhere)
        and all(keeps_away(t) for t in system.transitions if t.guard.support & read)
        and all(counts_up(node) for t in system.transitions for p, node in t.updates if p == position)
    )

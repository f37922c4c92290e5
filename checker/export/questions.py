"""What is asked about a system, as expressions over a state or a step: of a judgement that goes wrong nothing is asked.

Nothing here knows how an expression is written down.
"""

from __future__ import annotations

from collections.abc import Iterator

from fenceproof.model.expressions import Expression, Op, reachable
from fenceproof.model.rewrite import substituted
from fenceproof.model.system import Judgement, StepProperty, Transition, TransitionSystem


class Questions:
    """The questions about one system, made in its own table of expressions."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self.x = system.expressions

    def wrong(self, mistake: Expression) -> Expression:
        """Whether something goes wrong, by its code."""
        return self.x.negate(self.x.equal(mistake, self.x.const(0)))

    def fine(self, judgement: Judgement) -> Expression:
        """That a judgement does not say no."""
        return self.x.disjoin([self.wrong(judgement.mistake), judgement.holds])

    def holds(self, judgement: Judgement) -> Expression:
        """That a judgement says yes."""
        return self.x.conjoin([self.x.negate(self.wrong(judgement.mistake)), judgement.holds])

    def after(self, prop: StepProperty, position: int) -> Expression:
        """That a property does not say no of a step of a transition, over the states before and after it."""
        return self._of_step(self.fine(prop.judgements[position]), self.system.transitions[position], {})

    def standing(self, prop: StepProperty) -> Iterator[Expression]:
        """For each transition that may change nothing: that it does change something, or that the step is fine."""
        for position, t in enumerate(self.system.transitions):
            if any(_differs(n, value) for n, value in t.updates):
                continue
            same = [self.x.equal(self._as_slot(n, value), self._slot(n)) for n, value in t.updates]
            still = {n: self._slot(n) for n in range(len(self.system.slots))}
            fine = self._of_step(self.fine(prop.judgements[position]), t, still)
            bad = self.x.conjoin([t.guard, self.x.negate(self.wrong(t.mistake)), *same, self.x.negate(fine)])
            if bad is not self.x.false:
                yield self.x.negate(bad)

    def ahead(self, prop: StepProperty) -> Iterator[tuple[int, Expression]]:
        """For each transition of which a property may say no, its position and that it does not, or that there is no
        such step: over the state before it alone."""
        for position, t in enumerate(self.system.transitions):
            fine = self._of_step(self.fine(prop.judgements[position]), t, self._after(t))
            happens = self.x.conjoin([t.guard, self.x.negate(self.wrong(t.mistake))])
            asked = self.x.disjoin([self.x.negate(happens), fine])
            if asked is not self.x.true:
                yield position, asked

    def steps_go_well(self) -> Iterator[Expression]:
        """For each transition that may go wrong, in the step or in judging it: that it does not."""
        for position, t in enumerate(self.system.transitions):
            after = self._after(t)
            codes = [self.wrong(p.judgements[position].mistake) for p in self.system.step_properties]
            judging = self.x.disjoin(self._of_step(code, t, after) for code in codes)
            bad = self.x.conjoin([t.guard, self.x.disjoin([self.wrong(t.mistake), judging])])
            if bad is not self.x.false:
                yield self.x.negate(bad)

    def states_go_well(self) -> Iterator[tuple[bool, Expression]]:
        """That judging states does not go wrong, and whether this is asked only where nothing but faults is left."""
        judged = [(i.quiescent, i.judgement) for i in self.system.invariants]
        for quiescent, judgement in (*judged, (True, self.system.terminal)):
            well = self.x.negate(self.wrong(judgement.mistake))
            if well is not self.x.true:
                yield quiescent, well

    def _after(self, t: Transition) -> dict[int, Expression]:
        """Every slot after a step, over the state before it."""
        kept = {n: self._slot(n) for n in range(len(self.system.slots))}
        return kept | {n: self._as_slot(n, value) for n, value in t.updates}

    def _of_step(self, root: Expression, t: Transition, after: dict[int, Expression]) -> Expression:
        """What is said of a step of a transition, with its outcome and some slots after it put in their places."""
        replaced: dict[int, Expression] = {}
        for node in reachable([root]):
            if node.op is Op.OUTCOME:
                replaced[node.number] = t.outcome
            elif node.op is Op.NEXT and node.value in after:
                replaced[node.number] = after[node.value]
        return substituted(self.x, root, replaced)

    def _slot(self, number: int) -> Expression:
        slot = self.system.slots[number]
        return self.x.slot(number, slot.lo, slot.hi, is_bool=slot.is_bool)

    def _as_slot(self, number: int, value: Expression) -> Expression:
        """A value as its slot holds it."""
        if self.system.slots[number].is_bool:
            return value if value.is_bool else self.wrong(value)
        return self.x.number(value)


def _differs(number: int, value: Expression) -> bool:
    """Whether a slot is counted up or down, which expressions do not see to be another value."""
    if value.op is not Op.ADD or not value.args[1].is_const:
        return False
    return value.args[0].op is Op.SLOT and value.args[0].value == number

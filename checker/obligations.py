"""What has to be shown of a system for its properties to hold, as expressions over one state.

A step is a guard and an expression for each slot, so what is said of the state after it is said of the state before it
by putting those expressions in (the weakest precondition: E. W. Dijkstra, "Guarded Commands", CACM 18(8), 1975). A
step property is violated where a state has a step that violates it; an invariant is lost where a state has a step to
one without it. Nothing is solved here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fenceproof.model import rewrite
from fenceproof.model.expressions import Expression, Expressions, Op, reachable
from fenceproof.model.system import DEADLOCK, Invariant, Judgement, StepProperty, Transition, TransitionSystem

from .result import STUCK, Sort


@dataclass(frozen=True, slots=True)
class Claim:
    """A property as what no reachable state may be: `bad`; and the states in which it is put to the test, `tested`."""

    name: str
    sort: Sort
    meaning: str
    bad: Expression
    tested: Expression


def claims(system: TransitionSystem, wanted: Sequence[str] | None) -> list[Claim]:
    """The safety properties of a system that are wanted (None: all), in the order in which they are reported."""

    def is_wanted(name: str) -> bool:
        return wanted is None or name in wanted

    found = [_step_claim(system, p) for p in system.step_properties if is_wanted(p.name)]
    found += [_state_claim(system, i) for i in system.invariants if is_wanted(i.name)]
    if is_wanted(DEADLOCK):
        deadlock = Invariant(DEADLOCK, system.terminal, STUCK, None, quiescent=True)
        x, claim = system.expressions, _state_claim(system, deadlock)
        found.append(Claim(DEADLOCK, Sort.DEADLOCK, STUCK, claim.bad, x.true))
    return found


def goes_wrong(system: TransitionSystem, wanted: Sequence[str] | None) -> Expression:
    """Where the model itself goes wrong: in a step, or in judging a property that is wanted."""

    def is_wanted(name: str) -> bool:
        return wanted is None or name in wanted

    x = system.expressions
    parts = [x.conjoin((t.guard, x.negate(_is_fine(x, t.mistake)))) for t in system.transitions if t.mistakes]
    for prop in (p for p in system.step_properties if is_wanted(p.name)):
        for transition, judgement in zip(system.transitions, prop.judgements, strict=True):
            if judgement.mistakes:
                wrong = x.negate(_is_fine(x, judgement.mistake))
                parts.append(x.conjoin((taken(x, transition), over_step(system, transition, wrong))))
    states = [(i.judgement, i.quiescent) for i in system.invariants if is_wanted(i.name)]
    if is_wanted(DEADLOCK):
        states.append((system.terminal, True))
    for judgement, quiescent in states:
        if judgement.mistakes:
            here = is_quiescent(system) if quiescent else x.true
            parts.append(x.conjoin((here, x.negate(_is_fine(x, judgement.mistake)))))
    return x.disjoin(parts)


def losses(system: TransitionSystem, conjunct: Expression) -> Iterator[Expression]:
    """For each transition that may lose a condition, the states from which it does."""
    x = system.expressions
    denied = x.negate(conjunct)
    for transition in system.transitions:
        if any(conjunct.support >> 2 * slot & 1 for slot, _ in transition.updates):
            lost = x.conjoin((taken(x, transition), after(system, transition, denied)))
            if lost is not x.false:
                yield lost


def taken(x: Expressions, transition: Transition) -> Expression:
    """That a transition is enabled and leads to a state."""
    return x.conjoin((transition.guard, _is_fine(x, transition.mistake)))


def is_quiescent(system: TransitionSystem) -> Expression:
    """That nothing but a fault can happen."""
    x = system.expressions
    return x.conjoin(x.negate(t.guard) for t in system.transitions if t.fault is None)


def after(system: TransitionSystem, transition: Transition, condition: Expression) -> Expression:
    """A condition on a state as one on the state before a step that leads there."""
    updates = dict(transition.updates)

    def leaf(node: Expression) -> Expression:
        return updates.get(node.value, node) if node.op is Op.SLOT else node

    return _put_in(system.expressions, condition, {n: leaf(n) for n in reachable([condition]) if not n.args})


def over_step(system: TransitionSystem, transition: Transition, condition: Expression) -> Expression:
    """A condition on a step that a transition takes as one on the state before it."""
    x, updates = system.expressions, dict(transition.updates)

    def leaf(node: Expression) -> Expression:
        if node.op is Op.OUTCOME:
            return transition.outcome
        if node.op is not Op.NEXT:
            return node
        slot = system.slots[node.value]
        return updates.get(node.value, x.slot(node.value, slot.lo, slot.hi, is_bool=slot.is_bool))

    return _put_in(x, condition, {n: leaf(n) for n in reachable([condition]) if not n.args})


def rebuilt(x: Expressions, node: Expression, args: Sequence[Expression]) -> Expression:
    """A node of the same meaning over other arguments, folded again."""
    match node.op:
        case Op.NOT:
            return x.negate(args[0])
        case Op.AND:
            return x.conjoin(args)
        case Op.OR:
            return x.disjoin(args)
        case Op.EQ:
            return x.equal(args[0], args[1])
        case Op.LT:
            return x.less(args[0], args[1])
        case Op.ADD:
            return x.add(args[0], args[1])
        case Op.SUB:
            return x.subtract(args[0], args[1])
        case Op.MUL:
            return x.multiply(args[0], args[1])
        case Op.DIV:
            return _unless_zero(x, x.divide, args[0], args[1])
        case Op.MOD:
            return _unless_zero(x, x.modulo, args[0], args[1])
        case Op.ITE:
            return x.choose(args[0], args[1], args[2])
        case _:
            return rewrite.rebuilt(x, node, args)


def _unless_zero(
    x: Expressions, made: Callable[[Expression, Expression], Expression], a: Expression, b: Expression
) -> Expression:
    """A quotient or remainder; that by a constant 0, in a branch that is never taken, is 0 as the interpreter says."""
    return x.const(0) if b.is_const and b.value == 0 else made(a, b)


def _put_in(x: Expressions, root: Expression, leaves: Mapping[Expression, Expression]) -> Expression:
    made: dict[int, Expression] = {}
    for node in reachable([root]):
        args = [made[a.number] for a in node.args]
        made[node.number] = rebuilt(x, node, args) if args else leaves[node]
    return made[root.number]


def _is_fine(x: Expressions, mistake: Expression) -> Expression:
    return x.equal(mistake, x.const(0))


def _state_claim(system: TransitionSystem, invariant: Invariant) -> Claim:
    x, judgement = system.expressions, invariant.judgement
    here = [is_quiescent(system)] if invariant.quiescent else []
    here.append(_is_fine(x, judgement.mistake))
    exercised = x.true if judgement.exercised is None else judgement.exercised
    return Claim(
        invariant.name,
        Sort.INVARIANT,
        invariant.meaning,
        x.conjoin((*here, x.negate(judgement.holds))),
        x.conjoin((*here, exercised)),
    )


def _step_claim(system: TransitionSystem, prop: StepProperty) -> Claim:
    x = system.expressions
    bad: list[Expression] = []
    tested: list[Expression] = []
    # As the explicit engine has it: a property without antecedents is tested, whether there are steps or not.
    anywhere = all(j.exercised is None for j in prop.judgements)
    for transition, judgement in zip(system.transitions, prop.judgements, strict=True):
        bad.append(_of_step(system, transition, judgement, x.negate(judgement.holds)))
        if judgement.exercised is not None:
            tested.append(_of_step(system, transition, judgement, judgement.exercised))
    return Claim(prop.name, Sort.STEP, prop.meaning, x.disjoin(bad), x.true if anywhere else x.disjoin(tested))


def _of_step(
    system: TransitionSystem, transition: Transition, judgement: Judgement, condition: Expression
) -> Expression:
    x = system.expressions
    here = x.conjoin((_is_fine(x, judgement.mistake), condition))
    return x.conjoin((taken(x, transition), over_step(system, transition, here)))

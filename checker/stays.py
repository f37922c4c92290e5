"""Whether a goal, once met, stays met: a step property that the search for everything else decides along the way."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from fenceproof.model.expressions import Expression, Expressions, Op, reachable
from fenceproof.model.system import Judgement, StepProperty, Transition, TransitionSystem


def with_stays(system: TransitionSystem, goals: Collection[str]) -> tuple[TransitionSystem, dict[str, str]]:
    """The system with a step property more for each of some goals; and the name of that property by the goal's."""
    taken = {p.name for p in system.step_properties} | {i.name for i in system.invariants}
    taken |= {p.name for p in system.liveness}
    names: dict[str, str] = {}
    added: list[StepProperty] = []
    for prop in system.liveness:
        if prop.name not in goals:
            continue
        name = f"{prop.name} stays"
        while name in taken:
            name += "'"
        names[prop.name] = name
        judgements = tuple(_stays(system, prop.goal.holds, t) for t in system.transitions)
        added.append(StepProperty(name, judgements, f"{prop.name}, once true, stays true.", prop.site))
    return replace(system, step_properties=(*system.step_properties, *added)), names


def _stays(system: TransitionSystem, goal: Expression, transition: Transition) -> Judgement:
    x = system.expressions
    holds = x.disjoin((x.negate(goal), _after(system, goal, {slot for slot, _ in transition.updates})))
    return Judgement(holds, None, x.const(0), ())


def _after(system: TransitionSystem, root: Expression, changed: Collection[int]) -> Expression:
    """A condition on the state before a step as the same condition on the one after it."""
    x = system.expressions
    made: dict[int, Expression] = {}
    for node in reachable([root]):
        args = [made[a.number] for a in node.args]
        if node.op is Op.SLOT and node.value in changed:
            slot = system.slots[node.value]
            made[node.number] = x.next_slot(node.value, slot.lo, slot.hi, is_bool=slot.is_bool)
        else:
            made[node.number] = rebuilt(x, node.op, args) if args else node
    return made[root.number]


def rebuilt(x: Expressions, op: Op, args: Sequence[Expression]) -> Expression:
    """An inner node with these arguments."""
    match op:
        case Op.NOT:
            return x.negate(*args)
        case Op.AND:
            return x.conjoin(args)
        case Op.OR:
            return x.disjoin(args)
        case Op.EQ:
            return x.equal(*args)
        case Op.LT:
            return x.less(*args)
        case Op.ADD:
            return x.add(*args)
        case Op.SUB:
            return x.subtract(*args)
        case Op.MUL:
            return x.multiply(*args)
        case Op.DIV:
            return x.divide(*args)
        case Op.MOD:
            return x.modulo(*args)
        case Op.ITE:
            return x.choose(*args)
        case Op.CONST | Op.SLOT | Op.NEXT | Op.OUTCOME:
            raise AssertionError(f"{op.value} has no arguments")

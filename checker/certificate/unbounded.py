"""A core of numbers without a bound as a system again, in a table of expressions of its own.

So that what has to be shown of it depends on nothing but the core: the same one gives the same obligations, whatever
was added to the table in which a model was lifted, and whether the core is from a model or out of a file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from fenceproof.model.expressions import Expression, Expressions, Op
from fenceproof.model.kinds import BoolKind
from fenceproof.model.rewrite import built
from fenceproof.model.system import (
    DEADLOCK,
    Invariant,
    StepProperty,
    Transition,
    TransitionSystem,
    Variable,
)
from fenceproof.model.system import Judgement as ModelJudgement

from .core import QUIESCENT, STEP, STUCK, Core, Judgement, Property
from .nodes import Nodes

#: The brackets at the end of a slot's name.
_PLACE: Final = re.compile(r"(\[\d+\])*$")


def expressions_of(nodes: Nodes) -> tuple[Expressions, list[Expression]]:
    """A table of its own, and every node as an expression in it, folded."""
    x = Expressions()
    made: list[Expression] = []
    for node in nodes:
        args = [made[a] for a in node.args]
        match node.op:
            case Op.CONST:
                made.append(x.truth(bool(node.value)) if node.is_bool else x.const(node.value))
            case Op.SLOT:
                made.append(x.slot(node.value, node.lo, node.hi, is_bool=node.is_bool))
            case Op.NEXT:
                made.append(x.next_slot(node.value, node.lo, node.hi, is_bool=node.is_bool))
            case Op.OUTCOME:
                made.append(x.outcome(node.value))
            case Op.PARAM:
                made.append(x.param(node.value, node.lo))
            case Op.BOUND:
                made.append(x.bound(node.value, node.lo))
            case _:
                made.append(built(x, node.op, args, node.value))
    return x, made


def system_of(core: Core, faults: Collection[str], x: Expressions, made: Sequence[Expression]) -> TransitionSystem:
    """The system that a core describes, as far as obligations read it. `made` are its nodes as expressions of `x`."""

    def judged(judgement: Judgement) -> ModelJudgement:
        return ModelJudgement(made[judgement.holds], None, made[judgement.mistake], ())

    def first(prop: Property) -> ModelJudgement:
        return judged(prop.judgements[0])

    always = ModelJudgement(x.true, None, x.const(0), ())
    of_states = [p for p in core.properties if p.sort not in (STEP, STUCK)]
    return TransitionSystem(
        name="",
        parameters={},
        faults=dict.fromkeys(faults),
        most_faults=None,
        variables=tuple(Variable(_PLACE.sub("", s.name), BoolKind(), i) for i, s in enumerate(core.slots)),
        slots=core.slots,
        initial=core.initial,
        transitions=tuple(
            Transition(
                action=step.name,
                arguments=(),
                guard=made[step.guard],
                updates=tuple((position, made[value]) for position, value in step.updates),
                outcome=made[step.outcome],
                outcomes=(),
                mistake=made[step.mistake],
                mistakes=(),
                fault=step.fault,
                site=None,
                params=tuple((str(i), made[parameter]) for i, parameter in enumerate(step.params)),
            )
            for step in core.steps
        ),
        invariants=tuple(Invariant(p.name, first(p), p.meaning, None, p.sort == QUIESCENT) for p in of_states),
        step_properties=tuple(
            StepProperty(p.name, tuple(map(judged, p.judgements)), p.meaning, None)
            for p in core.properties
            if p.sort == STEP
        ),
        terminal=next((first(p) for p in core.properties if p.name == DEADLOCK), always),
        expressions=x,
    )

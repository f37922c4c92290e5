"""A system whose actions take any number, with the steps it makes with some of these numbers as transitions of its own.

Such a transition is one of the system's with a number for each parameter, so that a trace can name it. Nothing is
added: what is missing are the steps with other numbers. The states are the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import replace

from .expressions import Expression, Expressions
from .rewrite import substituted
from .system import Judgement, StepProperty, Transition, TransitionSystem

#: A transition's position, and a number for each of its parameters by the number of the parameter's node.
Instance = tuple[int, dict[int, Expression]]


def with_numbers(system: TransitionSystem, numbers: Collection[int]) -> TransitionSystem:
    """The system with its parameters' values among some numbers written out. Its states may have no bound still."""
    if not any(t.params for t in system.transitions):
        return system
    found = list(_instances(system, numbers))
    return replace(
        system,
        transitions=tuple(_transition(system.expressions, system.transitions[i], values) for i, values in found),
        step_properties=tuple(_step_property(system.expressions, p, found) for p in system.step_properties),
        # Fairness speaks of transitions by position, and there is none for infinitely many of them.
        liveness=(),
    )


def _instances(system: TransitionSystem, numbers: Collection[int]) -> Iterator[Instance]:
    x = system.expressions
    for i, t in enumerate(system.transitions):
        for chosen in itertools.product(*([n for n in numbers if n >= p.lo] for _, p in t.params)):
            yield i, {p.number: x.const(n) for (_, p), n in zip(t.params, chosen, strict=True)}


def _transition(x: Expressions, t: Transition, values: dict[int, Expression]) -> Transition:
    numbers = {name: values[p.number].value for name, p in t.params}
    return replace(
        t,
        arguments=tuple((name, numbers.get(name, value)) for name, value in t.arguments),
        given=tuple((name, numbers.get(name, value)) for name, value in t.given),
        guard=substituted(x, t.guard, values),
        updates=tuple((position, substituted(x, node, values)) for position, node in t.updates),
        outcome=substituted(x, t.outcome, values),
        mistake=substituted(x, t.mistake, values),
        params=(),
    )


def _step_property(x: Expressions, prop: StepProperty, found: list[Instance]) -> StepProperty:
    return replace(prop, judgements=tuple(_judgement(x, prop.judgements[i], values) for i, values in found))


def _judgement(x: Expressions, judgement: Judgement, values: dict[int, Expression]) -> Judgement:
    tested = judgement.exercised
    return replace(
        judgement,
        holds=substituted(x, judgement.holds, values),
        exercised=None if tested is None else substituted(x, tested, values),
        mistake=substituted(x, judgement.mistake, values),
    )

"""A transition system as text: what `fenceproof show` prints, for people and for digests."""

from __future__ import annotations

from collections.abc import Iterator

from .expressions import Expression
from .rendering import render
from .system import Judgement, TransitionSystem


def as_text(system: TransitionSystem) -> str:
    """The whole system: variables, initial states, transitions, properties. The same for the same system, always."""
    return "\n".join(_lines(system)) + "\n"


def _lines(system: TransitionSystem) -> Iterator[str]:
    names = [slot.name for slot in system.slots]

    arguments_of: list[str] = []

    def slot_name(position: int, primed: bool) -> str:
        return names[position] + ("'" if primed else "")

    def argument_name(position: int) -> str:
        return arguments_of[position]

    def operand(node: Expression) -> str:
        return render(node, slot_name, argument_name)

    def text(node: Expression) -> str:
        shown = operand(node)
        return shown[1:-1] if shown.startswith("(") else shown

    parameters = ", ".join(f"{n}={v}" for n, v in system.parameters.items())
    yield f"model {system.name}({parameters})"
    if system.faults:
        yield "faults " + ", ".join(f"{n}={'unlimited' if b is None else b}" for n, b in system.faults.items())
    if system.most_faults is not None:
        yield f"at most {system.most_faults} faults in all"
    if system.without:
        yield "without " + ", ".join(system.without)
    yield ""
    yield "state"
    for variable in system.variables:
        yield f"    {variable.name}: {variable.kind}"
    yield ""
    yield f"initial ({len(system.initial)})"
    for state in system.initial[:16]:
        yield "    " + ", ".join(f"{name}={value}" for name, value in zip(names, state, strict=True))
    if len(system.initial) > 16:
        yield f"    and {len(system.initial) - 16} more"
    for transition in system.transitions:
        arguments = ", ".join(f"{n}={v!r}" for n, v in transition.arguments)
        arguments_of[:] = [name for name, _ in transition.params]
        yield ""
        yield f"{'fault' if transition.fault else 'action'} {transition.action}({arguments})" + (
            f" [{transition.fault}]" if transition.fault else ""
        )
        yield f"    when {text(transition.guard)}"
        for position, node in transition.updates:
            yield f"    {names[position]}' = {text(node)}"
        if transition.outcomes != (None,):
            outcomes = ", ".join(f"{i}: {o}" for i, o in enumerate(transition.outcomes))
            yield f"    outcome {text(transition.outcome)}  [{outcomes}]"
        if transition.mistakes:
            yield f"    error where {operand(transition.mistake)} != 0"
            for number, mistake in enumerate(transition.mistakes, start=1):
                where = f" ({mistake.site})" if mistake.site is not None else ""
                yield f"        {number}: {mistake.message}{where}"
    yield ""
    for prop in system.step_properties:
        yield f"step property {prop.name}"
        for transition, judgement in zip(system.transitions, prop.judgements, strict=True):
            if judgement.holds is not system.expressions.true:
                arguments = ", ".join(f"{n}={v!r}" for n, v in transition.arguments)
                arguments_of[:] = [name for name, _ in transition.params]
                yield f"    {transition.action}({arguments}): {text(judgement.holds)}"
    for invariant in system.invariants:
        yield f"invariant {invariant.name}"
        yield f"    {text(invariant.judgement.holds)}"
    yield from _terminal(system.terminal, text(system.terminal.holds))


def _terminal(judgement: Judgement, text: str) -> Iterator[str]:
    if not judgement.holds.is_const or judgement.holds.value:
        yield "terminal"
        yield f"    {text}"

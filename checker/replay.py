"""A trace on an implementation: each event applied, outcome and snapshot compared with the model's after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fenceproof.model.constants import as_items, as_mapping
from fenceproof.model.step import take
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace

from .adapters import Adapter
from .quoting import said


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first place where an implementation does not do what the model does. Step 0 is the state after `reset`."""

    step: int
    event: str
    field: str
    expected: object
    got: object


def replay_against(
    system: TransitionSystem, trace: Trace, adapter: Adapter, parameters: Mapping[str, object]
) -> Divergence | None:
    """Run a trace on an implementation; the first divergence, or None where there is none."""
    problem = begin(system, trace.states[0], adapter, parameters)
    steps = zip(trace.states, trace.states[1:], trace.transitions, strict=False)
    for number, (before, after, position) in enumerate(steps, start=1):
        if problem is not None:
            break
        problem = follow(system, before, position, after, adapter, number)
    return problem


def begin(
    system: TransitionSystem, initial: State, adapter: Adapter, parameters: Mapping[str, object]
) -> Divergence | None:
    """Reset an implementation, and compare it with an initial state of the model."""
    adapter.reset(parameters)
    return _compare(0, "reset", system.decode(initial), adapter.snapshot())


def follow(
    system: TransitionSystem, before: State, position: int, after: State, adapter: Adapter, number: int
) -> Divergence | None:
    """Let an implementation take the step of that number, and compare its outcome and snapshot with the model's."""
    transition = system.transitions[position]
    expected = take(transition, before).outcome
    event = transition.called
    try:
        got: object = adapter.apply({"action": transition.action, "args": transition.args})
    except ValueError as error:
        return Divergence(number, event, "event", "to be possible", said(error))
    if got != expected:
        return Divergence(number, event, "outcome", expected, got)
    return _compare(number, event, system.decode(after), adapter.snapshot())


def _compare(step: int, event: str, model: Mapping[str, object], seen: object) -> Divergence | None:
    fields = as_mapping(seen)
    if not fields:
        return Divergence(step, event, "snapshot", "an object with variables of the model", seen)
    for name, value in fields.items():
        if not isinstance(name, str) or name not in model:
            return Divergence(step, event, "snapshot", f"one of {', '.join(model)}", name)
        for field, expected, got in differences(name, model[name], value):
            return Divergence(step, event, field, expected, got)
    return None


def differences(name: str, expected: object, got: object) -> Iterator[tuple[str, object, object]]:
    """Where two JSON values differ, as deep inside as can be said. Keys that the other leaves out do not matter."""
    mine, theirs = as_mapping(expected), as_mapping(got)
    if mine is not None and theirs is not None:
        for key, value in theirs.items():
            if key in mine:
                yield from differences(f"{name}.{key}", mine[key], value)
            else:
                yield f"{name}.{key}", "not there", value
        return
    my_items, their_items = as_items(expected), as_items(got)
    if my_items is not None and their_items is not None and len(my_items) == len(their_items):
        for place, (a, b) in enumerate(zip(my_items, their_items, strict=True)):
            yield from differences(f"{name}[{place}]", a, b)
    elif expected != got or type(expected) is not type(got):
        yield name, expected, got

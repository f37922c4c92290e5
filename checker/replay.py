"""A trace on an implementation: each event applied, outcome and snapshot compared with the model's after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from fenceproof.model.step import take
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace

from .adapters import Adapter


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
    adapter.reset(parameters)
    problem = _compare(0, "reset", system.decode(trace.states[0]), adapter.snapshot())
    steps = zip(trace.states, trace.states[1:], trace.transitions, strict=False)
    for number, (before, after, position) in enumerate(steps, start=1):
        if problem is not None:
            break
        transition = system.transitions[position]
        expected = take(transition, before).outcome
        event = f"{transition.action}({', '.join(f'{n}={v}' for n, v in transition.arguments)})"
        try:
            got = adapter.apply({"action": transition.action, "args": transition.args})
        except ValueError as error:
            return Divergence(number, event, "event", "to be possible", str(error))
        if got != expected:
            return Divergence(number, event, "outcome", expected, got)
        problem = _compare(number, event, system.decode(after), adapter.snapshot())
    return problem


def _compare(step: int, event: str, model: Mapping[str, object], seen: object) -> Divergence | None:
    if not isinstance(seen, Mapping) or not seen:
        return Divergence(step, event, "snapshot", "an object with variables of the model", seen)
    fields = cast("Mapping[str, object]", seen)
    for name, value in fields.items():
        if name not in model:
            return Divergence(step, event, "snapshot", f"one of {', '.join(model)}", name)
        for field, expected, got in _differences(name, model[name], value):
            return Divergence(step, event, field, expected, got)
    return None


def _differences(name: str, expected: object, got: object) -> Iterator[tuple[str, object, object]]:
    """Where two JSON values differ, as deep inside as it can be said. Keys that the other side leaves out are no matter."""
    if isinstance(expected, Mapping) and isinstance(got, Mapping):
        mine, theirs = cast("Mapping[str, object]", expected), cast("Mapping[str, object]", got)
        for key, value in theirs.items():
            if key in mine:
                yield from _differences(f"{name}.{key}", mine[key], value)
            else:
                yield f"{name}.{key}", "not there", value
    elif isinstance(expected, list) and isinstance(got, list | tuple) and len(expected) == len(got):
        pairs = zip(cast("Sequence[object]", expected), cast("Sequence[object]", got), strict=True)
        for place, (a, b) in enumerate(pairs):
            yield from _differences(f"{name}[{place}]", a, b)
    elif expected != got or type(expected) is not type(got):
        yield name, expected, got

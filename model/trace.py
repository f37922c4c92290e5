"""A trace: a behaviour of a transition system, replaying it, and writing it down as JSON.

Not here: reading a trace file (`tracefile.py`), drawing a trace, or running it on an implementation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .step import is_enabled, take
from .system import State, TransitionSystem

FORMAT: Final = "fenceproof-trace"
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Trace:
    """`states[i + 1]` follows from `states[i]` by the transition at `transitions[i]`.

    `loop` is the position of the state that the last one leads back to (a lasso), or None. `mistake` is the
    transition at which the model itself goes wrong in the last state, or None.
    """

    states: tuple[State, ...]
    transitions: tuple[int, ...]
    loop: int | None = None
    mistake: int | None = None

    def __len__(self) -> int:
        return len(self.transitions)


def replay(system: TransitionSystem, trace: Trace) -> str | None:
    """Take every step again, the plain way. None if the trace is a behaviour, else a sentence that says why not."""
    if len(trace.states) != len(trace.transitions) + 1:
        return "it has not one state more than it has steps."
    if trace.states[0] not in system.initial:
        return "the first state is not an initial state of the model."
    for number, (before, position) in enumerate(zip(trace.states, trace.transitions, strict=False), start=1):
        transition = system.transitions[position]
        if not is_enabled(transition, before):
            return f"step {number}: {transition.action} is not enabled there."
        if take(transition, before).state != trace.states[number]:
            return f"step {number}: {transition.action} leads to another state."
    if trace.loop is not None and trace.states[trace.loop] != trace.states[-1]:
        return "the last state is not the state that the loop goes back to."
    if trace.mistake is not None:
        transition = system.transitions[trace.mistake]
        if not is_enabled(transition, trace.states[-1]) or take(transition, trace.states[-1]).mistake is None:
            return f"the model does not go wrong in {transition.action} after the last state."
    return None


def to_json(system: TransitionSystem, trace: Trace, target: str, property_name: str | None) -> dict[str, object]:
    """The trace as one JSON document; the state after each step is written out whole."""
    steps: list[dict[str, object]] = []
    for before, after, position in zip(trace.states, trace.states[1:], trace.transitions, strict=False):
        transition = system.transitions[position]
        steps.append(
            {
                "action": transition.action,
                "args": transition.args,
                "outcome": take(transition, before).outcome,
                "fault": transition.fault,
                "state": system.decode(after),
            }
        )
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": target,
        "model": system.name,
        "parameters": dict(system.parameters),
        "faults": dict(system.faults),
        "most_faults": system.most_faults,
        "without": list(system.without),
        "property": property_name,
        "initial": system.decode(trace.states[0]),
        "steps": steps,
        "loop": trace.loop,
    }

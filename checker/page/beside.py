"""Two models on the same events: what each does with one after the other, and why it refuses one.

Taken by the one-step interpreter. An event is an action with its arguments; a model that refuses it stays where it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from fenceproof.model.step import is_enabled, take
from fenceproof.model.system import State, Transition, TransitionSystem
from fenceproof.model.trace import Trace

from ..counterpart import seen
from .guards import Clause, why_not
from .leaves import Leaf, leaves_of


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model does with an event: its outcome, or in `refusal` why it does nothing; and its state then.

    `clauses` are the requirements that are not met. `ways` counts the choices that it has with this event, of which
    the first is taken.
    """

    outcome: str | None
    refusal: str | None
    clauses: tuple[Clause, ...]
    ways: int
    state: list[Leaf]


def replies(system: TransitionSystem, events: Sequence[Transition], start: State) -> list[Reply]:
    """What a model does with the events of another one, from an initial state on."""
    by_event: dict[str, list[Transition]] = {}
    for transition in system.transitions:
        by_event.setdefault(_key(transition), []).append(transition)
    state, found = start, list[Reply]()
    for event in events:
        reply, state = _reply(system, event, by_event.get(_key(event), []), state)
        found.append(reply)
    return found


def start_like(system: TransitionSystem, other: TransitionSystem, trace: Trace) -> State:
    """The initial state that shows the same as that of a trace of another model; the first one where none does."""
    wanted = seen(other, trace.states[0])
    return next((s for s in system.initial if seen(system, s) == wanted), system.initial[0])


def _key(transition: Transition) -> str:
    return json.dumps([transition.action, transition.args], sort_keys=True, default=repr)


def _reply(system: TransitionSystem, event: Transition, own: Sequence[Transition], state: State) -> tuple[Reply, State]:
    able = [transition for transition in own if is_enabled(transition, state)]
    if not able:
        clauses = tuple(why_not(system, own[0], state)) if own else ()
        return Reply(None, _refusal(system, event, own), clauses, 0, leaves_of(system, state)), state
    successor = take(able[0], state)
    if successor.state is None:
        said = "" if successor.mistake is None else f": {successor.mistake.message}"
        return Reply(None, f"the model itself goes wrong{said}", (), len(able), leaves_of(system, state)), state
    return Reply(successor.outcome, None, (), len(able), leaves_of(system, successor.state)), successor.state


def _refusal(system: TransitionSystem, event: Transition, own: Sequence[Transition]) -> str:
    if own:
        return "it is not enabled"
    if event.action in system.switched_off:
        return "its fault is switched off"
    if all(transition.action != event.action for transition in system.transitions):
        return "there is no such action"
    return "it is never taken with these arguments"

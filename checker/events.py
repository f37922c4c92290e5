"""What can be seen of a step: an event, and what a system does along a sequence of events, the plain way.

This is the meaning of `fenceproof diff`: two systems are equivalent if the same sequences of events are possible in
both. Everything here goes by the one-step interpreter, and what faster searches find is held against it.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fenceproof.model.errors import ModelError
from fenceproof.model.step import Successor, enabled, take
from fenceproof.model.system import State, Transition, TransitionSystem
from fenceproof.model.trace import Trace

#: An action with its arguments, as JSON.
Name = tuple[str, str]


class Event(NamedTuple):
    """A step as it is seen: the action, its arguments as JSON, and the outcome (None where outcomes are ignored)."""

    action: str
    arguments: str
    outcome: str | None

    @property
    def name(self) -> Name:
        """The action with its arguments."""
        return self.action, self.arguments

    @property
    def args(self) -> dict[str, object]:
        """The arguments by name."""
        found: dict[str, object] = json.loads(self.arguments)
        return found


@dataclass(frozen=True, slots=True)
class Seen:
    """What is seen of a step: nothing where its action is hidden, and its outcome unless outcomes are ignored."""

    hidden: frozenset[str] = frozenset()
    ignore_outcomes: bool = False

    def event(self, transition: Transition, outcome: str | None) -> Event | None:
        """A step as an event; None where it is hidden."""
        if transition.action in self.hidden:
            return None
        return Event(*name_of(transition), None if self.ignore_outcomes else outcome)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two systems, with the name that its user gave it."""

    target: str
    system: TransitionSystem


def name_of(transition: Transition) -> Name:
    """The action of a transition with its arguments."""
    return transition.action, json.dumps(transition.args, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Followed:
    """Where a sequence of events leads: for each number of events done, every state that a system may then be in.

    Each state has the place it was first reached from, and by which transition; None for an initial state.
    """

    layers: tuple[dict[State, tuple[int, State, int] | None], ...]

    @property
    def last(self) -> list[State]:
        """The states after all of the events; none where the system cannot do them."""
        return list(self.layers[-1])

    def trace(self) -> Trace:
        """A run with the fewest steps that shows these events, its hidden steps among them."""
        layer, state = len(self.layers) - 1, next(iter(self.layers[-1]))
        states, transitions = [state], list[int]()
        while (before := self.layers[layer][state]) is not None:
            layer, state, position = before
            states.append(state)
            transitions.append(position)
        return Trace(tuple(reversed(states)), tuple(reversed(transitions)))


def follow(side: Side, seen: Seen, events: Sequence[Event], *, beyond: bool = True) -> Followed:
    """Where events lead. Raises ModelError where the model goes wrong in a step that is enabled on the way.

    After the last of the events only hidden steps are taken, and not even those unless `beyond`.
    """
    system = side.system
    layers: list[dict[State, tuple[int, State, int] | None]] = [{} for _ in range(len(events) + 1)]
    layers[0].update(dict.fromkeys(system.initial))
    waiting = deque((0, state) for state in system.initial)
    while waiting:
        layer, state = waiting.popleft()
        if layer == len(events) and not beyond:
            continue
        for position in enabled(system, state):
            transition = system.transitions[position]
            if layer == len(events) and transition.action not in seen.hidden:
                continue
            after = taken(side, transition, state)
            event = seen.event(transition, after.outcome)
            to = layer + (event is not None)
            if event is not None and event != events[layer]:
                continue
            assert after.state is not None, "a step that does not go wrong has a successor"
            if after.state not in layers[to]:
                layers[to][after.state] = (layer, state, position)
                waiting.append((to, after.state))
    return Followed(tuple(layers))


def taken(side: Side, transition: Transition, state: State) -> Successor:
    """The step that a transition makes. Raises ModelError where the model goes wrong in it."""
    after = take(transition, state)
    if after.mistake is not None:
        raise ModelError(
            f"{after.mistake.message.rstrip('.')}, in {transition.action} of {side.target}.",
            after.mistake.site or transition.site,
            "A model that goes wrong is compared with no other. `fenceproof check` shows how it comes to this.",
        )
    return after

"""Finding a behaviour of a system that shows given events: what happens unseen in between is searched for.

Breadth first over states and events by the one-step interpreter, so the behaviour has as few steps as there can be.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fenceproof.model.step import enabled, take
from fenceproof.model.system import State, Transition, TransitionSystem
from fenceproof.model.trace import Trace

Shows = Callable[[Transition], bool]
Node = tuple[State, int]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A behaviour that shows the first `shown` events, all of them or as many as any behaviour does.

    `steps[i]` is the position of the step in the trace that shows event i.
    """

    trace: Trace
    shown: int
    steps: tuple[int, ...]


def find_behaviour(system: TransitionSystem, events: Sequence[Shows], is_silent: Shows) -> Scenario:
    """A shortest behaviour that shows the events in order, with silent steps in between; none after the last event."""
    silent = [is_silent(t) for t in system.transitions]
    shows = [[event(t) for t in system.transitions] for event in events]
    parents: dict[Node, tuple[Node, int] | None] = {(state, 0): None for state in system.initial}
    queue = deque(parents)
    furthest = queue[0]
    while queue:
        node = queue.popleft()
        state, seen = node
        if seen > furthest[1]:
            furthest = node
        if seen == len(events):
            break
        for position in enabled(system, state):
            after = take(system.transitions[position], state).state
            if after is None:
                continue
            nexts = [(after, seen + 1)] if shows[seen][position] else []
            nexts += [(after, seen)] if silent[position] else []
            for following in nexts:
                if following not in parents:
                    parents[following] = (node, position)
                    queue.append(following)
    return _walk(parents, furthest)


def _walk(parents: dict[Node, tuple[Node, int] | None], last: Node) -> Scenario:
    states, transitions, shown = [last[0]], list[int](), list[bool]()
    node = last
    while (parent := parents[node]) is not None:
        before, position = parent
        transitions.append(position)
        shown.append(node[1] > before[1])
        states.append(before[0])
        node = before
    shown.reverse()
    trace = Trace(tuple(reversed(states)), tuple(reversed(transitions)))
    return Scenario(trace, last[1], tuple(i for i, is_shown in enumerate(shown) if is_shown))

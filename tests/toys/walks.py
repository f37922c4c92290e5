"""Every reachable transition of a small system, each at the end of a shortest trace to it, found the plain way."""

from __future__ import annotations

from collections.abc import Iterator

from fenceproof.model.step import enabled, take
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace


def traces_to_every_transition(system: TransitionSystem) -> Iterator[Trace]:
    known = {state: Trace((state,), ()) for state in system.initial}
    queue = list(known)
    for state in queue:
        for position in enabled(system, state):
            after = take(system.transitions[position], state).state
            assert after is not None
            longer = Trace((*known[state].states, after), (*known[state].transitions, position))
            if after not in known:
                known[after] = longer
                queue.append(after)
            yield longer

"""Every behaviour of up to so many steps, as tests: each that cannot be made longer within the bound, once."""

from __future__ import annotations

from collections.abc import Iterator

from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace

from ..engines.finite import refuse_unbounded
from ..limits import Limits, Watch
from .steps import Steps


class Behaviours:
    """The behaviours of a system from one initial state, of up to `depth` steps.

    There is no way back in an implementation, so a behaviour is run from its beginning; one that is the beginning of
    another needs no test of its own.
    """

    def __init__(self, system: TransitionSystem, initial: State, depth: int) -> None:
        refuse_unbounded(system, "a run of every behaviour")
        self._initial, self._depth = initial, depth
        self._after = Steps(system).after

    def tests(self) -> Iterator[Trace]:
        """Each behaviour of `depth` steps, and each shorter one after which nothing can happen."""
        states, transitions = [self._initial], list[int]()
        open_ends = [iter(self._after(self._initial))]
        has_gone_on = True
        while open_ends:
            following = next(open_ends[-1], None) if len(transitions) < self._depth else None
            if following is not None:
                position, after = following.position, following.state
                states.append(after)
                transitions.append(position)
                open_ends.append(iter(self._after(after)))
                has_gone_on = True
                continue
            if has_gone_on:
                yield Trace(tuple(states), tuple(transitions))
            has_gone_on = False
            open_ends.pop()
            states.pop()
            if transitions:
                transitions.pop()

    def count(self, limits: Limits | None = None) -> tuple[int, int] | None:
        """How many behaviours of at least one step there are, and how many tests run them all; None where a limit is
        reached before that is known."""
        watch = Watch.start(limits or Limits())
        behaviours = tests = 0
        level = {self._initial: 1}
        for _ in range(self._depth):
            following: dict[State, int] = {}
            for state, ways in level.items():
                if watch.stop(0, 0) is not None:
                    return None
                after = self._after(state)
                behaviours += ways * len(after)
                tests += 0 if after else ways
                for step in after:
                    following[step.state] = following.get(step.state, 0) + ways
            level = following
        return behaviours, tests + sum(level.values())

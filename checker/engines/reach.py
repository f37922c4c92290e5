"""Whether a counterexample to induction begins in a reachable state, so that nobody takes it for a bug."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from fenceproof.model.errors import InternalError
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace, replay

from ..limits import Watch, go_on
from ..proof import Cti, Reach
from ..smt.encode import is_state
from ..smt.unroll import Unrolling
from ..smt.watched import StoppedError
from .sample import Sample

#: How many states are visited to find out.
MOST: Final = 1_000_000
#: Where these are not all: how many steps are unrolled, and for how many seconds.
STEPS: Final = 12
SECONDS: Final = 10.0


class Reachability:
    """What is known of which states are reachable: a sample, and all states up to a number once that is not enough."""

    def __init__(self, system: TransitionSystem, sample: Sample, watch: Watch) -> None:
        self._system, self._sample, self._watch = system, sample, watch
        self._is_widest = sample.is_complete

    def label(self, cti: Cti) -> Cti:
        """The counterexample with whether its beginning is reachable, and how that was found out."""
        state = cti.trace.states[0]
        trace = self._sample.trace_to(state)
        if trace is None and not self._is_widest:
            self._sample = Sample(self._system, (), replace(self._watch.rest(0), max_states=MOST), width=None)
            self._is_widest = True
            if self._sample.is_interrupted:
                raise KeyboardInterrupt
            trace = self._sample.trace_to(state)
        seen = len(self._sample)
        if trace is None and self._sample.is_complete:
            why = f"all {seen:,} reachable states were visited, and it is not among them"
            return replace(cti, reach=Reach.UNREACHABLE, why=why)
        steps = -1
        if trace is None:
            trace, steps = within(self._system, state, self._watch)
        if trace is not None:
            return replace(
                cti,
                reach=Reach.REACHABLE,
                why=f"it is reached in {len(trace)} step{'s' * (len(trace) != 1)}",
                way=trace,
            )
        unrolled = f", nor is it reached in up to {steps} steps" if steps >= 0 else ""
        why = f"it is not among the {seen:,} reachable states that were visited{unrolled}, and there are more"
        return replace(cti, reach=Reach.UNKNOWN, why=why)


def within(system: TransitionSystem, state: State, watch: Watch) -> tuple[Trace | None, int]:
    """A shortest behaviour that leads to a state, looked for in few steps and for few seconds; and in how many steps it
    is known that there is none, -1 for nothing."""
    limits, until = watch.rest(0), watch.seconds + SECONDS
    time_s = until if limits.time_s is None else min(until, limits.time_s)
    unrolling, asked = Unrolling(system, watch=Watch.start(replace(limits, time_s=time_s))), -1
    try:
        for depth in range(STEPS + 1):
            if depth:
                unrolling.extend()
            literal = unrolling.literal(is_state(system.slots, unrolling.states[depth], state))
            model = unrolling.ask(literal)
            if model is not None:
                trace = unrolling.trace(model, depth)
                if replay(system, trace) is not None:
                    raise InternalError("a behaviour that z3 found does not replay. Please report this.")
                return trace, asked
            unrolling.never(literal)
            asked = depth
    except StoppedError as stopped:
        go_on(stopped.stop)
    return None, asked

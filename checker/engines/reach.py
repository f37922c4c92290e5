"""Whether a counterexample to induction begins in a reachable state, so that nobody takes it for a bug."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from fenceproof.model.system import TransitionSystem

from ..limits import Watch
from ..proof import Cti, Reach
from .sample import Sample

#: How many states are visited to find out, unless a limit says so.
MOST: Final = 1_000_000


def label(system: TransitionSystem, cti: Cti, sample: Sample, watch: Watch) -> Cti:
    """The counterexample with whether it is reachable, and how that was found out.

    Where the sample does not tell, every reachable state is visited, up to a number of states.
    """
    state = cti.trace.states[0]
    if not sample.is_complete and sample.trace_to(state) is None:
        most = watch.limits.max_states if watch.limits.max_states is not None else MOST
        sample = Sample(system, (), replace(watch.rest(0), max_states=most), width=None)
    if sample.is_interrupted:
        raise KeyboardInterrupt
    trace = sample.trace_to(state)
    if trace is not None:
        return replace(cti, reach=Reach.REACHABLE, why=f"it is reached in {len(trace)} steps", way=trace)
    if sample.is_complete:
        why = f"all {len(sample):,} reachable states were visited, and it is not among them"
        return replace(cti, reach=Reach.UNREACHABLE, why=why)
    why = f"it is not among the {len(sample):,} reachable states that were visited, and these are not all"
    return replace(cti, reach=Reach.UNKNOWN, why=why)

"""A system with fewer faults: the transitions of faults that are off, and what can only follow them, taken out.

Cheaper than lifting the model anew, and the same: a transition that is out is one whose guard is false.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from fenceproof.model.system import Fairness, LivenessProperty, TransitionSystem
from fenceproof.model.trace import Trace


def kept_transitions(system: TransitionSystem, faults: Collection[str]) -> list[int]:
    """The positions of the transitions that are left where only some faults are switched on."""
    off = {name for name in system.faults if name not in faults}
    return [i for i, t in enumerate(system.transitions) if t.fault not in off and t.after_fault not in off]


def in_whole(system: TransitionSystem, faults: Collection[str], trace: Trace) -> Trace:
    """A trace of the system with some faults as one of the system itself."""
    kept = kept_transitions(system, faults)
    mistake = None if trace.mistake is None else kept[trace.mistake]
    return replace(trace, transitions=tuple(kept[t] for t in trace.transitions), mistake=mistake)


def restrict(system: TransitionSystem, faults: Collection[str]) -> TransitionSystem:
    """The system with only some of its faults switched on, each with the budget it has."""
    kept = kept_transitions(system, faults)
    place = {old: new for new, old in enumerate(kept)}
    return replace(
        system,
        faults={name: budget if name in faults else 0 for name, budget in system.faults.items()},
        transitions=tuple(system.transitions[i] for i in kept),
        step_properties=tuple(
            replace(prop, judgements=tuple(prop.judgements[i] for i in kept)) for prop in system.step_properties
        ),
        liveness=tuple(_alive(prop, place) for prop in system.liveness),
    )


def _alive(prop: LivenessProperty, place: Mapping[int, int]) -> LivenessProperty:
    fairness = (
        Fairness(f.name, tuple(place[t] for t in f.transitions if t in place), f.is_strong) for f in prop.fairness
    )
    return replace(prop, fairness=tuple(f for f in fairness if f.transitions))

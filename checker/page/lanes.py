"""Who takes part in a transition, for a drawing: each hop is from a lane to a lane, which may be the same."""

from __future__ import annotations

from fenceproof.model.system import Transition, TransitionSystem

Hops = list[list[str]]


def hops(system: TransitionSystem, transition: Transition) -> Hops:
    """The lane of an action's first argument, where it has one, or that of the whole model."""
    lane = next((f"{name} {value}" for name, value in transition.arguments), system.name)
    return [[lane, lane]]

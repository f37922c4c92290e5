"""A lasso as a counterexample to a liveness property, judged the plain way: state by state, demand by demand."""

from __future__ import annotations

from .step import is_enabled, judge_state, take
from .system import Fairness, LivenessProperty, State, TransitionSystem
from .trace import Trace


def refutes(system: TransitionSystem, prop: LivenessProperty, trace: Trace) -> str | None:
    """None if a trace that replays violates a liveness property, else a sentence that says why it does not."""
    if trace.loop is None:
        return "it does not loop."
    missing = [not judge_state(prop.goal, state).holds for state in trace.states]
    if prop.trigger is None:
        begins = 0
    else:
        trigger = prop.trigger
        triggered = [
            i for i, state in enumerate(trace.states) if judge_state(trigger, state).holds and all(missing[i:])
        ]
        if not triggered:
            return "nothing in it is left without what it leads to."
        begins = triggered[0]
    if not all(missing[min(begins, trace.loop) :]):
        return "the goal is reached on it."
    unfair = next((f for f in prop.fairness if not is_fair(system, f, trace)), None)
    return None if unfair is None else f"its loop is unfair to {unfair.name}."


def is_fair(system: TransitionSystem, fairness: Fairness, trace: Trace) -> bool:
    """Whether going round the loop of a trace for ever is fair to an action."""
    assert trace.loop is not None, "a lasso loops"
    steps = zip(
        trace.states[trace.loop :], trace.states[trace.loop + 1 :], trace.transitions[trace.loop :], strict=False
    )
    if any(before != after and position in fairness.transitions for before, after, position in steps):
        return True
    enabled = [can_change(system, fairness, state) for state in trace.states[trace.loop :]]
    return not any(enabled) if fairness.is_strong else not all(enabled)


def can_change(system: TransitionSystem, fairness: Fairness, state: State) -> bool:
    """Whether a fair action is enabled, that is, could be taken here and change something."""
    candidates = (system.transitions[position] for position in fairness.transitions)
    return any(is_enabled(t, state) and take(t, state).state not in (state, None) for t in candidates)

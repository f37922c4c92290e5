"""Whether a trace ends in a violation, by the one-step interpreter. What cannot be judged is no violation."""

from __future__ import annotations

from fenceproof.model.lasso import refutes
from fenceproof.model.step import Judged, is_enabled, is_quiescent, is_stuck, judge_state, judge_step
from fenceproof.model.system import DEADLOCK, TransitionSystem
from fenceproof.model.trace import Trace


def violates(judged: Judged) -> bool:
    """Whether a judgement says that the property is violated, and not that evaluating it goes wrong."""
    return not judged.holds and judged.mistake is None


def ends_in_violation(system: TransitionSystem, name: str, trace: Trace) -> bool:
    """Whether the last state of a trace, or its last step, violates the property of that name."""
    last = trace.states[-1]
    if name == DEADLOCK:
        return violates(judge_state(system.terminal, last)) and is_stuck(system, last)
    for invariant in system.invariants:
        if invariant.name == name:
            applies = is_quiescent(system, last) or not invariant.quiescent
            return applies and violates(judge_state(invariant.judgement, last))
    for lively in system.liveness:
        if lively.name == name:
            return refutes(system, lively, trace) is None
    prop = next(p for p in system.step_properties if p.name == name)
    if not trace.transitions:
        return False
    position, before = trace.transitions[-1], trace.states[-2]
    transition = system.transitions[position]
    judged = judge_step(prop.judgements[position], transition, before, last)
    return is_enabled(transition, before) and violates(judged)

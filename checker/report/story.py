"""A trace told in words: what each step means, with its arguments, its outcome and the fault that it spends."""

from __future__ import annotations

from collections import Counter

from fenceproof.model.step import take
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace


def story(system: TransitionSystem, trace: Trace) -> str:
    """What happens in a trace, as one paragraph; empty where nothing does."""
    told = [
        _told(system, number, position, take(system.transitions[position], before).outcome)
        for number, (before, position) in enumerate(zip(trace.states, trace.transitions, strict=False), start=1)
    ]
    if trace.mistake is not None:
        told.append(f"{_told(system, len(trace) + 1, trace.mistake, None)} There the model goes wrong.")
    return f"What happens: {' '.join(told)}" if told else ""


def _told(system: TransitionSystem, number: int, position: int, outcome: str | None) -> str:
    transition = system.transitions[position]
    # A step is one sentence, whatever lines an author's docstring, names or outcomes break into.
    meaning = " ".join(transition.meaning.split()).rstrip(".")
    aside = [transition.called] if meaning else []
    if transition.fault is not None:
        aside.append(f"fault {transition.fault}")
    if outcome is not None:
        aside.append(f"outcome {outcome}")
    said = f"({number}) {meaning or transition.called}"
    return " ".join((f"{said} [{'; '.join(aside)}]." if aside else f"{said}.").split())


def faults_spent(system: TransitionSystem, trace: Trace) -> str:
    """How often each fault happens in a trace, of how often it may for each thing it is counted by."""
    spent = Counter(f for p in trace.transitions if (f := system.transitions[p].fault) is not None)
    if not spent:
        return "faults spent: none" if system.faults else ""
    told = [f"{name} ×{times} ({_budget(system.faults.get(name))})" for name, times in spent.items()]
    return f"faults spent: {', '.join(told)}"


def _budget(budget: int | None) -> str:
    return "no limit" if budget is None else f"budget {budget}"

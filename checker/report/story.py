"""A trace told in words: a sentence for each step, as its author says it, and at the end what is violated.

Not why it is violated, down to the values: that is `why.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fenceproof.model.budgets import SPENT
from fenceproof.model.kinds import SequenceKind
from fenceproof.model.step import take
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace

from ..result import PropertyResult, Sort


def story(system: TransitionSystem, trace: Trace, found: PropertyResult | None = None) -> str:
    """What happens in a trace, as one paragraph that ends with the property that it violates; empty where nothing
    happens."""
    told = [*_steps(system, trace)]
    if trace.mistake is not None:
        transition = system.transitions[trace.mistake]
        told += [_as_documented(system, trace.mistake, None, transition.fault), "There the model goes wrong."]
    if not told:
        return ""
    if found is not None:
        told.append(_end(trace, found))
    return f"What happens: {' '.join(told)}"


def _steps(system: TransitionSystem, trace: Trace) -> Iterator[str]:
    for before, after, position in zip(trace.states, trace.states[1:], trace.transitions, strict=False):
        transition = system.transitions[position]
        outcome = take(transition, before).outcome
        yield _as_said(system, position, outcome, after) or _as_documented(system, position, outcome, transition.fault)


def _as_said(system: TransitionSystem, position: int, outcome: str | None, after: State) -> str | None:
    """The sentence that an author wrote for this outcome, if there is one."""
    transition = system.transitions[position]
    if transition.says is None:
        return None
    text = transition.says.sentence(transition.args, outcome, system.decode(after))
    return None if text is None else _sentence(text, [] if transition.fault is None else [f"fault: {transition.fault}"])


def _as_documented(system: TransitionSystem, position: int, outcome: str | None, fault: str | None) -> str:
    """What the docstring says that the action does, with what was done: the call, and its outcome."""
    transition = system.transitions[position]
    done = transition.called if outcome is None else f"{transition.called} → {outcome}"
    aside = [] if fault is None else [f"fault: {fault}"]
    return _sentence(transition.meaning, [done, *aside]) if transition.meaning.strip() else _sentence(done, aside)


def _sentence(text: str, aside: list[str]) -> str:
    """A sentence with what is to be known besides before its full stop.

    It is one line, whatever lines an author's words, names or outcomes break into.
    """
    text = " ".join(text.split())
    end = text[-1] if text.endswith((".", "!", "?")) else "."
    body = text.removesuffix(end)
    return " ".join((f"{body} [{'; '.join(aside)}]{end}" if aside else f"{body}{end}").split())


def _end(trace: Trace, found: PropertyResult) -> str:
    match found.sort:
        case Sort.DEADLOCK:
            return f"Nothing is left to happen then, but for faults, and nothing says that it may end: {found.name}."
        case Sort.LIVENESS if trace.loop == len(trace):
            return f"Nothing more has to happen then: this violates {found.name}."
        case Sort.LIVENESS:
            return f"From step {(trace.loop or 0) + 1} on the same happens for ever: this violates {found.name}."
        case _:
            return f"This violates {found.name}."


def faults_spent(system: TransitionSystem, trace: Trace) -> str:
    """How often each fault happens in a trace, and of how often it may, where that is one budget."""
    spent = Counter(f for p in trace.transitions if (f := system.transitions[p].fault) is not None)
    if not spent:
        return "faults spent: none" if system.faults else ""
    told = [f"{name} ×{times}{_budget(system, name)}" for name, times in spent.items()]
    return f"faults spent: {', '.join(told)}"


def _budget(system: TransitionSystem, fault: str) -> str:
    budget = system.faults.get(fault)
    if budget is None:
        return " (no limit)"
    counter = next((v for v in system.variables if v.name == f"{SPENT}{fault}"), None)
    counters = counter.kind.width if counter is not None and isinstance(counter.kind, SequenceKind) else 1
    # Where each of several has a budget of its own, "2 of 1" would look like one that was overrun.
    return f" of {budget}" if counters == 1 else f" (each of {counters} may have {budget})"

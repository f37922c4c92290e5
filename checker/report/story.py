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

from ..result import PropertyResult, Sort, Wrong
from .beginning import beginning


def story(system: TransitionSystem, trace: Trace, found: PropertyResult | Wrong | None = None) -> str:
    """What happens in a trace, as one paragraph that ends with what is found there: the property that it violates, or
    that the model goes wrong. Empty where nothing happens and nothing is found."""
    steps = [*_steps(system, trace)]
    if trace.mistake is not None:
        steps.append(_as_documented(system, trace.mistake, None, system.transitions[trace.mistake].fault))
    begun = beginning(system, trace.states[0])
    told = [*([f"It begins with {_sentence(', '.join(begun), [])}"] if begun else []), *steps]
    if found is not None:
        told = told if steps else [*told, "Nothing has happened yet."]
        told.append("There the model goes wrong." if isinstance(found, Wrong) else _end(system, trace, found))
    return f"What happens: {' '.join(told)}" if told else ""


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
    text = text.strip()
    end = text[-1] if text.endswith((".", "!", "?")) else "."
    body = text.removesuffix(end)
    return " ".join((f"{body} [{'; '.join(aside)}]{end}" if aside else f"{body}{end}").split())


def _end(system: TransitionSystem, trace: Trace, found: PropertyResult) -> str:
    match found.sort:
        case Sort.DEADLOCK:
            why = "nothing says that it may end" if system.terminal.holds.is_const else "it may not end so"
            return f"Nothing is left to happen then, but for faults, and {why}: this violates {found.name}."
        case Sort.LIVENESS if trace.loop == len(trace):
            return f"Nothing more has to happen then: this violates {found.name}."
        case Sort.LIVENESS:
            return f"From step {(trace.loop or 0) + 1} on the same happens for ever: this violates {found.name}."
        case _:
            said = _said_of_end(system, trace, found.name)
            return (
                f"This violates {found.name}." if said is None else f"This violates {found.name}: {_sentence(said, [])}"
            )


def _said_of_end(system: TransitionSystem, trace: Trace, name: str) -> str | None:
    """What the author of a property says of the step, or the state, that violates it."""
    state = system.decode(trace.states[-1])
    for invariant in system.invariants:
        if invariant.name == name:
            return None if invariant.says is None else invariant.says.sentence({}, None, state)
    says = next(p.says for p in system.step_properties if p.name == name)
    transition = system.transitions[trace.transitions[-1]]
    outcome = take(transition, trace.states[-2]).outcome
    return None if says is None else says.sentence(transition.args, outcome, state)


def faults_spent(system: TransitionSystem, trace: Trace) -> str:
    """How often each fault happens in a trace, and of how often it may, where that is one budget."""
    taken = trace.transitions if trace.mistake is None else (*trace.transitions, trace.mistake)
    spent = Counter(f for p in taken if (f := system.transitions[p].fault) is not None)
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

"""Answering questions: each case is checked over every reachable state, and what falls shown by a trace.

The verdict is that of the whole search. The trace is another matter: the shortest violation of all need not come by
the question, so the one that is shown begins with the question's order of actions and then ends as soon as it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from fenceproof.model.budgets import Settings
from fenceproof.model.errors import InternalError
from fenceproof.model.lift import lift
from fenceproof.model.step import is_enabled, take
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace
from fenceproof.model.trace import replay as replay_trace
from fenceproof.specs.properties import Planner
from fenceproof.specs.questions import Action, Case, Question

from .engines.explicit import check
from .result import CheckResult, PropertyResult
from .verdict import Verdict
from .violation import ends_in_violation

#: The property of an answering planner that says that it gives its answer.
ANSWER: Final = "answer"


@dataclass(frozen=True, slots=True)
class Examined:
    """What came of a case: the whole check, the violation that is shown, and everything that is not as declared."""

    result: CheckResult
    shown: PropertyResult | None
    problems: tuple[str, ...]

    @property
    def falls(self) -> tuple[str, ...]:
        """The properties that fall, in the model's order."""
        return tuple(p.name for p in self.result.properties if p.verdict is Verdict.VIOLATED)


def examine(question: Question, case: Case) -> Examined:
    """Check a case, hold what falls against what is declared, and find the trace that shows it."""
    system = lift(case.planner(calls=1), Settings(only=case.faults))
    examined = Examined(result := _search(system), None, _problems(question, case, result))
    asked = follow(system, question.order)
    if len(asked) < len(question.order):
        return _with_problem(examined, f"{question.order[len(asked)].name} cannot happen at its place")
    if question.is_right(case) or case.falls[0] not in examined.falls:
        return examined
    shown = _continued(system, asked, case.falls[0])
    if shown is None:
        return _with_problem(examined, f"{case.falls[0]} does not fall after the question was asked")
    return replace(examined, shown=shown)


def _with_problem(examined: Examined, problem: str) -> Examined:
    return replace(examined, problems=(*examined.problems, problem))


def _problems(question: Question, case: Case, result: CheckResult) -> tuple[str, ...]:
    verdicts = {p.name: p.verdict for p in result.properties}
    problems = [f"there is no property {name}" for name in case.falls if name not in verdicts]
    if result.wrong is not None:
        problems.append(f"the model itself goes wrong: {result.wrong.text}")
    for name, verdict in verdicts.items():
        if name in case.falls and verdict is not Verdict.VIOLATED:
            problems.append(f"{name} was to fall, and is {verdict}")
        elif name not in case.falls and verdict is Verdict.VIOLATED:
            problems.append(f"{name} was to hold, and falls")
        # Right is only what was put to every test; of a wrong answer it is enough that it is really given.
        elif name not in case.falls and verdict is not Verdict.HOLDS and (name == ANSWER or question.is_right(case)):
            problems.append(f"{name} was to hold, and is {verdict}")
    return tuple(problems)


def search_for_question(planner: type[Planner]) -> CheckResult:
    """A search of an answering planner under all faults, for nothing but whether its question ever comes up.

    It never does where the property `answer` is vacuous.
    """
    return _search(lift(planner(calls=1)), [ANSWER])


def is_never_asked(result: CheckResult) -> bool:
    """Whether a search for a question was complete and did not find it."""
    return result.complete and [p.verdict for p in result.properties] == [Verdict.VACUOUS]


def asked_of(planner: type[Planner], question: Question) -> tuple[TransitionSystem, Trace]:
    """A question's order of actions on a planner with all faults, as far as it can happen there."""
    system = lift(planner(calls=1))
    return system, follow(system, question.order)


def follow(system: TransitionSystem, order: Sequence[Action]) -> Trace:
    """The behaviour that consists of these actions, as far as they can happen."""
    states, transitions = [system.initial[0]], list[int]()
    for wanted in order:
        found = [
            i
            for i, t in enumerate(system.transitions)
            if t.action == wanted.name and t.args == wanted.args and is_enabled(t, states[-1])
        ]
        after = take(system.transitions[found[0]], states[-1]).state if found else None
        if after is None:
            break
        transitions.append(found[0])
        states.append(after)
    return Trace(tuple(states), tuple(transitions))


def _continued(system: TransitionSystem, asked: Trace, name: str) -> PropertyResult | None:
    """A shortest violation of a property among the behaviours that begin with a trace, or None."""
    found = _search(replace(system, initial=(asked.states[-1],)), [name]).properties[0]
    if found.trace is None:
        return None
    rest = found.trace
    loop = None if rest.loop is None else rest.loop + len(asked)
    trace = Trace(asked.states + rest.states[1:], asked.transitions + rest.transitions, loop)
    wrong = replay_trace(system, trace)
    if wrong is not None or not ends_in_violation(system, name, trace):
        raise InternalError(f"the trace of {name} does not replay: {wrong or 'it ends in no violation.'}")
    return replace(found, trace=trace)


def _search(system: TransitionSystem, properties: Sequence[str] | None = None) -> CheckResult:
    """Every reachable state. No limit is set, so only an interrupt stops this, and it is no answer then."""
    result = check(system, properties=properties)
    if result.stop is not None:
        raise KeyboardInterrupt
    return result

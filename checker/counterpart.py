"""What a right design does with the events of a counterexample, and by what it is told from the design that fell.

A counterexample is a behaviour of a design that is wrong, so its own outcomes are nothing to hold an implementation to.
Its events are: a right design takes some of them otherwise and refuses others, and what it does is what is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from fenceproof.model.budgets import SPENT
from fenceproof.model.errors import UsageError, nearest
from fenceproof.model.step import is_enabled, take
from fenceproof.model.system import DEADLOCK, State, Transition, TransitionSystem
from fenceproof.model.trace import Trace

from .api import property_names
from .conformance.running import only_initial
from .violation import ends_in_violation


@dataclass(frozen=True, slots=True)
class Answer:
    """An event, and what is to come of it: the state after it, and the outcome unless the event is refused.

    `fallen` is what the design that fell did with it: its outcome, and which variables it has otherwise after it; None
    where it cannot do this at all, or is past its end.
    """

    action: str
    args: Mapping[str, object]
    is_refused: bool
    outcome: str | None
    state: Mapping[str, object]
    fallen: Fallen | None

    @property
    def tells(self) -> bool:
        """Whether the outcome alone tells this from what the design that fell did.

        A refusal does not: an implementation may as well take an event that cannot happen now, and do nothing.
        """
        return self.fallen is None or (not self.is_refused and self.outcome != self.fallen.outcome)


@dataclass(frozen=True, slots=True)
class Fallen:
    """What a design that fell did: its outcome, and the variables in which its state is then another."""

    outcome: str | None
    otherwise: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Counterpart:
    """What is seen at the beginning, and an answer to each event; `begins_otherwise` is what the design that fell has
    otherwise at the beginning."""

    initial: Mapping[str, object]
    begins_otherwise: Mapping[str, object]
    answers: tuple[Answer, ...]

    @property
    def is_told_by_an_answer(self) -> bool:
        """Whether an outcome tells the two designs apart, whatever of the state is seen."""
        return any(answer.tells for answer in self.answers)


def counterpart(
    system: TransitionSystem, trace: Trace, violated: str, right: TransitionSystem, name: str
) -> Counterpart:
    """What `right`, which messages call `name`, does with the events of a trace that violates a property.

    Raises UsageError where it is not another behaviour, where `right` violates the property too, or where it cannot be
    said what it does.
    """
    positions = _positions(right)
    state = only_initial(right)
    states, taken = [state], list[int]()
    initial = seen(right, state)
    answers: tuple[Answer, ...] = ()
    steps = zip(trace.states, trace.states[1:], trace.transitions, strict=False)
    for before, after, position in steps:
        transition = system.transitions[position]
        _check_known(right, transition, name)
        chosen = _enabled(right, positions.get(_key(transition), []), state, name)
        outcome = None
        if chosen is not None:
            outcome, state = _taken(right.transitions[chosen], state, name)
            states.append(state)
            taken.append(chosen)
        now = seen(right, state)
        fallen = Fallen(take(transition, before).outcome, _otherwise(now, seen(system, after)))
        answers += (Answer(transition.action, transition.args, chosen is None, outcome, now, fallen),)
    if violated == DEADLOCK or trace.loop == len(trace):
        answers += _goes_on(system, trace.states[-1], right, state, name)
    found = Counterpart(initial, _otherwise(initial, seen(system, trace.states[0])), answers)
    if not found.is_told_by_an_answer and not any(_others(found)):
        raise UsageError(
            f"{name} does the same with these events as what violates {violated}, so no test can tell them apart by "
            "them.\n    Name a design that is right: --right TARGET, or --set NAME=VALUE for another parameter."
        )
    _check_right(right, violated, Trace(tuple(states), tuple(taken)), name)
    return found


def behaviour(system: TransitionSystem, trace: Trace) -> Counterpart:
    """What a trace that violates nothing asks of an implementation: what the trace does, which nothing has to be told
    apart from."""
    answers: tuple[Answer, ...] = ()
    for before, after, position in zip(trace.states, trace.states[1:], trace.transitions, strict=False):
        transition = system.transitions[position]
        outcome = take(transition, before).outcome
        answers += (Answer(transition.action, transition.args, False, outcome, seen(system, after), None),)
    return Counterpart(seen(system, trace.states[0]), {}, answers)


def seen(system: TransitionSystem, state: State) -> dict[str, object]:
    """A state by its variables, without the counters of spent faults, which are no part of an implementation."""
    return {name: value for name, value in system.decode(state).items() if not name.startswith(SPENT)}


def _others(found: Counterpart) -> list[Mapping[str, object]]:
    return [found.begins_otherwise, *(a.fallen.otherwise for a in found.answers if a.fallen is not None)]


def _otherwise(right: Mapping[str, object], fallen: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in fallen.items() if name in right and value != right[name]}


def _key(transition: Transition) -> str:
    return json.dumps([transition.action, transition.args], sort_keys=True, default=repr)


def _positions(system: TransitionSystem) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for position, transition in enumerate(system.transitions):
        found.setdefault(_key(transition), []).append(position)
    return found


def _check_known(right: TransitionSystem, transition: Transition, name: str) -> None:
    actions = dict.fromkeys((*(t.action for t in right.transitions), *right.left_out))
    if transition.action not in actions:
        raise UsageError(
            f"{name} has not the events of this trace. {nearest(transition.action, actions, 'The action')}"
        )


def _enabled(right: TransitionSystem, positions: list[int], state: State, name: str) -> int | None:
    found = [p for p in positions if is_enabled(right.transitions[p], state)]
    if len(found) > 1:
        raise UsageError(
            f"{name} may do several things with {right.transitions[found[0]].action} and these arguments, so it does "
            "not say what an implementation is to do.\n    Give each `choose` a label of its own."
        )
    return found[0] if found else None


def _taken(transition: Transition, state: State, name: str) -> tuple[str | None, State]:
    step = take(transition, state)
    if step.mistake is not None or step.state is None:
        said = "" if step.mistake is None else f": {step.mistake.message}"
        raise UsageError(f"{name} itself goes wrong in {transition.action}{said}. Mend it first: fenceproof check")
    return step.outcome, step.state


def _goes_on(
    system: TransitionSystem, stuck: State, right: TransitionSystem, state: State, name: str
) -> tuple[Answer, ...]:
    """Where a design got stuck, something that the right one can still do."""
    possible = {_key(t) for t in system.transitions if is_enabled(t, stuck)}
    for transition in right.transitions:
        if transition.fault is None and _key(transition) not in possible and is_enabled(transition, state):
            outcome, after = _taken(transition, state, name)
            return (Answer(transition.action, transition.args, False, outcome, seen(right, after), None),)
    return ()


def _check_right(right: TransitionSystem, violated: str, trace: Trace, name: str) -> None:
    lively = {prop.name for prop in right.liveness}
    if violated not in property_names(right) or violated in lively:
        return
    for length in range(len(trace) + 1):
        if ends_in_violation(right, violated, Trace(trace.states[: length + 1], trace.transitions[:length])):
            raise UsageError(
                f"{name} violates {violated} on these events as well, so it is nothing to hold an implementation "
                "against.\n    Name a design that is right: --right TARGET"
            )

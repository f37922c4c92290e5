"""Whether a recorded run is a behaviour of a model, where some of its steps need not be in the log.

The subset construction: after each event of the log, all states that the model may be in. Steps of hidden actions may
happen unseen before any event. Nothing is guessed: the log is a behaviour exactly if some state is left at its end,
unless a limit stopped it before.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace

from ..events import Followed
from ..limits import Limits, Stop, Watch
from ..replay import differences
from .logfile import Entry, Log
from .steps import Step, Steps

#: States that are held at once, of all events together.
MOST_STATES: Final = 2_000_000
#: For each state, where it was first reached from and by which transition, as in `Followed`.
_Layer = dict[State, tuple[int, State, int] | None]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first event that no behaviour has at its place. `possible` are the steps that are, by how they are written
    with their outcomes; `nearly` those of the same action, and what of the event they do not have."""

    entry: Entry
    possible: tuple[str, ...]
    nearly: tuple[str, ...]
    is_beyond: bool


@dataclass(frozen=True, slots=True)
class Validated:
    """What came of a log: how many events a behaviour has in their order, and one with the fewest steps that has.

    `widest` is the most states that were possible at once. `mismatch` is None where all events are matched or a limit
    stopped it (`stop`).
    """

    matched: int
    trace: Trace
    hidden: frozenset[str]
    widest: int
    mismatch: Mismatch | None
    stop: Stop | None


def hidden_by_default(system: TransitionSystem, log: Log) -> frozenset[str]:
    """The actions that a log never names."""
    return frozenset({t.action for t in system.transitions} - {entry.action for entry in log.entries})


def validate(
    system: TransitionSystem, entries: Iterable[Entry], hidden: frozenset[str], limits: Limits | None = None
) -> Validated:
    """Whether events are a behaviour of a system whose hidden actions may happen unseen.

    Raises ModelError where the model itself goes wrong on the way.
    """
    steps, watch = Steps(system), Watch.start(limits or Limits())
    layers: list[_Layer] = [dict.fromkeys(system.initial)]
    widest = held = 0
    for number, entry in enumerate(entries):
        layer = layers[-1]
        stop = _hidden_steps(system, steps, layer, number, hidden, watch, held)
        widest, held = max(widest, len(layer)), held + len(layer)
        if stop is not None:
            return Validated(number, Followed(tuple(layers)).trace(), hidden, widest, None, stop)
        following: _Layer = {}
        for state in layer:
            for step in steps.after(state):
                if step.state not in following and not _unlike(system, entry, step):
                    following[step.state] = number, state, step.position
        if not following:
            found = _mismatch(system, steps, entry, layer, hidden)
            return Validated(number, Followed(tuple(layers)).trace(), hidden, widest, found, None)
        layers.append(following)
    return Validated(len(layers) - 1, Followed(tuple(layers)).trace(), hidden, widest, None, None)


def _hidden_steps(
    system: TransitionSystem,
    steps: Steps,
    layer: _Layer,
    number: int,
    hidden: frozenset[str],
    watch: Watch,
    held: int,
) -> Stop | None:
    """Add to a layer all states that hidden steps lead to."""
    waiting = deque(layer)
    while waiting:
        most = watch.limits.max_states or MOST_STATES
        if held + len(layer) > most:
            return Stop("states", f"more than {most:,} states, of all events together")
        stop = watch.stop(0, 0)
        if stop is not None:
            return stop
        state = waiting.popleft()
        for step in steps.after(state):
            if system.transitions[step.position].action in hidden and step.state not in layer:
                layer[step.state] = number, state, step.position
                waiting.append(step.state)
    return None


def _unlike(system: TransitionSystem, entry: Entry, step: Step) -> str | None:
    """What of an event a step does not have; None where it has all that is said."""
    transition = system.transitions[step.position]
    if transition.action != entry.action:
        return "the action"
    args = transition.args
    for name, value in entry.args.items():
        if name not in args or args[name] != value or type(args[name]) is not type(value):
            return f"{name}={value}"
    if entry.has_outcome and step.outcome != entry.outcome:
        return f"the outcome {entry.outcome or 'none'}"
    if entry.state is not None:
        return _other_state(system.decode(step.state), entry.state)
    return None


def _other_state(model: Mapping[str, object], said: Mapping[str, object]) -> str | None:
    for name, value in said.items():
        if name not in model:
            return f"a variable {name}"
        for place, expected, got in differences(name, model[name], value):
            return f"{place}: {got} after it, but {expected}"
    return None


def _mismatch(
    system: TransitionSystem, steps: Steps, entry: Entry, layer: Iterable[State], hidden: frozenset[str]
) -> Mismatch:
    possible: Counter[str] = Counter()
    nearly: Counter[str] = Counter()
    for state in layer:
        for step in steps.after(state):
            transition = system.transitions[step.position]
            text = transition.called
            if step.outcome is not None:
                text += f" with the outcome {step.outcome}"
            if transition.action == entry.action:
                nearly[f"{text}, not {_unlike(system, entry, step)}"] += 1
            if transition.action not in hidden:
                possible[text] += 1
    is_beyond = not any(_names(t.action, t.args, entry) for t in system.transitions)
    return Mismatch(entry, tuple(possible), tuple(nearly), is_beyond)


def _names(action: str, args: Mapping[str, object], entry: Entry) -> bool:
    """Whether an event is of this action with these arguments."""
    return action == entry.action and all(
        name in args and args[name] == value and type(args[name]) is type(value) for name, value in entry.args.items()
    )

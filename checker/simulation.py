"""Running injected traces: what a planner makes of an event order, and whether every property held on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from fenceproof.model.budgets import Settings
from fenceproof.model.lift import lift
from fenceproof.model.step import is_quiescent, judge_state, judge_step, take
from fenceproof.model.system import Transition, TransitionSystem
from fenceproof.specs.injected import SILENT, Control, Event, InjectedTrace, record_of
from fenceproof.specs.properties import Planner

from .scenario import find_behaviour
from .violation import violates


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of one event: the planner's answer, what it wrote down (or nothing), and the durable record after."""

    event: str
    outcome: str
    record: str | None
    durable: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Played:
    """One trace on one planner. `impossible` is the event that no behaviour shows at its place, or None."""

    seen: tuple[Seen, ...]
    state: str
    violated: tuple[str, ...]
    ghosts: int
    impossible: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A trace on the planner and on the control, and everything that is wrong with it."""

    trace: InjectedTrace
    planner: Played
    naive_broken: bool
    problems: tuple[str, ...]


class Systems:
    """Planners as transition systems, each lifted once for each number of epochs; faults are without limit."""

    def __init__(self) -> None:
        self._lifted: dict[tuple[type[Planner], int], TransitionSystem] = {}

    def of(self, planner: type[Planner], epochs: int) -> TransitionSystem:
        """A planner for one call."""
        key = (planner, epochs)
        if key not in self._lifted:
            model = planner(calls=1, epochs=epochs)
            faults = lift(model).faults
            self._lifted[key] = lift(model, Settings(dict.fromkeys(faults)))
        return self._lifted[key]


def run_trace(trace: InjectedTrace, planner: type[Planner], systems: Systems) -> Outcome:
    """Run a trace on a planner and on the last-writer control."""
    played = play(systems.of(planner, trace.epochs), trace)
    control = play(systems.of(Control, trace.epochs), trace)
    broken = control.ghosts > 0
    problems = [f"{name} is violated" for name in played.violated]
    if played.impossible is not None:
        problems.append(f"{played.impossible} cannot happen at this point")
    records = tuple(seen.record for seen in played.seen if seen.record is not None)
    if trace.records is not None and trace.records != records:
        problems.append(f"the planner was to write down {', '.join(trace.records) or 'nothing'}")
    if trace.state is not None and trace.state != played.state:
        problems.append(f"the call was to end {trace.state}, and is {played.state}")
    if trace.naive_broken is not None and trace.naive_broken != broken:
        problems.append(f"the control was to have naive_broken={trace.naive_broken}")
    return Outcome(trace, played, broken, tuple(problems))


def play(system: TransitionSystem, trace: InjectedTrace) -> Played:
    """Run a trace on one planner."""
    wanted = [_shows(event) for event in trace.events]
    found = find_behaviour(system, wanted, lambda t: t.action in SILENT)
    states, transitions = found.trace.states, found.trace.transitions
    seen: list[Seen] = []
    commits: list[tuple[str, int]] = []
    for event, place in zip(trace.events, found.steps, strict=False):
        outcome = take(system.transitions[transitions[place]], states[place]).outcome or ""
        is_result = event.epoch is not None
        durable = _first(system.decode(states[place + 1])["record"])
        seen.append(Seen(event.text, outcome, record_of(event, outcome) if is_result else None, durable))
        if outcome == "commit":
            commits.append((event.kind, event.epoch or 1))
    last = system.decode(states[-1])
    record, outbox = _first(last["record"]), _first(last["outbox"])
    live = int(str(record["live"]))
    return Played(
        tuple(seen),
        _state_of(record, outbox),
        _violated(system, states, transitions),
        sum(1 for kind, epoch in commits if kind != "compensate_ok" and epoch < live),
        None if found.shown == len(trace.events) else trace.events[found.shown].text,
    )


def _first(value: object) -> Mapping[str, object]:
    assert isinstance(value, list), "one entry a call"
    return cast("list[Mapping[str, object]]", value)[0]


def _shows(event: Event) -> Callable[[Transition], bool]:
    return lambda transition: event.shown_by(transition.action, transition.args)


def _state_of(record: Mapping[str, object], outbox: Mapping[str, object]) -> str:
    if record["committed"] is not None:
        return "committed"
    return "waiting" if outbox["epoch"] == 1 else "compensating"


def _violated(
    system: TransitionSystem, states: tuple[tuple[int, ...], ...], transitions: tuple[int, ...]
) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for prop in system.step_properties:
        for before, after, t in zip(states, states[1:], transitions, strict=False):
            if violates(judge_step(prop.judgements[t], system.transitions[t], before, after)):
                names[prop.name] = None
    for invariant in system.invariants:
        judged = [s for s in states if not invariant.quiescent or is_quiescent(system, s)]
        if any(violates(judge_state(invariant.judgement, state)) for state in judged):
            names[invariant.name] = None
    return tuple(names)

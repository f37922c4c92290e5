"""Whether a planner writes a ghost: on the eight injected traces, and along a counterexample of the design that it is
like."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from fenceproof.checker.api import check
from fenceproof.checker.replay import replay_against
from fenceproof.checker.scenario import find_behaviour
from fenceproof.checker.simulation import Systems
from fenceproof.model.system import Transition
from fenceproof.specs.injected import SILENT, Event, shipped
from fenceproof.specs.properties import Planner

from .driving import LibraryAdapter
from .suite import quiet

#: The properties that a ghost violates: in the table, and in the world.
GHOSTS = ("no-ghost", "effect-matches-record")


def ghosts_in_traces(adapter: LibraryAdapter) -> dict[str, bool]:
    """For each injected trace, whether a success is written after a compensation was opened."""
    systems = Systems()
    found: dict[str, bool] = {}
    for trace in shipped():
        system = systems.of(Planner, trace.epochs)
        shows = [_shows(event) for event in trace.events]
        schedule = find_behaviour(system, shows, lambda t: t.action in SILENT)
        assert schedule.shown == len(trace.events), "the fenced planner shows every injected trace"
        adapter.reset({})
        events = (system.transitions[t] for t in schedule.trace.transitions)
        found[trace.name] = any(list(_ghosts(adapter, events)))
    return found


def shortest_ghosts(design: type[Planner], adapter: LibraryAdapter) -> dict[str, list[str]]:
    """For each property that a ghost violates, the events of a shortest counterexample of a design, if it is violated
    there and the planner does the same all the way."""
    found: dict[str, list[str]] = {}
    result = check(design, faults="all", most_faults=1, properties=GHOSTS)
    for prop in result.properties:
        if prop.trace is None:
            continue
        system = quiet(result.system)
        if replay_against(system, prop.trace, adapter, dict(system.parameters)) is None:
            found[prop.name] = [system.transitions[t].called for t in prop.trace.transitions]
    return found


def _shows(event: Event) -> Callable[[Transition], bool]:
    return lambda transition: event.shown_by(transition.action, transition.args)


def _ghosts(adapter: LibraryAdapter, events: Iterable[Transition]) -> Iterator[bool]:
    for transition in events:
        before = adapter.outcome()
        adapter.apply({"action": transition.action, "args": transition.args})
        yield adapter.opened > 1 and before != adapter.outcome() == "success"

"""Tests of a whole model on an implementation, for `conform`: an edge cover, every behaviour, random walks."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from fenceproof.model.errors import AdapterError, DivergenceError
from fenceproof.model.step import take
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import to_json
from fenceproof.specs.variants import VARIANTS

from ..conformance.cover import Edge, edge_cover, shortened, ways_from
from ..conformance.exhaustive import Behaviours
from ..conformance.running import Finding, Ran, Tally, only_initial, run_tests
from ..conformance.shown import Watched
from ..conformance.steps import goes_wrong
from ..graph import explore
from ..limits import Limits
from ..report.conformance import coverage, print_ran, tests_run
from ..report.console import new_console
from ..report.divergence import divergence_text
from ..report.save import file_name, save
from ..report.summary import counted
from ..targets import Target
from ..verdict import Verdict
from .again import command_given, command_of
from .against import ImplementationOptions
from .options import INTERRUPTED

if TYPE_CHECKING:
    import networkx

#: States of a model that are explored for its tests, unless the user says otherwise.
MOST_STATES: Final = 50_000
#: A number of behaviours that is larger is shown by its size.
MOST_SHOWN: Final = 10**12


@dataclass(frozen=True, slots=True)
class Asked:
    """What is held against what, within which limits, and where a trace goes."""

    target: Target
    system: TransitionSystem
    chosen: ImplementationOptions
    design: str | None
    parameters: Mapping[str, object]
    limits: Limits
    most_tests: int | None
    out: Path
    quiet: bool
    no_color: bool

    @property
    def name(self) -> str:
        """How messages call the implementation."""
        assert self.chosen.against is not None, "it is asked for at the door"
        return self.chosen.against


def held_against_cover(asked: Asked) -> int:
    """Run tests that together take every transition that was found."""
    limits = replace(asked.limits, max_states=asked.limits.max_states or MOST_STATES)
    initial = only_initial(asked.system)
    explored = explore(asked.system, limits)
    if explored.wrong is not None:
        state, position = explored.wrong
        transition = asked.system.transitions[position]
        mistake = take(transition, state).mistake
        assert mistake is not None, "that is what went wrong"
        raise goes_wrong(transition, mistake)
    graph, ways = explored.graph, ways_from(explored.graph, initial)
    total = graph.number_of_edges()
    if not total and explored.stop is None:
        return _nothing_to_test(asked)

    watched = Watched(asked.chosen.open, asked.system)
    ran = run_tests(
        asked.system,
        edge_cover(graph, initial),
        watched.open,
        asked.parameters,
        most_tests=asked.most_tests,
        limits=_rest(asked),
        ways=partial(shortened, ways),
    )
    stop = ran.stop or explored.stop
    covered = coverage(ran.tally, total if explored.stop is None else None)
    rows = [("covered", covered), ("tests", tests_run(ran.tally))]
    rows += _uncovered(asked.system, set(graph.edges(keys=True)) - ran.tally.taken)
    rows += _never_enabled(asked.system, graph) if explored.stop is None else []
    if explored.stop is not None:
        rows.append(("not explored", f"what is beyond {len(graph):,} states: {explored.stop.reason}"))
    if stop is None and ran.finding is None:
        assert len(ran.tally.taken) == total, "every transition is in a test"
    headline = f"{asked.name} does what {asked.target.name} does in {covered}"
    return _told(asked, replace(ran, stop=stop), watched, headline, rows)


def held_against_depth(asked: Asked, depth: int) -> int:
    """Run every behaviour of up to so many steps."""
    behaviours = Behaviours(asked.system, only_initial(asked.system), depth)
    known = behaviours.count(_rest(asked))
    if known is not None and not known[0]:
        return _nothing_to_test(asked)
    watched = Watched(asked.chosen.open, asked.system)
    ran = run_tests(
        asked.system,
        behaviours.tests(),
        watched.open,
        asked.parameters,
        most_tests=asked.most_tests,
        limits=_rest(asked),
    )
    every = f"{_many(None if known is None else known[0], 'behaviour')} of up to {counted(depth, 'step')}"
    tests = _many(None if known is None else known[1], "test")
    if ran.stop is None:
        headline = f"{asked.name} does what {asked.target.name} does in all {every}"
    else:
        headline = f"{asked.name} does what {asked.target.name} does in {ran.tally.tests:,} of {tests}"
    rows = [("behaviours", f"{every}; {tests} run them all"), ("tests", tests_run(ran.tally))]
    rows.append(("covered", counted(len(ran.tally.taken), "transition")))
    return _told(asked, ran, watched, headline, rows)


def held_against_walks(asked: Asked, walks: int, seeded: int) -> int:
    """Take random walks, each anew from the initial state where nothing can happen any more."""
    from ..conformance.stateful import run_walks

    if Behaviours(asked.system, only_initial(asked.system), 1).count() == (0, 1):
        return _nothing_to_test(asked)
    watched = Watched(asked.chosen.open, asked.system)
    ran = run_walks(asked.system, watched.open, asked.parameters, walks, seeded=seeded, limits=_rest(asked))
    rows = [("walks", f"{counted(walks, 'walk')} asked for, with the seed {seeded}"), ("tests", tests_run(ran.tally))]
    rows.append(("covered", f"{counted(len(ran.tally.taken), 'transition')}, of an unknown number"))
    headline = f"no divergence of {asked.name} from {asked.target.name} in {tests_run(ran.tally).partition(';')[0]}"
    return _told(asked, ran, watched, headline, rows)


def _rest(asked: Asked) -> Limits:
    """The limits of running: the time is that of everything, and states have nothing to do with it."""
    return replace(asked.limits, max_states=None)


def _many(number: int | None, what: str) -> str:
    """A number that is counted, or that it is too many to count or to read."""
    if number is None:
        return f"uncounted {what}s"
    return counted(number, what) if number < MOST_SHOWN else f"more than 10^{len(str(number)) - 1} {what}s"


def _nothing_to_test(asked: Asked) -> int:
    click.echo(f"{asked.target.name}: nothing can happen in this model, so there is nothing to test.")
    return Verdict.VACUOUS.exit_code


def _uncovered(system: TransitionSystem, missing: set[Edge]) -> list[tuple[str, str]]:
    """Which transitions were not taken, by how many there are of each action."""
    if not missing:
        return []
    actions = [system.transitions[position].action for _, _, position in missing]
    listed = ", ".join(f"{name} ×{actions.count(name):,}" for name in sorted(set(actions)))
    return [("not covered", f"{counted(len(missing), 'transition')}: {listed}")]


def _never_enabled(system: TransitionSystem, graph: networkx.MultiDiGraph[Any]) -> list[tuple[str, str]]:
    """The actions that no test takes, because the model never does within these bounds."""
    edges: list[Edge] = list(graph.edges(keys=True))
    there = {system.transitions[position].action for _, _, position in edges}
    missing = [t.action for t in system.transitions if t.action not in there]
    never = list(dict.fromkeys([*missing, *system.switched_off]))
    return [("never enabled", ", ".join(never))] if never else []


def _told(asked: Asked, ran: Ran, watched: Watched, headline: str, rows: Sequence[tuple[str, str]]) -> int:
    """Print what came of it; DivergenceError, with the trace saved, where the implementation diverged."""
    if ran.finding is not None:
        raise DivergenceError(_diverged(asked, ran.finding, ran.tally))
    if watched.is_blind and ran.tally.tests:
        raise AdapterError(
            f"{asked.name} shows nothing of the state in any snapshot, so nothing but outcomes was compared.\n"
            "    Return values of the model's variables from `snapshot`: fenceproof show lists them."
        )
    if ran.stop is not None:
        headline = f"inconclusive: {headline}: {ran.stop.reason}"
    if asked.quiet:
        click.echo(headline)
    else:
        seconds = time.monotonic() - (asked.limits.began or 0.0)
        console = new_console(no_color=asked.no_color)
        print_ran(console, headline, asked.system, rows, watched=watched, stop=ran.stop, seconds=seconds)
    if ran.stop is None:
        return 0
    if ran.stop.kind == "interrupted":
        return INTERRUPTED
    return Verdict.INCONCLUSIVE.exit_code


def _diverged(asked: Asked, finding: Finding, tally: Tally) -> str:
    """Where the implementation diverged, with how to see it again: by the saved trace where that alone shows it."""
    sys.stdout.flush()
    again = command_given()
    if finding.is_alone:
        title = f"{asked.target.name} against {asked.name}"
        parts = (asked.target.name, "against", asked.name)
        path = asked.out / f"{'-'.join(map(file_name, parts))}.json"
        document = to_json(asked.system, finding.trace, asked.target.name, None)
        if save(asked.out, [(title, parts, document)]):
            again = _replay(asked, path)
    text = divergence_text(asked.name, finding.divergence, len(finding.trace), again)
    before = f"    It came after {counted(tally.tests, 'test')} that agreed."
    if not finding.is_alone:
        before += (
            " On its own it does not show:\n"
            "    the implementation keeps something across reset, or does not do the same each time."
        )
    return f"{text}\n{before}"


def _replay(asked: Asked, path: Path) -> str:
    """The command that replays a saved trace on the implementation."""
    words = ["fenceproof", "replay", str(path), "--against", asked.name]
    if asked.target.name not in VARIANTS:
        words += ["--model", asked.target.name]
    if asked.chosen.url is not None:
        words += ["--url", asked.chosen.url]
    if asked.design is not None:
        words += ["--as", asked.design]
    return command_of(words)

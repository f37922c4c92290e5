"""Tests of a whole model on an implementation: the right one passes all of them, and each broken one is caught."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import cache, partial
from typing import cast

import pytest
from broken import KeepsState, LostOutbox, NoCommitCheck, NoEpochCheck
from fenceproof.checker.adapters import Adapter
from fenceproof.checker.conformance.cover import edge_cover, shortened, ways_from
from fenceproof.checker.conformance.exhaustive import Behaviours
from fenceproof.checker.conformance.running import Finding, Ran, run_tests
from fenceproof.checker.conformance.shown import Watched
from fenceproof.checker.conformance.stateful import run_walks
from fenceproof.checker.driven import driven
from fenceproof.checker.graph import explored_graph
from fenceproof.checker.limits import Limits, Stop
from fenceproof.checker.replay import replay_against
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import AdapterError, ModelError, UsageError
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace, replay
from fenceproof.specs.reference.memory import Memory
from fenceproof.specs.variants import VARIANTS
from toys import clock, counter, graph

MODEL = VARIANTS["fenced"].model()
FENCED = lift(MODEL, Settings(most_faults=1))
PARAMETERS = {"calls": 1, "epochs": 3, **MODEL.design()}
INITIAL = FENCED.initial[0]
BROKEN = (NoEpochCheck, NoCommitCheck, LostOutbox)


def by_cover(make: Callable[[], Adapter], system: TransitionSystem = FENCED, most_tests: int | None = None) -> Ran:
    explored = explored_graph(system)
    ways = partial(shortened, ways_from(explored, INITIAL))
    tests = edge_cover(explored, INITIAL)
    return run_tests(system, tests, lambda: nullcontext(make()), PARAMETERS, most_tests=most_tests, ways=ways)


def by_depth(make: Callable[[], Adapter]) -> Ran:
    return run_tests(FENCED, Behaviours(FENCED, INITIAL, 6).tests(), lambda: nullcontext(make()), PARAMETERS)


def by_walks(make: Callable[[], Adapter]) -> Ran:
    return run_walks(FENCED, lambda: nullcontext(make()), PARAMETERS, 60)


WAYS = {"cover": by_cover, "depth": by_depth, "walks": by_walks}


@cache
def caught(way: str, broken: type[Memory]) -> Finding:
    """What a way finds in a broken planner."""
    return finding_of(WAYS[way](broken))


def finding_of(ran: Ran) -> Finding:
    assert ran.finding is not None
    return ran.finding


@pytest.mark.parametrize("broken", BROKEN, ids=lambda c: c.__name__)
@pytest.mark.parametrize("way", WAYS)
def test_a_broken_planner_is_caught_with_a_trace_that_shows_it_alone(way: str, broken: type[Memory]) -> None:
    finding = caught(way, broken)
    assert finding.is_alone
    assert replay(FENCED, finding.trace) is None
    assert replay_against(FENCED, finding.trace, broken(), PARAMETERS) == finding.divergence
    assert replay_against(FENCED, finding.trace, Memory(), PARAMETERS) is None
    assert finding.divergence.step == len(finding.trace)


@pytest.mark.parametrize("way", ["cover", "walks"])
def test_a_dropped_epoch_check_is_shown_by_a_late_result_in_few_steps(way: str) -> None:
    finding = caught(way, NoEpochCheck)
    assert [FENCED.transitions[i].action for i in finding.trace.transitions][-1] == "deliver"
    assert 4 <= len(finding.trace) <= 6
    said = finding.divergence
    assert (said.field, said.expected, said.got) == ("outcome", "reject:stale", "commit")


def test_the_right_planner_passes_every_way_and_all_transitions_are_taken() -> None:
    ran = by_cover(Memory)
    assert (ran.finding, ran.stop, len(ran.tally.taken)) == (None, None, 375)
    assert by_depth(Memory).finding is None
    walked = by_walks(Memory)
    assert (walked.finding, walked.stop) == (None, None)
    assert walked.tally.taken <= ran.tally.taken


def test_what_is_kept_across_reset_is_told_from_what_a_trace_shows() -> None:
    finding = finding_of(by_cover(KeepsState))
    assert not finding.is_alone
    assert finding.divergence.step == 0


@pytest.mark.parametrize("way", WAYS)
def test_a_driven_adapter_that_keeps_state_is_refused_by_its_own_name(way: str) -> None:
    runs: Mapping[str, Callable[[], Ran]] = {
        "cover": lambda: run_tests(
            FENCED,
            edge_cover(explored_graph(FENCED), INITIAL),
            lambda: driven("KeepsState", KeepsState),
            PARAMETERS,
        ),
        "depth": lambda: run_tests(
            FENCED, Behaviours(FENCED, INITIAL, 6).tests(), lambda: driven("KeepsState", KeepsState), PARAMETERS
        ),
        "walks": lambda: run_walks(FENCED, lambda: driven("KeepsState", KeepsState), PARAMETERS, 60),
    }
    with pytest.raises(AdapterError, match="KeepsState keeps state across reset"):
        runs[way]()


def test_what_is_left_of_the_last_test_is_noticed_too() -> None:
    last = next(t for t in edge_cover(explored_graph(FENCED), INITIAL) if _commits(t))
    ran = run_tests(FENCED, [last], lambda: nullcontext(KeepsState()), PARAMETERS)
    assert finding_of(ran).divergence.step == 0


def _commits(trace: Trace) -> bool:
    record = FENCED.decode(trace.states[-1])["record"]
    assert isinstance(record, list)
    return record[0]["committed"] is not None


def test_a_run_that_is_stopped_says_so_and_counts_what_it_took() -> None:
    ran = by_cover(Memory, most_tests=5)
    assert ran.stop == Stop("tests", "more than 5 tests")
    assert (ran.tally.tests, ran.finding) == (5, None)
    assert 0 < len(ran.tally.taken) < 375


def test_a_run_ends_when_its_time_is_up() -> None:
    ticks = iter(range(1000))
    limits = Limits(time_s=3, clock=lambda: float(next(ticks)))
    tests = [Trace((INITIAL,), ())] * 50
    ran = run_tests(FENCED, tests, lambda: nullcontext(Memory()), PARAMETERS, limits=limits)
    assert ran.stop is not None
    assert (ran.stop.kind, ran.tally.tests) == ("time", 3)


def test_walks_end_when_their_time_is_up_and_are_no_failure() -> None:
    ticks = iter(range(10**6))
    limits = Limits(time_s=40, clock=lambda: float(next(ticks)))
    ran = run_walks(FENCED, lambda: nullcontext(Memory()), PARAMETERS, 300, limits=limits)
    assert ran.stop is not None
    assert (ran.stop.kind, ran.finding) == ("time", None)
    assert 0 < ran.tally.steps <= 40


def test_walks_are_the_same_for_the_same_seed() -> None:
    def taken(seed: int) -> set[tuple[State, State, int]]:
        return run_walks(FENCED, lambda: nullcontext(Memory()), PARAMETERS, 20, seeded=seed).tally.taken

    assert taken(3) == taken(3)
    assert taken(3) != taken(4)


def test_the_behaviours_of_some_depth_are_all_there_are_and_each_is_run_once() -> None:
    behaviours = Behaviours(FENCED, INITIAL, 6)
    tests = list(behaviours.tests())
    every = {prefix for t in tests for prefix in _prefixes(t)}
    assert behaviours.count() == (len(every), len(tests)) == (416, 215)
    assert every == set(_behaviours(FENCED, 6))


def _prefixes(trace: Trace) -> list[tuple[int, ...]]:
    return [trace.transitions[:n] for n in range(1, len(trace) + 1)]


def _behaviours(system: TransitionSystem, depth: int) -> list[tuple[int, ...]]:
    """By the plainest enumeration."""
    level: list[tuple[tuple[int, ...], State]] = [((), system.initial[0])]
    found: list[tuple[int, ...]] = []
    for _ in range(depth):
        longer: list[tuple[tuple[int, ...], State]] = []
        for done, state in level:
            for position in enabled(system, state):
                after = take(system.transitions[position], state).state
                assert after is not None
                longer.append(((*done, position), after))
        found += [done for done, _ in longer]
        level = longer
    return found


def test_a_model_that_goes_wrong_is_held_against_nothing() -> None:
    system = counter(5, wrong_at=2)
    with pytest.raises(ModelError, match="the model itself goes wrong in up: up goes wrong"):
        list(Behaviours(system, system.initial[0], 4).tests())


def test_a_model_in_which_nothing_happens_has_one_test_of_no_steps() -> None:
    system = graph([(1, 2)])
    assert [len(t) for t in Behaviours(system, system.initial[0], 4).tests()] == [0]
    assert [len(t) for t in edge_cover(explored_graph(system), system.initial[0])] == [0]


def test_several_initial_states_are_refused_for_reset_names_none() -> None:
    system = graph([(0, 1), (1, 0)], initial=(0, 1))
    with pytest.raises(UsageError, match="has 2 initial states"):
        run_walks(system, lambda: nullcontext(Memory()), {}, 1)


def test_what_a_snapshot_never_shows_is_known() -> None:
    watched = Watched(lambda: nullcontext(Memory()), FENCED)
    assert watched.is_blind
    run_tests(FENCED, [Trace((INITIAL,), ())], watched.open, PARAMETERS)
    assert watched.never == ["opened", "second_armed", "copies", "world.keys"]
    assert not watched.is_blind and watched.not_always == []


@pytest.mark.parametrize(
    ("snapshots", "never", "not_always"),
    cast(
        "list[tuple[list[dict[str, object]], list[str], list[str]]]",
        [
            ([{"record": [{}]}], ["record", "outbox"], []),
            (
                [{"record": [{"live": 1}], "outbox": [{"epoch": 1, "pending": True}]}],
                ["record.committed", "record.outcome"],
                [],
            ),
            ([{"outbox": []}], ["record"], []),
            ([{"record": []}, {"outbox": []}], [], ["record", "outbox"]),
            ([{"record": [{"live": 1}]}, {"record": []}], ["outbox"], ["record.committed", "record.outcome"]),
        ],
    ),
)
def test_what_is_shown_is_known_field_by_field(
    snapshots: list[dict[str, object]], never: list[str], not_always: list[str]
) -> None:
    watched = Watched(lambda: nullcontext(Memory()), FENCED)
    for snapshot in snapshots:
        watched.note(snapshot)
    of_these = ("record", "outbox")
    assert [name for name in watched.never if name.startswith(of_these)] == never
    assert [name for name in watched.not_always if name.startswith(of_these)] == not_always


def test_the_time_for_counting_behaviours_is_limited() -> None:
    ticks = iter(range(1000))
    limits = Limits(time_s=10, clock=lambda: float(next(ticks)))
    system = clock()
    assert Behaviours(system, system.initial[0], 50).count(limits) is None
    assert Behaviours(system, system.initial[0], 50).count() == (50, 1)

"""The shortest counterexamples: the chosen one, their number and their stories against plain enumeration."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from asked import Base
from fenceproof.checker.engines import shortest
from fenceproof.checker.engines import stories as stories_module
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.limits import Limits
from fenceproof.checker.result import CheckResult, PropertyResult, Sort
from fenceproof.checker.violation import ends_in_violation
from fenceproof.model import Array, Bool, Choice, Maybe, Range, Record, action, fault, invariant, require
from fenceproof.model.budgets import Settings
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace
from random_models import random_model
from toys import graph

#: Traces of one length that are written out, at most.
MOST = 3_000


def enumerated(system: TransitionSystem, found: PropertyResult) -> list[Trace] | None:
    """Every counterexample of the length of the one that was found, and a proof that none is shorter; None for many."""
    assert found.trace is not None
    level = [Trace((state,), ()) for state in system.initial]
    for _ in range(len(found.trace)):
        assert not any(ends_in_violation(system, found.name, trace) for trace in level), "a shorter one"
        level = [
            Trace((*trace.states, after), (*trace.transitions, i))
            for trace in level
            for i in enabled(system, trace.states[-1])
            if (after := take(system.transitions[i], trace.states[-1]).state) is not None
        ]
        if len(level) > MOST:
            return None
    return [trace for trace in level if ends_in_violation(system, found.name, trace)]


def cost(system: TransitionSystem, trace: Trace) -> tuple[int, int]:
    """Faults, and what changes of what an author wrote."""
    hidden = [v for v in system.variables if " " in v.name]
    slots = set(range(len(system.slots))) - {i for v in hidden for i in range(v.first, v.first + v.kind.width)}
    pairs = list(zip(trace.states, trace.states[1:], strict=False))
    faults = sum(system.transitions[t].fault is not None for t in trace.transitions)
    return faults, sum(before[i] != after[i] for before, after in pairs for i in slots)


def events(system: TransitionSystem, trace: Trace) -> list[tuple[Any, ...]]:
    """The steps of a trace in order of their names."""
    found: list[tuple[Any, ...]] = []
    for before, position in zip(trace.states, trace.transitions, strict=False):
        t = system.transitions[position]
        arguments = tuple((name, json.dumps(value)) for name, value in t.arguments)
        found.append((t.action, arguments, take(t, before).outcome, t.fault))
    return sorted(found, key=repr)


def exchanged(one: tuple[Any, ...], names: tuple[str, ...], values: tuple[str, str]) -> tuple[Any, ...]:
    """Events with two values of some arguments exchanged."""
    other = {values[0]: values[1], values[1]: values[0]}
    return tuple(
        sorted(
            ((a, tuple((n, other.get(v, v) if n in names else v) for n, v in args), o, f) for a, args, o, f in one),
            key=repr,
        )
    )


def classes(system: TransitionSystem, traces: list[Trace]) -> list[set[Trace]]:
    """The stories by their definition, the plain way."""
    bags: dict[tuple[Any, ...], set[Trace]] = {}
    for trace in traces:
        bags.setdefault(tuple(events(system, trace)), set()).add(trace)
    numbers = Counter({bag: len(group) for bag, group in bags.items()})
    group_of = {bag: {bag} for bag in bags}
    for names, values in _exchanges(bags):
        image = {bag: exchanged(bag, names, values) for bag in bags}
        if Counter({image[bag]: n for bag, n in numbers.items()}) != numbers:
            continue
        for bag, other in image.items():
            joined = group_of[bag] | group_of[other]
            for each in joined:
                group_of[each] = joined
    found = {frozenset(group) for group in group_of.values()}
    return [{trace for bag in group for trace in bags[bag]} for group in found]


def _exchanges(bags: dict[tuple[Any, ...], set[Trace]]) -> Iterator[tuple[tuple[str, ...], tuple[str, str]]]:
    seen = {(name, value) for bag in bags for _, args, _, _ in bag for name, value in args}
    for one, other in itertools.combinations(sorted({value for _, value in seen}), 2):
        names = [name for name in sorted({name for name, _ in seen}) if {(name, one), (name, other)} <= seen]
        yield from (((name,), (one, other)) for name in names)
        yield tuple(names), (one, other)


def compare(system: TransitionSystem, found: PropertyResult) -> int:
    """Hold what was told of a property against enumeration; how many counterexamples were compared."""
    everything = enumerated(system, found)
    if everything is None or found.trace is None:
        return 0
    told = found.stories
    assert told is not None
    assert found.is_cheapest
    assert cost(system, found.trace) == min(cost(system, trace) for trace in everything)
    assert (told.count, told.is_exact, told.are_all) == (len(everything), True, True)
    expected = classes(system, everything)
    assert told.classes == len(expected)
    assert told.told[0].trace == found.trace
    met: list[set[Trace]] = []
    for story in told.told:
        (group,) = [group for group in expected if story.trace in group]
        assert story.count == len(group)
        assert cost(system, story.trace) == min(cost(system, trace) for trace in group)
        assert group not in met
        met.append(group)
    assert len(met) == min(len(expected), 20)
    return len(everything)


def counted(system: TransitionSystem, limits: Limits | None = None) -> CheckResult:
    return check(system, all_shortest=True, limits=limits)


def test_what_is_told_is_what_enumeration_finds() -> None:
    compared = [
        compare(system, found)
        for seed in range(150)
        for system in [lift(random_model(seed), Settings())]
        for found in counted(system).properties
        if found.trace is not None and found.sort is not Sort.LIVENESS
    ]
    # The family is worth something: many properties, and many of them with several counterexamples.
    assert sum(number > 0 for number in compared) > 60
    assert sum(number > 1 for number in compared) > 20


class Two(Base):
    """Clients that raise flags: alike, but for the leader where there is one."""

    def __init__(self, clients: int = 3, leader: bool = False) -> None:
        self.clients = clients
        self.leader = leader
        self.up = Array(clients, Bool())
        self.noise = Range(0, 3)

    @action(client="clients")
    def rise(self, client: int) -> str:
        require(not self.up[client])
        self.up[client] = True
        return "led" if self.leader and client == 0 else "rose"

    @action(client="clients")
    @fault("shove", budget=1)
    def shove(self, client: int) -> str:
        require(not self.up[client])
        self.up[client] = True
        self.noise = 3
        return "rose"

    @invariant
    def two_are_down(self) -> bool:
        """At most one is up."""
        return sum(1 for flag in self.up if flag) < 2


@pytest.mark.parametrize(
    ("leader", "stories"),
    # Two rise, or one is shoved; with a leader two others rise, or one and the leader, and either of these is shoved.
    [(False, 2), (True, 5)],
)
def test_clients_that_are_alike_tell_one_story_and_a_leader_another(leader: bool, stories: int) -> None:
    system = lift(Two(leader=leader), Settings())
    (found,) = [p for p in counted(system).properties if p.name == "two_are_down"]
    assert found.stories is not None
    # Ordered pairs of three clients, of whom none, the first or the second is shoved.
    assert (found.stories.count, found.stories.classes) == (18, stories)
    assert compare(system, found) == 18


class Client(Record):
    number = Range(0, 1)
    words = Choice("hello", "goodbye")


class Greets(Base):
    """Clients who are alike, named once as an argument and once in a record, say hello and then goodbye."""

    def __init__(self) -> None:
        self.said = Array(2, Range(0, 2))
        self.name = Maybe(Range(0, 1))

    @action(client=(0, 1))
    def first(self, client: int) -> None:
        require(self.name is None)
        self.name = client

    @action(who=[Client.of(number=n, words=w) for n in (0, 1) for w in ("hello", "goodbye")])
    def say(self, who: Client) -> None:
        require(self.name == who.number and self.said[who.number] == (0 if who.words == "hello" else 1))
        self.said[who.number] += 1

    @invariant
    def nobody_is_done(self) -> bool:
        return self.said[0] < 2 and self.said[1] < 2


def test_values_in_a_record_are_exchanged_with_those_of_arguments() -> None:
    (found,) = [p for p in counted(lift(Greets(), Settings())).properties if p.name == "nobody_is_done"]
    assert found.stories is not None
    assert (found.stories.count, found.stories.classes, found.stories.are_all) == (2, 1, True)


class Orders(Base):
    """Two steps of three; a hit makes noise where the first one is done before it, or is not."""

    def __init__(self, noisy_after: bool = False) -> None:
        self.noisy_after = noisy_after
        self.done = Array(2, Bool())
        self.hits = Range(0, 1)
        self.noise = Bool()

    @action(which=range(2))
    def go(self, which: int) -> str:
        require(not self.done[which])
        self.done[which] = True
        return "first" if which == 0 else "second"

    @action
    @fault("hit", budget=1)
    def hit(self) -> None:
        self.hits = 1
        if self.done[0] == self.noisy_after:
            self.noise = True

    @invariant
    def one_at_most(self) -> bool:
        return self.hits + sum(1 for flag in self.done if flag) < 2


@pytest.mark.parametrize("noisy_after", [False, True])
def test_of_each_story_the_cheapest_order_is_told(noisy_after: bool) -> None:
    system = lift(Orders(noisy_after=noisy_after), Settings())
    (found,) = [p for p in counted(system).properties if p.name == "one_at_most"]
    assert compare(system, found) == 6
    assert found.stories is not None
    assert found.stories.classes == 3


def test_the_first_trace_is_not_chosen_where_another_has_fewer_faults_or_changes() -> None:
    # By the order of actions 0-1-5 came first; it has a fault. 0-2-5 flips a flag on its way, 0-3-5 does not.
    edges = [(0, 1), (1, 5), (0, 2), (2, 5), (0, 3), (3, 5), (5, 5)]
    system = graph(edges, faults=[(0, 1)], detour=[(0, 2)], bad=[5])
    (found,) = check(system, properties=["fine"]).properties
    assert found.trace is not None
    assert [system.transitions[t].action for t in found.trace.transitions] == ["0-3", "3-5"]


class Counters(Base):
    """Two faults lead there: one is counted twice over, and one changes a variable more than the other."""

    def __init__(self) -> None:
        self.a = Bool()
        self.b = Bool()
        self.at = Range(0, 1)

    @action
    @fault("free", budget=None)
    def free(self) -> None:
        self.at = 1
        self.a = not self.a

    @action
    @fault("counted", budget=2)
    def counted(self) -> None:
        self.at = 1

    @invariant
    def stays(self) -> bool:
        return self.at == 0


def test_what_counts_faults_is_no_change() -> None:
    # Of its own `counted` changes one slot, and `free` two; with the counter both would, and `free` comes first.
    system = lift(Counters(), Settings())
    (found,) = [p for p in check(system).properties if p.name == "stays"]
    assert found.trace is not None
    assert [system.transitions[t].action for t in found.trace.transitions] == ["counted"]


def test_beyond_the_limit_a_trace_is_a_shortest_one_and_says_that_it_may_not_be_the_cheapest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    edges = [(0, 1), (1, 5), (0, 2), (2, 5), (0, 3), (3, 5), (5, 5)]
    system = graph(edges, faults=[(1, 5)], initial=(0, 4), bad=[5])
    monkeypatch.setattr(shortest, "MOST_STEPS", 1)
    monkeypatch.setattr(shortest, "CHUNK", 1)
    (found,) = check(system, properties=["fine"], all_shortest=True).properties
    assert found.trace is not None
    assert len(found.trace) == 2
    assert not found.is_cheapest
    assert found.stories is not None
    assert (found.stories.is_exact, found.stories.are_all) == (False, False)
    assert found.stories.count == 1


def test_a_search_that_a_limit_stopped_does_not_say_that_it_counted_all() -> None:
    system = graph([(0, 1), (0, 2), (1, 3), (2, 4)], bad=[1, 2])
    whole, part = (check(system, properties=["fine"], all_shortest=True, limits=Limits(most)) for most in (9, 2))
    told = [p.stories for p in (*whole.properties, *part.properties)]
    assert [(t.count, t.is_exact, t.are_all) for t in told if t is not None] == [(2, True, True), (2, False, False)]
    assert [p.is_cheapest for p in (*whole.properties, *part.properties)] == [True, False]


def test_where_bags_are_many_the_number_is_exact_and_the_stories_are_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    system = lift(Two(leader=True), Settings())
    monkeypatch.setattr(stories_module, "MOST_BAGS", 2)
    (found,) = [p for p in counted(system).properties if p.name == "two_are_down"]
    assert found.stories is not None
    assert (found.stories.count, found.stories.is_exact, found.stories.are_all) == (18, True, False)
    assert found.stories.classes <= 5
    assert sum(story.count for story in found.stories.told) <= 18


def test_numbers_beyond_a_machine_word_are_exact() -> None:
    # Each of 70 steps is made in one of two ways.
    nodes = range(70)
    edges = [(n, n + 1) for n in nodes]
    system = graph(edges, bad=[70])
    twice = with_twins(system)
    (found,) = check(twice, properties=["fine"], all_shortest=True).properties
    assert found.stories is not None
    assert (found.stories.count, found.stories.is_exact) == (2**70, True)
    # One story for each set of steps that are made the other way: too many to keep.
    assert not found.stories.are_all


def with_twins(system: TransitionSystem) -> TransitionSystem:
    """The same with a twin of every transition."""
    twins = tuple(replace(t, action=f"{t.action}'") for t in system.transitions)
    return replace(system, transitions=(*system.transitions, *twins))

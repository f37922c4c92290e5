"""The edge cover: every transition in a test, with as few steps and resets as can be."""

from __future__ import annotations

import pytest
from fenceproof.checker.conformance.cover import RESET_STEPS, edge_cover, shortest_way, transitions_of, ways_from
from fenceproof.checker.graph import explored_graph
from fenceproof.model.budgets import Settings
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace, replay
from fenceproof.specs.variants import VARIANTS
from toys import clock, counter, graph


def cover(system: TransitionSystem, most_steps: int = 40) -> list[Trace]:
    return edge_cover(explored_graph(system), system.initial[0], most_steps)


def cost(tests: list[Trace]) -> int:
    return sum(map(len, tests)) + RESET_STEPS * (len(tests) - 1)


FENCED = lift(VARIANTS["fenced"].model(), Settings(most_faults=1))

#: Systems with the number of their transitions, and the least steps and tests, found by hand.
CASES = {
    "clock": (clock(), 2, [2]),
    "a way that ends": (counter(3), 3, [3]),
    "two ways that end": (graph([(0, 1), (0, 2)]), 2, [1, 1]),
    "a ring": (graph([(0, 1), (1, 2), (2, 0)]), 3, [3]),
    "two rings through one state": (graph([(0, 1), (1, 0), (0, 2), (2, 0)]), 4, [4]),
    "a step back is cheaper than a reset": (graph([(0, 1), (1, 2), (2, 1), (1, 3)]), 4, [4]),
    "a diamond": (graph([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]), 5, [3, 3]),
    "a state stays as it is": (graph([(0, 0), (0, 1)]), 2, [2]),
}


@pytest.mark.parametrize("name", CASES)
def test_every_transition_is_taken_with_the_fewest_steps(name: str) -> None:
    system, transitions, lengths = CASES[name]
    tests = cover(system)
    taken = {edge for test in tests for edge in transitions_of(test)}
    assert taken == set(explored_graph(system).edges(keys=True))
    assert len(taken) == transitions
    assert (
        [len(test) for test in tests] in (lengths, [2, 3])
        if name == "a diamond"
        else [len(t) for t in tests] == lengths
    )


def test_every_test_is_a_behaviour_from_the_initial_state() -> None:
    for test in cover(FENCED):
        assert test.states[0] == FENCED.initial[0]
        assert replay(FENCED, test) is None


def test_the_tests_of_the_fenced_planner_cover_all_of_it_at_the_least_cost() -> None:
    tests = cover(FENCED)
    assert len({edge for test in tests for edge in transitions_of(test)}) == 375
    assert cost(tests) == 892 + RESET_STEPS * 113


def test_a_test_that_would_be_too_long_goes_on_in_another() -> None:
    line = graph([*((n, n + 1) for n in range(6)), *((n + 1, n) for n in range(6))])
    assert [len(test) for test in cover(line)] == [12]
    tests = cover(line, most_steps=8)
    assert max(map(len, tests)) == 8
    assert len({edge for test in tests for edge in transitions_of(test)}) == 12


def test_a_test_is_as_long_as_the_way_to_its_last_transition_is() -> None:
    assert [len(test) for test in cover(counter(12), most_steps=5)] == [12]


def test_the_shortest_way_to_a_state_is_no_longer_than_its_depth() -> None:
    explored = explored_graph(FENCED)
    ways = ways_from(explored, FENCED.initial[0])
    for state, data in explored.nodes(data=True):
        way = shortest_way(ways, state)
        assert len(way) == data["depth"] - 1
        assert way.states[-1] == state
        assert replay(FENCED, way) is None

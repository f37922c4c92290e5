"""What behaviours cost: hand-made graphs with known answers, and the shipped designs by a plain enumeration."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import networkx as nx
import pytest
from fenceproof.checker.engines.costs import Cost, Costs, costs
from fenceproof.checker.limits import Limits
from fenceproof.checker.restrict import restrict
from fenceproof.model.budgets import Settings
from fenceproof.model.kinds import RangeKind
from fenceproof.model.lift import lift
from fenceproof.model.step import is_enabled, judge_state, take
from fenceproof.model.system import State, TransitionSystem
from fenceproof.specs.properties import Planner
from fenceproof.specs.variants import VARIANTS
from toys import Builder, counter

Edge = tuple[int, int]


def ways(edges: Collection[Edge], settled: Collection[int], initial: Collection[int] = (0,)) -> TransitionSystem:
    """A graph by its edges, one action each, named after it; `settled` nodes are terminal."""
    b = Builder({"node": RangeKind(0, max(max(e) for e in edges))})
    node = b.slot(0)
    for a, z in edges:
        b.act(f"{a}-{z}", b.x.equal(node, b.x.const(a)), {0: b.x.const(z)})
    b.terminal = b.judge(b.x.disjoin(b.x.equal(node, b.x.const(n)) for n in settled))
    return b.build([(n,) for n in initial])


def cost(system: TransitionSystem, *actions: str) -> Cost:
    found = costs(system, [("paid", actions)])
    return found.costs[0]


def test_a_way_that_is_short_and_one_that_is_long() -> None:
    found = costs(ways([(0, 1), (1, 2), (2, 3), (0, 3)], [3]), [])
    assert found == Costs(1, 3, (), None)


def test_a_cycle_on_the_way_counts_no_step_of_the_worst_and_is_not_followed_for_the_best() -> None:
    # 1 and 2 can go to and fro without end: of that, no number of steps is the most.
    found = costs(ways([(0, 1), (1, 2), (2, 1), (2, 3)], [3]), [])
    assert (found.best, found.worst) == (3, 2)


def test_steps_are_counted_until_everything_is_settled_and_what_they_cost_goes_on() -> None:
    system = ways([(0, 1), (1, 2), (2, 3)], [1, 2, 3])
    found = costs(system, [("paid", ["0-1", "1-2", "2-3"])])
    assert found == Costs(1, 1, (Cost("paid", 1, 3, repeats=False),), None)


def test_what_is_settled_from_the_first_takes_no_step() -> None:
    assert costs(ways([(0, 1)], [0, 1]), []) == Costs(0, 0, (), None)


def test_the_best_and_the_worst_are_over_all_initial_states() -> None:
    edges = [(0, 1), (1, 4), (2, 3), (3, 0)]
    for initial in ((0, 2), (2, 0)):
        found = costs(ways(edges, [4], initial=initial), [("paid", ["0-1", "2-3"])])
        assert found == Costs(2, 4, (Cost("paid", 1, 2, repeats=False),), None)


def test_where_nothing_settles_there_is_neither_best_nor_worst_nor_fewest() -> None:
    found = costs(ways([(0, 1)], []), [("paid", ["0-1"])])
    assert found == Costs(None, None, (Cost("paid", None, 1, repeats=False),), None)


def test_a_settled_state_that_is_not_reached_does_not_count() -> None:
    assert costs(ways([(0, 1), (2, 3)], [3]), []) == Costs(None, None, (), None)


def test_the_fewest_is_not_of_the_shortest_way() -> None:
    # The short way pays twice, the long one once.
    system = ways([(0, 1), (1, 5), (0, 2), (2, 3), (3, 4), (4, 5)], [5])
    assert cost(system, "0-1", "1-5", "3-4") == Cost("paid", 1, 2, repeats=False)


def test_the_most_is_also_over_behaviours_that_never_settle() -> None:
    assert cost(ways([(0, 1), (0, 2), (2, 3)], [1]), "0-2", "2-3") == Cost("paid", 0, 2, repeats=False)


def test_a_step_on_a_cycle_repeats_and_one_between_cycles_does_not() -> None:
    edges = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 2), (3, 4)]
    assert cost(ways(edges, [4]), "1-2") == Cost("paid", 1, 1, repeats=False)
    assert cost(ways(edges, [4]), "1-2", "3-2") == Cost("paid", 1, 1, repeats=True)
    assert cost(ways(edges, [4]), "0-1") == Cost("paid", 1, 0, repeats=True)


def test_a_step_that_leads_back_to_its_own_state_repeats() -> None:
    assert cost(ways([(0, 0), (0, 1)], [1]), "0-0") == Cost("paid", 0, 0, repeats=True)


def test_a_cycle_that_is_never_reached_does_not_repeat() -> None:
    assert cost(ways([(0, 1), (2, 3), (3, 2)], [1]), "2-3", "0-1") == Cost("paid", 1, 1, repeats=False)


def test_where_a_limit_ends_the_search_nothing_is_known() -> None:
    found = costs(counter(9), [("paid", ["up"])], Limits(max_states=3))
    assert (found.best, found.worst, found.costs) == (None, None, ())
    assert found.stop is not None and found.stop.kind == "states"


def test_where_the_model_goes_wrong_nothing_is_known() -> None:
    found = costs(counter(9, wrong_at=2), [("paid", ["up"])])
    assert (found.best, found.worst, found.costs) == (None, None, ())
    assert found.stop is not None and found.stop.kind == "model error"


# The shipped designs, counted in another way: states are tuples in a graph, successors come from the interpreter.


@dataclass(frozen=True)
class Plain:
    """A reachable graph: `steps` by their ends, each with the action that leads there."""

    graph: nx.DiGraph[State]
    steps: dict[tuple[State, State], set[str]]
    initial: tuple[State, ...]
    settled: set[State]

    @classmethod
    def of(cls, system: TransitionSystem) -> Plain:
        graph: nx.DiGraph[State] = nx.DiGraph()
        graph.add_nodes_from(system.initial)
        steps: dict[tuple[State, State], set[str]] = {}
        waiting = list(system.initial)
        while waiting:
            state = waiting.pop()
            for transition in system.transitions:
                if not is_enabled(transition, state):
                    continue
                after = take(transition, state).state
                assert after is not None
                if after not in graph:
                    waiting.append(after)
                graph.add_edge(state, after)
                steps.setdefault((state, after), set()).add(transition.action)
        settled = {state for state in graph if judge_state(system.terminal, state).holds}
        return cls(graph, steps, system.initial, settled)

    def until_settled(self) -> tuple[int | None, int | None]:
        """The fewest and the most steps to a settled state: by paths of the graph without what follows one."""
        before: nx.DiGraph[State] = nx.DiGraph()
        before.add_nodes_from(self.graph)
        before.add_edges_from((a, z) for a, z in self.steps if a not in self.settled)
        fewest = nx.multi_source_dijkstra_path_length(before, set(self.initial))
        reached = [int(fewest[state]) for state in self.settled if state in fewest]
        longest = _longest(before, dict.fromkeys(before.edges, (1, 1)), self.initial)
        return min(reached, default=None), max((n for s in self.settled if (n := longest[s]) >= 0), default=None)

    def cost(self, actions: Collection[str]) -> tuple[int | None, int, bool]:
        """The fewest on a way to a settled state, the most on any, and whether one is on a cycle."""
        weights = {e: (int(names <= set(actions)), int(bool(names & set(actions)))) for e, names in self.steps.items()}
        cheapest = nx.multi_source_dijkstra_path_length(
            self.graph, set(self.initial), weight=lambda a, z, _: weights[a, z][0]
        )
        fewest = min((int(cheapest[state]) for state in self.settled), default=None)
        most = max(_longest(self.graph, weights, self.initial).values())
        inside = {state: i for i, part in enumerate(nx.strongly_connected_components(self.graph)) for state in part}
        repeats = any(paid and inside[a] == inside[z] for (a, z), (_, paid) in weights.items())
        return fewest, most, repeats


def _longest(
    graph: nx.DiGraph[State], weights: Mapping[tuple[State, State], tuple[int, int]], initial: Collection[State]
) -> dict[State, int]:
    """For each state the greatest weight of a way to it through the condensation; negative where there is none."""
    condensed = nx.condensation(graph)
    of: dict[State, int] = condensed.graph["mapping"]
    heaviest: dict[tuple[int, int], int] = {}
    for (a, z), (_, weight) in weights.items():
        if of[a] != of[z]:
            heaviest[of[a], of[z]] = max(weight, heaviest.get((of[a], of[z]), 0))
    far = -1_000_000
    most = dict.fromkeys(condensed.nodes, far)
    most.update((of[state], 0) for state in initial)
    for node in nx.topological_sort(condensed):
        for following in condensed.successors(node):
            most[following] = max(most[following], most[node] + heaviest[node, following])
    return {state: most[part] for state, part in of.items()}


def compare_with_plain(name: str, settings: Settings | None, faults: Collection[str]) -> Costs:
    system = restrict(lift(VARIANTS[name].model(), settings or Settings()), faults)
    kinds = list(Planner.costs.items())
    found, plain = costs(system, kinds), Plain.of(system)
    assert (found.best, found.worst) == plain.until_settled()
    assert [(c.fewest, c.most, c.repeats) for c in found.costs] == [plain.cost(actions) for _, actions in kinds]
    return found


BASIC = ["fenced", "last-writer", "replay", "wait"]


@pytest.mark.parametrize("name", BASIC)
def test_without_faults_a_plain_enumeration_counts_the_same(name: str) -> None:
    found = compare_with_plain(name, None, ())
    assert (found.best, found.worst) == (3, 3)
    calls = {cost.name: (cost.fewest, cost.most, cost.repeats) for cost in found.costs}
    assert calls["compensations"] == (0, 0, False)
    if name == "wait":
        assert calls["tool calls"] == (1, 1, False)


@pytest.mark.parametrize("name", BASIC)
def test_with_any_one_fault_a_plain_enumeration_counts_the_same(name: str) -> None:
    system = lift(VARIANTS[name].model())
    compare_with_plain(name, Settings(most_faults=1), system.faults)

"""The explored graph: the same states and transitions as the engine found, labelled."""

from __future__ import annotations

import pytest
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.graph import explored_graph
from fenceproof.model.errors import UsageError
from fenceproof.model.kinds import RangeKind
from toys import Builder, clock, counter, graph


def test_nodes_and_edges_carry_what_they_are() -> None:
    found = explored_graph(graph([(0, 1), (1, 0)], faults=[(1, 0)]))
    assert dict(found.nodes(data=True)) == {
        (0, 0): {"state": {"node": 0, "flag": False}, "initial": True, "depth": 1},
        (1, 0): {"state": {"node": 1, "flag": False}, "initial": False, "depth": 2},
    }
    assert list(found.edges(keys=True, data=True)) == [
        ((0, 0), (1, 0), 0, {"action": "0-1", "args": {}, "outcome": None, "fault": None}),
        ((1, 0), (0, 0), 1, {"action": "1-0", "args": {}, "outcome": None, "fault": "fault"}),
    ]


def test_two_transitions_between_the_same_states_are_two_edges() -> None:
    b = Builder({"n": RangeKind(0, 1)})
    for name in ("left", "right"):
        b.act(name, b.x.true, {0: b.x.const(1)})
    found = explored_graph(b.build([(0,)]))
    assert sorted((a, z, key) for a, z, key in found.edges(keys=True)) == [
        ((0,), (1,), 0),
        ((0,), (1,), 1),
        ((1,), (1,), 0),
        ((1,), (1,), 1),
    ]


def test_the_depth_of_a_node_is_its_level() -> None:
    found = explored_graph(graph([(0, 1), (1, 2), (0, 2), (2, 3)], initial=(0, 3)))
    assert {node[0]: data["depth"] for node, data in found.nodes(data=True)} == {0: 1, 3: 1, 1: 2, 2: 2}


def test_a_step_at_which_the_model_goes_wrong_is_no_edge() -> None:
    found = explored_graph(counter(5, wrong_at=2))
    assert (found.number_of_nodes(), found.number_of_edges()) == (3, 2)


def test_a_graph_of_just_as_many_states_as_are_allowed_is_made_and_a_larger_one_refused() -> None:
    assert explored_graph(counter(3), most=4).number_of_nodes() == 4
    with pytest.raises(UsageError, match="more than 3 states, too many to hold as one"):
        explored_graph(counter(3), most=3)


def test_the_graph_of_a_result_has_what_the_engine_counted() -> None:
    for system in (clock(), counter(7), graph([(0, 1), (1, 2), (2, 0), (0, 2), (2, 2)], detour=[(2, 0)])):
        result = check(system)
        found = result.graph()
        assert (found.number_of_nodes(), found.number_of_edges() + len(system.initial)) == (
            result.distinct,
            result.generated,
        )

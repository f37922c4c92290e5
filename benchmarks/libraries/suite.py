"""How far a planner does what a design does: every transition of the design, taken on the planner.

What is compared after each step is what can be seen: the table, what is under way, and the world. These planners give
no verdict on a result, so the model's outcomes are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from fenceproof.checker.adapters import Adapter
from fenceproof.checker.api import lifted
from fenceproof.checker.conformance.cover import Edge, edge_cover, shortest_way, transitions_of, ways_from
from fenceproof.checker.conformance.running import only_initial
from fenceproof.checker.graph import explored_graph
from fenceproof.checker.replay import begin, follow
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace
from fenceproof.specs.properties import Planner

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True, slots=True)
class Agreement:
    """What became of a design's transitions, which are `whole` in number, on a planner.

    It can be driven through `driven` of them, takes `agreed` as the design does, and `differs` as it does not, counted
    by the fault on the way to them ("none" without one). The rest of `driven` come after one that differs.
    """

    agreed: int
    differs: Mapping[str, int]
    driven: int
    whole: int


class Drivable(Adapter, Protocol):
    """An adapter that says what it can be driven through."""

    def has_counterpart(self, action: str, state: Mapping[str, object]) -> bool:
        """Whether there is something in the implementation that an event in a state of the model stands for."""
        ...


def share(agreement: Agreement) -> float:
    """How large a part of the transitions that were compared differs."""
    differs = sum(agreement.differs.values())
    return differs / (agreement.agreed + differs)


def quiet(system: TransitionSystem) -> TransitionSystem:
    """The system without outcomes."""
    silent = (replace(t, outcomes=(None,) * len(t.outcomes)) for t in system.transitions)
    return replace(system, transitions=tuple(silent))


def system_of(design: type[Planner]) -> TransitionSystem:
    """A design for one call and three epochs, with each fault at most once, and one fault in all."""
    return lifted(design(calls=1, epochs=3), "all", 1)[2]


def agreement(design: type[Planner], adapter: Drivable) -> Agreement:
    """Drive a planner through every transition of a design that its library has a counterpart for."""
    system = quiet(system_of(design))
    initial = only_initial(system)
    complete = explored_graph(system)
    graph = drivable(complete, initial, adapter)
    ways = ways_from(graph, initial)
    agreed, apart = set[Edge](), set[Edge]()
    edges: list[Edge] = list(graph.edges(keys=True))
    for test in edge_cover(graph, initial):
        _take(system, test, adapter, agreed, apart)
    # What comes after a transition that differs may still be reached by another way.
    for edge in edges:
        way = _through(ways, edge)
        if edge not in agreed and apart.isdisjoint(transitions_of(way)):
            _take(system, way, adapter, agreed, apart)
    faults = Counter(_fault(system, _through(ways, edge)) for edge in apart)
    return Agreement(len(agreed - apart), dict(sorted(faults.items())), len(edges), complete.number_of_edges())


def drivable(graph: networkx.MultiDiGraph[Any], initial: State, adapter: Drivable) -> networkx.MultiDiGraph[Any]:
    """The part of a graph that is reached by transitions that a library has a counterpart for."""
    import networkx

    found: networkx.MultiDiGraph[Any] = networkx.MultiDiGraph()
    found.add_node(initial)
    level = [initial]
    while level:
        following: list[State] = []
        for before, after, position, data in graph.out_edges(level, keys=True, data=True):
            action = str(data["action"])
            if adapter.has_counterpart(action, graph.nodes[before]["state"]):
                if after not in found:
                    following.append(after)
                found.add_edge(before, after, key=position)
        level = following
    return found


def _take(system: TransitionSystem, test: Trace, adapter: Drivable, agreed: set[Edge], apart: set[Edge]) -> None:
    """Run a test up to where the planner does something else, and note its transitions."""
    problem = begin(system, test.states[0], adapter, dict(system.parameters))
    assert problem is None, problem
    for number, edge in enumerate(transitions_of(test), start=1):
        before, after, position = edge
        if follow(system, before, position, after, adapter, number) is not None:
            apart.add(edge)
            return
        agreed.add(edge)


def _through(ways: dict[State, Edge | None], edge: Edge) -> Trace:
    """A shortest trace that ends in a transition."""
    way = shortest_way(ways, edge[0])
    return Trace((*way.states, edge[1]), (*way.transitions, edge[2]))


def _fault(system: TransitionSystem, trace: Trace) -> str:
    faults = [fault for t in trace.transitions if (fault := system.transitions[t].fault) is not None]
    return faults[0] if faults else "none"

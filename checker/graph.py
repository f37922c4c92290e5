"""The explored graph: every reachable state and transition, labelled, for graph algorithms and drawings."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from fenceproof.model.errors import UsageError
from fenceproof.model.step import enabled, take
from fenceproof.model.system import State, TransitionSystem

from .engines.finite import refuse_unbounded

if TYPE_CHECKING:
    import networkx

MOST_NODES: Final = 200_000


def explored_graph(system: TransitionSystem, most: int = MOST_NODES) -> networkx.MultiDiGraph[Any]:
    """The reachable states (nodes: tuples of slot values, with `state` decoded, `initial` and `depth`) and transitions
    (edges with `action`, `args`, `outcome` and `fault`, keyed by the transition's position).

    Built by the one-step interpreter, so it is also a second opinion on the engine. Raises UsageError where there are
    more than `most` states.
    """
    import networkx

    refuse_unbounded(system, "a graph")
    graph: networkx.MultiDiGraph[Any] = networkx.MultiDiGraph(name=system.name)
    queue: deque[State] = deque()
    for state in system.initial:
        graph.add_node(state, state=system.decode(state), initial=True, depth=1)
        queue.append(state)
    while queue:
        before = queue.popleft()
        for position in enabled(system, before):
            transition = system.transitions[position]
            successor = take(transition, before)
            after = successor.state
            if after is None:
                continue
            if after not in graph:
                if len(graph) == most:
                    raise UsageError(f"the graph has more than {most:,} states, too many to hold as one.")
                graph.add_node(after, state=system.decode(after), initial=False, depth=graph.nodes[before]["depth"] + 1)
                queue.append(after)
            graph.add_edge(
                before,
                after,
                key=position,
                action=transition.action,
                args=transition.args,
                outcome=successor.outcome,
                fault=transition.fault,
            )
    return graph

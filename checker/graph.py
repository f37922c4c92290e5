"""The explored graph: every reachable state and transition, labelled, for graph algorithms and drawings."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from fenceproof.model.errors import UsageError
from fenceproof.model.step import enabled, take
from fenceproof.model.system import State, TransitionSystem

from .engines.finite import refuse_unbounded
from .limits import Limits, Stop, Watch

if TYPE_CHECKING:
    import networkx

MOST_NODES: Final = 200_000


@dataclass(frozen=True, slots=True)
class Explored:
    """What was explored of a system: all of it unless `stop` says why not.

    `wrong` is a state and the position of a transition by which the model itself goes wrong there, or None.
    """

    graph: networkx.MultiDiGraph[Any]
    stop: Stop | None
    wrong: tuple[State, int] | None


def explored_graph(system: TransitionSystem, most: int = MOST_NODES) -> networkx.MultiDiGraph[Any]:
    """The graph of all reachable states, as `explore` makes it. Raises UsageError where there are more than `most`."""
    found = explore(system, Limits(max_states=most))
    if found.stop is not None:
        raise UsageError(f"the graph has more than {most:,} states, too many to hold as one.")
    return found.graph


def explore(system: TransitionSystem, limits: Limits) -> Explored:
    """The reachable states (nodes: tuples of slot values, with `state` decoded, `initial` and `depth`) and transitions
    (edges with `action`, `args`, `outcome` and `fault`, keyed by the transition's position), breadth first.

    Built by the one-step interpreter, so it is also a second opinion on the engine. Where a limit stops it, the graph
    has what was found until then.
    """
    import networkx

    refuse_unbounded(system, "a graph")
    watch = Watch.start(limits)
    graph: networkx.MultiDiGraph[Any] = networkx.MultiDiGraph(name=system.name)
    queue: deque[State] = deque()
    wrong: tuple[State, int] | None = None
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
                wrong = wrong or (before, position)
                continue
            if after not in graph:
                stop = watch.stop(len(graph) + 1, 0)
                if stop is not None:
                    return Explored(graph, stop, wrong)
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
    return Explored(graph, None, wrong)

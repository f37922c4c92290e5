"""Whether a fair behaviour stays for ever without what a formula promises: WF, SF, ~> and <> on a graph of states.

A behaviour may also stay where it is (stuttering), so one state is a place to stay as well. Strong fairness is decided
by taking away what would be enabled and never taken, and looking again at what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass

import networkx


@dataclass(frozen=True)
class Fair:
    """A demand: the steps of an action that change something, from each state."""

    is_strong: bool
    steps: Mapping[int, Set[int]]


def stays(
    edges: Mapping[int, Set[int]], begins: Iterable[int], reached: Callable[[int], bool], demands: Iterable[Fair]
) -> bool:
    """Whether a behaviour that is fair stays for ever without what is to be reached, from where it begins on."""
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    queue = [state for state in begins if not reached(state)]
    graph.add_nodes_from(queue)
    seen = set(queue)
    while queue:
        state = queue.pop()
        for after in edges[state]:
            if not reached(after):
                graph.add_edge(state, after)
                if after not in seen:
                    seen.add(after)
                    queue.append(after)
    return _has_fair(graph, list(demands))


def _has_fair(graph: networkx.DiGraph[int], demands: list[Fair]) -> bool:
    for members in networkx.strongly_connected_components(graph):
        unfair = [d for d in demands if not any(d.steps[s] & members for s in members)]
        if any(not d.is_strong and all(d.steps[s] for s in members) for d in unfair):
            continue
        avoided = {s for d in unfair if d.is_strong for s in members if d.steps[s]}
        if not avoided or _has_fair(graph.subgraph(members - avoided).copy(), demands):
            return True
    return False

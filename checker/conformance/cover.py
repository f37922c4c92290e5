"""An edge cover: tests that together take every transition of an explored graph, with as few steps and resets as can
be.

This is the directed Chinese postman problem with a reset from every state, that is a circulation of least cost in
which each transition is taken at least once (Edmonds and Johnson, "Matching, Euler tours and the Chinese postman",
1973; for test sequences with a reset, Aho et al., 1991). Its matrix is totally unimodular, so that a linear program
finds whole numbers; an Euler tour of what it finds is cut into tests at the resets. Whether every transition is
covered is counted when the tests run, not taken from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from fenceproof.model.errors import InternalError
from fenceproof.model.system import State
from fenceproof.model.trace import Trace

if TYPE_CHECKING:
    import networkx

#: What a reset costs in steps: on the reference over SQLite a reset takes 25 ms, a step 3.5 ms.
RESET_STEPS: Final = 7
#: A test is cut where it gets longer, unless the shortest way to its last transition is as long.
MOST_STEPS: Final = 40
#: A transition of the graph: from, to, and the position in the system.
Edge = tuple[State, State, int]


@dataclass(slots=True)
class _Path:
    states: list[State]
    transitions: list[int]

    def add(self, edge: Edge) -> None:
        _, after, position = edge
        self.states.append(after)
        self.transitions.append(position)


def edge_cover(graph: networkx.MultiDiGraph[Any], initial: State, most_steps: int = MOST_STEPS) -> list[Trace]:
    """Tests from the initial state, the shortest first, that take every transition that can be reached from there.

    Together they have the fewest steps, a reset counted as `RESET_STEPS`, but for what cutting them to `most_steps`
    adds.
    """
    import networkx

    edges: list[Edge] = [edge for edge in graph.edges(keys=True) if edge[0] in graph]
    if not edges:
        return [Trace((initial,), ())]
    ways = ways_from(graph, initial)
    tour: networkx.MultiDiGraph[Any] = networkx.MultiDiGraph()
    for (before, after, position), times in _circulation(edges, initial):
        for number in range(times):
            tour.add_edge(before, after, key=(position, number))
    circuit: list[tuple[State, State, tuple[int, int]]] = list(networkx.eulerian_circuit(tour, initial, keys=True))
    # It is the same circuit from after any reset, and so its beginning is no test of its own.
    last = max((n for n, (_, _, (position, _)) in enumerate(circuit, start=1) if position == _RESET), default=0)
    tests = _cut(circuit[last:] + circuit[:last], initial, ways, most_steps)
    return sorted(tests, key=len)


def ways_from(graph: networkx.MultiDiGraph[Any], initial: State) -> dict[State, Edge | None]:
    """For each state that can be reached, the last transition of a shortest way to it; None for the initial one."""
    ways: dict[State, Edge | None] = {initial: None}
    level = [initial]
    while level:
        following: list[State] = []
        for state in level:
            for before, after, position in graph.out_edges(state, keys=True):
                if after not in ways:
                    ways[after] = (before, after, position)
                    following.append(after)
        level = following
    return ways


def shortest_way(ways: dict[State, Edge | None], state: State) -> Trace:
    """A shortest trace to a state."""
    states, transitions = [state], list[int]()
    while (edge := ways[state]) is not None:
        state = edge[0]
        states.append(state)
        transitions.append(edge[2])
    return Trace(tuple(reversed(states)), tuple(reversed(transitions)))


def shortened(ways: dict[State, Edge | None], trace: Trace) -> Trace:
    """A shortest way to the last transition of a trace, and this transition."""
    if not trace.transitions:
        return trace
    way = shortest_way(ways, trace.states[-2])
    return Trace((*way.states, trace.states[-1]), (*way.transitions, trace.transitions[-1]))


#: Stands for the reset in a tour, where a transition has its position.
_RESET: Final = -1


def _circulation(edges: list[Edge], initial: State) -> Iterator[tuple[Edge, int]]:
    """How often each transition is taken, at least once, and the reset from each state."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    number = {initial: 0}
    for before, after, _ in edges:
        number.setdefault(before, len(number))
        number.setdefault(after, len(number))
    every = [*edges, *((state, initial, _RESET) for state in number if state != initial)]
    columns = np.arange(len(every))
    leaving = np.array([number[before] for before, _, _ in every])
    entering = np.array([number[after] for _, after, _ in every])
    signs = np.concatenate([np.ones(len(every)), -np.ones(len(every))])
    places = (np.concatenate([leaving, entering]), np.concatenate([columns, columns]))
    balance = coo_array((signs, places), shape=(len(number), len(every))).tocsr()
    is_reset = columns >= len(edges)
    found = milp(
        np.where(is_reset, float(RESET_STEPS), 1.0),
        integrality=np.ones(len(every), np.int64),  # costs nothing: the first linear program has whole numbers
        bounds=Bounds(np.where(is_reset, 0.0, 1.0), np.full(len(every), np.inf)),
        constraints=LinearConstraint(balance, 0.0, 0.0),
    )
    if found.x is None:
        raise InternalError(f"the tests could not be laid out: {found.message}")
    times = np.rint(found.x).astype(np.int64)
    if np.any(balance @ times) or np.any(times[: len(edges)] < 1):
        raise InternalError("the tests laid out do not take every transition.")
    return zip(every, times.tolist(), strict=True)


def _cut(
    circuit: Iterable[tuple[State, State, tuple[int, int]]],
    initial: State,
    ways: dict[State, Edge | None],
    most_steps: int,
) -> Iterator[Trace]:
    """A tour as tests: cut at resets, and where a test would get too long, which then goes on in another."""
    path = _Path([initial], [])
    for before, after, (position, _) in circuit:
        if position == _RESET:
            yield _done(path)
            path = _Path([initial], [])
            continue
        if len(path.transitions) >= most_steps:
            way = shortest_way(ways, before)
            if len(way) < len(path.transitions):
                yield _done(path)
                path = _Path(list(way.states), list(way.transitions))
        path.add((before, after, position))
    if path.transitions:
        yield _done(path)


def _done(path: _Path) -> Trace:
    return Trace(tuple(path.states), tuple(path.transitions))


def transitions_of(trace: Trace) -> Iterator[Edge]:
    """The transitions that a trace takes."""
    for (before, after), position in zip(pairwise(trace.states), trace.transitions, strict=True):
        yield before, after, position

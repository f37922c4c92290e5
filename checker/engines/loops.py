"""The shortest fair way round from a state to itself, within a component that has one.

Breadth first over the states of the component together with what fairness still asks for; where that would be too much,
the nearest thing asked for is fetched one after the other, and the loop is short but perhaps not shortest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

N = TypeVar("N")

#: States times combinations of demands up to which the shortest loop is searched for.
MOST_PAIRS: Final = 400_000

Step = tuple[int, int]  # the transition, and the state it leads to
Graph = Mapping[int, Sequence[Step]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A demand on a loop: the states at which it is enabled, the transitions that take it, and how fair it is."""

    enabled: frozenset[int]
    taken: frozenset[int]
    is_strong: bool


def shortest_loop(graph: Graph, start: int, demands: Sequence[Asked]) -> list[Step]:
    """Steps from `start` back to it that are fair to all demands; none at all if staying there is fair already.

    The component must be fair as a whole, and strongly connected.
    """
    asked = [d for d in demands if (d.enabled & graph.keys() if d.is_strong else start in d.enabled)]
    if len(graph) << 2 * len(asked) <= MOST_PAIRS:
        return _exact(graph, start, asked)
    return _greedy(graph, start, asked)


def _exact(graph: Graph, start: int, asked: Sequence[Asked]) -> list[Step]:
    """Bit 2i says that demand i is met; bit 2i + 1, of a strong one, that it was enabled."""
    enabled = {state: [state in d.enabled for d in asked] for state in graph}

    def visit(bits: int, state: int) -> int:
        for i, (demand, on) in enumerate(zip(asked, enabled[state], strict=True)):
            if demand.is_strong and on:
                bits |= 2 << 2 * i
            elif not demand.is_strong and not on:
                bits |= 1 << 2 * i
        return bits

    def take(bits: int, transition: int) -> int:
        for i, demand in enumerate(asked):
            if transition in demand.taken:
                bits |= 1 << 2 * i
        return bits

    def is_met(bits: int) -> bool:
        return all(bits >> 2 * i & 1 or (d.is_strong and not bits >> 2 * i & 2) for i, d in enumerate(asked))

    first = (start, visit(0, start))
    if is_met(first[1]):
        return []
    parents: dict[tuple[int, int], tuple[tuple[int, int], Step]] = {}
    queue = deque([first])
    while queue:
        node = queue.popleft()
        for transition, after in graph[node[0]]:
            following = (after, visit(take(node[1], transition), after))
            if following in parents or following == first:
                continue
            parents[following] = (node, (transition, after))
            if after == start and is_met(following[1]):
                return _path(parents, first, following)
            queue.append(following)
    raise AssertionError("a fair component has a fair loop through each of its states")


def _greedy(graph: Graph, start: int, asked: Sequence[Asked]) -> list[Step]:
    steps: list[Step] = []
    at = start
    for demand in asked:
        visited = [start, *(after for _, after in steps)]
        met = any(t in demand.taken for t, _ in steps)
        if met or (not demand.is_strong and any(state not in demand.enabled for state in visited)):
            continue
        way = _nearest(graph, at, lambda t, after, d=demand: t in d.taken or not (d.is_strong or after in d.enabled))  # type: ignore[misc]
        steps += way
        at = steps[-1][1]
    return steps if at == start else [*steps, *_nearest(graph, at, lambda _, after: after == start)]


def _nearest(graph: Graph, start: int, is_wanted: Callable[[int, int], bool]) -> list[Step]:
    """The shortest way from a state to the end of a step that is wanted."""
    parents: dict[int, tuple[int, Step]] = {}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        for step in graph[state]:
            if is_wanted(*step):
                return [*_path(parents, start, state), step]
            if step[1] not in parents and step[1] != start:
                parents[step[1]] = (state, step)
                queue.append(step[1])
    raise AssertionError("a fair component takes what is asked for, and is strongly connected")


def _path(parents: Mapping[N, tuple[N, Step]], first: N, last: N) -> list[Step]:
    steps: list[Step] = []
    while last != first:
        last, step = parents[last]
        steps.append(step)
    return steps[::-1]

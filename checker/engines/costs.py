"""What behaviours cost: the fewest and the most steps of a kind, over all behaviours of an explored system.

The most is counted over the condensation of the graph, that is, of a cycle no step counts: what can be done again for
ever (an outbox that sends once more) has no most, and is said to repeat. Longest ways in an acyclic graph are found by
relaxing every edge until nothing changes, which takes as many rounds as the longest way has steps.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from fenceproof.model.layout import Layout
from fenceproof.model.system import TransitionSystem
from numpy.typing import NDArray

from ..limits import Limits, Stop, Watch
from .compile import as_mask, compile_roots
from .components import Edges, Ints, Mask, components
from .expand import Expander
from .explicit import Search, chunks
from .tally import StateChecks, StepChecks
from .words import Run, distinct, join, mix, pack, positions, size

_FAR = np.iinfo(np.int64).max // 2


@dataclass(frozen=True, slots=True)
class Cost:
    """The fewest steps of a kind on a way to where everything is settled (None: there is none), and the most over all
    behaviours but for those on cycles; `repeats` says whether there are any of these."""

    name: str
    fewest: int | None
    most: int
    repeats: bool


@dataclass(frozen=True, slots=True)
class Costs:
    """Steps until everything is settled, at best and at worst (None: it never is), and the costs that were asked for.

    `stop` is not None where a limit ended the search; then nothing is known.
    """

    best: int | None
    worst: int | None
    costs: tuple[Cost, ...]
    stop: Stop | None


@dataclass(frozen=True, slots=True)
class Graph:
    """An explored system: its states, the steps between different ones, the component of each state, and the
    transitions that lead a state back to itself."""

    states: Run
    edges: Edges
    label: Ints
    idle: Ints
    initial: Ints
    settled: Mask


def costs(
    system: TransitionSystem, kinds: Sequence[tuple[str, Collection[str]]], limits: Limits | None = None
) -> Costs:
    """Explore a system and count: each kind has a name and the actions whose steps are of it."""
    layout = Layout.of(system.slots)
    watch = Watch.start(limits or Limits())
    states, steps = StateChecks(system, (), deadlock=False), StepChecks(system, ())
    search = Search(system, layout, Expander(system, layout), states, steps, watch, None)
    search.run()
    if search.stop is not None or search.accidents:
        return Costs(None, None, (), search.stop or Stop("model error", "the model goes wrong"))
    graph = _graph(search)
    open_edges = graph.edges.where(~graph.settled[graph.edges.source])
    ones = np.ones(len(open_edges.source), dtype=np.int64)
    best = _least(open_edges, ones, graph)
    worst = _most(open_edges, ones, _components(graph.states, open_edges), graph)[graph.settled]
    found = [_cost(system, name, actions, graph) for name, actions in kinds]
    return Costs(best, int(worst.max()) if (worst >= 0).any() else None, tuple(found), None)


def _graph(search: Search) -> Graph:
    states = distinct(join(search.levels))
    parts: list[tuple[Ints, Ints, Ints]] = []
    idle: set[int] = set()
    offset = 0
    for chunk in chunks(states.batch):
        for step in search.expander.successors(chunk):
            source = step.rows.astype(np.int64) + offset
            target = positions(states, step.after, mix(step.after))
            moves = source != target
            if not moves.all():
                idle.add(step.transition)
            via = np.full(int(moves.sum()), step.transition, dtype=np.int64)
            parts.append((source[moves], target[moves], via))
        offset += size(chunk)
    empty = np.zeros(0, dtype=np.int64)
    edges = Edges(*(np.concatenate([empty, *(part[i] for part in parts)]) for i in range(3)))
    initial = pack(search.layout, search.system.initial)
    return Graph(
        states,
        edges,
        _components(states, edges),
        np.array(sorted(idle), dtype=np.int64),
        positions(states, initial, mix(initial)),
        _settled(search, states),
    )


def _settled(search: Search, states: Run) -> Mask:
    program = compile_roots([search.system.terminal.holds])
    found: list[NDArray[np.bool_]] = []
    for chunk in chunks(states.batch):
        columns = search.expander.columns(chunk, program.slots)
        found.append(as_mask(program.run([columns[i] for i in program.slots])[0], size(chunk)))
    return np.concatenate(found)


def _cost(system: TransitionSystem, name: str, actions: Collection[str], graph: Graph) -> Cost:
    counts = np.array([t.action in actions for t in system.transitions], dtype=np.int64)
    weights = counts[graph.edges.transition]
    inside = graph.label[graph.edges.source] == graph.label[graph.edges.target]
    repeats = bool(weights[inside].any() or counts[graph.idle].any())
    most = _most(graph.edges, weights, graph.label, graph)
    return Cost(name, _least(graph.edges, weights, graph), int(most.max()), repeats)


def _least(edges: Edges, weights: Ints, graph: Graph) -> int | None:
    """The least weight of a way from an initial state to a settled one; None where there is none."""
    distance = np.full(len(graph.states), _FAR, dtype=np.int64)
    distance[graph.initial] = 0
    while True:
        before = distance.copy()
        np.minimum.at(distance, edges.target, before[edges.source] + weights)
        if np.array_equal(before, distance):
            break
    least = distance[graph.settled]
    return int(least.min()) if len(least) and least.min() < _FAR else None


def _components(states: Run, edges: Edges) -> Ints:
    return components(edges, np.ones(len(states), dtype=np.bool_))


def _most(edges: Edges, weights: Ints, label: Ints, graph: Graph) -> Ints:
    """For each state the greatest weight of a way to it, steps within a component aside; -1 where none leads there."""
    source, target = label[edges.source], label[edges.target]
    across = source != target
    source, target, weights = source[across], target[across], weights[across]
    most = np.full(int(label.max()) + 1, -_FAR, dtype=np.int64)
    most[label[graph.initial]] = 0
    while True:
        before = most.copy()
        np.maximum.at(most, target, before[source] + weights)
        if np.array_equal(before, most):
            return np.maximum(most, -1)[label]

"""The graph of a model's states as every format writes it: numbered, judged, with one counterexample marked in it.

Either the whole of what is reachable, or a counterexample with the steps beside it, which is said of it. Its steps are
those of the compiled engine; the one-step interpreter takes the steps of the counterexample, before it comes here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from fenceproof.model.step import enabled, take
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace

from ..page.guards import place
from ..page.region import BEYOND, WRONG, Region, region, truths_of
from ..report.claim import bounds, faults
from .traces import Shown

_Place = TypeVar("_Place")
#: What a graph says of itself that has not every state.
NEIGHBOURHOOD: Final = "the counterexample and the steps beside it; not the whole space"


@dataclass(frozen=True, slots=True)
class Vertex:
    """A state in a graph, and what is known of it. `depth` is its level, the initial states being level 1; None where
    the graph has not every state.

    `is_terminal`: nothing but faults is left to happen, and its author calls that fine. `violates` names the properties
    that the state violates; `wrong` says how the model itself goes wrong there. `beyond` counts the steps to states
    that are not in the graph.
    """

    state: State
    depth: int | None
    is_initial: bool
    is_terminal: bool
    violates: tuple[str, ...]
    wrong: tuple[str, ...]
    beyond: int


@dataclass(frozen=True, slots=True)
class Edge:
    """A step in a graph, from a vertex to a vertex, by a transition of the system; `violates` as in `Vertex`."""

    source: int
    target: int
    transition: int
    outcome: str | None
    violates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """A counterexample in a graph: the property that it violates (None: the model itself goes wrong at its end), its
    vertices and its edges in their order, and the position that a lasso goes back to."""

    violated: str | None
    vertices: tuple[int, ...]
    edges: tuple[int, ...]
    loop: int | None


@dataclass(frozen=True, slots=True)
class StateGraph:
    """Vertices and edges by their numbers. `judged` names the properties that `violates` speaks of: all but liveness,
    of those that were asked for. `copies` says, where it is of one copy, what it is one of."""

    target: str
    system: TransitionSystem
    judged: tuple[str, ...]
    vertices: tuple[Vertex, ...]
    edges: tuple[Edge, ...]
    marked: Marked | None
    is_whole: bool
    copies: str = ""

    @property
    def marked_vertices(self) -> frozenset[int]:
        """The states of the counterexample."""
        return frozenset(() if self.marked is None else self.marked.vertices)

    @property
    def marked_edges(self) -> Mapping[int, int]:
        """The steps of the counterexample, each with its place in it, from 1; a step taken twice has its first."""
        taken = () if self.marked is None else self.marked.edges
        return {edge: len(taken) - back for back, edge in enumerate(reversed(taken))}

    def says(self) -> Iterator[str]:
        """What the graph is of, in lines for a reader of it."""
        system = self.system
        yield f"{self.target} ({system.name})"
        yield f"{bounds(system)}; faults: {faults(system)}"
        if system.without:
            yield f"taken away: {', '.join(system.without)}"
        if self.copies:
            yield self.copies
        count = f"{len(self.vertices):,} states, {len(self.edges):,} steps"
        yield f"{count}: all that are reachable" if self.is_whole else f"{count}: {NEIGHBOURHOOD}"
        if self.marked is not None:
            name = self.marked.violated
            said = "how the model itself goes wrong" if name is None else f"the counterexample of {name}"
            yield f"marked: {said}, {len(self.marked.edges)} steps"


def whole(system: TransitionSystem, most: int) -> Region | None:
    """Every reachable state with its steps; None where there are more states than `most`."""
    found = region(system, system.initial, most)
    return None if found.open or len(system.initial) > most else found


def beside(system: TransitionSystem, trace: Trace, most: int) -> Region | None:
    """The states of a trace and those one step from them, up to `most`; None where the trace alone has more."""
    states = dict.fromkeys(trace.states)
    if len(states) > most:
        return None
    for before in tuple(states):
        for position in enabled(system, before):
            after = take(system.transitions[position], before).state
            if after is not None and len(states) < most:
                states[after] = None
    return region(system, tuple(states), len(states))


def state_graph(
    target: str,
    system: TransitionSystem,
    found: Region,
    judged: Collection[str],
    shown: Shown | None,
    *,
    is_whole: bool,
    copies: str = "",
) -> StateGraph:
    """The graph of a region, with the properties named in `judged`, and with a trace marked that is in it."""
    names = tuple(name for name in (*found.bad_steps, *found.bad_states) if name in judged)
    depths = _depths(system, found) if is_whole else {}
    initial = set(system.initial)
    terminal = _terminal(system, found.states)
    bad = _by_place(names, found.bad_states)
    vertices = tuple(
        Vertex(
            state,
            depths.get(number),
            state in initial,
            terminal[number],
            bad.get(number, ()),
            tuple(_mistakes(system, found, number)),
            sum(step.to == BEYOND for step in found.steps[number]),
        )
        for number, state in enumerate(found.states)
    )
    edges = tuple(_edges(system, found, names))
    marked = None if shown is None else _marked(shown, found.states, edges)
    return StateGraph(target, system, names, vertices, edges, marked, is_whole, copies)


def _edges(system: TransitionSystem, found: Region, names: Sequence[str]) -> Iterator[Edge]:
    bad = _by_place(names, found.bad_steps)
    for source, steps in enumerate(found.steps):
        for number, step in enumerate(steps):
            if step.to >= 0:
                outcome = system.transitions[step.transition].outcomes[step.outcome]
                yield Edge(source, step.to, step.transition, outcome, bad.get((source, number), ()))


def _by_place(names: Sequence[str], places: Mapping[str, list[_Place]]) -> dict[_Place, tuple[str, ...]]:
    """What is violated at each place, from the places at which each of some properties is."""
    found: dict[_Place, tuple[str, ...]] = {}
    for name in names:
        for at in places.get(name, ()):
            found[at] = (*found.get(at, ()), name)
    return found


def _depths(system: TransitionSystem, found: Region) -> dict[int, int]:
    """The level of every state, by its number."""
    depth = dict.fromkeys(range(len(system.initial)), 1)
    queue = list(depth)
    for number in queue:  # grows while it is gone through
        for step in found.steps[number]:
            if step.to >= 0 and step.to not in depth:
                depth[step.to] = depth[number] + 1
                queue.append(step.to)
    return depth


def _terminal(system: TransitionSystem, states: Sequence[State]) -> list[bool]:
    x, terminal = system.expressions, system.terminal
    quiescent = [x.negate(t.guard) for t in system.transitions if t.fault is None]
    fine = x.equal(x.number(terminal.mistake), x.const(0))
    (truth,) = truths_of(system, [x.conjoin((*quiescent, terminal.holds, fine))], states)
    return [bool(each) for each in truth]


def _mistakes(system: TransitionSystem, found: Region, number: int) -> Iterator[str]:
    for step in found.steps[number]:
        if step.to == WRONG:
            transition = system.transitions[step.transition]
            mistake = take(transition, found.states[number]).mistake
            assert mistake is not None, "the engine says that it goes wrong"
            at = place(mistake.site)
            yield f"{transition.called}: {mistake.message}{f' ({at})' if at else ''}"


def _marked(shown: Shown, states: Sequence[State], edges: Sequence[Edge]) -> Marked:
    trace = shown.trace
    number = {state: n for n, state in enumerate(states)}
    at = {(edge.source, edge.transition): n for n, edge in enumerate(edges)}
    vertices = tuple(number[state] for state in trace.states)
    taken = tuple(at[step] for step in zip(vertices, trace.transitions, strict=False))
    assert all(edges[n].target == to for n, to in zip(taken, vertices[1:], strict=True)), "the same steps"
    return Marked(shown.violated, vertices, taken, trace.loop)

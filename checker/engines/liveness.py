"""Liveness: what is reached on every fair behaviour, decided on the explored states.

A violation is a lasso: a way, without the goal, to states among which a fair behaviour can stay for ever without the
goal (`components.py`), and the shortest fair loop there (`loops.py`). Stopping is such a loop too, a state that repeats
for ever, where no fair action is enabled. Needs all reachable states; of a part of them nothing can be said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from fenceproof.model.errors import InternalError
from fenceproof.model.expressions import Expression
from fenceproof.model.lasso import refutes
from fenceproof.model.layout import Layout
from fenceproof.model.system import LivenessProperty, Mistake, TransitionSystem
from fenceproof.model.trace import Trace, replay

from .compile import as_mask, compile_roots
from .components import Demand, Edges, Ints, Mask, fair_components
from .expand import Expander
from .loops import Asked, shortest_loop
from .shortest import Backwards
from .tally import Accident, Witnesses
from .words import Batch, Run, distinct, join, mix, pack, positions, take, unpack

_CHUNK = 1 << 15
#: Ends of shortest stems whose loops are compared.
_MOST_ENDS = 32


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of a liveness property: whether it was ever put to the test, at how many states a fair behaviour
    can stay without the goal, the lasso to the nearest of them, and where evaluating the property goes wrong."""

    exercised: bool
    count: int
    trace: Trace | None
    accidents: tuple[Accident, ...] = ()


@dataclass(frozen=True, slots=True)
class Stays:
    """Where behaviours go without the goal: the steps there and what fairness asks of them, the fair component of each
    state (-1: none), the ways, and the states at which the property is put to the test."""

    edges: Edges
    demands: list[Demand]
    fair: Ints
    way: Ways
    tested: Mask
    accidents: tuple[Accident, ...]

    @property
    def looping(self) -> Mask:
        """The states, reached without the goal, at which a fair behaviour can stay."""
        return self.way.reached & (self.fair >= 0)


class Liveness:
    """Decides liveness properties over the levels of a finished search.

    Where these are not the `whole` of it, but all states with a safeguard or a number of faults that no step changes
    back, the steps out of them are left aside: no loop comes back from there.
    """

    def __init__(
        self,
        system: TransitionSystem,
        layout: Layout,
        levels: Sequence[Batch],
        backwards: Backwards,
        expander: Expander | None = None,
        *,
        whole: bool = True,
    ) -> None:
        self._system = system
        self._layout = layout
        self._backwards = backwards
        self._expander = expander or Expander(system, layout)
        self._whole = whole
        self._states: Run = distinct(join(levels))
        self._level = np.zeros(len(self._states), dtype=np.int64)
        for number, batch in enumerate(levels):
            self._level[self._position(batch)] = number
        self._is_fault = np.array([t.fault is not None for t in system.transitions], dtype=np.int64)

    def _position(self, batch: Batch) -> Ints:
        return positions(self._states, batch, mix(batch))

    def check(self, prop: LivenessProperty) -> Found:
        """Decide one property."""
        stays = self._stays(prop)
        if stays.accidents:
            return Found(True, 0, None, stays.accidents)
        exercised = bool(stays.tested.any())
        if not stays.way.ends:
            return Found(exercised, 0, None)
        return Found(True, int(stays.looping.sum()), self._lasso(prop, stays))

    def states(self, prop: LivenessProperty) -> tuple[Batch, Batch, tuple[Accident, ...]]:
        """The states at which a property is put to the test, those at which a fair behaviour can stay without the goal,
        and where evaluating it goes wrong."""
        stays = self._stays(prop)
        return take(self._states.batch, stays.tested), take(self._states.batch, stays.looping), stays.accidents

    def _stays(self, prop: LivenessProperty) -> Stays:
        accidents: list[Accident] = []
        missing = ~self._judge(prop.goal.holds, prop.goal.mistake, prop.goal.mistakes, accidents)
        begins = np.zeros(len(self._states), dtype=np.bool_)
        initial = self._position(pack(self._layout, self._system.initial))
        begins[initial[initial >= 0]] = True
        if prop.trigger is not None:
            trigger = prop.trigger
            begins = self._judge(trigger.holds, trigger.mistake, trigger.mistakes, accidents)
        edges, demands = self._without_goal(prop, missing)
        fair = fair_components(edges, missing, demands)
        start_level = self._level if prop.trigger is not None else np.zeros_like(self._level)
        way = Ways.search(edges, begins & missing, start_level, fair >= 0, self._is_fault)
        tested = begins if prop.trigger is not None else begins & missing
        return Stays(edges, demands, fair, way, tested, tuple(accidents))

    def _judge(
        self, holds: Expression, mistake: Expression, mistakes: Sequence[Mistake], accidents: list[Accident]
    ) -> Mask:
        program = compile_roots([holds, mistake])
        found: list[Mask] = []
        for start in range(0, len(self._states), _CHUNK):
            chunk = take(self._states.batch, slice(start, start + _CHUNK))
            rows = len(chunk[0])
            columns = self._expander.columns(chunk, program.slots)
            with np.errstate(divide="ignore", invalid="ignore"):
                value, wrong = program.run([columns[i] for i in program.slots])
            found.append(as_mask(value, rows))
            for code, what in enumerate(mistakes, start=1):
                bad = as_mask(wrong == code, rows)
                for number in np.unique(self._level[start : start + _CHUNK][bad]).tolist():
                    here = bad & (self._level[start : start + _CHUNK] == number)
                    accidents.append(Accident(int(number), None, what, take(chunk, here)))
        return np.concatenate(found)

    def _without_goal(self, prop: LivenessProperty, missing: Mask) -> tuple[Edges, list[Demand]]:
        """The steps between states without the goal, and the fairness demands over them."""
        owner = np.full(len(self._system.transitions), -1)
        for number, fairness in enumerate(prop.fairness):
            owner[list(fairness.transitions)] = number
        enabled = np.zeros((len(prop.fairness), len(self._states)), dtype=np.bool_)
        where = np.flatnonzero(missing)
        parts: list[tuple[Ints, Ints, Ints]] = []
        for start in range(0, len(where), _CHUNK):
            rows = where[start : start + _CHUNK]
            for step in self._expander.successors(take(self._states.batch, rows)):
                source, target = rows[step.rows], self._position(step.after)
                moves = source != target
                source, target = source[moves], target[moves]
                if owner[step.transition] >= 0:
                    enabled[owner[step.transition], source] = True
                known = target >= 0
                if self._whole and not known.all():
                    raise InternalError("a state was reached that the search has not seen. Please report this.")
                inside = known & missing[target]
                via = np.full(int(inside.sum()), step.transition, dtype=np.int64)
                parts.append((source[inside], target[inside], via))
        empty = np.zeros(0, dtype=np.int64)
        edges = Edges(*(np.concatenate([empty, *(part[i] for part in parts)]) for i in range(3)))
        taken = owner[edges.transition]
        return edges, [Demand(enabled[i], taken == i, f.is_strong) for i, f in enumerate(prop.fairness)]

    def _lasso(self, prop: LivenessProperty, stays: Stays) -> Trace:
        way = stays.way
        best: tuple[int, list[tuple[int, int]], int] | None = None
        for end in way.ends[:_MOST_ENDS]:
            loop = self._loop(prop, stays, end)
            if best is None or len(loop) < best[0]:
                best = (len(loop), loop, end)
            if not loop:
                break
        assert best is not None, "there is an end"
        first, stem = way.stem(best[2])
        prefix = Trace((self._unpacked(first),), ())
        if prop.trigger is not None:
            level = int(self._level[first])
            prefix = self._backwards.to([Witnesses(level, None, take(self._states.batch, [first]))])
        steps = [*stem, *best[1]]
        trace = Trace(
            (*prefix.states, *(self._unpacked(state) for _, state in steps)),
            (*prefix.transitions, *(transition for transition, _ in steps)),
            loop=len(prefix) + len(stem),
        )
        problem = replay(self._system, trace) or refutes(self._system, prop, trace)
        if problem is not None:
            raise InternalError(f"the lasso found for {prop.name} is none: {problem} Please report this.")
        return trace

    def _loop(self, prop: LivenessProperty, stays: Stays, end: int) -> list[tuple[int, int]]:
        edges, demands = stays.edges, stays.demands
        members = stays.fair == stays.fair[end]
        inner = edges.where(members[edges.source] & members[edges.target])
        graph: dict[int, list[tuple[int, int]]] = {int(state): [] for state in np.flatnonzero(members)}
        order = np.lexsort((inner.target, inner.transition, self._is_fault[inner.transition]))
        for i in order:
            graph[int(inner.source[i])].append((int(inner.transition[i]), int(inner.target[i])))
        asked = [
            Asked(frozenset(np.flatnonzero(d.enabled & members).tolist()), frozenset(f.transitions), f.is_strong)
            for d, f in zip(demands, prop.fairness, strict=True)
        ]
        return shortest_loop(graph, end, asked)

    def _unpacked(self, position: int) -> tuple[int, ...]:
        return unpack(self._layout, take(self._states.batch, [position]))[0]


@dataclass(frozen=True, slots=True)
class Ways:
    """Shortest ways from where it begins to the nearest ends, of these the ones with the fewest faults.

    `via` and `before` are the transition and the state by which each state is reached first, -1 at a beginning.
    """

    ends: list[int]
    reached: Mask
    via: Ints
    before: Ints

    @classmethod
    def search(cls, edges: Edges, begins: Mask, start_level: Ints, is_end: Mask, is_fault: Ints) -> Ways:
        """Breadth first; a beginning joins at its own level."""
        states = len(begins)
        reached = np.zeros(states, dtype=np.bool_)
        via, before = np.full(states, -1, dtype=np.int64), np.full(states, -1, dtype=np.int64)
        faults = np.zeros(states, dtype=np.int64)
        ends: list[int] = []
        frontier = np.zeros(states, dtype=np.bool_)
        level, last = 0, int(start_level[begins].max()) if begins.any() else -1
        while level <= last or frontier.any():
            fresh = frontier | (begins & (start_level == level) & ~reached)
            reached |= fresh
            if not ends and (fresh & is_end).any():
                here = np.flatnonzero(fresh & is_end)
                ends = here[np.lexsort((here, faults[here]))].tolist()
            out = edges.where(fresh[edges.source] & ~reached[edges.target])
            cost = faults[out.source] + is_fault[out.transition]
            order = np.lexsort((out.source, out.transition, cost, out.target))
            targets, firsts = np.unique(out.target[order], return_index=True)
            chosen = order[firsts]
            via[targets], before[targets], faults[targets] = out.transition[chosen], out.source[chosen], cost[chosen]
            frontier = np.zeros(states, dtype=np.bool_)
            frontier[targets] = True
            level += 1
        return cls(ends, reached, via, before)

    def stem(self, end: int) -> tuple[int, list[tuple[int, int]]]:
        """Where the way to an end begins, and its steps: transition and state."""
        steps: list[tuple[int, int]] = []
        while self.before[end] >= 0:
            steps.append((int(self.via[end]), end))
            end = int(self.before[end])
        return end, steps[::-1]

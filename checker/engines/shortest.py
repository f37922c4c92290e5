"""From violating states back to an initial one: the trace that is shown.

The search keeps levels, not parents. Going back from the violating states of a level, the level before is expanded
again and those of its states kept that lead into them, down to the initial states: what is left is exactly the union of
all shortest traces. Among these the one with the fewest faults is chosen, then with the fewest changed slots (but for
those that count faults), then the first in the order of the transitions. Each state knows the best cost of its rest
of the way, costs add up, and a transition has one successor; so going forward from the best initial state by the first
transition that keeps the best cost gives the lexicographically first of the cheapest traces.

The union of all shortest traces may be large. Beyond so many steps of it, or so much time, one step into each level is
enough: the trace is a shortest one still, and it is told that it may not be the cheapest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from fenceproof.model.budgets import is_counter
from fenceproof.model.errors import InternalError
from fenceproof.model.layout import Layout
from fenceproof.model.step import take
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace, replay
from numpy.typing import NDArray

from ..limits import Watch
from ..result import Wrong
from ..violation import ends_in_violation
from .expand import Expander
from .tally import Accident, Tally, Witnesses
from .words import Batch, Run, column, distinct, join, mix, pack, positions, unpack
from .words import take as rows_of

Ints = NDArray[np.int64]
#: States of a level that are expanded at a time.
CHUNK = 1 << 15
#: Steps of the shortest traces to one property's violations that are weighed, 48 bytes each.
MOST_STEPS: Final = 1 << 21
#: What a trace may take longer than the search was given: a search that found it at its very end has no time left.
_MORE_TIME = 1.1


@dataclass(frozen=True, slots=True)
class Layer:
    """The states of one level that lead to a violation, with the cost of the cheapest rest of the way from each.

    `via` and `to` are the transition to take and the position of the next layer's state; -1 where there is none.
    `steps` are all those that belong to a shortest trace, where they were asked for.
    """

    states: Run
    faults: Ints
    changes: Ints
    via: Ints
    to: Ints
    steps: Steps | None = None


@dataclass(frozen=True, slots=True)
class Steps:
    """Steps from a layer's states (`source`) by `via` to positions in the next layer, with what each rest costs."""

    source: Ints
    via: Ints
    to: Ints
    faults: Ints
    changes: Ints


class Backwards:
    """Chooses traces through the levels of a finished search."""

    def __init__(
        self, system: TransitionSystem, layout: Layout, levels: Sequence[Batch], watch: Watch | None = None
    ) -> None:
        self._system = system
        self._watch = watch
        self._steps_left = MOST_STEPS
        self._layout = layout
        self._levels = levels
        self._expander = Expander(system, layout)
        self._is_fault = np.array([t.fault is not None for t in system.transitions], dtype=np.int64)
        counters = [v for v in system.variables if is_counter(v.name)]
        hidden = {i for v in counters for i in range(v.first, v.first + v.kind.width)}
        self._shown = [i for i in range(len(system.slots)) if i not in hidden]

    @property
    def is_cheapest(self) -> bool:
        """Whether the trace chosen last is the cheapest of the shortest ones, and not only one of them."""
        return not self._is_cut

    def violation(self, tally: Tally) -> Trace:
        """The trace of a violated property, replayed and judged again."""
        trace = self.to(tally.first)
        if tally.first[0].transition is not None:
            trace = self._with_last_step(trace)
        self.confirm(tally, trace)
        return trace

    def wrong(self, accidents: Sequence[Accident]) -> Wrong:
        """How the model goes wrong, at the shallowest level where it does."""
        level = min(len_of(a) for a in accidents)
        shallowest = [a for a in accidents if len_of(a) == level]
        accident = min(shallowest, key=lambda a: (a.transition is not None, a.transition or 0))
        trace = self.to([Witnesses(accident.level, accident.transition, accident.states)])
        mistake = accident.mistake
        if mistake is None:
            assert accident.transition is not None
            trace = Trace(trace.states, trace.transitions, mistake=accident.transition)
            mistake = take(self._system.transitions[accident.transition], trace.states[-1]).mistake
            assert mistake is not None, "the engine and the interpreter disagree about a mistake"
        elif accident.transition is not None:
            trace = self._with_last_step(trace)
        self._replay(trace)
        return Wrong(mistake, trace)

    def to(self, targets: Sequence[Witnesses]) -> Trace:
        """The chosen trace to one of some states of one level; for a step, `_last` is the transition that ends it."""
        return self._forward(self.layers(targets))

    def layers(self, targets: Sequence[Witnesses], *, all_steps: bool = False) -> list[Layer]:
        """The union of all shortest traces to some states of one level, or to steps from them; part of it where it is
        too large, as `is_cheapest` tells."""
        self._steps_left, self._is_cut = MOST_STEPS, False
        layer = self._target_layer(targets, all_steps=all_steps)
        layers = [layer]
        for batch in reversed(self._levels[: targets[0].level]):
            layer = self._layer_before(batch, layer, all_steps=all_steps)
            layers.append(layer)
        layers.reverse()
        return layers

    def _target_layer(self, targets: Sequence[Witnesses], *, all_steps: bool) -> Layer:
        states = distinct(join([t.states for t in targets]))
        count = len(states)
        if targets[0].transition is None:
            nothing = np.zeros(count, dtype=np.int64)
            return Layer(states, nothing, nothing, nothing - 1, nothing - 1)
        steps: list[Steps] = []
        for t in targets:
            assert t.transition is not None
            source = positions(states, t.states, mix(t.states))
            via = np.full(len(source), t.transition, dtype=np.int64)
            faults = self._is_fault[via]
            steps.append(Steps(source, via, via * 0 - 1, faults, self._changes_of(t.transition, t.states)))
        return self._cheapest(states, steps, all_steps=all_steps)

    def _changes_of(self, transition: int, states: Batch) -> Ints:
        """How many slots a transition changes in each of some states in which it is enabled (0 where it goes wrong)."""
        changes = np.zeros(len(states[0]), dtype=np.int64)
        for edges in self._expander.successors(states):
            if edges.transition == transition:
                changes[edges.rows] = self._changed(rows_of(states, edges.rows), edges.after)
        return changes

    def _changed(self, before: Batch, after: Batch) -> Ints:
        total = np.zeros(len(before[0]), dtype=np.int64)
        for i in self._shown:
            field, slot = self._layout.fields[i], self._system.slots[i]
            total += column(before, field, slot) != column(after, field, slot)
        return total

    def _layer_before(self, batch: Batch, following: Layer, *, all_steps: bool) -> Layer:
        """The states of a level that lead into the following layer; at least one of them."""
        sources: list[Batch] = []
        found: list[Steps] = []
        offset = 0
        for start in range(0, len(batch[0]), CHUNK):
            if found and self._is_over():
                self._is_cut = True
                break
            chunk = tuple(word[start : start + CHUNK] for word in batch)
            for edges in self._expander.successors(chunk):
                to = positions(following.states, edges.after, mix(edges.after))
                hits = np.flatnonzero(to >= 0)
                if not len(hits):
                    continue
                before, to = rows_of(chunk, edges.rows[hits]), to[hits]
                via = np.full(len(hits), edges.transition, dtype=np.int64)
                faults = self._is_fault[edges.transition] + following.faults[to]
                changes = self._changed(before, rows_of(edges.after, hits)) + following.changes[to]
                sources.append(before)
                found.append(Steps(np.arange(offset, offset + len(hits)), via, to, faults, changes))
                offset += len(hits)
                self._steps_left -= len(hits)
        if not sources:
            raise InternalError("no state of a level leads to the next: the levels of the search do not fit together.")
        everything = join(sources)
        states = distinct(everything)
        place = positions(states, everything, mix(everything))
        steps = [Steps(place[s.source], s.via, s.to, s.faults, s.changes) for s in found]
        return self._cheapest(states, steps, all_steps=all_steps)

    def is_late(self) -> bool:
        """Whether the time is over that was given."""
        watch = self._watch
        return (
            watch is not None and watch.limits.time_s is not None and watch.seconds > watch.limits.time_s * _MORE_TIME
        )

    def _is_over(self) -> bool:
        """Whether one step into each level has to do from here on."""
        return self._steps_left <= 0 or self.is_late()

    @staticmethod
    def _cheapest(states: Run, steps: Sequence[Steps], *, all_steps: bool) -> Layer:
        """For each state the step whose whole rest is cheapest; of equals the first transition."""
        source, via, to, faults, changes = (
            np.concatenate([getattr(s, name) for s in steps]) for name in ("source", "via", "to", "faults", "changes")
        )
        order = np.lexsort((via, changes, faults, source))
        firsts = order[np.searchsorted(source[order], np.arange(len(states)))]
        kept = Steps(source, via, to, faults, changes) if all_steps else None
        return Layer(states, faults[firsts], changes[firsts], via[firsts], to[firsts], kept)

    def _forward(self, layers: Sequence[Layer]) -> Trace:
        first = layers[0]
        initial = pack(self._layout, self._system.initial)
        place = positions(first.states, initial, mix(initial))
        candidates = [(first.faults[p], first.changes[p], i, p) for i, p in enumerate(place) if p >= 0]
        at = int(min(candidates)[3])
        batches: list[Batch] = []
        transitions: list[int] = []
        for layer in layers:
            batches.append(rows_of(layer.states.batch, slice(at, at + 1)))
            if layer is not layers[-1] or layer.via[at] >= 0:
                transitions.append(int(layer.via[at]))
                at = int(layer.to[at])
        states = [unpack(self._layout, batch)[0] for batch in batches]
        self._last = transitions[-1] if len(transitions) == len(states) else None
        return Trace(tuple(states), tuple(transitions[: len(states) - 1]))

    def _with_last_step(self, trace: Trace) -> Trace:
        assert self._last is not None
        after = take(self._system.transitions[self._last], trace.states[-1]).state
        assert after is not None, "a step that was judged has a successor"
        return Trace((*trace.states, after), (*trace.transitions, self._last))

    def _replay(self, trace: Trace) -> None:
        problem = replay(self._system, trace)
        if problem is not None:
            raise InternalError(f"a counterexample does not replay: {problem} Please report this.")

    def confirm(self, tally: Tally, trace: Trace) -> None:
        """Replay a trace, and judge whether it violates; InternalError where one of them says no."""
        self._replay(trace)
        if not ends_in_violation(self._system, tally.name, trace):
            raise InternalError(f"the trace found for {tally.name} does not violate it. Please report this.")


def len_of(accident: Accident) -> int:
    """How many steps a trace to an accident takes."""
    return accident.level + (accident.transition is not None)

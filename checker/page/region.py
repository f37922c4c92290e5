"""The states that a page shows, and every step between them: all that are reachable, or those nearest to some traces.

Made by the compiled engine in batches. Not the verdict of a search: a region that stops at its bound says how many
states it is short of, and nothing about those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from fenceproof.model.expressions import Expression
from fenceproof.model.layout import Layout
from fenceproof.model.system import DEADLOCK, Judgement, State, TransitionSystem

from ..engines.compile import as_mask, compile_roots
from ..engines.expand import Edges, Expander
from ..engines.words import Batch, pack, size

#: Where a step leads that has no state in the page: to one that is not in it, or nowhere, as the model goes wrong.
BEYOND: Final = -1
WRONG: Final = -2


@dataclass(frozen=True, slots=True)
class Step:
    """One step out of a state: by which transition, to which state (or `BEYOND`, or `WRONG`), and its outcome."""

    transition: int
    to: int
    outcome: int


@dataclass(frozen=True, slots=True)
class Region:
    """`states[i]` has the steps `steps[i]`, in the order of the transitions.

    `bad_states` and `bad_steps` are, by property, the states and the (state, number of its step) that violate it.
    `open` counts the states in the page that have a step out of it.
    """

    states: tuple[State, ...]
    steps: tuple[tuple[Step, ...], ...]
    bad_states: Mapping[str, list[int]]
    bad_steps: Mapping[str, list[tuple[int, int]]]

    @property
    def open(self) -> int:
        """How many states of the page have a step to one that is not in it."""
        return sum(any(step.to == BEYOND for step in steps) for steps in self.steps)


def region(system: TransitionSystem, roots: Sequence[State], most: int) -> Region:
    """The states nearest to `roots` (reachable ones, the initial ones among them), breadth first, `most` at most.

    Raises UsageError for a system with numbers that have no bound.
    """
    grown = _Growing(system, most)
    grown.add(roots)
    done = 0
    while done < len(grown.words):
        done = grown.expand(done)
    return grown.finished()


@dataclass(slots=True)
class _Made:
    """A step as the engine made it: the words of the state that it leads to, or none where the model goes wrong."""

    transition: int
    after: tuple[int, ...] | None
    outcome: int
    broken: tuple[str, ...]


@dataclass(slots=True)
class _Growing:
    """A region while it grows."""

    system: TransitionSystem
    most: int
    words: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    position: dict[tuple[int, ...], int] = field(default_factory=dict[tuple[int, ...], int])
    made: list[list[_Made]] = field(default_factory=list[list[_Made]])
    layout: Layout = field(init=False)
    expander: Expander = field(init=False)

    def __post_init__(self) -> None:
        self.layout = Layout.of(self.system.slots)
        judged = [
            [t.outcome, *(node for p in self.system.step_properties for node in _broken(self.system, p.judgements[i]))]
            for i, t in enumerate(self.system.transitions)
        ]
        self.expander = Expander(self.system, self.layout, judged)

    def add(self, roots: Sequence[State]) -> None:
        for state in dict.fromkeys(roots):
            self._enter(self.layout.pack(state))

    def _enter(self, words: tuple[int, ...]) -> None:
        if words not in self.position and len(self.words) < self.most:
            self.position[words] = len(self.words)
            self.words.append(words)

    def expand(self, first: int) -> int:
        """Take every step from the states from `first` on; the position up to which that is now done."""
        level = self.words[first:]
        batch: Batch = tuple(np.array([row[w] for row in level], dtype=np.uint64) for w in range(self.layout.words))
        found: list[list[_Made]] = [[] for _ in level]
        for edges in self.expander.successors(batch):
            self._note(edges, found)
        self.made += found
        for steps in found:
            for step in steps:
                if step.after is not None:
                    self._enter(step.after)
        return len(self.made)

    def _note(self, edges: Edges, found: list[list[_Made]]) -> None:
        count = len(edges.rows)
        outcomes, *broken = (np.broadcast_to(np.asarray(value), (count,)).tolist() for value in edges.judged)
        names = [p.name for p in self.system.step_properties]
        after = list(zip(*(word.tolist() for word in edges.after), strict=True))
        rows: list[int] = edges.rows.tolist()
        wrong: list[int] = edges.wrong.tolist()
        for n, row in enumerate(rows):
            violated = tuple(name for name, truth in zip(names, broken, strict=True) if truth[n])
            found[row].append(_Made(edges.transition, after[n], int(outcomes[n]), violated))
        for row in wrong:
            found[row].append(_Made(edges.transition, None, 0, ()))

    def finished(self) -> Region:
        bad_steps: dict[str, list[tuple[int, int]]] = {p.name: [] for p in self.system.step_properties}
        rows: list[tuple[Step, ...]] = []
        for made in self.made:
            made.sort(key=lambda each: each.transition)
            for number, each in enumerate(made):
                for name in each.broken:
                    bad_steps[name].append((len(rows), number))
            rows.append(tuple(Step(each.transition, self._end(each), each.outcome) for each in made))
        states = tuple(self.layout.unpack(words) for words in self.words)
        return Region(states, tuple(rows), self._bad_states(states), bad_steps)

    def _end(self, made: _Made) -> int:
        return WRONG if made.after is None else self.position.get(made.after, BEYOND)

    def _bad_states(self, states: Sequence[State]) -> dict[str, list[int]]:
        system, x = self.system, self.system.expressions
        quiescent = x.conjoin(x.negate(t.guard) for t in system.transitions if t.fault is None)
        violated = {DEADLOCK: x.conjoin((quiescent, *_broken(system, system.terminal)))}
        for invariant in system.invariants:
            broken = _broken(system, invariant.judgement)
            violated[invariant.name] = x.conjoin((quiescent, *broken) if invariant.quiescent else broken)
        truths = truths_of(system, list(violated.values()), states)
        return {name: np.flatnonzero(truth).tolist() for name, truth in zip(violated, truths, strict=True)}


def truths_of(system: TransitionSystem, roots: Sequence[Expression], states: Sequence[State]) -> list[Any]:
    """The truth of each root in each state: bool[states] for each."""
    layout = Layout.of(system.slots)
    program = compile_roots(roots)
    batch = pack(layout, states)
    columns = Expander(system, layout).columns(batch, program.slots)
    with np.errstate(divide="ignore", invalid="ignore"):
        return [as_mask(value, size(batch)) for value in program.run([columns[i] for i in program.slots])]


def _broken(system: TransitionSystem, judgement: Judgement) -> list[Expression]:
    """Where a judgement says that the property is violated, and not that evaluating it goes wrong."""
    x = system.expressions
    fine = x.equal(x.number(judgement.mistake), x.const(0))
    return [x.conjoin((x.negate(judgement.holds), fine))]

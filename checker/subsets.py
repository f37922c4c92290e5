"""A system made deterministic while it is explored: the set of states that it may be in after some events.

The subset construction (Rabin and Scott, "Finite automata and their decision problems", 1959, section 4) with hidden
steps as empty words. A set is closed: it has every state that hidden steps lead to. States are expanded in batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, cast

import numpy as np
from fenceproof.model.errors import InternalError
from fenceproof.model.layout import Layout

from .engines.compile import is_column
from .engines.expand import Edges, Expander
from .engines.words import Batch, pack, take, unpack
from .events import Event, Seen, Side, taken
from .limits import Stop

#: States that are expanded at once; between two batches limits are looked at.
BATCH: Final = 1 << 13
#: What a state, a step between two and a member of a set take in memory, roughly, in bytes.
STATE_BYTES: Final = 400
STEP_BYTES: Final = 60
MEMBER_BYTES: Final = 40


class StoppedError(Exception):
    """A limit was reached in the middle of an expansion."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.reason)
        self.stop = stop


@dataclass(slots=True)
class Subsets:
    """The sets of one side, numbered as they are found, and the steps of every state that is in one.

    `look` is called now and then, and raises StoppedError where a limit is reached.
    """

    side: Side
    seen: Seen
    look: Callable[[], None]
    sets: list[frozenset[int]] = field(default_factory=list[frozenset[int]])
    members: int = 0
    steps: int = 0
    _set_number: dict[frozenset[int], int] = field(default_factory=dict[frozenset[int], int])
    _number: dict[tuple[int, ...], int] = field(default_factory=dict[tuple[int, ...], int])
    _words: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    _seen_steps: dict[int, dict[Event, list[int]]] = field(default_factory=dict[int, dict[Event, list[int]]])
    _hidden_steps: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    _layout: Layout = field(init=False)
    _expander: Expander = field(init=False)

    def __post_init__(self) -> None:
        system = self.side.system
        self._layout = Layout.of(system.slots)
        self._expander = Expander(system, self._layout, [[t.outcome] for t in system.transitions])

    @property
    def states(self) -> int:
        """How many states were found."""
        return len(self._words)

    @property
    def bytes(self) -> int:
        """How much memory all of it takes, roughly."""
        return self.states * STATE_BYTES + self.steps * STEP_BYTES + self.members * MEMBER_BYTES

    def start(self) -> int:
        """The set in which the system begins."""
        initial = self._numbers(pack(self._layout, self.side.system.initial))
        self.prepare(initial)
        return self.close(initial)

    def moves(self, number: int) -> dict[Event, frozenset[int]]:
        """What can be seen next, and the states that each event leads to, which are not closed yet."""
        found: dict[Event, set[int]] = {}
        for state in self.sets[number]:
            for event, after in self._seen_steps[state].items():
                found.setdefault(event, set()).update(after)
        return {event: frozenset(after) for event, after in found.items()}

    def prepare(self, states: Iterable[int]) -> None:
        """Expand states, and those that hidden steps lead to. Raises ModelError where the model goes wrong."""
        waiting = [s for s in dict.fromkeys(states) if s not in self._seen_steps]
        while waiting:
            for start in range(0, len(waiting), BATCH):
                self.look()
                self._expand(waiting[start : start + BATCH])
            led_to = dict.fromkeys(s for state in waiting for s in self._hidden_steps.get(state, ()))
            waiting = [s for s in led_to if s not in self._seen_steps]

    def close(self, states: Iterable[int]) -> int:
        """The number of the set of some states, which are prepared, and all that hidden steps lead to from them."""
        found = set(states)
        waiting = list(found)
        while waiting:
            fresh = [s for s in self._hidden_steps.get(waiting.pop(), ()) if s not in found]
            found.update(fresh)
            waiting += fresh
        closed = frozenset(found)
        number = self._set_number.get(closed)
        if number is None:
            number = self._set_number[closed] = len(self.sets)
            self.sets.append(closed)
            self.members += len(closed)
        return number

    def _numbers(self, batch: Batch) -> list[int]:
        numbers: list[int] = []
        columns: list[list[int]] = [word.tolist() for word in batch]
        for words in cast("Iterable[tuple[int, ...]]", zip(*columns, strict=True)):
            number = self._number.setdefault(words, len(self._words))
            if number == len(self._words):
                self._words.append(words)
            numbers.append(number)
        return numbers

    def _expand(self, states: list[int]) -> None:
        rows = [self._words[s] for s in states]
        batch = tuple(np.array([row[w] for row in rows], dtype=np.uint64) for w in range(self._layout.words))
        for state in states:
            self._seen_steps[state] = {}
        for edges in self._expander.successors(batch):
            self._note(states, batch, edges)

    def _note(self, states: list[int], batch: Batch, edges: Edges) -> None:
        transition = self.side.system.transitions[edges.transition]
        if len(edges.wrong):
            taken(self.side, transition, unpack(self._layout, take(batch, edges.wrong[:1]))[0])
            raise InternalError("the engine and the interpreter disagree about a mistake. Please report this.")
        events: list[Event | None] = [self.seen.event(transition, outcome) for outcome in transition.outcomes]
        outcomes: Any = edges.judged[0]
        chosen: list[int] = outcomes.tolist() if is_column(outcomes) else [int(outcomes)] * len(edges.rows)
        self.steps += len(chosen)
        rows: list[int] = cast("Any", edges.rows).tolist()
        for row, after, outcome in zip(rows, self._numbers(edges.after), chosen, strict=True):
            event = events[outcome]
            if event is None:
                self._hidden_steps.setdefault(states[row], []).append(after)
            else:
                self._seen_steps[states[row]].setdefault(event, []).append(after)

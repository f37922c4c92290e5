"""Two traces side by side: which of their steps are the same, what each then does, and what each violates.

Either two traces that were saved, matched by their events, or one trace and another system that is given the same
events: it takes them where it can and stays where it is where it cannot. All of it by the one-step interpreter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from fenceproof.model.budgets import SPENT
from fenceproof.model.errors import InternalError, UsageError
from fenceproof.model.step import is_enabled, take
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace, replay

from .api import property_names
from .difference import why_not
from .events import Event, Name, Side, name_of, taken
from .report.changes import difference
from .violation import ends_in_violation

#: Steps that are matched by their events; of longer stretches that differ, nothing is said to be the same.
MOST_MATCHED: Final = 2_000


@dataclass(frozen=True, slots=True)
class Half:
    """A step of one side: its number from 1 on, how it is called, its outcome, its fault, and what it changed of what
    both sides have."""

    number: int
    called: str
    outcome: str | None
    fault: str | None
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """The same event on both sides, or one that only one of them has; `refused` is why the other could not take it."""

    halves: tuple[Half | None, Half | None]
    refused: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether both sides do the same in it."""
        left, right = self.halves
        return left is not None and right is not None and (left.outcome, left.changes) == (right.outcome, right.changes)

    @property
    def is_seen(self) -> bool:
        """Whether a difference shows in the outcome, or in that only one side takes the step, and not in the state."""
        left, right = self.halves
        return left is None or right is None or left.outcome != right.outcome

    @property
    def own(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What each side changes and the other does not."""
        left, right = (() if half is None else half.changes for half in self.halves)
        return tuple(c for c in left if c not in right), tuple(c for c in right if c not in left)

    @property
    def called(self) -> str:
        """The event as its author would call it."""
        return next(half.called for half in self.halves if half is not None)


@dataclass(frozen=True, slots=True)
class Telling:
    """One side: its name, its system and its trace, and each property that it violates with the step at which first
    (0: in the initial state)."""

    name: str
    system: TransitionSystem
    trace: Trace
    violated: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Two traces, step by step. `begins` is what of the initial state is different, as variable, left and right value;
    `same_events` says that the right one is the left one's events on another system; `loops` whether both end alike."""

    sides: tuple[Telling, Telling]
    begins: tuple[tuple[str, object, object], ...]
    pairs: tuple[Pair, ...]
    same_events: bool
    loops: bool

    @property
    def first(self) -> Pair | None:
        """The first step that differs, or None."""
        return next((pair for pair in self.pairs if not pair.is_same), None)

    @property
    def first_seen(self) -> Pair | None:
        """The first step that differs in its outcome, or in that only one side takes it; None where the state tells."""
        return next((pair for pair in self.pairs if pair.is_seen), None)

    @property
    def is_same(self) -> bool:
        """Whether nothing that both have differs."""
        return not self.begins and self.first is None and self.loops


def of_traces(left: tuple[str, TransitionSystem, Trace], right: tuple[str, TransitionSystem, Trace]) -> SideBySide:
    """Two traces, matched by their events: where both have the same ones, step by step."""
    shared = shared_variables(left[1], right[1])
    halves = [_halves(system, trace, shared) for _, system, trace in (left, right)]
    names = [[name_of(system.transitions[p]) for p in trace.transitions] for _, system, trace in (left, right)]
    pairs = [
        Pair((halves[0][i] if i is not None else None, halves[1][j] if j is not None else None))
        for i, j in _matched(names[0], names[1])
    ]
    return _told(left, right, shared, pairs, same_events=names[0] == names[1])


def on_another(left: tuple[str, TransitionSystem, Trace], name: str, system: TransitionSystem) -> SideBySide:
    """The events of a trace on another system, which messages call `name`.

    Raises UsageError where it may do several things with one of the events, and ModelError where it goes wrong.
    """
    _, own, trace = left
    shared = shared_variables(own, system)
    other = Side(name, system)
    state = _beginning(own, trace.states[0], system, shared)
    states, positions = [state], list[int]()
    by_name: dict[Name, list[int]] = {}
    for position, transition in enumerate(system.transitions):
        by_name.setdefault(name_of(transition), []).append(position)
    pairs: list[Pair] = []
    for half, event in zip(_halves(own, trace, shared), trace.transitions, strict=True):
        called = name_of(own.transitions[event])
        possible = [p for p in by_name.get(called, []) if is_enabled(system.transitions[p], state)]
        if len(possible) > 1:
            raise UsageError(
                f"{name} may do several things with {half.called}, so it is not said what it does.\n"
                "    Give each `choose` a label of its own."
            )
        if not possible:
            pairs.append(Pair((half, None), why_not(other, Event(*called, None), [state], sites=True)))
            continue
        after = taken(other, system.transitions[possible[0]], state)
        assert after.state is not None, "a step that does not go wrong has a successor"
        states.append(after.state)
        positions.append(possible[0])
        pairs.append(Pair((half, _half(system, states[-2], after.state, possible[0], len(positions), shared))))
        state = after.state
    # A loop goes back to a state by its position, and where events were refused there are others.
    loop = trace.loop if len(positions) == len(trace) else None
    followed = Trace(tuple(states), tuple(positions), loop if loop is None or states[loop] == state else None)
    return _told(left, (name, system, followed), shared, pairs, same_events=True)


def shared_variables(left: TransitionSystem, right: TransitionSystem) -> tuple[str, ...]:
    """The variables that both systems have, without the counters of spent faults, in the order of the left one."""
    names = {v.name for v in right.variables}
    return tuple(v.name for v in left.variables if v.name in names and not v.name.startswith(SPENT))


def _told(
    left: tuple[str, TransitionSystem, Trace],
    right: tuple[str, TransitionSystem, Trace],
    shared: Sequence[str],
    pairs: Sequence[Pair],
    *,
    same_events: bool,
) -> SideBySide:
    for name, system, trace in (left, right):
        problem = replay(system, trace)
        if problem is not None:
            raise InternalError(f"a trace of {name} does not replay: {problem}")
    values = [system.decode(trace.states[0]) for _, system, trace in (left, right)]
    begins = tuple((n, values[0][n], values[1][n]) for n in shared if values[0][n] != values[1][n])
    one, other = (Telling(*side, tuple(_violated(side[1], side[2]))) for side in (left, right))
    return SideBySide((one, other), begins, tuple(pairs), same_events, left[2].loop == right[2].loop)


def _beginning(own: TransitionSystem, first: State, system: TransitionSystem, shared: Sequence[str]) -> State:
    """The initial state of a system that is most like the one that a trace begins in; the first one of several."""
    values = own.decode(first)

    def different(state: State) -> int:
        found = system.decode(state)
        return sum(1 for name in shared if found[name] != values[name])

    return min(system.initial, key=different)


def _halves(system: TransitionSystem, trace: Trace, shared: Sequence[str]) -> list[Half]:
    steps = zip(trace.states, trace.states[1:], trace.transitions, strict=False)
    return [_half(system, a, b, position, n, shared) for n, (a, b, position) in enumerate(steps, start=1)]


def _half(
    system: TransitionSystem, before: State, after: State, position: int, number: int, shared: Sequence[str]
) -> Half:
    transition = system.transitions[position]
    variables = {v.name: v for v in system.variables}
    changed: list[str] = []
    for name in shared:
        part = slice(variables[name].first, variables[name].first + variables[name].kind.width)
        changed += difference(variables[name].kind, name, before[part], after[part])
    outcome = take(transition, before).outcome
    return Half(number, transition.called, outcome, transition.fault, tuple(changed))


def _matched(left: Sequence[Name], right: Sequence[Name]) -> Iterator[tuple[int | None, int | None]]:
    """Positions of the same events on both sides, and of those that only one side has, in order."""
    first = 0
    while first < min(len(left), len(right)) and left[first] == right[first]:
        first += 1
    last = 0
    while last < min(len(left), len(right)) - first and left[-1 - last] == right[-1 - last]:
        last += 1
    yield from ((i, i) for i in range(first))
    ours, theirs = left[first : len(left) - last], right[first : len(right) - last]
    blocks = [(len(ours), len(theirs), 0)]
    if max(len(ours), len(theirs)) <= MOST_MATCHED:
        blocks = [(b.a, b.b, b.size) for b in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()]
    a = b = 0
    for start_a, start_b, size in blocks:
        yield from ((first + i, None) for i in range(a, start_a))
        yield from ((None, first + j) for j in range(b, start_b))
        yield from ((first + start_a + i, first + start_b + i) for i in range(size))
        a, b = start_a + size, start_b + size
    yield from ((len(left) - i, len(right) - i) for i in range(last, 0, -1))


def _violated(system: TransitionSystem, trace: Trace) -> Iterator[tuple[str, int]]:
    """Each property that a trace violates on its way or in its end, with the number of steps after which first."""
    lively = {prop.name for prop in system.liveness}
    for name in property_names(system):
        lengths = [len(trace)] if name in lively else range(len(trace) + 1)
        if name in lively and trace.loop is None:
            continue
        for length in lengths:
            part = trace if length == len(trace) else Trace(trace.states[: length + 1], trace.transitions[:length])
            if ends_in_violation(system, name, part):
                yield name, length
                break

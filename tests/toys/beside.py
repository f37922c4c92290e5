"""Pairs of systems to hold beside each other, and the plainest way to say what tells them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fenceproof.checker.events import Event, Seen
from fenceproof.model.expressions import Expression, Expressions
from fenceproof.model.kinds import BoolKind, RangeKind
from fenceproof.model.layout import Slot
from fenceproof.model.rewrite import substitute
from fenceproof.model.step import enabled, take
from fenceproof.model.system import State, TransitionSystem, Variable


def mirrored(system: TransitionSystem) -> TransitionSystem:
    """The same behaviour in other words: its slots the other way round, its transitions too, and no properties."""
    last = len(system.slots) - 1
    x = Expressions()
    slots = [x.slot(last - i, s.lo, s.hi, is_bool=s.is_bool) for i, s in enumerate(system.slots)]

    def moved(*roots: Expression) -> list[Expression]:
        return substitute(x, roots, slots)

    transitions = tuple(
        replace(
            t,
            guard=moved(t.guard)[0],
            outcome=moved(t.outcome)[0],
            mistake=moved(t.mistake)[0],
            updates=tuple(sorted(((last - p, moved(e)[0]) for p, e in t.updates), key=lambda u: u[0])),
        )
        for t in reversed(system.transitions)
    )
    return replace(
        system,
        variables=_numbers(system.slots[::-1]),
        slots=system.slots[::-1],
        initial=tuple(state[::-1] for state in system.initial),
        transitions=transitions,
        invariants=(),
        step_properties=(),
        liveness=(),
        expressions=x,
    )


def _numbers(slots: Sequence[Slot]) -> tuple[Variable, ...]:
    """A variable for each slot, with the values of that."""
    kinds = [BoolKind() if slot.is_bool else RangeKind(slot.lo, slot.hi) for slot in slots]
    return tuple(Variable(slot.name, kind, i) for i, (slot, kind) in enumerate(zip(slots, kinds, strict=True)))


def renamed(system: TransitionSystem, names: Mapping[str, str]) -> TransitionSystem:
    """A system with other names for some of its actions: two of one name leave a choice."""
    transitions = tuple(replace(t, action=names.get(t.action, t.action)) for t in system.transitions)
    return replace(system, transitions=transitions)


class Naive:
    """A system made deterministic with sets of whole states, a step at a time."""

    def __init__(self, system: TransitionSystem, seen: Seen) -> None:
        self.system = system
        self.seen = seen
        self._steps: dict[State, list[tuple[Event | None, State]]] = {}

    def steps(self, state: State) -> list[tuple[Event | None, State]]:
        if state not in self._steps:
            found: list[tuple[Event | None, State]] = []
            for position in enabled(self.system, state):
                transition = self.system.transitions[position]
                after = take(transition, state)
                if after.state is not None:
                    found.append((self.seen.event(transition, after.outcome), after.state))
            self._steps[state] = found
        return self._steps[state]

    def goes_wrong(self, states: frozenset[State]) -> bool:
        transitions = self.system.transitions
        return any(take(transitions[p], s).state is None for s in states for p in enabled(self.system, s))

    def closed(self, states: set[State]) -> frozenset[State]:
        while True:
            more = {after for s in states for event, after in self.steps(s) if event is None} - states
            if not more:
                return frozenset(states)
            states = states | more

    def moves(self, states: frozenset[State]) -> dict[Event, frozenset[State]]:
        found: dict[Event, set[State]] = {}
        for state in states:
            for event, after in self.steps(state):
                if event is not None:
                    found.setdefault(event, set()).add(after)
        return {event: self.closed(after) for event, after in found.items()}


def told_apart(left: TransitionSystem, right: TransitionSystem, seen: Seen) -> tuple[int | None, int | None, int]:
    """After how many events two systems can be told apart, and after how many one goes wrong, whichever is first.

    Of both, None where it never comes to it; and how many pairs of sets there are up to there.
    """
    a, b = Naive(left, seen), Naive(right, seen)
    level = {(a.closed(set(left.initial)), b.closed(set(right.initial)))}
    found, depth = set(level), 0
    while level:
        moves = [(a.moves(one), b.moves(other)) for one, other in level]
        wrong = any(a.goes_wrong(one) or b.goes_wrong(other) for one, other in level)
        parted = any(mine.keys() != other.keys() for mine, other in moves)
        if wrong or parted:
            return depth if parted else None, depth if wrong else None, len(found)
        level = {(mine[event], other[event]) for mine, other in moves for event in mine} - found
        found |= level
        depth += 1
    return None, None, len(found)

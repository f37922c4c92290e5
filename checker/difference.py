"""Whether two systems can do the same events in the same orders, and if not, the shortest order that tells them apart.

What is looked for is the first place where one side can do an event that the other cannot. By which search it was
found is of no account for what is reported: both sides are taken there again by the one-step interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fenceproof.model.errors import InternalError
from fenceproof.model.step import false_clauses, is_enabled, take
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace, replay

from .engines import explicit
from .engines.finite import refuse_unbounded
from .events import Event, Seen, Side, follow, name_of, taken
from .limits import SEARCH_INTERRUPTED, Limits, Progress, Stop, Watch
from .product import AGREE, is_deterministic, product
from .report.named import Names
from .result import CheckResult
from .sameness import are_the_same
from .subsets import StoppedError, Subsets

Shown = Callable[[Progress], None] | None


@dataclass(frozen=True, slots=True)
class Difference:
    """After `events`, which both can do, side `can` (0 or 1) can do `event` and the other side cannot.

    `instead` are the outcomes that the same action has on the other side there, `why` says what forbids it where it
    has none. `traces` are a run of each side: with `event`, or with what the other side does instead of it, or, where
    it does nothing instead, up to there.
    """

    events: tuple[Event, ...]
    event: Event
    can: int
    instead: tuple[str | None, ...]
    why: tuple[str, ...]
    traces: tuple[Trace, Trace]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is known of two systems. `method` is same (word for word), product, or sets (of states of each side).

    `pairs` counts pairs of states or of sets of them; `states` those of each side that are in such sets.
    """

    sides: tuple[Side, Side]
    seen: Seen
    method: str
    pairs: int
    depth: int
    states: tuple[int, int] | None
    stop: Stop | None
    difference: Difference | None
    seconds: float

    @property
    def verdict(self) -> str:
        """Equivalent, different or inconclusive."""
        if self.difference is not None:
            return "different"
        return "equivalent" if self.stop is None else "inconclusive"


def compare(left: Side, right: Side, seen: Seen, limits: Limits, progress: Shown = None) -> Comparison:
    """Compare two systems by the sequences of events that are possible in them.

    Raises ModelError where one of them goes wrong before they differ, and UsageError where one has numbers without a
    bound. A limit or an interrupt leaves it inconclusive.
    """
    watch = Watch.start(limits)
    for side in (left, right):
        refuse_unbounded(side.system, "diff")
    if are_the_same(left.system, right.system):
        return Comparison((left, right), seen, "same", 0, 0, None, None, None, watch.seconds)
    if is_deterministic(left, seen) and is_deterministic(right, seen):
        return _by_product(left, right, seen, watch, progress)
    return _by_sets(left, right, seen, watch, progress)


def _by_product(left: Side, right: Side, seen: Seen, watch: Watch, progress: Shown) -> Comparison:
    pair = product(left, right, seen)
    result = explicit.check(pair, properties=[AGREE], limits=watch.rest(0), progress=progress, until_violation=True)
    if result.wrong is not None:
        events = _events(pair, seen, result.wrong.trace)
        for side in (left, right):
            for state in follow(side, seen, events).last:
                _next(side, seen, state)
        raise InternalError("a model that goes wrong beside another does not go wrong alone. Please report this.")
    trace = result.trace(AGREE)
    difference = None
    if trace is not None:
        events = _events(pair, seen, trace)
        difference = _parting(left, right, seen, events, _first_difference(left, right, seen, events))
    stop = _stop_of(result) if difference is None else None
    return Comparison(
        (left, right), seen, "product", result.distinct or 0, result.depth or 0, None, stop, difference, watch.seconds
    )


def _stop_of(result: CheckResult) -> Stop | None:
    if result.stop is not None and result.stop.kind == "states":
        return Stop("states", result.stop.reason.replace("states", "pairs of states"))
    return result.stop


def _events(pair: TransitionSystem, seen: Seen, trace: Trace) -> list[Event]:
    found: list[Event] = []
    for state, position in zip(trace.states, trace.transitions, strict=False):
        event = seen.event(pair.transitions[position], take(pair.transitions[position], state).outcome)
        assert event is not None, "a product hides nothing"
        found.append(event)
    return found


def _first_difference(left: Side, right: Side, seen: Seen, events: Sequence[Event]) -> Event:
    """The first event, in the order of the sides and their transitions, that only one side can do after events."""
    able: list[list[Event]] = []
    for side in (left, right):
        able.append(list(dict.fromkeys(e for s in follow(side, seen, events).last for e in _next(side, seen, s))))
    return next(e for e in (*able[0], *able[1]) if not (e in able[0] and e in able[1]))


def _next(side: Side, seen: Seen, state: State) -> list[Event]:
    """What can be seen next in a state. Raises ModelError where the model goes wrong in it."""
    steps = [(t, taken(side, t, state).outcome) for t in side.system.transitions if is_enabled(t, state)]
    return [event for event in (seen.event(t, outcome) for t, outcome in steps) if event is not None]


@dataclass(slots=True)
class _Pairs:
    """The pairs of sets found so far, each with the pair it was first reached from, and by which event."""

    found: dict[tuple[int, int], tuple[tuple[int, int], Event] | None]
    level: list[tuple[int, int]]
    depth: int = 1

    def events(self, pair: tuple[int, int]) -> list[Event]:
        """The events that lead to a pair; as it was reached level by level, there is no shorter way."""
        events: list[Event] = []
        while (before := self.found[pair]) is not None:
            pair, event = before
            events.append(event)
        return events[::-1]


def _by_sets(left: Side, right: Side, seen: Seen, watch: Watch, progress: Shown) -> Comparison:
    pairs = _Pairs({}, [])

    def look() -> None:
        states = ours.states + theirs.states
        stop = watch.stop(len(pairs.found) + states, ours.bytes + theirs.bytes + len(pairs.found) * 300)
        if progress is not None:
            progress(Progress(pairs.depth, len(pairs.found) + states, ours.steps + theirs.steps, watch.seconds))
        if stop is not None:
            raise StoppedError(stop)

    ours, theirs = Subsets(left, seen, look), Subsets(right, seen, look)
    stop, difference = None, None
    try:
        first = (ours.start(), theirs.start())
        pairs.found[first] = None
        pairs.level = [first]
        parted = None
        while pairs.level and parted is None:
            look()
            parted = _next_level(pairs, ours, theirs)
        if parted is not None:
            events = pairs.events(parted)
            difference = _parting(left, right, seen, events, _first_difference(left, right, seen, events))
    except StoppedError as stopped:
        stop = stopped.stop
    except KeyboardInterrupt:
        stop = SEARCH_INTERRUPTED
    states = (ours.states, theirs.states)
    return Comparison(
        (left, right), seen, "sets", len(pairs.found), pairs.depth, states, stop, difference, watch.seconds
    )


def _next_level(pairs: _Pairs, ours: Subsets, theirs: Subsets) -> tuple[int, int] | None:
    """Go on by one event from every pair of a level; or the first pair where one side can do what the other cannot."""
    found: list[tuple[tuple[int, int], Event, frozenset[int], frozenset[int]]] = []
    for pair in pairs.level:
        mine, other = ours.moves(pair[0]), theirs.moves(pair[1])
        if mine.keys() != other.keys():
            return pair
        found += [(pair, event, after, other[event]) for event, after in mine.items()]
    ours.prepare(state for _, _, after, _ in found for state in after)
    theirs.prepare(state for _, _, _, after in found for state in after)
    pairs.level = []
    for pair, event, mine_after, other_after in found:
        following = (ours.close(mine_after), theirs.close(other_after))
        if following not in pairs.found:
            pairs.found[following] = (pair, event)
            pairs.level.append(following)
    pairs.depth += bool(pairs.level)
    return None


def _parting(left: Side, right: Side, seen: Seen, events: Sequence[Event], event: Event) -> Difference:
    """Where two sides part, taken again on each by the interpreter. InternalError if it is not as the search says."""
    sides = (left, right)
    able = [follow(side, seen, (*events, event), beyond=False) for side in sides]
    can = [bool(followed.last) for followed in able]
    if can[0] == can[1]:
        raise InternalError(f"both sides do the same after {len(events)} events, and not what was found.")
    who = 0 if can[0] else 1
    other = sides[1 - who]
    there = follow(other, seen, events)
    if not there.last:
        raise InternalError(f"{other.target} cannot do the events that both are to be able to do.")
    after = dict.fromkeys(e for state in there.last for e in _next(other, seen, state) if e.name == event.name)
    instead = tuple(e.outcome for e in after)
    there = follow(other, seen, (*events, next(iter(after))), beyond=False) if after else there
    traces = {who: able[who].trace(), 1 - who: there.trace()}
    for number, trace in traces.items():
        problem = replay(sides[number].system, trace)
        if problem is not None:
            raise InternalError(f"a run of {sides[number].target} does not replay: {problem}")
    why = () if instead else why_not(other, event, there.last)
    return Difference(tuple(events), event, who, instead, why, (traces[0], traces[1]))


def why_not(side: Side, event: Event, states: Sequence[State], *, sites: bool = False) -> tuple[str, ...]:
    """What forbids an action: that it is not there, or which of its author's requirements is not met.

    With `sites`, each requirement is followed by where it is written.
    """
    system = side.system
    actions = {t.action for t in system.transitions}
    if event.action in system.switched_off:
        return ("its fault is switched off",)
    if event.action not in actions:
        return (f"there is no action {event.action}",)
    named = [t for t in system.transitions if name_of(t) == event.name]
    if not named:
        return ("it is never taken with these arguments",)
    if len(states) != 1 or len(named) != 1:
        return (f"it is not enabled in any of the {len(states)} states that it may then be in",)
    false = false_clauses(named[0], states[0])
    found = [named[0].site_of(clause) if sites else None for clause in false]
    written = ["" if site is None else f" ({site})" for site in found]
    names = Names(system)
    return tuple(f"not met: {names.clause(clause)}{site}" for clause, site in zip(false, written, strict=True))

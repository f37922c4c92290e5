"""The explicit engine: every reachable state, breadth first, level by level.

A level is a sorted batch of states that were not seen before. It is checked and expanded in chunks, its successors are
sorted and stripped of what was seen, and what is left is the next level. No parents are kept: the levels are, and
`shortest.py` walks back through them for those properties that were violated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from fenceproof.model.layout import Layout
from fenceproof.model.system import DEADLOCK, LivenessProperty, TransitionSystem

from ..limits import SEARCH_INTERRUPTED, Limits, Progress, Stop, Watch
from ..result import CheckResult, Coverage, PropertyResult, Sort
from ..verdict import Verdict
from .expand import Expander
from .finite import refuse_unbounded
from .liveness import Found, Liveness
from .shortest import Backwards
from .stories import stories
from .tally import Accident, StateChecks, StepChecks, Tally
from .words import Batch, Run, StateSet, distinct, join, pack, size, take

#: States in a chunk: its columns and the guards' intermediate values fit the second-level cache.
CHUNK: Final = 1 << 15
#: Successors that are gathered before they are sorted and thinned out.
GATHER: Final = 1 << 22


@dataclass(slots=True)
class Search:
    """A search under way."""

    system: TransitionSystem
    layout: Layout
    expander: Expander
    states: StateChecks
    steps: StepChecks
    watch: Watch
    progress: Callable[[Progress], None] | None
    levels: list[Batch] = field(default_factory=list[Batch])
    seen: StateSet = field(default_factory=StateSet)
    generated: int = 0
    distinct: int = 0
    taken: list[int] = field(default_factory=list[int])
    first_depth: list[int] = field(default_factory=list[int])
    accidents: list[Accident] = field(default_factory=list[Accident])
    stop: Stop | None = None
    #: Ends the search at a level, by which of the properties that states and steps show are violated; None: it goes on.
    until: Callable[[Iterable[bool]], bool] | None = None

    def run(self) -> None:
        """Visit everything, or stop at a limit, an interrupt, or the first level at which the model goes wrong."""
        initial = distinct(pack(self.layout, self.system.initial))
        self.generated = len(self.system.initial)
        self.taken = [0] * len(self.system.transitions)
        self.first_depth = [0] * len(self.system.transitions)
        try:
            self._enter(initial.batch)
            self.seen.add(initial)
            while size(self.levels[-1]) and not self.accidents and self.stop is None:
                tallies = (*self.states.tallies, *self.steps.tallies)
                if self.until is not None and tallies and self.until(t.count > 0 for t in tallies):
                    self.stop = Stop("violation", "the search ended at the first violation")
                    break
                self._expand_level()
        except KeyboardInterrupt:
            self.stop = SEARCH_INTERRUPTED
        if not size(self.levels[-1]) and len(self.levels) > 1:
            self.levels.pop()

    def _enter(self, batch: Batch) -> None:
        """A new level: count it and judge its states."""
        self.levels.append(batch)
        self.distinct += size(batch)
        for chunk in chunks(batch):
            columns = self.expander.columns(chunk, self.states.slots)
            self.accidents += self.states.check(len(self.levels) - 1, chunk, columns)

    def _expand_level(self) -> None:
        level = len(self.levels) - 1
        found = StateSet()
        gathered: list[Batch] = []
        waiting = 0
        for chunk in chunks(self.levels[level]):
            for after in self._expand_chunk(level, chunk):
                gathered.append(after)
                waiting += size(after)
            if waiting >= GATHER:
                self._thin_out(gathered, found)
                gathered, waiting = [], 0
            held = self.seen.bytes + found.bytes + sum(w.nbytes for b in gathered for w in b)
            self.stop = self.watch.stop(self.distinct + len(found), held)
            if self.progress is not None:
                self.progress(Progress(level + 1, self.distinct + len(found), self.generated, self.watch.seconds))
            if self.stop is not None and self.stop.kind == "time":
                # To sort and judge what was found of a large level takes seconds that nobody has given us.
                return
            if self.stop is not None:
                break
        self._thin_out(gathered, found)
        fresh = self.kept(found.merged(self.levels[0]))
        self._enter(fresh.batch)
        self.seen.add(fresh)
        if self.stop is None:
            self.stop = self.watch.stop(self.distinct, self.seen.bytes)

    def has_whole(self, level: int) -> bool:
        """Whether nothing that violates on a level, in a state or by a step from it, was left out by a stop."""
        return self.stop is None or self.stop.kind == "violation" or level <= len(self.levels) - 3

    def kept(self, fresh: Run) -> Run:
        """Those of the states found on a level that the search goes on from."""
        return fresh

    def expands(self, chunk: Batch, guards: Sequence[Any]) -> None:
        """Called with every chunk of states that the search goes on from, and each transition's guard there."""

    def _thin_out(self, gathered: list[Batch], found: StateSet) -> None:
        if gathered:
            found.add(self.seen.unseen(found.unseen(distinct(join(gathered), owned=True))))

    def _expand_chunk(self, level: int, chunk: Batch) -> Iterator[Batch]:
        columns = self.expander.columns(chunk, range(len(self.system.slots)))
        guards = self.expander.guards(columns)
        self.expands(chunk, guards)
        self.accidents += self.states.check_quiescent(level, chunk, columns, guards)
        for edges in self.expander.edges(chunk, columns, guards):
            t = edges.transition
            self.taken[t] += len(edges.rows)
            self.first_depth[t] = self.first_depth[t] or level + 1
            self.generated += len(edges.rows)
            if len(edges.wrong):
                self.accidents.append(Accident(level, t, None, take(chunk, edges.wrong)))
            self.accidents += self.steps.check(level, edges, chunk)
            yield edges.after

    def liveness(self, properties: Sequence[LivenessProperty], backwards: Backwards) -> list[PropertyResult]:
        """Decide properties of whole behaviours, where the search is complete."""
        results: list[PropertyResult] = []
        engine: Liveness | None = None
        for prop in properties:
            found = None
            self.stop = self.stop or self.watch.stop(self.distinct, self.seen.bytes)
            if self.stop is None and not self.accidents:
                try:
                    engine = engine or Liveness(self.system, self.layout, self.levels, backwards)
                    found = engine.check(prop)
                    self.accidents += found.accidents
                except KeyboardInterrupt:
                    self.stop = SEARCH_INTERRUPTED
            results.append(_lived(prop, found))
        return results


def _lived(prop: LivenessProperty, found: Found | None) -> PropertyResult:
    if found is None or found.accidents:
        return PropertyResult(prop.name, Sort.LIVENESS, prop.meaning, Verdict.INCONCLUSIVE, 0, None)
    if found.trace is not None:
        return PropertyResult(prop.name, Sort.LIVENESS, prop.meaning, Verdict.VIOLATED, found.count, found.trace)
    verdict = Verdict.HOLDS if found.exercised else Verdict.VACUOUS
    return PropertyResult(prop.name, Sort.LIVENESS, prop.meaning, verdict, 0, None)


def chunks(batch: Batch) -> Iterator[Batch]:
    """A batch in pieces of at most CHUNK states."""
    for start in range(0, size(batch), CHUNK):
        yield tuple(word[start : start + CHUNK] for word in batch)


def check(
    system: TransitionSystem,
    *,
    properties: Sequence[str] | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
    until_violation: bool = False,
    until_all_violated: bool = False,
    all_shortest: bool = False,
) -> CheckResult:
    """Check some or all properties of a system (by name; None: all) over every reachable state.

    Every violated property comes with a shortest trace, replayed; InternalError if one does not replay. A limit that
    is reached, or an interrupt, leaves what is not violated inconclusive; so does the first violation, where the search
    goes on `until_violation` only, and the first of the last property that states or steps show, where it goes on
    `until_all_violated`. With `all_shortest` the shortest counterexamples of each of these are counted.
    """
    refuse_unbounded(system, "explicit")
    watch = Watch.start(limits or Limits())
    until = any if until_violation else all if until_all_violated else None
    search, tallies = explore(system, properties, watch, progress, until=until)
    backwards = Backwards(system, search.layout, search.levels, watch)
    alive = search.liveness([p for p in system.liveness if properties is None or p.name in properties], backwards)
    wrong = None
    if search.accidents:
        wrong = backwards.wrong(search.accidents)
    safety = [judged(tally, search, backwards) for tally in tallies]
    is_counted = True
    if all_shortest:
        try:
            safety = [_told(found, tally, search, backwards) for found, tally in zip(safety, tallies, strict=True)]
        except KeyboardInterrupt:
            is_counted = False  # what was found before is not lost
    results = (*safety, *alive)
    return CheckResult(
        system=system,
        engine="explicit",
        properties=results,
        distinct=search.distinct,
        generated=search.generated,
        depth=len(search.levels),
        stop=search.stop,
        wrong=wrong,
        coverage=Coverage(tuple(search.taken), tuple(search.first_depth)),
        seconds=watch.seconds,
        is_counted=is_counted,
    )


def explore(
    system: TransitionSystem,
    properties: Sequence[str] | None,
    watch: Watch,
    progress: Callable[[Progress], None] | None,
    *,
    until: Callable[[Iterable[bool]], bool] | None = None,
) -> tuple[Search, list[Tally]]:
    """Visit every reachable state within limits; what was seen, and the account of each safety property wanted."""
    chosen = None if properties is None else set(properties)

    def wanted(name: str) -> bool:
        return chosen is None or name in chosen

    layout = Layout.of(system.slots)
    steps = StepChecks(system, [p for p in system.step_properties if wanted(p.name)])
    states = StateChecks(system, [i for i in system.invariants if wanted(i.name)], wanted(DEADLOCK))
    expander = Expander(system, layout, steps.roots)
    search = Search(system, layout, expander, states, steps, watch, progress, until=until)
    search.run()
    return search, in_order(system, [*states.tallies, *steps.tallies])


def in_order(system: TransitionSystem, tallies: Sequence[Tally]) -> list[Tally]:
    """Step properties, invariants, and the deadlock last: the order in which they are reported."""
    names = [*(p.name for p in system.step_properties), *(i.name for i in system.invariants), DEADLOCK]
    return sorted(tallies, key=lambda tally: names.index(tally.name))


def judged(tally: Tally, search: Search, backwards: Backwards) -> PropertyResult:
    """What was found of a property, its trace among it."""
    trace = None
    is_cheapest = True
    if tally.count:
        verdict = Verdict.VIOLATED
        trace = backwards.violation(tally)
        is_cheapest = backwards.is_cheapest and search.has_whole(tally.first[0].level)
    elif search.stop is not None or search.accidents:
        verdict = Verdict.INCONCLUSIVE
    else:
        verdict = Verdict.HOLDS if tally.exercised else Verdict.VACUOUS
    return PropertyResult(tally.name, tally.sort, tally.meaning, verdict, tally.count, trace, is_cheapest=is_cheapest)


def _told(found: PropertyResult, tally: Tally, search: Search, backwards: Backwards) -> PropertyResult:
    """A violated property with the number of its shortest counterexamples, and a trace of each story they tell."""
    if found.trace is None:
        return found
    layers = backwards.layers(tally.first, all_steps=True)
    is_whole = backwards.is_cheapest and search.has_whole(tally.first[0].level)
    told = stories(search.system, search.layout, layers, found.trace, is_whole=is_whole, is_late=backwards.is_late)
    for story in told.told:
        backwards.confirm(tally, story.trace)
    return replace(found, stories=told)

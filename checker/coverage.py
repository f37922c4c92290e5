"""What a check goes through: how often each action, outcome, line and side of a truth test was taken, and how deep.

A step is counted once for each reachable state in which its transition is enabled. Which run of the author's code it
makes there is decided by the conditions that lifting met, over whole batches of states: nothing is sampled, and every
step makes exactly one run, which is checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import InternalError, Site
from fenceproof.model.expressions import Expression, clauses
from fenceproof.model.language import Model
from fenceproof.model.layout import Layout
from fenceproof.model.lift import lift
from fenceproof.model.recording import Recorder
from fenceproof.model.repeat import files_of
from fenceproof.model.system import TransitionSystem
from fenceproof.model.text import as_text
from fenceproof.model.trail import Side, Span, Trail

from .engines.compile import as_mask, compile_roots
from .engines.expand import Expander
from .engines.explicit import Search, chunks
from .engines.finite import refuse_unbounded
from .engines.shortest import Backwards
from .engines.tally import StateChecks, StepChecks
from .engines.words import Batch
from .limits import Limits, Progress, Watch
from .result import CheckResult
from .result import Coverage as Taken
from .verdict import Verdict


@dataclass(frozen=True, slots=True)
class Count:
    """How often something was taken, and at which depth first (0: never)."""

    times: int = 0
    depth: int = 0

    def __add__(self, other: Count) -> Count:
        depths = [depth for depth in (self.depth, other.depth) if depth]
        return Count(self.times + other.times, min(depths, default=0))


@dataclass(frozen=True, slots=True)
class Never:
    """A clause of a guard that was true in no state that was seen, where its author asks for it, and how many instances
    the action has, in each of which there is one like it."""

    clause: Expression
    site: Site | None
    instances: int


@dataclass(frozen=True, slots=True)
class ActionCoverage:
    """One action: its instances and how many of them were taken, counts, and those of its outcomes.

    `never` is, where it was never enabled, the first clause of a guard that explains it alone, being true nowhere; None
    where in some instance each clause was true somewhere, and never all of them at once.
    """

    name: str
    fault: str | None
    instances: int
    instances_taken: int
    count: Count
    outcomes: Mapping[str | None, Count]
    never: Never | None


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was taken of a system. `sides` are those of tests from which some run goes on to a step, and those that no
    run can take. `trails` are the runs that end in a step, each with how often one did and of which action; `lines` are
    those that any run comes along, also where it ends in no step; `files` those in which the model is written.
    """

    system: TransitionSystem
    actions: tuple[ActionCoverage, ...]
    sides: Mapping[Side, Count]
    trails: tuple[tuple[Trail, Count, str], ...]
    lines: frozenset[tuple[str, int]]
    files: frozenset[str]
    result: CheckResult

    @property
    def verdict(self) -> Verdict:
        """As for a check of no property: whether the search was complete, and every action enabled somewhere."""
        if self.result.wrong is not None:
            return Verdict.MODEL_ERROR
        if self.result.stop is not None:
            return Verdict.INCONCLUSIVE
        return Verdict.VACUOUS if self.result.missing else Verdict.HOLDS


@dataclass(slots=True)
class _Recorded(Search):
    """A search that counts, for each run of each transition, the states from which a step makes it."""

    runs: list[list[Count]] = field(default_factory=list[list[Count]])
    programs: list[Any] = field(default_factory=list[Any])

    def expands(self, chunk: Batch, guards: Sequence[Any]) -> None:
        """Count the runs from a chunk of states."""
        columns = self.expander.columns(chunk, range(len(self.system.slots)))
        depth = len(self.levels)
        for position, guard in enumerate(guards):
            rows = np.flatnonzero(as_mask(guard, len(chunk[0])))
            if not len(rows):
                continue
            program = self.programs[position]
            values = program.run([columns[i][rows] for i in program.slots])
            counts = self.runs[position]
            for i, value in enumerate(values):
                times = int(np.count_nonzero(as_mask(value, len(rows))))
                if times:
                    counts[i] += Count(times, depth)


def cover(
    model: Model, settings: Settings, limits: Limits, progress: Callable[[Progress], None] | None = None
) -> Coverage:
    """Explore a model and count what its steps come along.

    Raises what `lift` does, and UsageError where it has numbers without a bound. A limit or an interrupt leaves what
    was counted until then, with `result.stop`; where the model goes wrong, `result.wrong` says how.
    """
    checked = lift(model, settings, only=())
    refuse_unbounded(checked, "coverage")
    recorder = Recorder(files_of(type(model)))
    system = lift(model, settings, once=True, only=(), recorder=recorder)
    if as_text(checked) != as_text(system):
        raise InternalError("a model that is recorded is another one than it was. Please report this.")
    return explored(system, recorder, limits, progress)


def explored(
    system: TransitionSystem,
    recorder: Recorder,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
) -> Coverage:
    """Explore a system that was lifted with a recorder, and count what its steps come along."""
    layout = Layout.of(system.slots)
    search = _Recorded(
        system,
        layout,
        Expander(system, layout),
        StateChecks(system, [], deadlock=False),
        StepChecks(system, []),
        Watch.start(limits),
        progress,
        runs=[[Count()] * len(t.trails) for t in system.transitions],
        programs=[compile_roots([trail.condition for trail in t.trails]) for t in system.transitions],
    )
    search.run()
    result = _result(search)
    if result.stop is None:
        for t, runs in enumerate(search.runs):
            if sum(run.times for run in runs) != search.taken[t]:
                raise InternalError(f"the steps of {system.transitions[t].called} make not one run each.")
    sides, trails = _along(search, recorder)
    lines, files = frozenset(recorder.lines), recorder.files
    return Coverage(system, _actions(search, result), sides, trails, lines, files, result)


def _result(search: _Recorded) -> CheckResult:
    wrong = Backwards(search.system, search.layout, search.levels).wrong(search.accidents) if search.accidents else None
    taken = Taken(tuple(search.taken), tuple(search.first_depth))
    return CheckResult(
        system=search.system,
        engine="explicit",
        properties=(),
        distinct=search.distinct,
        generated=search.generated,
        depth=len(search.levels),
        stop=search.stop,
        wrong=wrong,
        coverage=taken,
        seconds=search.watch.seconds,
    )


def _along(search: _Recorded, recorder: Recorder) -> tuple[dict[Side, Count], tuple[tuple[Trail, Count, str], ...]]:
    sides: dict[Side, Count] = {}
    trails: list[tuple[Trail, Count, str]] = []
    for transition, runs in zip(search.system.transitions, search.runs, strict=True):
        asked = recorder.asked | _told_apart(transition.trails)
        for trail, count in zip(transition.trails, runs, strict=True):
            for side in (side for side in trail.sides if side.test in asked):
                sides[side] = sides.get(side, Count()) + count
            trails.append((trail, count, transition.action))
    for side in [side for side in sides if side.test in recorder.asked]:
        # No run takes it: its answer follows from what was tested before, or from the range of a variable.
        other = Side(side.test, not side.holds)
        if other not in recorder.sides:
            sides[other] = Count()
    return sides, tuple(trails)


def _told_apart(trails: Sequence[Trail]) -> set[Span]:
    """The tests that do not come out alike in all of a transition's runs: the state, or a choice, decides them."""
    ways: dict[Span, set[frozenset[bool]]] = {}
    for trail in trails:
        own: dict[Span, set[bool]] = {}
        for side in trail.sides:
            own.setdefault(side.test, set()).add(side.holds)
        for test, holds in own.items():
            ways.setdefault(test, set()).add(frozenset(holds))
    return {test for test, sides in ways.items() if len(sides) > 1}


def _actions(search: _Recorded, result: CheckResult) -> tuple[ActionCoverage, ...]:
    system = search.system
    found: list[ActionCoverage] = []
    for name in dict.fromkeys(t.action for t in system.transitions):
        positions = [i for i, t in enumerate(system.transitions) if t.action == name]
        taken = [Count(search.taken[i], search.first_depth[i]) for i in positions]
        count = sum(taken, Count())
        outcomes: dict[str | None, Count] = {}
        for i in positions:
            for trail, times in zip(system.transitions[i].trails, search.runs[i], strict=True):
                outcomes[trail.outcome] = outcomes.get(trail.outcome, Count()) + times
        never = None if count.times else _never(search, positions)
        found.append(
            ActionCoverage(
                name,
                system.transitions[positions[0]].fault,
                len(positions),
                sum(1 for c in taken if c.times),
                count,
                outcomes,
                never,
            )
        )
    return tuple(found)


def _never(search: _Recorded, positions: Sequence[int]) -> Never | None:
    """The first clause that explains alone why an action was never enabled, if there is one in each instance."""
    first: Never | None = None
    for position in positions:
        parts = clauses(search.system.transitions[position].guard)
        program = compile_roots(parts)
        ever: Counter[int] = Counter()
        for level in search.levels:
            for chunk in chunks(level):
                columns = search.expander.columns(chunk, program.slots)
                for i, value in enumerate(program.run([columns[s] for s in program.slots])):
                    ever[i] += bool(np.any(value))
        false = [part for i, part in enumerate(parts) if not ever[i]]
        if not false:
            return None
        if first is None:
            asked = search.system.transitions[position].asked
            first = Never(false[0], asked.get(false[0].number), len(positions))
    return first

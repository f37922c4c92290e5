"""One search for a whole family: every set of faults, and every combination of the safeguards that the system varies.

A state says which of its faults have happened, by their counters, and which safeguards it has, by variables that never
change. Each way to a state has spent exactly the faults that the state says. So a violation met there is one under any
set of faults that has those, and under no set that lacks one of them, unless another state violates too; and the level
at which it is met is the length of a shortest trace under those faults. One search therefore answers for every set of
faults and every combination of safeguards, as one model each (compare A. Classen et al., "Model Checking Lots of
Systems", ICSE 2010, section 4, where features label the steps).

With `pruned`, states of a combination whose fall is known under the faults that have happened are not gone on from: all
that follows them has at least those faults. What falls is then known, and not by which property else.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from fenceproof.model.budgets import SPENT
from fenceproof.model.errors import ModelError, UsageError
from fenceproof.model.layout import Layout
from fenceproof.model.system import DEADLOCK, LivenessProperty, TransitionSystem
from numpy.typing import NDArray

from ..lattice import any_below, is_closed_upwards, least_below
from ..limits import SEARCH_INTERRUPTED, Limits, Progress, Stop, Watch
from ..result import Sort
from .compile import as_mask
from .expand import Expander
from .explicit import Search
from .finite import refuse_unbounded
from .liveness import Liveness
from .shortest import Backwards
from .tally import Account, StateChecks, StepChecks, Tally, Witnesses
from .words import Batch, Run, column, size, take

#: Combinations of safeguards times sets of faults that are kept account of.
MOST_CELLS: Final = 1 << 24
#: How many states liveness is decided on at a time; combinations do not reach each other.
MOST_AT_ONCE: Final = 1 << 21
#: No level is as deep: the memory of all machines is too small for so many.
NEVER: Final = np.iinfo(np.int32).max

Ints = NDArray[np.int64]


def check_cells(safeguards: int, faults: int) -> None:
    """Raise UsageError where there are more combinations of some safeguards and faults than an account is kept of."""
    if 1 << safeguards + faults > MOST_CELLS:
        raise UsageError(
            f"{safeguards} safeguards and {faults} faults have more than {MOST_CELLS:,} combinations. "
            "Switch faults off with --faults, or name the safeguards to try with --safeguard."
        )


class Keys:
    """Reads off states which safeguards they lack and which faults have happened, as numbers of sets."""

    def __init__(self, system: TransitionSystem, layout: Layout) -> None:
        self.safeguards = system.varied
        self.faults = tuple(name for name, budget in system.faults.items() if budget != 0)
        check_cells(len(self.safeguards), len(self.faults))
        self._system, self._layout = system, layout
        self._kept = [self._slots(f"safeguard {name}") for name in self.safeguards]
        self._happened = [self._slots(f"{SPENT}{name}", f"happened {name}") for name in self.faults]
        counted = {name for name, slots in zip(self.faults, self._happened, strict=True) if slots}
        assert {t.fault for t in system.transitions} <= {None, *counted}, "a state tells which faults have happened"

    @property
    def shape(self) -> tuple[int, int]:
        """How many combinations of safeguards there are, and how many sets of faults."""
        return 1 << len(self.safeguards), 1 << len(self.faults)

    def _slots(self, *names: str) -> list[int]:
        return [
            position
            for variable in self._system.variables
            if variable.name in names
            for position in range(variable.first, variable.first + variable.kind.width)
        ]

    def missing(self, batch: Batch) -> Ints:
        """The safeguards that each state lacks."""
        found = np.zeros(size(batch), dtype=np.int64)
        for bit, slots in enumerate(self._kept):
            found |= (self._column(batch, slots[0]) == 0).astype(np.int64) << bit
        return found

    def faulty(self, batch: Batch) -> Ints:
        """The faults that have happened."""
        found = np.zeros(size(batch), dtype=np.int64)
        for bit, slots in enumerate(self._happened):
            happened = np.zeros(size(batch), dtype=np.bool_)
            for slot in slots:
                happened |= self._column(batch, slot) != 0
            found |= happened.astype(np.int64) << bit
        return found

    def _column(self, batch: Batch, slot: int) -> NDArray[Any]:
        return column(batch, self._layout.fields[slot], self._system.slots[slot])


class FamilyTally(Tally):
    """A property's account for every combination of safeguards and set of faults."""

    __slots__ = ("_fault_bits", "_keys", "steps", "tested")

    def __init__(
        self, keys: Keys, fault_bits: Sequence[int], name: str, sort: Sort, meaning: str, exercised: bool
    ) -> None:
        super().__init__(name, sort, meaning, exercised)
        self._keys = keys
        #: For each transition the bit of the fault that it is, 0 for none.
        self._fault_bits = fault_bits
        #: int32[combinations, sets of faults]: the length of a shortest trace to a violation that spends exactly these.
        self.steps = np.full(keys.shape, NEVER, dtype=np.int32)
        self.tested = np.full(keys.shape, exercised, dtype=np.bool_)

    def exercise(self, tested: Any, batch: Batch, rows: Any, transition: int | None = None) -> None:
        states = take(batch, rows)
        states = take(states, np.flatnonzero(as_mask(tested, size(states))))
        self.tested[self._cells(states, transition)] = True

    def _cells(self, states: Batch, transition: int | None) -> tuple[Ints, Ints]:
        """Which members have states, or the steps that a transition makes from them: these have its fault too."""
        faulty = self._keys.faulty(states)
        return self._keys.missing(states), faulty if transition is None else faulty | self._fault_bits[transition]

    def record(self, level: int, transition: int | None, states: Batch) -> None:
        """Note violations: those of a transition are one step further, and have its fault."""
        if not self.first:
            self.first.append(Witnesses(level, transition, take(states, slice(1))))
        self.count += size(states)
        np.minimum.at(self.steps, self._cells(states, transition), np.int32(level + (transition is not None)))


@dataclass(slots=True)
class FamilySearch(Search):
    """A search that keeps account of every member of a family."""

    keys: Keys = field(kw_only=True)
    account: Account = field(kw_only=True)
    pruned: bool = field(kw_only=True)
    until_first: bool = field(kw_only=True)
    tallies: list[FamilyTally] = field(kw_only=True)
    wrong: FamilyTally = field(kw_only=True)

    def _enter(self, batch: Batch) -> None:
        # Not super(): a dataclass with slots is another class than the one that its methods were written in.
        Search._enter(self, batch)
        self.absorb()

    def kept(self, fresh: Run) -> Run:
        """A combination that goes wrong has fallen; the others go on."""
        self.absorb()
        if self.until_first and self.fallen().any():
            return Run(fresh.keys[:0], take(fresh.batch, slice(0)))
        if not self.pruned or not len(fresh):
            return fresh
        rows = np.flatnonzero(~self.fallen()[self.keys.missing(fresh.batch), self.keys.faulty(fresh.batch)])
        return Run(fresh.keys[rows], take(fresh.batch, rows))

    def expands(self, chunk: Batch, guards: Sequence[Any]) -> None:
        """Hold `@after_fault` to its promise: where the fault is off, a model of its own does without the action."""
        faulty: Ints | None = None
        for transition, guard in zip(self.system.transitions, guards, strict=True):
            if transition.after_fault is None:
                continue
            faulty = self.keys.faulty(chunk) if faulty is None else faulty
            happened = faulty >> self.keys.faults.index(transition.after_fault) & 1
            if (as_mask(guard, size(chunk)) & (happened == 0)).any():
                raise ModelError(
                    f"{transition.action} is marked @after_fault({transition.after_fault!r}), and can happen before "
                    "that fault does.",
                    transition.site,
                    "Require in it what the fault has changed, or take the mark away.",
                )

    def absorb(self) -> None:
        """Take what goes wrong as a fall of the combination in which it does."""
        for accident in self.accidents:
            self.wrong.record(accident.level, accident.transition, accident.states)
        self.accidents.clear()

    def fallen(self) -> NDArray[np.bool_]:
        """bool[combinations, sets of faults]: what is known to fall."""
        steps: NDArray[np.int32] = np.minimum.reduce([t.steps for t in (*self.tallies, self.wrong)])
        return any_below(steps < NEVER)


@dataclass(frozen=True, slots=True)
class Member:
    """What was found of one property, or of the model's going wrong, in every member of the family.

    `steps` (int32[combinations of missing safeguards, sets of faults]) is the length of a shortest trace, NEVER where
    there is none; for liveness it is 0 where it falls, as the length of a lasso says little. `tested` tells where it
    was put to the test.
    """

    name: str
    sort: Sort
    meaning: str
    steps: NDArray[np.int32]
    tested: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Family:
    """What one search found of every member of a family.

    The tables have an entry for each combination of missing safeguards (their numbers are sets of `safeguards`) and
    for each set of faults that are switched on (of `faults`).
    """

    system: TransitionSystem
    safeguards: tuple[str, ...]
    faults: tuple[str, ...]
    members: tuple[Member, ...]
    wrong: Member
    distinct: int
    generated: int
    depth: int
    stop: Stop | None
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether everything was visited."""
        return self.stop is None

    @property
    def fallen(self) -> NDArray[np.bool_]:
        """bool[combinations, sets of faults]: where some property is violated, or the model goes wrong."""
        steps: NDArray[np.int32] = np.minimum.reduce([m.steps for m in (*self.members, self.wrong)])
        return steps < NEVER


def explore_family(
    system: TransitionSystem,
    *,
    properties: Sequence[str] | None = None,
    pruned: bool = False,
    until_first: bool = False,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Family:
    """Check some or all properties of every member of the family that a system stands for.

    The system is to be lifted with `noted=True`, so that a state tells of every fault whether it has happened. With
    `until_first` the search ends with the first fall, and says of the rest nothing.
    """
    refuse_unbounded(system, "a search of every state")
    watch = Watch.start(limits or Limits())
    chosen = None if properties is None else set(properties)

    def wanted(name: str) -> bool:
        return chosen is None or name in chosen

    layout = Layout.of(system.slots)
    keys = Keys(system, layout)
    bits = [1 << keys.faults.index(t.fault) if t.fault is not None else 0 for t in system.transitions]
    account = functools.partial(FamilyTally, keys, bits)
    steps = StepChecks(system, [p for p in system.step_properties if wanted(p.name)], account)
    states = StateChecks(system, [i for i in system.invariants if wanted(i.name)], wanted(DEADLOCK), account)
    tallies = [t for t in (*steps.tallies, *states.tallies) if isinstance(t, FamilyTally)]
    search = FamilySearch(
        system,
        layout,
        Expander(system, layout, steps.roots),
        states,
        steps,
        watch,
        progress,
        keys=keys,
        account=account,
        pruned=pruned,
        until_first=until_first,
        tallies=tallies,
        wrong=account("model error", Sort.INVARIANT, "The model itself does not go wrong.", True),
    )
    search.run()
    search.absorb()
    liveness = [p for p in system.liveness if wanted(p.name)]
    alive = [account(p.name, Sort.LIVENESS, p.meaning, False) for p in liveness]
    try:
        _live(search, liveness, alive)
    except KeyboardInterrupt:
        search.stop = SEARCH_INTERRUPTED
    search.absorb()
    return Family(
        system=system,
        safeguards=keys.safeguards,
        faults=keys.faults,
        members=tuple(_closed(tally) for tally in (*tallies, *alive)),
        wrong=_closed(search.wrong),
        distinct=search.distinct,
        generated=search.generated,
        depth=len(search.levels),
        stop=search.stop,
        seconds=watch.seconds,
    )


def _closed(tally: FamilyTally) -> Member:
    steps = least_below(tally.steps)
    assert is_closed_upwards(steps < NEVER), "more faults never take a violation away"
    return Member(tally.name, tally.sort, tally.meaning, steps, any_below(tally.tested))


def _live(search: FamilySearch, properties: Sequence[LivenessProperty], tallies: Sequence[FamilyTally]) -> None:
    """Decide liveness, for a number of combinations at a time, on those states whose fall is not known yet."""
    if not properties or search.stop is not None or (search.until_first and search.fallen().any()):
        return
    expander = Expander(search.system, search.layout)
    for levels in _parts(search):
        search.stop = search.watch.stop(search.distinct, search.seen.bytes)
        if search.stop is not None:
            return
        engine = Liveness(
            search.system,
            search.layout,
            levels,
            Backwards(search.system, search.layout, levels),
            expander,
            whole=False,
        )
        for prop, tally in zip(properties, tallies, strict=True):
            tested, looping, accidents = engine.states(prop)
            search.accidents += accidents
            tally.exercise(True, tested, slice(None))
            tally.record(0, None, looping)


def _parts(search: FamilySearch) -> Iterator[list[Batch]]:
    """The levels of the search, by parts that no step joins."""
    missing = [search.keys.missing(batch) for batch in search.levels]
    if search.pruned:
        fallen = search.fallen()
        alive = [~fallen[m, search.keys.faulty(batch)] for m, batch in zip(missing, search.levels, strict=True)]
    else:
        alive = [np.ones(len(m), dtype=np.bool_) for m in missing]
    counts = sum(np.bincount(m[a], minlength=search.keys.shape[0]) for m, a in zip(missing, alive, strict=True))
    for first, last in _ranges(np.asarray(counts)):
        rows = [np.flatnonzero(a & (m >= first) & (m < last)) for m, a in zip(missing, alive, strict=True)]
        if any(len(r) for r in rows):
            yield [take(batch, r) for batch, r in zip(search.levels, rows, strict=True)]


def _ranges(counts: Ints) -> Iterator[tuple[int, int]]:
    """Ranges of combinations that together have not too many states."""
    first, total = 0, 0
    for number, count in enumerate(counts.tolist()):
        if total and total + count > MOST_AT_ONCE:
            yield first, number
            first, total = number, 0
        total += count
    yield first, len(counts)

"""Two planners in two processes on one database, set off against each other on call after call.

Before each pair of steps both wait at a barrier, so that each race is one. A planner's step is the store's.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from typing import Any, Final, Literal, TypeAlias

from fenceproof.specs.reference.record import CallRecord, Outcome
from fenceproof.specs.reference.sql_store import SqlStore, open_database

Race: TypeAlias = Literal["duplicate", "late", "timeout", "two-timeouts"]
#: The races that calls are given in turn.
RACES: Final[tuple[Race, ...]] = ("duplicate", "late", "timeout", "two-timeouts")
#: How long, in seconds, a planner waits for the other one before it is taken to be dead.
_DEAD_S: Final = 120


class SelectThenUpdate(SqlStore):
    """The store as it must not be: it looks whether it may commit, and then commits."""

    def commit_if_live(self, call: int, epoch: int, outcome: Outcome) -> bool:
        record = self.read(call)
        if record.live != epoch or record.committed is not None:
            return False
        self.overwrite(call, epoch, outcome)
        return True


STORES: Final[dict[str, Callable[..., SqlStore]]] = {"shipped": SqlStore, "select-then-update": SelectThenUpdate}


@dataclass(frozen=True, slots=True)
class Raced:
    """A call after its race: what the store answered each planner, and what it says now."""

    race: Race
    answers: tuple[Any, Any]
    record: CallRecord

    @property
    def commits(self) -> int:
        """How many planners were told that they committed."""
        return sum(answer is True for answer in self.answers)

    @property
    def complaint(self) -> str | None:
        """What is wrong, if anything is."""
        right = _RIGHT[self.race](*self.answers, self.record)
        if self.commits > 1:
            return f"two commits: {self}"
        return None if right else f"answers and record do not agree: {self}"


def race_for(number: int, races: tuple[Race, ...] = RACES) -> Race:
    return races[number % len(races)]


def raced(
    url: str, calls: int, *, store: str = "shipped", races: tuple[Race, ...] = RACES, meet_at: str | None = None
) -> list[Raced]:
    """Race so many calls on an empty database. RuntimeError where a planner does not come to its end.

    At a crash point that is called `meet_at` the planners wait for each other once more; both must come to it.
    """
    engine = open_database(url)
    records = STORES[store](engine)
    records.prepare(calls)
    for call in range(calls):
        if race_for(call, races) == "late":
            records.open_next(call, even_if_committed=False, raise_fence=True)
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(2)
    ends = [spawn.Pipe(duplex=False) for _ in range(2)]
    planners = [
        spawn.Process(
            target=_plan, args=(number, url, calls, store, races, meet_at, barrier, ends[number][1]), daemon=True
        )
        for number in range(2)
    ]
    for planner, (_, told) in zip(planners, ends, strict=True):
        planner.start()
        told.close()
    try:
        answers = [heard.recv() for heard, _ in ends]
    except EOFError as error:
        raise RuntimeError("a planner ended before its races did") from error
    finally:
        for planner in planners:
            planner.join()
    try:
        return [
            Raced(race_for(call, races), (answers[0][call], answers[1][call]), records.read(call))
            for call in range(calls)
        ]
    finally:
        engine.dispose()


def _plan(
    number: int,
    url: str,
    calls: int,
    store: str,
    races: tuple[Race, ...],
    meet_at: str | None,
    barrier: Barrier,
    told: Any,
) -> None:
    def meet(point: str) -> None:
        if point == meet_at:
            barrier.wait(_DEAD_S)

    engine = open_database(url)
    records = STORES[store](engine, at=meet)
    records.read(0)
    answers: list[object] = []
    for call in range(calls):
        step = _STEPS[race_for(call, races)][number]
        barrier.wait(_DEAD_S)
        answers.append(step(records, call))
    told.send(answers)
    told.close()
    engine.dispose()


def _success(store: SqlStore, call: int) -> object:
    return store.commit_if_live(call, 1, "success")


def _compensated(store: SqlStore, call: int) -> object:
    return store.commit_if_live(call, 2, "compensated")


def _time_out(store: SqlStore, call: int) -> object:
    return store.open_next(call, even_if_committed=False, raise_fence=True)


#: What the two planners do with a call.
_STEPS: Final[dict[Race, tuple[Callable[[SqlStore, int], object], Callable[[SqlStore, int], object]]]] = {
    "duplicate": (_success, _success),
    "late": (_success, _compensated),
    "timeout": (_success, _time_out),
    "two-timeouts": (_time_out, _time_out),
}


def _record(live: int, committed: int | None) -> CallRecord:
    outcomes: dict[int | None, Outcome | None] = {None: None, 1: "success", 2: "compensated"}
    return CallRecord(live, committed, outcomes[committed], live, committed is None)


#: Whether the answers and the record are ones that the race may end with.
_RIGHT: Final[dict[Race, Callable[[Any, Any, CallRecord], bool]]] = {
    "duplicate": lambda a, b, record: {a, b} == {True, False} and record == _record(1, 1),
    "late": lambda a, b, record: (a, b) == (False, True) and record == _record(2, 2),
    "timeout": lambda a, b, record: (a, b, record) in ((True, None, _record(1, 1)), (False, 2, _record(2, None))),
    "two-timeouts": lambda a, b, record: {a, b} == {2, 3} and record == _record(3, None),
}

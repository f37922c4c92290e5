"""The stores of the reference: a database does what the one in memory does, whatever it is asked in whatever order."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fenceproof.specs.reference.memory_store import MemoryStore
from fenceproof.specs.reference.record import CallRecord, RecordStore
from fenceproof.specs.reference.schema import VERSIONS
from fenceproof.specs.reference.sql_store import SchemaVersionError, SqlStore, open_database, sqlite_url
from sqlalchemy import Engine, update

CALLS = 2


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    found = open_database(sqlite_url(tmp_path / "planner.db"))
    yield found
    found.dispose()


@pytest.fixture
def store(engine: Engine) -> SqlStore:
    found = SqlStore(engine)
    found.prepare(CALLS)
    return found


#: What a store can be asked to do to a call, with a number for an epoch.
STEPS: list[Callable[[RecordStore, int, int], object]] = [
    lambda store, call, epoch: store.commit_if_live(call, epoch, "success"),
    lambda store, call, epoch: store.commit_if_live(call, epoch, "compensated"),
    lambda store, call, epoch: store.overwrite(call, epoch, "success"),
    lambda store, call, _: store.open_next(call, even_if_committed=False, raise_fence=True),
    lambda store, call, _: store.open_next(call, even_if_committed=True, raise_fence=False),
    lambda store, call, epoch: store.open_epoch(call, epoch, raise_fence=True),
    lambda store, call, epoch: store.open_epoch(call, epoch, raise_fence=False),
    lambda store, call, epoch: store.raise_fence(call, epoch, even_if_committed=False),
    lambda store, call, epoch: store.raise_fence(call, epoch, even_if_committed=True),
    lambda store, call, _: store.restore_intent(call),
    lambda store, call, epoch: store.answered(call, epoch),
    lambda store, call, epoch: store.attempted(call, epoch),
    lambda store, call, epoch: store.attempted(call, epoch, park=True),
]


@pytest.mark.parametrize("seed", range(20))
def test_a_database_does_what_memory_does(store: SqlStore, seed: int) -> None:
    chance = random.Random(seed)
    memory: RecordStore = MemoryStore(CALLS)
    for _ in range(40):
        step, call, epoch = chance.choice(STEPS), chance.randrange(CALLS), chance.randint(1, 4)
        assert step(store, call, epoch) == step(memory, call, epoch)
        assert [store.read(c) for c in range(CALLS)] == [memory.read(c) for c in range(CALLS)]
        assert store.pending() == memory.pending()


@pytest.mark.parametrize("make", [MemoryStore, None], ids=["memory", "sqlite"])
def test_a_call_that_is_not_there_is_a_key_error(make: Callable[[int], RecordStore] | None, store: SqlStore) -> None:
    asked = store if make is None else make(CALLS)
    with pytest.raises(KeyError):
        asked.read(CALLS)


def test_what_was_committed_is_there_when_the_database_is_opened_again(store: SqlStore, tmp_path: Path) -> None:
    assert store.commit_if_live(0, 1, "success")
    again = SqlStore(open_database(sqlite_url(tmp_path / "planner.db")))
    again.prepare(CALLS + 1)
    assert again.read(0) == CallRecord(committed=1, outcome="success", pending=False)
    assert again.read(CALLS) == CallRecord()


def test_tables_of_another_version_are_refused(store: SqlStore, engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(update(VERSIONS).values(version=7))
    with pytest.raises(SchemaVersionError, match="version 7"):
        store.prepare(CALLS)


def test_a_crash_within_a_step_leaves_nothing_of_it(engine: Engine) -> None:
    class CrashError(Exception):
        pass

    def crash(point: str) -> None:
        if point == "within-open":
            raise CrashError

    store = SqlStore(engine, at=crash)
    store.prepare(CALLS)
    with pytest.raises(CrashError):
        store.open_next(0, even_if_committed=False, raise_fence=True)
    assert store.read(0) == CallRecord()


def test_the_shipped_setting_writes_through(engine: Engine) -> None:
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == 2

"""The workload recorded under a setting of SQLite, and every crash state of the recording opened and judged."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from fenceproof.specs.reference.sql_store import SqlStore, open_database, sqlite_url
from power_loss import CrashState, crash_states
from recording_vfs import Operation, RecordingVfs
from sqlalchemy.exc import DatabaseError
from workload import Records, complaint, expected, found, run

ACKNOWLEDGED: Final = "acknowledged"
#: In every so many states the workload goes on to its end, which takes ten times as long as looking at the records.
GO_ON: Final = 10
#: So few pages make the log go back into the database several times within the workload.
_CHECKPOINT: Final = {"wal_autocheckpoint": "6"}


def settings_of(journal: str, synchronous: str) -> dict[str, str]:
    return {"journal_mode": journal, "synchronous": synchronous, **_CHECKPOINT}


def record(settings: dict[str, str], store: Callable[..., SqlStore] = SqlStore) -> list[Operation]:
    """What SQLite asks of its storage during the workload, from an empty folder on; opened anew half-way through."""
    vfs = RecordingVfs(f"recording-{id(settings)}")
    half = len(expected()) // 2
    with tempfile.TemporaryDirectory(prefix="fenceproof-") as folder:
        path = Path(folder, "planner.db")
        for done, until in ((0, half), (half, None)):
            engine = open_database(sqlite_url(path), settings=settings, creator=partial(vfs.connect, path))
            run(store(engine, at=vfs.mark), done, until, acknowledged=lambda _: vfs.mark(ACKNOWLEDGED))
            engine.dispose()
    vfs.unregister()
    return vfs.operations


def judge(state: CrashState, wanted: list[Records], settings: dict[str, str], *, go_on: bool) -> str | None:
    """What is wrong with a crash state when the database is opened again, and if the workload goes on to its end."""
    with tempfile.TemporaryDirectory(prefix="fenceproof-") as folder:
        state.write_to(Path(folder))
        # It is a matter of what is found, not of what becomes of it when the power goes again.
        engine = open_database(sqlite_url(Path(folder, "planner.db")), settings={**settings, "synchronous": "OFF"})
        try:
            with engine.connect() as connection:
                integrity = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
            if integrity != ["ok"]:
                return f"the database is damaged: {integrity[0]}"
            records = found(engine)
            wrong = complaint(records, state.acknowledged, wanted)
            if wrong or not go_on:
                return wrong
            run(SqlStore(engine), wanted.index(records, state.acknowledged))
            return None if found(engine) == wanted[-1] else "the workload does not come to its end"
        except (DatabaseError, ValueError) as error:
            return f"the database cannot be read: {error}"
        finally:
            engine.dispose()


def judged(
    settings: dict[str, str],
    *,
    samples: int,
    seed: int = 1,
    store: Callable[..., SqlStore] = SqlStore,
    go_on_every: int = GO_ON,
) -> Iterator[tuple[CrashState, str | None]]:
    """Up to so many crash states for each operation of the workload, each with what is wrong with it.

    The workload is recorded on APSW's SQLite; the states are opened by the store as it is, on Python's.
    """
    wanted = expected()
    states = crash_states(record(settings, store), ACKNOWLEDGED, samples=samples, seed=seed)
    for number, state in enumerate(states):
        yield state, judge(state, wanted, settings, go_on=number % go_on_every == 0)

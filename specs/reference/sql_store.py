"""The durable store on SQLite or PostgreSQL, by SQLAlchemy Core.

What decides is one guarded UPDATE each, whose row count is the answer: both databases evaluate its guard anew on a row
that another transaction has changed meanwhile, so no lock is asked for and no isolation level above the default.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Row,
    Select,
    and_,
    case,
    create_engine,
    event,
    func,
    insert,
    inspect,
    literal,
    select,
    update,
)
from sqlalchemy.sql.elements import ColumnElement

from .record import CallRecord, Outcome
from .schema import CALLS, METADATA, OUTBOX, VERSION, VERSIONS

Answer = TypeVar("Answer")

#: How SQLite is told to write: no commit is lost or half there when the machine loses its power. Set in this order,
#: because the journal's mode is written down too, and another process may have the lock meanwhile.
SQLITE_SETTINGS: Final = {"busy_timeout": "10000", "synchronous": "FULL", "journal_mode": "WAL", "foreign_keys": "ON"}

#: The durable steps of a store. Its crash points are these, each with "before-", "within-" and "after-" in front.
DURABLE_STEPS: Final = ("prepare", "commit", "overwrite", "open", "fence", "restore", "answered", "attempted")

#: The advisory lock of PostgreSQL under which tables are made: any number, so long as nothing else uses it.
PREPARING: Final = 0x66656E6365


class SchemaVersionError(RuntimeError):
    """The database was written by another version of this program."""


def open_database(
    url: str | URL, *, settings: dict[str, str] | None = None, creator: Callable[[], Any] | None = None
) -> Engine:
    """An engine for a database; for SQLite with `SQLITE_SETTINGS`, where `settings` does not say otherwise.

    `creator` makes the connections instead of the driver that the address names; they must behave as the driver's do.
    """
    engine = create_engine(url, pool_pre_ping=True, **({"creator": creator} if creator else {}))
    if engine.dialect.name == "sqlite":
        _set_up_sqlite(engine, {**SQLITE_SETTINGS, **(settings or {})})
    return engine


def sqlite_url(path: Path) -> URL:
    """The address of a database in a file."""
    return URL.create("sqlite+pysqlite", database=str(path))


def _set_up_sqlite(engine: Engine, settings: dict[str, str]) -> None:
    @event.listens_for(engine, "connect")
    def connect(connection: Any, _record: object) -> None:  # pyright: ignore[reportUnusedFunction]
        # The driver begins transactions of its own accord, and too late; BEGIN is said below instead.
        connection.isolation_level = None
        for name, value in settings.items():
            connection.execute(f"PRAGMA {name} = {value}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:  # pyright: ignore[reportUnusedFunction]
        # One that reads first and writes then is refused if another wrote in between; so the write lock comes first.
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _go_on(_point: str) -> None:
    """Nothing happens at a crash point."""


class SqlStore:
    """The records of a number of calls in a database.

    `at` is told at each crash point, by name: before, within and after every one of the `DURABLE_STEPS`.
    """

    def __init__(self, engine: Engine, *, at: Callable[[str], None] = _go_on) -> None:
        self._engine = engine
        self._at = at

    def prepare(self, calls: int) -> None:
        """Make the tables where there are none, and the records of calls that are not there yet.

        Of several planners that do so at once, each goes on with what the first one made. Raises SchemaVersionError for
        tables of another version.
        """

        def work(connection: Connection) -> None:
            if connection.dialect.name == "postgresql":
                # Two that both see no tables would both make them, and one would fail. SQLite has one writer at a time.
                connection.execute(select(func.pg_advisory_xact_lock(PREPARING)))
            if inspect(connection).has_table(VERSIONS.name):
                check_version(connection)
            else:
                METADATA.create_all(connection)
                connection.execute(insert(VERSIONS).values(version=VERSION))
            there = set(connection.execute(select(CALLS.c.call)).scalars())
            _add(connection, [call for call in range(calls) if call not in there])

        self._step("prepare", work)

    def new_call(self) -> int:
        """Make the record of one more call, and give its number. IntegrityError where another took it meanwhile."""
        with self._engine.begin() as connection:
            last = connection.execute(select(func.max(CALLS.c.call))).scalar_one()
            call = 0 if last is None else int(last) + 1
            _add(connection, [call])
        return call

    def read(self, call: int) -> CallRecord:
        with self._engine.connect() as connection:
            row = connection.execute(_records().where(CALLS.c.call == call)).one_or_none()
        if row is None:
            raise KeyError(call)
        return _record(row)

    def commit_if_live(self, call: int, epoch: int, outcome: Outcome) -> bool:
        return self._commit("commit", call, epoch, outcome, and_(CALLS.c.live == epoch, CALLS.c.committed.is_(None)))

    def overwrite(self, call: int, epoch: int, outcome: Outcome) -> None:
        self._commit("overwrite", call, epoch, outcome, literal(True))

    def open_next(self, call: int, *, even_if_committed: bool, raise_fence: bool) -> int | None:
        def work(connection: Connection) -> int | None:
            # This takes the row's lock, so that of two planners the second one opens the epoch after the first one's.
            if not _touched(connection, call, literal(True) if even_if_committed else CALLS.c.committed.is_(None)):
                return None
            epoch: int = connection.execute(select(OUTBOX.c.epoch).where(OUTBOX.c.call == call)).scalar_one() + 1
            _open(connection, call, epoch, raise_fence)
            return epoch

        return self._step("open", work)

    def open_epoch(self, call: int, epoch: int, *, raise_fence: bool) -> None:
        self._step("open", lambda connection: _open(connection, call, epoch, raise_fence))

    def raise_fence(self, call: int, epoch: int, *, even_if_committed: bool) -> None:
        guard = literal(True) if even_if_committed else CALLS.c.committed.is_(None)
        self._step("fence", lambda connection: _raise_fence(connection, call, epoch, guard))

    def restore_intent(self, call: int) -> None:
        def work(connection: Connection) -> None:
            # This takes the row's lock, so that the epoch asked for is not one that another planner is just replacing.
            _touched(connection, call, literal(True))
            row = connection.execute(select(CALLS.c.live, CALLS.c.committed).where(CALLS.c.call == call)).one()
            _ask(connection, call, row.live, pending=row.committed is None)

        self._step("restore", work)

    def answered(self, call: int, epoch: int) -> None:
        statement = update(OUTBOX).where(OUTBOX.c.call == call, OUTBOX.c.epoch == epoch).values(pending=False)
        self._step("answered", lambda connection: connection.execute(statement))

    def pending(self) -> list[tuple[int, CallRecord]]:
        statement = _records().where(OUTBOX.c.pending, ~OUTBOX.c.parked).order_by(CALLS.c.call)
        with self._engine.connect() as connection:
            return [(row.call, _record(row)) for row in connection.execute(statement)]

    def attempted(self, call: int, epoch: int, *, park: bool = False) -> None:
        values: dict[str, object] = {"attempts": OUTBOX.c.attempts + 1}
        if park:
            values["parked"] = True
        statement = update(OUTBOX).where(OUTBOX.c.call == call, OUTBOX.c.epoch == epoch).values(**values)
        self._step("attempted", lambda connection: connection.execute(statement))

    def _commit(self, name: str, call: int, epoch: int, outcome: Outcome, guard: ColumnElement[bool]) -> bool:
        decide = update(CALLS).where(CALLS.c.call == call, guard).values(committed=epoch, outcome=outcome)

        def work(connection: Connection) -> bool:
            if connection.execute(decide).rowcount != 1:
                return False
            connection.execute(update(OUTBOX).where(OUTBOX.c.call == call).values(pending=False))
            return True

        return self._step(name, work)

    def _step(self, name: str, work: Callable[[Connection], Answer]) -> Answer:
        """One durable step: a transaction, with a crash point before it, inside it before it is durable, and after."""
        self._at(f"before-{name}")
        with self._engine.begin() as connection:
            result = work(connection)
            self._at(f"within-{name}")
        self._at(f"after-{name}")
        return result


def check_version(connection: Connection) -> None:
    """Raise SchemaVersionError where the tables are of another version."""
    found = connection.execute(select(VERSIONS.c.version)).scalars().all()
    if list(found) != [VERSION]:
        said = ", ".join(map(str, found)) or "none"
        raise SchemaVersionError(f"the tables are of version {said}, and this program writes {VERSION}")


def _records() -> Select[Any]:
    outbox = (OUTBOX.c.epoch, OUTBOX.c.pending, OUTBOX.c.attempts, OUTBOX.c.parked)
    return select(CALLS, *outbox).join_from(CALLS, OUTBOX, OUTBOX.c.call == CALLS.c.call)


def _record(row: Row[Any]) -> CallRecord:
    outcome = cast("Outcome | None", row.outcome)
    return CallRecord(row.live, row.committed, outcome, row.epoch, row.pending, row.attempts, row.parked)


def _add(connection: Connection, calls: list[int]) -> None:
    if calls:
        connection.execute(insert(CALLS), [{"call": call, "live": 1} for call in calls])
        rows = [{"call": c, "epoch": 1, "pending": True, "attempts": 0, "parked": False} for c in calls]
        connection.execute(insert(OUTBOX), rows)


def _touched(connection: Connection, call: int, guard: ColumnElement[bool]) -> bool:
    statement = update(CALLS).where(CALLS.c.call == call, guard).values(live=CALLS.c.live)
    return connection.execute(statement).rowcount == 1


def _open(connection: Connection, call: int, epoch: int, raise_fence: bool) -> None:
    if raise_fence:
        _raise_fence(connection, call, epoch, literal(True))
    _ask(connection, call, epoch, pending=True)


def _raise_fence(connection: Connection, call: int, epoch: int, guard: ColumnElement[bool]) -> None:
    higher = case((CALLS.c.live < epoch, epoch), else_=CALLS.c.live)
    connection.execute(update(CALLS).where(CALLS.c.call == call, guard).values(live=higher))


def _ask(connection: Connection, call: int, epoch: int, *, pending: bool) -> None:
    values = {"epoch": epoch, "pending": pending, "attempts": 0, "parked": False}
    connection.execute(update(OUTBOX).where(OUTBOX.c.call == call).values(**values))

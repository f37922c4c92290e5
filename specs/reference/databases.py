"""The reference with its records in a database: SQLite in a file, or PostgreSQL at an address."""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, Engine, inspect, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from .driver import Reference
from .record import RecordStore
from .schema import METADATA, VERSIONS
from .sql_store import SchemaVersionError, SqlStore, check_version, open_database, sqlite_url

#: How long, in seconds, a database may take to answer that somebody else has locked, or that cannot be reached.
WAIT_S = 5


class DatabaseError(RuntimeError):
    """A database that cannot be used: which one, and why, in a sentence for people."""


def check_url(text: str, kind: str) -> URL:
    """The address of a database of a kind, `sqlite` or `postgresql`. ValueError for what is none, without the password.

    A PostgreSQL that does not say by which driver is asked by psycopg.
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise ValueError(f"the --url is not one that names a database. Write {_EXAMPLES[kind]}.") from error
    if url.drivername == "postgres":
        url = url.set(drivername="postgresql")
    if url.get_backend_name() != kind:
        raise ValueError(f"the --url names a database of {url.get_backend_name()}. Write {_EXAMPLES[kind]}.")
    if kind == "sqlite":
        if url.database in (None, "", ":memory:"):
            raise ValueError(f"the --url names no file. Write {_EXAMPLES[kind]}.")
        return url
    url = url.set(drivername="postgresql+psycopg")
    waits = {"connect_timeout": str(WAIT_S), "options": f"-c lock_timeout={WAIT_S}s"}
    return url.update_query_dict({name: value for name, value in waits.items() if name not in url.query})


_EXAMPLES = {"sqlite": "sqlite:///path/to/file.db", "postgresql": "postgresql://user@host:5432/database"}


class Database(Reference):
    """The reference planner over the tables of a database, which are dropped and made anew at every `reset`.

    No other tables are touched. A planner that is started again opens the database anew. Each method raises
    DatabaseError for a database that cannot be used, or whose tables are of another version.
    """

    def __init__(self, url: str | URL) -> None:
        self._url = make_url(url)
        self._engines: list[Engine] = []
        super().__init__()

    def reset(self, parameters: Mapping[str, object]) -> None:
        with explained(self._url):
            super().reset(parameters)

    def apply(self, event: Mapping[str, object]) -> str | None:
        with explained(self._url):
            return super().apply(event)

    def snapshot(self) -> dict[str, object]:
        with explained(self._url):
            return super().snapshot()

    def new_store(self, calls: int) -> RecordStore:
        self.close()
        engine = self._open()
        self._check_tables(engine)
        METADATA.drop_all(engine)
        store = SqlStore(engine)
        store.prepare(calls)
        return store

    def reopened(self, store: RecordStore) -> RecordStore:
        return SqlStore(self._open())

    def close(self) -> None:
        for engine in self._engines:
            engine.dispose()
        self._engines.clear()

    def _open(self) -> Engine:
        settings = {"busy_timeout": str(WAIT_S * 1000)}
        self._engines.append(open_database(self._url, settings=settings))
        return self._engines[-1]

    def _check_tables(self, engine: Engine) -> None:
        """That the tables of our names are ours, before they are dropped."""
        with engine.connect() as connection:
            there = {name for name in METADATA.tables if inspect(connection).has_table(name)}
            if VERSIONS.name in there:
                check_version(connection)
            elif there:
                raise SchemaVersionError(f"the table {min(there)} is of another program, which {VERSIONS.name} lacks")


@contextmanager
def explained(url: URL) -> Generator[None]:
    """What a database that cannot be used says, as a DatabaseError that names it, without its password."""
    # The parameters are mostly ours.
    shown = url.set(query={}).render_as_string(hide_password=True)
    try:
        yield
    except SchemaVersionError as error:
        raise DatabaseError(f"the database {shown} is not one to use: {error}. Name another database.") from error
    except DBAPIError as error:
        raise DatabaseError(f"the database {shown} cannot be used: {_first_line(error.orig)}") from error
    except SQLAlchemyError as error:
        raise DatabaseError(f"the database {shown} cannot be used: {_first_line(error)}") from error


def _first_line(error: BaseException | None) -> str:
    """What a driver says in one line. Of several attempts to connect it tells one by one; the first says enough."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


class Sqlite(Database):
    """The reference planner over SQLite, in a folder that goes with it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fenceproof-")
        super().__init__(sqlite_url(Path(self._folder.name) / "planner.db"))

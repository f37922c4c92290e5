"""The reference with its records in a database: SQLite in a file of its own, or PostgreSQL at an address."""

from __future__ import annotations

import tempfile
from pathlib import Path

from sqlalchemy import Engine, make_url

from .driver import Reference
from .record import RecordStore
from .schema import METADATA
from .sql_store import SqlStore, open_database, sqlite_url


class Database(Reference):
    """The reference planner over the tables of a database, which are emptied at every `reset`.

    A planner that is started again opens the database anew.
    """

    def __init__(self, url: str) -> None:
        self._url = make_url(url)
        self._engines: list[Engine] = []
        super().__init__()

    def new_store(self, calls: int) -> RecordStore:
        self.close()
        engine = self._open()
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
        self._engines.append(open_database(self._url))
        return self._engines[-1]


class Sqlite(Database):
    """The reference planner over SQLite, in a folder that goes with it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fenceproof-")
        super().__init__(sqlite_url(Path(self._folder.name) / "planner.db").render_as_string())

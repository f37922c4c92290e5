"""APSW behind as much of the DBAPI as SQLAlchemy asks of SQLite's driver, so that the store runs on a VFS of our own.

Python's sqlite3 module cannot be given a VFS that is written in Python; APSW can, and has no DBAPI.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import apsw

Parameters = Sequence[Any]


class Cursor:
    """A statement and its rows. `description` and `rowcount` are as PEP 249 has them."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        # APSW's types leave open what a buffer is.
        self._cursor: Any = connection.cursor()
        self._cursor.exec_trace = self._begins
        self.description: tuple[tuple[Any, ...], ...] | None = None
        self.rowcount = -1
        self.lastrowid: int | None = None
        self.arraysize = 1

    def _begins(self, cursor: apsw.Cursor, _statement: str, _bindings: object) -> bool:
        # Only here: after a statement without rows APSW refuses to describe them.
        columns = cursor.get_description()
        self.description = tuple((name, None, None, None, None, None, None) for name, *_ in columns) or None
        return True

    def execute(self, statement: str, parameters: Parameters = ()) -> Cursor:
        before = self._connection.total_changes()
        self._cursor.execute(statement, tuple(parameters))
        self.rowcount = -1 if self.description else self._connection.total_changes() - before
        self.lastrowid = self._connection.last_insert_rowid()
        return self

    def executemany(self, statement: str, rows: Iterable[Parameters]) -> Cursor:
        self.rowcount = sum(self.execute(statement, row).rowcount for row in list(rows))
        return self

    def fetchone(self) -> Any:
        return self._cursor.fetchone()

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        return [row for _, row in zip(range(size or self.arraysize), self._cursor, strict=False)]

    def fetchall(self) -> Any:
        return self._cursor.fetchall()

    def close(self) -> None:
        self._cursor.close()


class Connection:
    """A connection that begins no transaction of its own accord."""

    isolation_level: str | None = None

    def __init__(self, path: str, vfs: str) -> None:
        self._connection: Any = apsw.Connection(path, vfs=vfs)

    def cursor(self) -> Cursor:
        return Cursor(self._connection)

    def execute(self, statement: str) -> Cursor:
        return self.cursor().execute(statement)

    def create_function(self, name: str, arguments: int, function: Callable[..., Any], **_options: object) -> None:
        self._connection.create_scalar_function(name, function, arguments)

    def commit(self) -> None:
        if self._connection.in_transaction:
            self.execute("COMMIT").close()

    def rollback(self) -> None:
        if self._connection.in_transaction:
            self.execute("ROLLBACK").close()

    def close(self) -> None:
        self._connection.close()

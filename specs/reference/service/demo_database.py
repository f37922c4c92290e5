"""The database of the demonstration: SQLite in a folder of its own, or what an address names."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from ..sql_store import SchemaVersionError, SqlStore, open_database, sqlite_url
from .errors import ServiceError

#: Seconds that a database may keep a person waiting who watches.
_WAIT_S: Final = 3


@contextmanager
def demo_store(url: str | None) -> Generator[tuple[SqlStore, int]]:
    """A store with one new call, and its number. Of another's database nothing is taken away.

    Raises ServiceError where there is no such database, its driver is not installed, or it cannot be written, be it in
    the middle of the block.
    """
    with tempfile.TemporaryDirectory(prefix="fenceproof-") as folder:
        address = sqlite_url(Path(folder) / "planner.db") if url is None else _address(url)
        with _explained(address):
            engine = open_database(address, settings={"busy_timeout": str(_WAIT_S * 1000)})
            try:
                store = SqlStore(engine)
                store.prepare(0)
                yield store, store.new_call()
            finally:
                engine.dispose()


@contextmanager
def _explained(address: URL) -> Generator[None]:
    """What the database says of a mishap, as one message that names the address, without its password."""
    # The limits to waiting are ours, and nothing that anybody wrote.
    shown = address.set(query={}).render_as_string(hide_password=True)
    try:
        yield
    except ModuleNotFoundError as error:
        raise ServiceError(
            f"PostgreSQL needs {error.name}, which is not installed. Install it: pip install 'fenceproof[postgres]'"
        ) from error
    except SchemaVersionError as error:
        raise ServiceError(f"{shown}: {error}") from error
    # What SQLite says of its settings does not come by way of SQLAlchemy.
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise ServiceError(f"{shown}: {_mishap(error)}") from error


def _mishap(error: SQLAlchemyError | sqlite3.Error) -> str:
    """What went wrong, on one line."""
    said = error.orig if isinstance(error, DBAPIError) else error
    lines = str(said).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _address(text: str) -> URL:
    """The address of a SQLite or PostgreSQL database, with a limit to how long it may be waited for."""
    try:
        url = make_url(text)
        dialect = url.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise ServiceError(_no_address(text)) from error
    if dialect == "sqlite" and url.database not in (None, "", ":memory:"):
        return url
    if dialect not in ("postgresql", "postgres"):
        raise ServiceError(_no_address(text))
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
    limits = {"connect_timeout": str(_WAIT_S), "options": f"-c lock_timeout={_WAIT_S}s -c statement_timeout={_WAIT_S}s"}
    return url.update_query_dict({name: limit for name, limit in limits.items() if name not in url.query})


def _no_address(text: str) -> str:
    shown = text if "@" not in text else "…@" + text.rpartition("@")[2]
    return (
        f"{shown!r} is no address of a SQLite or PostgreSQL database. Write, for example, "
        "--url sqlite:///calls.db or --url postgresql://me@localhost/mine"
    )

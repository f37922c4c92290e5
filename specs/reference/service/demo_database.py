"""The database of the demonstration: SQLite in a folder of its own, or what an address names."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL

from ..databases import WAIT_S, check_url, explained
from ..sql_store import SqlStore, open_database, sqlite_url
from .errors import ServiceError


@contextmanager
def demo_store(url: str | None) -> Generator[tuple[SqlStore, int]]:
    """A store with one new call, and its number. Of another's database nothing is taken away.

    Raises DatabaseError for a database that cannot be used, be it in the middle of the block; ServiceError for an
    address that is none, or whose driver is not installed.
    """
    with tempfile.TemporaryDirectory(prefix="fenceproof-") as folder:
        address = sqlite_url(Path(folder) / "planner.db") if url is None else _address(url)
        with explained(address), _opened(address) as store:
            store.prepare(0)
            yield store, store.new_call()


@contextmanager
def _opened(address: URL) -> Generator[SqlStore]:
    try:
        engine = open_database(address, settings={"busy_timeout": str(WAIT_S * 1000)})
    except ModuleNotFoundError as error:
        raise ServiceError(
            f"PostgreSQL needs {error.name}, which is not installed. Install it: pip install 'fenceproof[postgres]'"
        ) from error
    try:
        yield SqlStore(engine)
    finally:
        engine.dispose()


def _address(text: str) -> URL:
    try:
        return check_url(text, "sqlite" if text.startswith("sqlite") else "postgresql")
    except ValueError as error:
        raise ServiceError(str(error)) from error

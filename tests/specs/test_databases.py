"""The reference over a database that is not as it should be: one message each, and what others keep there stays."""

from __future__ import annotations

import socket
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from cluster import Cluster
from fenceproof.checker.driven import Driven
from fenceproof.checker.implementations import implementation
from fenceproof.model.errors import AdapterError
from fenceproof.specs.reference import databases
from fenceproof.specs.reference.sql_store import SQLITE_SETTINGS

FILE = "sqlite:///planner.db"
FRESH = [{"live": 1, "committed": None, "outcome": None}]
TIMED_OUT = [{"live": 2, "committed": None, "outcome": None}]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    """A database that somebody else has locked is given up soon."""
    monkeypatch.setattr(databases, "WAIT_S", 1)


@contextmanager
def begun(name: str, url: str) -> Generator[Driven]:
    """The fenced planner over a database, after a deadline that fired early."""
    with implementation(name, url=url, patience_s=120) as adapter:
        adapter.reset({})
        apply(adapter, "dispatch")
        apply(adapter, "deadline_early")
        yield adapter


def apply(adapter: Driven, action: str, **args: object) -> str | None:
    return adapter.apply({"action": action, "args": {"call": 0, **args}})


def message(name: str, url: str) -> str:
    """Why a database cannot be used, in one line."""
    with pytest.raises(AdapterError) as raised, begun(name, url) as adapter:
        adapter.snapshot()
    said = str(raised.value)
    assert "\n" not in said
    return said


def sql(*statements: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect("planner.db")) as connection, connection:
        found = [connection.execute(statement).fetchall() for statement in statements]
    return found[-1]


def postgres_sql(url: str, *statements: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursors = [connection.execute(statement.encode()) for statement in statements]
        return cursors[-1].fetchall() if cursors[-1].description else []


@pytest.fixture(name="url")
def _url(postgres: Cluster) -> str:
    return postgres.new_database()


def test_a_database_file_that_the_user_names_is_used_and_kept() -> None:
    with begun("sqlite", FILE) as adapter:
        assert adapter.snapshot()["record"] == TIMED_OUT
    assert sql("SELECT live FROM fenceproof_calls") == [(2,)]


def test_a_reset_empties_our_tables_and_no_others() -> None:
    sql("CREATE TABLE mine (n)", "INSERT INTO mine VALUES (7)")
    with begun("sqlite", FILE) as adapter:
        adapter.reset({"calls": 2})
        assert adapter.snapshot()["record"] == FRESH * 2
    assert sql("SELECT n FROM mine") == [(7,)]


def test_a_database_that_somebody_else_has_locked_is_given_up() -> None:
    with closing(sqlite3.connect("planner.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert message("sqlite", FILE) == f"sqlite: the database {FILE} cannot be used: database is locked"


def test_a_database_that_can_only_be_read_is_refused() -> None:
    sql("CREATE TABLE mine (n)")
    said = message("sqlite", "sqlite:///file:planner.db?mode=ro&uri=true")
    assert (
        said == "sqlite: the database sqlite:///file%3Aplanner.db cannot be used: attempt to write a readonly database"
    )


def test_a_full_disk_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SQLITE_SETTINGS, "max_page_count", "3")
    assert message("sqlite", FILE).endswith("cannot be used: database or disk is full")


def test_a_folder_that_is_not_there_is_told_as_that() -> None:
    assert message("sqlite", "sqlite:///nowhere/planner.db").endswith("cannot be used: unable to open database file")


def test_a_file_that_is_no_database_is_left_alone() -> None:
    Path("planner.db").write_text("What I wrote myself." * 100)
    assert message("sqlite", FILE).endswith("cannot be used: file is not a database")
    assert Path("planner.db").read_text() == "What I wrote myself." * 100


def test_tables_of_another_version_are_refused_and_stay() -> None:
    with begun("sqlite", FILE):
        pass
    sql("UPDATE fenceproof_schema SET version = 99")
    said = message("sqlite", FILE)
    assert "the tables are of version 99, and this program writes 1. Name another database." in said
    assert sql("SELECT live FROM fenceproof_calls") == [(2,)]


def test_a_table_of_our_name_that_is_not_ours_is_refused_and_stays() -> None:
    sql("CREATE TABLE fenceproof_calls (n)", "INSERT INTO fenceproof_calls VALUES (7)")
    assert "the table fenceproof_calls is of another program" in message("sqlite", FILE)
    assert sql("SELECT n FROM fenceproof_calls") == [(7,)]


def test_a_database_file_that_is_gone_in_mid_run_is_told() -> None:
    with begun("sqlite", FILE) as adapter:
        for path in Path().glob("planner.db*"):
            path.unlink()
        apply(adapter, "crash")
        with pytest.raises(AdapterError, match="no such table: fenceproof_calls"):
            apply(adapter, "compensation_late")


def test_postgres_is_reached_by_the_address_in_the_environment(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FENCEPROOF_URL", url)
    with implementation("postgres") as adapter:
        adapter.reset({})
        assert adapter.snapshot()["record"] == FRESH


def test_a_server_that_cannot_be_reached_is_told_without_the_password() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        said = message("postgres", f"postgresql://me:secret@127.0.0.1:{port}/planner")
    where = f"postgresql+psycopg://me:***@127.0.0.1:{port}/planner"
    assert said.startswith(f"postgres: the database {where} cannot be used: connection failed")
    assert "refused" in said


def test_a_server_that_is_gone_in_mid_run_is_told_and_has_lost_nothing(postgres: Cluster, url: str) -> None:
    with begun("postgres", url) as adapter:
        postgres.stop()
        try:
            with pytest.raises(AdapterError, match="cannot be used: connection"):
                apply(adapter, "compensation_late")
        finally:
            postgres.start()
    assert postgres_sql(url, "SELECT live, committed FROM fenceproof_calls") == [(2, None)]


def test_a_connection_that_was_cut_is_made_anew(url: str) -> None:
    with begun("postgres", url) as adapter:
        cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        postgres_sql(url, f"{cut} AND backend_type = 'client backend'")
        apply(adapter, "compensation_late")
        assert adapter.snapshot()["record"] == [{"live": 3, "committed": None, "outcome": None}]


def test_a_table_that_somebody_else_has_locked_is_given_up(url: str) -> None:
    with begun("postgres", url):
        pass
    with psycopg.connect(url) as other:
        other.execute("LOCK TABLE fenceproof_calls")
        assert message("postgres", url).endswith("cannot be used: canceling statement due to lock timeout")


def test_a_server_that_can_only_be_read_is_refused(url: str) -> None:
    said = message("postgres", f"{url}?options=-c%20default_transaction_read_only%3Don")
    assert "cannot be used: cannot execute CREATE TABLE in a read-only transaction" in said


def test_tables_of_another_version_in_postgres_are_refused_and_stay(url: str) -> None:
    with begun("postgres", url):
        pass
    postgres_sql(url, "UPDATE fenceproof_schema SET version = 99")
    assert "the tables are of version 99" in message("postgres", url)
    assert postgres_sql(url, "SELECT live FROM fenceproof_calls") == [(2,)]

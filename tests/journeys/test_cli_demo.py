"""`fenceproof demo`: the late result is rejected, or written back; and databases that do not play along."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
from pathlib import Path

import pytest
from cluster import Cluster
from command import ENVIRONMENT, FENCEPROOF, Ran, fenceproof

FENCED = """\
outbox       sends the request of epoch 1
tool         executes the request of epoch 1: the row is reserved
tool         holds its result back
clock        is turned on by 30 s, to the deadline
planner      deadline of epoch 1: bump
outbox       sends the request of epoch 2
compensator  executes the request of epoch 2: the row is released
planner      compensated of epoch 2: commit
tool         lets its result go
"""


def check_fenced(ran: Ran, call: int = 0) -> None:
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"call {call}, fenced\n{FENCED}planner      success of epoch 1: reject:stale\n\n")
    assert "record: live epoch 2, compensated@2 committed\nworld:  released\n" in ran.out
    assert "rejects: stale 1, malformed 0, committed 0\n" in ran.out


def check_ghost(ran: Ran, call: int = 0) -> None:
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"call {call}, the last writer wins\n{FENCED}planner      success of epoch 1: commit\n\n")
    assert "record: live epoch 2, success@1 committed\nworld:  released\n" in ran.out
    assert "A ghost write: " in ran.out


def test_the_late_success_is_rejected_and_the_compensation_committed() -> None:
    check_fenced(fenceproof("demo"))


def test_without_the_fence_the_late_success_is_written_back() -> None:
    check_ghost(fenceproof("demo", "--last-writer"))


def test_a_database_of_ones_own_gets_one_more_call_each_time() -> None:
    check_fenced(fenceproof("demo", "--url", "sqlite:///mine.db"), 0)
    check_ghost(fenceproof("demo", "--last-writer", "--url", "sqlite:///mine.db"), 1)
    rows = sqlite3.connect("mine.db").execute("select call, committed, outcome from fenceproof_calls order by call")
    assert rows.fetchall() == [(0, 2, "compensated"), (1, 1, "success")]


def test_on_postgresql_it_is_the_same(postgres: Cluster) -> None:
    url = postgres.new_database()
    check_fenced(fenceproof("demo", "--url", url), 0)
    check_ghost(fenceproof("demo", "--last-writer", "--url", url), 1)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mine.db", "the --url is not one that names a database."),
        ("sqlite://", "the --url names no file."),
        ("mysql://me:secret@there/x", "the --url names a database of mysql."),
        (
            "sqlite:////nowhere/x.db",
            "the database sqlite:////nowhere/x.db cannot be used: unable to open database file",
        ),
        ("sqlite:///text.db", "the database sqlite:///text.db cannot be used: file is not a database"),
        ("postgresql://me:secret@127.0.0.1:1/x", "me:***@127.0.0.1:1/x cannot be used: connection failed: "),
    ],
)
def test_what_is_no_database_is_said_in_one_line(url: str, words: str) -> None:
    Path("text.db").write_text("nothing but text, and more than a hundred bytes of it. " * 3)
    message = fenceproof("demo", "--url", url).message
    assert words in message
    assert "secret" not in message


def test_a_locked_database_is_said() -> None:
    holder = sqlite3.connect("mine.db", isolation_level=None)
    holder.execute("PRAGMA journal_mode = WAL").close()
    holder.execute("BEGIN IMMEDIATE")
    assert (
        "sqlite:///mine.db cannot be used: database is locked"
        in fenceproof("demo", "--url", "sqlite:///mine.db").message
    )
    holder.close()


def test_a_database_that_cannot_be_written_is_said() -> None:
    sqlite3.connect("mine.db").execute("PRAGMA journal_mode = WAL").close()
    ran = fenceproof("demo", "--url", "sqlite:///file:mine.db?mode=ro&uri=true")
    assert "attempt to write a readonly database" in ran.message


def test_tables_of_another_version_are_said() -> None:
    check_fenced(fenceproof("demo", "--url", "sqlite:///mine.db"))
    with sqlite3.connect("mine.db") as connection:
        connection.execute("update fenceproof_schema set version = 7")
    message = fenceproof("demo", "--url", "sqlite:///mine.db").message
    assert "the tables are of version 7, and this program writes 1" in message


@pytest.mark.parametrize("package", ["sqlalchemy", "httpx"])
def test_a_missing_extra_is_one_line_with_the_command(package: str) -> None:
    Path("site").mkdir()
    Path("site/sitecustomize.py").write_text(
        "import importlib.util as u\nfind = u.find_spec\n"
        f"u.find_spec = lambda name, package=None: None if name == {package!r} else find(name, package)\n"
    )
    message = fenceproof("demo", environment={"PYTHONPATH": str(Path("site").resolve())}).message
    assert "which is not installed. Install it: pip install 'fenceproof[sql]'" in message


def test_an_interrupt_ends_it_with_130_and_takes_its_folder_along() -> None:
    # A server that takes connections and says nothing holds the command where it is.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        temporary = Path("temporary").resolve()
        temporary.mkdir()
        url = f"postgresql://me@127.0.0.1:{silent.getsockname()[1]}/x?connect_timeout=60"
        run = subprocess.Popen(
            [*FENCEPROOF, "demo", "--url", url],
            env={**ENVIRONMENT, "TMPDIR": str(temporary)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        silent.accept()
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
    assert (run.returncode, out, err.strip()) == (130, "", "fenceproof: interrupted.")
    assert os.listdir(temporary) == []
    with pytest.raises(ProcessLookupError):
        os.killpg(run.pid, 0)

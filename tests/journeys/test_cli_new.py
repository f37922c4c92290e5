"""`fenceproof new --adapter`: a file that runs at once and says what is missing; and what is refused."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from command import fenceproof
from fenceproof.checker.implementations import implementation

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"


@pytest.mark.parametrize(("given", "path"), [([], "adapter.py"), (["mine.py"], "mine.py")])
def test_a_new_adapter_runs_at_once_and_the_first_event_that_is_missing_is_said(given: list[str], path: str) -> None:
    ran = fenceproof("new", "--adapter", *given)
    assert (ran.code, ran.err) == (0, "")
    assert os.listdir() == [path]
    held = fenceproof("conform", "fenced", "--against", f"{path}:Adapter", "--quiet")
    assert held.code == 5
    assert "expected 'to be possible', got" in held.err
    assert "is not filled in yet" in held.err


def test_a_file_that_is_there_is_written_over_only_by_force() -> None:
    Path("adapter.py").write_text("old")
    assert "adapter.py is there already" in fenceproof("new", "--adapter").message
    assert Path("adapter.py").read_text() == "old"
    assert fenceproof("new", "--adapter", "--force").code == 0
    assert "class Adapter" in Path("adapter.py").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "Write fenceproof new --adapter"),
        (["--adapter", "mine"], "mine is no name of a Python file. Name one: fenceproof new --adapter mine.py"),
        (["--adapter", "no/such.py"], "no/such.py cannot be written: No such file or directory"),
        (["--adapter", ""], "Name a file."),
    ],
)
def test_what_cannot_be_done_is_refused(options: list[str], said: str) -> None:
    assert said in fenceproof("new", *options).message
    assert os.listdir() == []


def test_the_example_over_http_leaves_no_server_running() -> None:
    before = threading.active_count()
    with implementation(f"{EXAMPLES}/over_http.py:HttpAdapter") as adapter:
        adapter.reset({"calls": 1, "epochs": 3})
        assert adapter.apply({"action": "dispatch", "args": {"call": 0}}) == "tool"
        assert threading.active_count() > before
    assert threading.active_count() == before

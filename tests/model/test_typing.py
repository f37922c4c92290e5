"""A model is typed as the values it holds: strict checkers accept a right one and find the mistakes in a wrong one.

Each checker runs once, in a process of its own, on the author's file alone, as an author would run it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from every_kind import Everything
from fenceproof.checker import check
from fenceproof.checker.verdict import Verdict

ROOT = Path(__file__).resolve().parent.parent.parent
LEASE = ROOT / "docs/examples/lease.py"
EVERY_KIND = ROOT / "tests/toys/every_kind.py"
WRONG = """\
from fenceproof.model import Array, Bag, Choice, Map, Maybe, Model, Queue, Range, Record, Set, action, invariant


class Message(Record):
    to = Range(0, 1)


class Mistyped(Model):
    def __init__(self, clients: int = 2) -> None:
        self.clients = clients
        self.level = Range(0, 3)
        self.top = Range(0, "3")  # wrong: a bound is a number
        self.word = Choice("a", "b")
        self.holder = Maybe(Range(0, 1))
        self.cells = Array(2, Range(0, 3))
        self.ages = Map(["x"], Range(0, 1))
        self.members = Set(Range(0, 3))
        self.bag = Bag(Range(0, 3))  # wrong: a bag has a bound
        self.queue = Queue(Range(0, 3), capacity=2)
        self.last = Message()

    @action(client="clients")
    def rise(self, client: int) -> str:
        level: int = self.holder  # wrong: there may be no holder
        number: int = self.word  # wrong: a word is text
        self.cells[client] = level + number
        self.cells.append("x")  # wrong: a cell is a number
        self.ages[0] = 1  # wrong: a key is text
        self.members.add("a")  # wrong: a member is a number
        self.queue.append(None)  # wrong: an item is a number
        self.last.too = 1  # wrong: there is no such field
        return client  # wrong: an outcome is text

    @invariant
    def fine(self) -> bool:
        return self.levle < 3  # wrong: there is no such variable
"""
MARKED = {line for line in WRONG.splitlines() if "# wrong" in line}


def _mypy(folder: Path, files: list[Path]) -> set[tuple[str, int]]:
    options = ["--strict", "--config-file=", "--cache-dir", str(folder / "cache"), "--no-error-summary"]
    run = _run(folder, [sys.executable, "-m", "mypy", *options, *map(str, files)])
    found = re.findall(r"^(.+?):(\d+): error: ", run.stdout, re.MULTILINE)
    assert run.returncode == 1 and found, run.stdout + run.stderr
    return {(Path(file).name, int(line)) for file, line in found}


def _pyright(folder: Path, files: list[Path]) -> set[tuple[str, int]]:
    (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    options = ["--outputjson", "-p", str(folder), "--pythonpath", sys.executable]
    run = _run(folder, [sys.executable, "-m", "pyright", *options, *map(str, files)])
    report: dict[str, Any] = json.loads(run.stdout)
    assert report["summary"]["filesAnalyzed"] == len(files), run.stdout + run.stderr
    lines = ((Path(d["file"]).name, d["range"]["start"]["line"] + 1) for d in report["generalDiagnostics"])
    return set(lines)


def _run(folder: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=240)


CHECKERS: dict[str, Callable[[Path, list[Path]], set[tuple[str, int]]]] = {"mypy": _mypy, "pyright": _pyright}


@pytest.fixture(scope="module", params=CHECKERS)
def complaints(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """A checker's name, and for each file the lines that it complains about."""
    folder = tmp_path_factory.mktemp("typing")
    wrong = folder / "mistyped.py"
    wrong.write_text(WRONG)
    files = [LEASE, EVERY_KIND, wrong]
    found = CHECKERS[request.param](folder, files)
    texts = {file.name: file.read_text().splitlines() for file in files}
    return request.param, {name: {text[n - 1] for f, n in found if f == name} for name, text in texts.items()}


def test_a_model_with_every_kind_passes_strict_checking(complaints: tuple[str, dict[str, Any]]) -> None:
    assert complaints[1]["every_kind.py"] == set()


def test_every_mistake_of_type_is_found_and_nothing_else(complaints: tuple[str, dict[str, Any]]) -> None:
    assert complaints[1]["mistyped.py"] == MARKED
    assert len(MARKED) == 11


def test_the_lease_example_passes_but_for_what_require_and_a_step_cannot_tell(
    complaints: tuple[str, dict[str, Any]],
) -> None:
    # No type checker narrows `token` at `require(token is not None)`; and what a Step has on either side is Any.
    checker, found = complaints
    expected = {
        "mypy": {
            "        if self.fenced and token < self.written:",
            "        self.written = token",
            "        return step.after.written >= step.before.written",
        },
        "pyright": {"        if self.fenced and token < self.written:"},
    }
    assert found["lease.py"] == expected[checker]


def test_the_model_with_every_kind_means_something_too() -> None:
    result = check(Everything())
    assert {p.name: p.verdict for p in result.properties} == dict.fromkeys(
        ["slow", "fine", "no-deadlock"], Verdict.HOLDS
    )
    assert result.never_enabled == ()

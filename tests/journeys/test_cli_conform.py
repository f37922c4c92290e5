"""`fenceproof conform`: a model against an implementation in each way, and against the log of a run."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command import fenceproof, model_file
from fenceproof.checker.commands.again import command_of

BROKEN = Path(__file__).resolve().parents[1] / "toys" / "broken.py"
#: Every broken planner as an adapter of a file of the user's.
ADAPTER = f"{BROKEN}:NoEpochCheck"

GOOD: list[dict[str, object]] = [
    {"action": "dispatch", "args": {"call": 0}, "outcome": "tool"},
    {"action": "deadline_early", "args": {"call": 0}, "outcome": "bump"},
    {"action": "deliver", "args": {"call": 0, "kind": "success", "epoch": 1}, "outcome": "reject:stale"},
]


def log_of(events: list[dict[str, object]]) -> Path:
    path = Path("events.jsonl")
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path


def test_every_transition_of_the_fenced_planner_is_covered_on_sqlite() -> None:
    ran = fenceproof("conform", "fenced", "--against", "sqlite")
    assert (ran.code, ran.err) == (0, "")
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert lines[0] == "sqlite does what fenced does in 375 of 375 transitions (100 %)."
    assert any(line.startswith("tests 114 tests of 892 steps; 7.8 steps a test on average") for line in lines)
    assert any("crash once each; at most 1 in all" in line for line in lines)
    assert "bounds calls=1, epochs=3" in lines


@pytest.mark.slow
def test_every_transition_under_any_two_faults_is_covered_in_memory() -> None:
    ran = fenceproof("conform", "fenced", "--against", "memory", "--most-faults", "2", "--quiet")
    assert (ran.code, ran.out) == (0, "memory does what fenced does in 7,013 of 7,013 transitions (100 %)\n")


@pytest.mark.parametrize("way", [[], ["--depth", "6"], ["--random", "50"]], ids=["cover", "depth", "random"])
def test_a_broken_adapter_diverges_and_the_command_that_is_named_shows_it_again(way: list[str]) -> None:
    ran = fenceproof("conform", "fenced", "--against", ADAPTER, *way)
    assert (ran.code, ran.out) == (5, "")
    assert f"fenceproof: {ADAPTER} diverges from the model at step" in ran.err
    assert "outcome: expected 'reject:stale', got 'commit'" in ran.err
    again = next(line.split(": ", 1)[1] for line in ran.err.splitlines() if "To see it again" in line)
    words = shlex.split(again)
    assert words[:2] == ["fenceproof", "replay"]
    replayed = fenceproof(*words[1:])
    assert replayed.code == 5
    assert "outcome: expected 'reject:stale', got 'commit'" in replayed.err


def test_another_design_diverges_from_the_one_it_is_held_against() -> None:
    ran = fenceproof("conform", "fenced", "--against", "memory", "--as", "last-writer")
    assert ran.code == 5
    assert "--against memory --as last-writer" in ran.err


def test_an_adapter_that_keeps_state_across_reset_is_told_so() -> None:
    ran = fenceproof("conform", "fenced", "--against", f"{BROKEN}:KeepsState")
    assert ran.code == 2
    assert "keeps state across reset" in ran.message


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--max-tests", "5"], "10 of 375 transitions (2 %): more than 5 tests"),
        (["--max-states", "50"], "60 transitions of an unknown number: more than 50 states"),
        (["--time", "0.000001"], "0 transitions of an unknown number: the search took more than 1e-06 seconds"),
    ],
)
def test_what_was_not_covered_is_said_and_is_no_success(options: list[str], reason: str) -> None:
    ran = fenceproof("conform", "fenced", "--against", "memory", *options)
    assert ran.code == 3
    assert ran.out.splitlines()[0] == f"inconclusive: memory does what fenced does in {reason}."
    if options[0] == "--max-tests":
        assert re.search(r"not covered +365 transitions: clock_jump", ran.out)


def test_actions_that_the_model_never_takes_are_named_and_not_counted_as_covered() -> None:
    ran = fenceproof("conform", "fenced", "--against", "memory", "--faults", "delay")
    assert ran.code == 0
    never = ran.out[ran.out.index("never enabled") :].replace(",", " ").split()
    assert "crash" in never
    assert "deadline_early" not in never


def test_a_fault_in_a_log_that_is_switched_off_is_said_to_be() -> None:
    said = fenceproof("conform", "fenced", "--faults", "none", "--log", log_of(GOOD)).message
    assert "events.jsonl:2: the action deadline_early is a fault" in said


def test_a_model_in_which_nothing_happens_is_no_success() -> None:
    model = model_file(
        "from fenceproof.model import Model, Range, action, require\n\n\n"
        "class Still(Model):\n    def __init__(self) -> None:\n        self.n = Range(0, 1)\n\n"
        "    @action\n    def up(self) -> None:\n        require(self.n == 1)\n        self.n = 0\n"
    )
    Path("adapter.py").write_text(
        "class Adapter:\n    def reset(self, parameters): pass\n    def apply(self, event): return None\n"
        "    def snapshot(self): return {'n': 0}\n"
    )
    ran = fenceproof("conform", model, "--against", "adapter.py")
    assert (ran.code, ran.out) == (4, "mine.py: nothing can happen in this model, so there is nothing to test.\n")


def test_every_behaviour_of_some_depth_is_run() -> None:
    ran = fenceproof("conform", "fenced", "--against", "memory", "--depth", "5", "--quiet")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("memory does what fenced does in all ")
    assert ran.out.endswith(" behaviours of up to 5 steps\n")


def test_random_walks_promise_no_more_than_they_are() -> None:
    ran = fenceproof("conform", "fenced", "--against", "memory", "--random", "5", "--quiet")
    assert ran.code == 0
    assert ran.out.startswith("no divergence of memory from fenced in ")


def test_a_log_that_is_a_behaviour_is_one_and_its_hidden_steps_are_named() -> None:
    ran = fenceproof("conform", "fenced", "--log", log_of(GOOD))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "events.jsonl is a behaviour of fenced."
    assert "1 needed at least, of clock_jump" in ran.out


def test_a_log_that_is_none_names_the_line_and_what_would_have_been_possible() -> None:
    bad = [*GOOD[:2], {**GOOD[2], "outcome": "commit"}]
    ran = fenceproof("conform", "fenced", "--log", log_of(bad))
    assert (ran.code, ran.out) == (5, "")
    event = "deliver(call=0, kind=success, epoch=1) with the outcome commit"
    assert f"events.jsonl:3: no behaviour of fenced has {event} here." in ran.err
    assert "Matched before it: 2 events." in ran.err
    assert "Possible here: " in ran.err and "with the outcome reject:stale" in ran.err
    saved = ran.err.splitlines()[0].removeprefix("trace saved: ")
    assert fenceproof("replay", saved, "--quiet").code == 0


def test_a_log_in_which_all_is_logged_has_no_hidden_steps() -> None:
    path = log_of(GOOD)
    assert fenceproof("conform", "fenced", "--log", path, "--all-logged").code == 5
    assert fenceproof("conform", "fenced", "--log", path, "--hidden", "execute").code == 0
    assert fenceproof("conform", "fenced", "--log", path, "--hidden", "crash").code == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing is named to hold against the model"),
        (["--log", "events.jsonl", "--against", "memory"], "--log and --against do not go together"),
        (["--log", "events.jsonl", "--depth", "3"], "--log and --depth do not go together"),
        (["--against", "memory", "--random", "3", "--depth", "3"], "--random and --depth do not go together"),
        (["--against", "memory", "--hidden", "crash"], "are about a log"),
        (["--against", "memory", "--seed", "3"], "--seed is about random walks"),
        (["--log", "events.jsonl", "--hidden", "crsh"], "The action 'crsh' is not known. Did you mean crash"),
        (["--log", "events.jsonl", "--hidden", "crash", "--all-logged"], "Leave out one"),
        (["--log", "none.jsonl"], "none.jsonl: the file cannot be read"),
        (["--against", "nothing"], "The implementation 'nothing' is not known"),
        (["--against", "memory", "--epochs", "any"], "--epochs a number"),
        (["--log", "events.jsonl", "--as", "fenced"], "none is named"),
    ],
)
def test_what_has_no_meaning_is_refused(arguments: list[str], message: str) -> None:
    log_of(GOOD)
    assert message in fenceproof("conform", "fenced", *arguments).message


THREE_LINES = """
from hypothesis import Phase, settings
from fenceproof.checker.conformance.stateful import machine
from fenceproof.specs.variants import VARIANTS
from {module} import {name}
FENCED = VARIANTS["fenced"].model()
PARAMETERS = {{"calls": 1, "epochs": 3, **FENCED.design()}}

TestPlanner = machine(FENCED, {name}, parameters=PARAMETERS, most_faults=1).TestCase
TestPlanner.settings = settings(
    max_examples=30, deadline=None, database=None, phases=[Phase.generate, Phase.shrink]
)
"""


@pytest.mark.parametrize("name", ["Memory", "NoEpochCheck"])
def test_a_test_of_three_lines_passes_on_the_right_planner_and_names_the_events_on_a_broken_one(name: str) -> None:
    module = "fenceproof.specs.reference.memory" if name == "Memory" else "broken"
    Path("test_mine.py").write_text(THREE_LINES.format(module=module, name=name))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--show-capture=no", "test_mine.py"],
        env={"PYTHONPATH": str(BROKEN.parent), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if name == "Memory":
        assert done.returncode == 0, done.stdout
        return
    assert done.returncode == 1, done.stdout
    assert "DivergenceError: the implementation diverges from the model at step" in done.stdout
    assert "state.step(event=dispatch(call=0))" in done.stdout
    assert "state.step(event=deliver(call=0, kind=success, epoch=1))" in done.stdout


def test_an_adapter_that_breaks_for_good_in_a_random_walk_is_said_to(tmp_path: Path) -> None:
    text = """
from fenceproof.specs.reference.memory import Memory

CALLS = [0]


class Breaks(Memory):
    def apply(self, event):
        CALLS[0] += 1
        if CALLS[0] > 4:
            raise RuntimeError("connection lost")
        return super().apply(event)
"""
    path = tmp_path / "breaks.py"
    path.write_text(text)
    ran = fenceproof("conform", "fenced", "--against", f"{path}:Breaks", "--random", "100")
    assert (ran.code, ran.out) == (2, "") and "raised RuntimeError in apply: connection lost" in ran.err, ran


def test_an_adapter_that_shows_nothing_is_none_to_hold_against_a_model(tmp_path: Path) -> None:
    path = tmp_path / "hollow.py"
    path.write_text(
        "from fenceproof.specs.reference.memory import Memory\n\n\n"
        "class Hollow(Memory):\n    def snapshot(self):\n        return {'record': [{}]}\n"
    )
    ran = fenceproof("conform", "fenced", "--faults", "none", "--against", f"{path}:Hollow")
    assert ran.code == 2 and "shows nothing of the state in any snapshot" in ran.err, ran


def test_a_password_is_not_said_again() -> None:
    url = "postgresql://me:secret@127.0.0.1:1/x?password=secret"
    words = ["fenceproof", "conform", "fenced", "--url", url]
    assert command_of(words) == "fenceproof conform fenced --url 'postgresql://me:***@127.0.0.1:1/x?password=***'"

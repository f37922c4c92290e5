"""`fenceproof replay --against memory` for a design of one's own: what the reference knows, and what it does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import fenceproof, model_file

KNOBS = "from fenceproof.specs import Planner\n\n\nclass Mine(Planner, decide='last-writer'):\n    pass\n"
CLEARED = KNOBS.replace("pass\n", "decide = 'last-writer'\n").replace(", decide='last-writer'", "")
OVERRIDES = """
from fenceproof.specs import Planner, Result


class Mine(Planner):
    def judge(self, call: int, result: Result) -> str:
        return "commit"
"""
INHERITED = OVERRIDES.replace("class Mine(Planner)", "class Base(Planner)") + "\n\nclass Mine(Base):\n    pass\n"
ADDED = """
from fenceproof.model import action
from fenceproof.specs import Planner


class Mine(Planner, decide="last-writer"):
    @action(call="calls")
    def forget(self, call: int) -> str:
        self.record[call].committed = None
        return "forgotten"
"""


def saved(text: str, *options: str) -> str:
    """The trace of a ghost write on the model Mine in v1.py, by the name of its file."""
    model_file(text, "v1.py")
    ran = fenceproof("check", "v1.py:Mine", "--out", ".", "--quiet", *options)
    assert ran.code == 1
    return next(str(path) for path in Path().glob("v1-Mine-*.json"))


def replayed(trace: str, *options: str) -> tuple[int, str]:
    ran = fenceproof("replay", trace, "--model", "v1.py:Mine", "--against", "memory", "--quiet", *options)
    return ran.code, ran.out + ran.err


@pytest.mark.parametrize("text", [KNOBS, CLEARED], ids=["class keywords", "class attributes"])
def test_a_design_of_knobs_runs_on_the_reference(text: str) -> None:
    assert replayed(saved(text, "--property", "no-ghost"))[0] == 0


@pytest.mark.parametrize(
    ("text", "what", "owner"),
    [
        (OVERRIDES, "the override of judge", "Mine"),
        (INHERITED, "the override of judge", "Base"),
        (ADDED, "the action forget", "Mine"),
    ],
    ids=["own", "inherited", "an action more"],
)
def test_a_design_that_the_reference_does_not_know_is_refused_and_is_no_divergence(
    text: str, what: str, owner: str
) -> None:
    trace = saved(text, "--property", "no-ghost")
    message = f"memory knows the shipped designs by their knobs, and not {what} in v1.py:{owner}."
    code, said = replayed(trace)
    assert code == 2
    assert said.startswith(f"fenceproof: {message}\n    "), said


def test_a_trace_of_ones_own_design_can_be_held_against_a_shipped_one() -> None:
    code, said = replayed(saved(OVERRIDES, "--property", "no-ghost"), "--as", "fenced")
    assert code == 5
    assert "expected 'commit', got 'reject:stale'" in said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--against", "memory", "--as", "fencd"], "Did you mean fenced?"),
        (
            ["--as", "fenced"],
            "--as fenced says what the implementation runs as, and none is named. Add --against memory.",
        ),
    ],
)
def test_wrong_options_are_refused_before_anything_is_printed(options: list[str], words: str) -> None:
    assert words in fenceproof("replay", saved(KNOBS), "--model", "v1.py:Mine", *options).message


def test_a_design_that_is_no_planner_is_refused_before_anything_is_printed() -> None:
    model_file(Path(__file__).resolve().parents[2].joinpath("docs/examples/lease.py").read_text(), "lease.py")
    fenceproof("check", "lease.py", "--set", "fenced=false", "--out", ".", "--quiet")
    trace = "lease-never-backwards.json"
    message = fenceproof("replay", trace, "--model", "lease.py", "--against", "memory").message
    assert "the memory reference is a planner of the epoch-fence protocol, and this model is not one." in message


def test_a_name_in_a_trace_moves_no_cursor() -> None:
    trace = json.loads(Path(saved(KNOBS)).read_text())
    Path("bad.json").write_text(json.dumps({**trace, "target": "\x1b[2J\x07mine.py\u202e"}))
    message = fenceproof("replay", "bad.json").message
    assert message == (
        "fenceproof: bad.json is a trace of \\u001b[2J\\u0007mine.py\\u202e. A trace never names a file to run, so say "
        "it yourself: fenceproof replay bad.json --model \\u001b[2J\\u0007mine.py\\u202e\n"
    )
    Path("bad.json").write_text(json.dumps({**trace, "model": "\x1b[2JMine"}))
    assert "a trace of the model \\u001b[2JMine, and v1.py:Mine is Mine." in (
        fenceproof("replay", "bad.json", "--model", "v1.py:Mine").message
    )


def test_a_parameter_that_the_model_does_not_have_is_named() -> None:
    trace = json.loads(Path(saved(KNOBS)).read_text())
    Path("bad.json").write_text(json.dumps({**trace, "parameters": {"cals": 1}}))
    assert fenceproof("replay", "bad.json", "--model", "v1.py:Mine").message == (
        "fenceproof: bad.json: v1.py:Mine cannot be made with the trace's parameters: "
        "The parameter 'cals' is not known. Did you mean calls?\n"
    )


def test_a_design_with_a_memory_of_its_own_has_a_reference() -> None:
    fenceproof("check", "no-outbox", "--most-faults", "1", "--property", "write-ahead", "--out", ".", "--quiet")
    ran = fenceproof("replay", "no-outbox-write-ahead.json", "--against", "memory", "--quiet")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "memory: did the same in 1 step.")


def test_a_choice_that_was_taken_away_is_a_knob_of_the_reference() -> None:
    taken = ("--without", "bump-before-send", "--faults", "delay", "--property", "no-ghost")
    assert fenceproof("check", "fenced", *taken, "--out", ".", "--quiet").code == 1
    ran = fenceproof("replay", "fenced-no-ghost.json", "--against", "memory", "--quiet")
    assert (ran.code, ran.err) == (0, "")


def test_a_method_that_was_taken_away_is_none() -> None:
    taken = ("--without", "live-check", "--faults", "delay", "--property", "no-ghost")
    assert fenceproof("check", "fenced", *taken, "--out", ".", "--quiet").code == 1
    ran = fenceproof("replay", "fenced-no-ghost.json", "--against", "memory", "--quiet")
    assert ran.code == 2
    assert "none says what it is to be without live-check" in ran.err
    assert fenceproof("replay", "fenced-no-ghost.json", "--against", "memory", "--as", "fenced", "--quiet").code == 5

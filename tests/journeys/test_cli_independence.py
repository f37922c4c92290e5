"""Several calls as a person checks them: one stands for all where they share nothing, and the report says so."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command import fenceproof

SCHEMA = json.loads(files("fenceproof.checker").joinpath("report/report.schema.json").read_text())
VALIDATOR: Any = jsonschema.Draft202012Validator(SCHEMA)
TOYS = Path(__file__).resolve().parents[1] / "toys" / "copies.py"


def report(*arguments: str | Path) -> dict[str, Any]:
    written: dict[str, Any] = json.loads(fenceproof("check", *arguments, "--json").out)
    VALIDATOR.validate(written)
    return written


def test_two_calls_are_checked_by_checking_one() -> None:
    ran = fenceproof("check", "fenced", "--calls", "2")
    assert ran.code == 0
    assert "every reachable state of fenced with calls=1: 489,452 distinct, 4,621,292 generated, 25 levels" in ran.out
    assert "calls share nothing: checked on the transition system, which with calls=2 and with calls=3 is" in ran.out
    assert "the verdict is that for any number of calls that are such copies" in ran.out
    assert "not checked  other bounds of epochs; whether the model's code does something else for calls" in ran.out


def test_the_report_says_what_was_shown_and_for_which_numbers() -> None:
    written = report(f"{TOYS}:Lamps", "--set", "lamps=4")
    assert written["verdict"] == "holds"
    assert written["parameters"] == {"lamps": 1}
    shown = written["independence"]
    assert shown.pop("statement") in written["claim"]
    assert shown == {"parameter": "lamps", "copies": 4, "shown_for": [2, 4], "any_number": True}
    assert "other bounds" not in written["claim"]
    assert "something else for lamps other than 1, 2 and 4" in written["claim"]


@pytest.mark.parametrize(
    "arguments",
    [
        [f"{TOYS}:Lamps", "--set", "lamps=1"],
        [f"{TOYS}:Lamps", "--most-faults", "1"],
        [f"{TOYS}:Lamps", "--all-copies"],
        [f"{TOYS}:SharedCounter"],
        [f"{TOYS}:Blinks"],
    ],
)
def test_where_nothing_was_shown_nothing_is_said(arguments: list[str]) -> None:
    written = report(*arguments)
    assert written["independence"] is None
    assert "share nothing" not in written["claim"]
    assert "Not checked: other bounds;" in written["claim"]


def test_what_was_shown_of_this_number_alone_leaves_the_others_unchecked() -> None:
    written = report(f"{TOYS}:OnlyUpToTwo")
    assert (written["independence"]["shown_for"], written["independence"]["any_number"]) == ([2], False)
    assert "so the verdict is that for lamps=2;" in written["claim"]
    assert "Not checked: other bounds;" in written["claim"]


def test_a_trace_is_one_of_one_call_and_can_be_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ("--faults", "none", "--property", "no-bump-after-commit")
    ran = fenceproof("check", "bump-after-commit", "--calls", "2", *asked, "--out", "traces")
    assert ran.code == 1
    path = Path("traces/bump-after-commit-no-bump-after-commit.json")
    assert json.loads(path.read_text())["parameters"] == {"calls": 1, "epochs": 3}
    again = fenceproof("replay", path, "--against", "memory")
    assert (again.code, again.err) == (0, "")
    assert "it ends in a violation of no-bump-after-commit" in again.out


def test_limits_and_expectations_are_those_of_one_copy() -> None:
    # One lamp has 4 states, and two have 16.
    assert fenceproof("check", f"{TOYS}:Lamps", "--max-states", "4", "--quiet").code == 0
    assert fenceproof("check", f"{TOYS}:Lamps", "--max-states", "3", "--quiet").code == 3
    assert fenceproof("check", f"{TOYS}:Lamps", "--max-states", "4", "--all-copies", "--quiet").code == 3
    blinks = fenceproof("check", f"{TOYS}:Blinks", "--expect", "violated:all_lit", "--quiet")
    assert blinks.code == 0

"""`fenceproof check --engine bmc` as a person uses it: bounded, said to be bounded, and never taken for more."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command import RESTS, fenceproof, model_file

LEASE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "lease.py"
SCHEMA = json.loads(files("fenceproof.checker").joinpath("report/report.schema.json").read_text())
VALIDATOR: Any = jsonschema.Draft202012Validator(SCHEMA)


def report(*arguments: str | Path) -> tuple[int, dict[str, Any]]:
    ran = fenceproof("check", *arguments, "--engine", "bmc", "--json")
    found: dict[str, Any] = json.loads(ran.out)
    VALIDATOR.validate(found)
    return ran.code, found


def test_a_bounded_verdict_is_worded_as_bounded_everywhere() -> None:
    code, found = report("fenced", "--depth", "5")
    assert (code, found["verdict"], found["bound"]) == (3, "holds up to 5", 5)
    assert found["states"] == {"distinct": None, "generated": None, "depth": 6, "complete": False}
    said = {p["name"]: (p["verdict"], p["witnesses"], p["remark"]) for p in found["properties"]}
    liveness = "bmc does not judge liveness; use --engine explicit"
    assert said.pop("settles") == ("inconclusive", None, liveness)
    assert set(said.values()) == {("holds up to 5", None, None)}
    assert "every behaviour of up to 5 steps" in found["claim"]
    assert "Not checked: longer behaviours" in found["claim"]


def test_the_same_for_people() -> None:
    ran = fenceproof("check", LEASE, "--engine", "bmc", "--depth", "4")
    assert ran.code == 3
    assert "holds up to 4" in ran.out
    assert "distinct" not in ran.out
    assert fenceproof("check", LEASE, "--engine", "bmc", "--depth", "4", "--quiet").out.endswith(": holds up to 4\n")


def test_a_violation_within_the_depth_has_its_trace_and_exit_1() -> None:
    code, found = report(LEASE, "--set", "fenced=false", "--depth", "5")
    fallen = {p["name"]: len(p["trace"]["steps"]) for p in found["properties"] if p["trace"] is not None}
    assert (code, found["verdict"], fallen["never_backwards"]) == (1, "violated", 5)
    assert report(LEASE, "--set", "fenced=false", "--depth", "4", "--property", "never_backwards")[0] == 3


def test_what_was_not_tested_so_far_is_vacuous_so_far_and_no_exit_4() -> None:
    model_file(
        RESTS.replace("Model, Range", "Model, Range, implies, invariant")
        .replace("most: int = 1", "most: int = 9")
        .replace("self.n = 1\n", "self.n = 0 if self.n == 9 else self.n + 1\n")
        + "\n    @invariant\n    def late(self) -> bool:\n        return implies(self.n == 5, self.n > 4)\n"
    )
    code, found = report("mine.py", "--property", "late", "--depth", "4")
    assert (code, found["verdict"], found["properties"][0]["verdict"]) == (3, "holds up to 4", "vacuous up to 4")
    code, found = report("mine.py", "--property", "late", "--depth", "5")
    assert (code, found["properties"][0]["verdict"]) == (3, "holds up to 5")


def test_expecting_that_it_holds_is_not_met_by_a_bound() -> None:
    assert fenceproof("check", LEASE, "--engine", "bmc", "--depth", "3", "--expect", "holds", "--quiet").code == 3
    assert fenceproof("check", LEASE, "--expect", "holds", "--quiet").code == 0


def test_liveness_alone_is_inconclusive() -> None:
    code, found = report("fenced", "--property", "settles", "--depth", "2")
    assert (code, found["verdict"]) == (3, "inconclusive")


def test_a_model_error_is_found_with_its_trace() -> None:
    model_file(RESTS.replace("self.n = 1\n", "self.n += 1\n"))
    code, found = report("mine.py", "--depth", "5")
    assert (code, found["verdict"], len(found["model_error"]["trace"]["steps"])) == (2, "model error", 1)


def test_calls_that_share_nothing_are_one_here_too() -> None:
    code, found = report("fenced", "--calls", "2", "--depth", "2")
    assert (code, found["independence"]["copies"]) == (3, 2)


def test_several_models_are_listed_with_their_bound() -> None:
    ran = fenceproof("check", LEASE, "--all", "--engine", "bmc", "--depth", "2")
    assert ran.code == 3
    assert "1 model: 1 holds up to 2." in ran.out
    assert json.loads(fenceproof("check", LEASE, "--all", "--engine", "bmc", "--depth", "2", "--json").out)[
        "verdict"
    ] == ("holds up to 2")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--engine", "bmc", "--depth", "0"], "'--depth': 0 is not in the range x>=1"),
        (["--depth", "3"], "Write --engine bmc --depth 3"),
        (["--engine", "bmc", "--max-states", "3"], "--max-states is for the engine explicit"),
    ],
)
def test_what_has_no_meaning_is_refused(arguments: list[str], said: str) -> None:
    assert said in fenceproof("check", LEASE, *arguments).message


def test_a_time_limit_is_a_reason() -> None:
    code, found = report("fenced", "--time", "1e-9")
    assert (code, found["verdict"], found["stopped"]) == (3, "inconclusive", "the search took more than 1e-09 seconds")

"""`check --engine all` as a person runs it: what each engine says, beside each other, and the gravest of ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import RESTS, fenceproof, model_file

#: Replaces an engine by one that says that everything holds, as soon as the model's file is imported.
LIES = """
from dataclasses import replace

from fenceproof.checker import engines
from fenceproof.checker.engines import explicit
from fenceproof.checker.verdict import Verdict


def lies(system, **_):
    found = explicit.check(system)
    said = tuple(replace(p, verdict=Verdict.HOLDS, trace=None, witnesses=0) for p in found.properties)
    return replace(found, engine="bmc", properties=said)


engines.ENGINES["bmc"] = lies
"""
LOW = "@invariant\n    def low(self) -> bool:\n        return self.n < 1\n\n    @terminal"
BAD = RESTS.replace("@terminal", LOW).replace("action, terminal", "action, invariant, terminal")
#: It may stay where it began for ever: a goal that only the explicit engine can say is not met.
STAYS = RESTS.replace("action, terminal", "action, eventually, terminal").replace(
    "@terminal", "@eventually()\n    def ends(self) -> bool:\n        return self.n == 1\n\n    @terminal"
)
#: Replaces the explicit engine by one whose process is killed.
KILLED = """
import os
import signal

from fenceproof.checker import engines

engines.ENGINES["explicit"] = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("engine", ["bmc", "kinduction", "pdr", "enclose"])
def test_what_an_engine_does_not_judge_is_listed_and_is_no_success(engine: str) -> None:
    model_file(STAYS)
    ran = fenceproof("check", "mine.py", "--engine", engine)
    rows = [" ".join(line.split()) for line in ran.out.splitlines()]
    method = "k-induction" if engine == "kinduction" else engine
    assert f"ends inconclusive {method} does not judge liveness; use --engine explicit" in rows
    assert ran.code == 3


def test_a_goal_that_one_engine_alone_judges_is_shown_for_all() -> None:
    model_file(STAYS)
    ran = fenceproof("check", "mine.py", "--engine", "all")
    rows = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert "ends violated in 0 steps inconclusive inconclusive inconclusive inconclusive" in rows
    assert (ran.code, "Traceback" in ran.err, "internal error" in ran.err) == (1, False, False)


def test_a_goal_is_left_open_where_the_engine_that_judges_it_is_killed() -> None:
    model_file(STAYS + KILLED)
    ran = fenceproof("check", "mine.py", "--engine", "all", "--json")
    written = json.loads(ran.out)
    assert {p["name"]: p["verdict"] for p in written["properties"]}["ends"] == "inconclusive"
    assert (ran.code, written["verdict"]) == (3, "inconclusive")


def test_each_engine_is_shown_beside_the_others() -> None:
    model_file(BAD)
    ran = fenceproof("check", "mine.py", "--engine", "all")
    rows = [line.split() for line in ran.out.splitlines()]
    assert ["low", "violated", "in", "1", "step", "violated", "in", "1", "step"] in [row[:9] for row in rows]
    assert ran.code == 1


def test_the_document_lists_what_each_engine_said() -> None:
    model_file(BAD)
    ran = fenceproof("check", "mine.py", "--engine", "all", "--json")
    written = json.loads(ran.out)
    assert (ran.code, written["engine"], written["verdict"]) == (1, "all", "violated")
    low = [(e["engine"], p["verdict"], p["steps"]) for e in written["engines"] for p in e["properties"][:1]]
    assert low[:2] == [("explicit", "violated", 1), ("bmc", "violated", 1)]


@pytest.mark.parametrize("options", [[], ["--json"], ["--quiet"]], ids=["text", "json", "quiet"])
def test_engines_that_disagree_end_with_70_and_both_claims(options: list[str]) -> None:
    model_file(BAD + LIES)
    ran = fenceproof("check", "mine.py", "--engine", "all", *options)
    assert ran.code == 70
    assert "of low, explicit says: violated in 1 step; bmc says: holds" in ran.err
    assert "Please report this" in ran.err
    assert "mine-low-explicit.json" in [path.name for path in Path("fenceproof-traces").iterdir()]
    assert ("explicit says: violated in 1 step." in ran.out) is (not options)


def test_all_models_of_a_file_may_be_asked_of_all_engines() -> None:
    model_file(BAD)
    ran = fenceproof("check", "mine.py", "--all", "--engine", "all")
    assert (ran.code, "violated" in ran.out) == (1, True)


@pytest.mark.slow
def test_each_engine_says_what_it_looked_at_where_none_saw_everything() -> None:
    ran = fenceproof("check", "fenced", "--engine", "all", "--max-states", "100", "--property", "single-commit")
    text = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    for looked_at in (
        "checked explicit: only part of the states of fenced, because more than 100 states: ",
        "bmc: every behaviour of up to 20 steps of fenced; the states in it were not counted",
        "kinduction: behaviours of any length of fenced, by induction; ",
        "pdr: behaviours of any length of fenced, by inductive invariants where it is proved; ",
        "enclose: only part of the states of fenced, because more than 100 states: ",
    ):
        assert looked_at in text
    assert "every reachable state of fenced" not in text


@pytest.mark.slow
def test_a_violation_without_bounds_is_shown_with_its_trace() -> None:
    named = ("--epochs", "any", "--property", "single-commit")
    ran = fenceproof("check", "last-writer", *named, "--engine", "all")
    alone = fenceproof("check", "last-writer", *named, "--engine", "pdr", "--json", "--out", "alone")
    assert ran.code == 1
    assert "single-commit is violated in 4 steps. It says:" in ran.out
    assert "deliver_again(call=0, kind=success, epoch=1)  [fault: duplicate]" in ran.out
    saved = Path("fenceproof-traces/last-writer-single-commit.json")
    assert json.loads(saved.read_text()) == json.loads(alone.out)["properties"][0]["trace"]
    assert fenceproof("replay", saved, "--quiet").code == 0


def test_a_tiny_time_is_inconclusive() -> None:
    ran = fenceproof("check", "fenced", "--calls", "2", "--all-copies", "--engine", "all", "--time", "0.01", "--quiet")
    assert ran.code == 3
    assert "inconclusive" in ran.out or "holds up to" in ran.out

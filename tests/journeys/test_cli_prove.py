"""`fenceproof prove` as a person runs it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command import RESTS, fenceproof, model_file
from fenceproof.checker.certificate.document import digest

SCHEMA = json.loads(files("fenceproof.checker").joinpath("report/report.schema.json").read_text())
VALIDATOR: Any = jsonschema.Draft202012Validator(SCHEMA)
TOYS = Path(__file__).resolve().parents[1] / "toys" / "copies.py"


def test_every_safety_property_of_the_fenced_planner_is_proved_for_any_number_of_calls() -> None:
    ran = fenceproof("prove", "fenced", "--epochs", "3")
    assert ran.code == 0
    assert ran.out.count("proved  ") == 13  # twelve verdicts and the claim
    assert "epochs was given, so nothing was looked into without a bound" in ran.out
    assert "inconclusive" not in ran.out
    assert "calls share nothing: checked on the transition system, which with calls=2 and with calls=3 is" in ran.out
    assert "the verdict is that for any number of calls that are such copies" in ran.out
    assert "settles (liveness)" in ran.out
    assert "record[0].committed == 0  =>  outbox[0].pending" in ran.out


def test_with_a_budget_for_all_a_proof_is_of_one_call_only() -> None:
    ran = fenceproof("prove", "fenced", "--most-faults", "2", "--property", "single-commit")
    assert ran.code == 0
    assert "of calls=1 and of no other number: --most-faults is one budget for all" in ran.out
    assert "any number of calls" not in ran.out
    assert "proved for any number of epochs (epochs=any)" in " ".join(ran.out.split())


def test_copies_that_share_are_proved_for_their_number_only() -> None:
    ran = fenceproof("prove", f"{TOYS}:SharedCounter", "--set", "lamps=2", "--quiet")
    assert ran.out.startswith(f"{TOYS}:SharedCounter: ")
    assert "any number" not in fenceproof("prove", f"{TOYS}:SharedCounter", "--set", "lamps=1").out


def test_a_property_of_each_copy_is_proved_for_any_number_beside_one_of_all_of_them() -> None:
    given = (f"{TOYS}:BoundsTheSum", "--set", "lamps=1")
    whole = fenceproof("prove", *given)
    assert "of lamps=1 and of no other number: at_most_one_used is not shown to be about each copy alone" in whole.out
    chosen = ("--property", "never_dark_again", "--out", "cert.json")
    assert "share nothing" in fenceproof("prove", *given, *chosen).out
    checked = fenceproof("recheck", "cert.json", "--model", f"{TOYS}:BoundsTheSum")
    assert checked.code == 0
    assert "lamps share nothing: compared again with 2 and 3 lamps" in checked.out


def test_a_certificate_that_says_what_copies_do_not_keep_is_refused() -> None:
    given = (f"{TOYS}:BoundsTheSum", "--set", "lamps=1")
    fenceproof("prove", *given, "--property", "never_dark_again", "--out", "of_each.json")
    fenceproof("prove", *given, "--out", "cert.json")
    document, of_each = (json.loads(Path(name).read_text()) for name in ("cert.json", "of_each.json"))
    assert document["parts"][0]["independence"] is None
    for field in ("independence", "assumptions"):
        document["parts"][0][field] = of_each["parts"][0][field]
    Path("cert.json").write_text(json.dumps({**document, "digest": digest(document)}))
    ran = fenceproof("recheck", "cert.json", "--model", f"{TOYS}:BoundsTheSum")
    assert (ran.code, ran.err) == (70, "fenceproof: cert.json: refused: it was not shown that lamps share nothing.\n")


@pytest.mark.slow
def test_what_the_numbers_in_an_invariant_stand_for_is_said() -> None:
    lease = Path(__file__).resolve().parents[2] / "docs" / "examples" / "lease.py"
    ran = fenceproof("prove", lease, "--property", "holder_has_newest", "--engine", "enclose", "--invariant")
    assert ran.code == 0
    assert "  Here -1 is none in holder; 0 is none in token[0], token[1].\n" in ran.out
    ran = fenceproof("prove", "fenced", "--property", "effect-matches-record", "--engine", "enclose", "--invariant")
    assert "-1 is none, 0 is success, 1 is compensated in record[0].outcome" in ran.out
    ran = fenceproof("prove", "fenced", "--property", "no-ghost", "--engine", "enclose", "--invariant")
    assert "no-ghost follows from an invariant of 1 clause:" in ran.out and "Here" not in ran.out


def test_where_one_engine_was_enough_nothing_is_laid_beside_it() -> None:
    ran = fenceproof("prove", model_file(RESTS))
    assert ran.code == 0
    assert "as each engine has it" not in ran.out and "\n\n\n" not in ran.out


def test_a_violated_property_is_shown_with_its_shortest_trace_which_is_saved() -> None:
    ran = fenceproof("prove", "last-writer", "--property", "single-commit")
    assert ran.code == 1
    assert "single-commit is violated in 4 steps" in ran.out
    assert "trace saved: fenceproof-traces/last-writer-single-commit.json" in ran.err


def test_the_report_has_the_whole_invariant() -> None:
    ran = fenceproof("prove", "fenced", "--property", "effect-matches-record", "--epochs", "3", "--json")
    written = json.loads(ran.out)
    VALIDATOR.validate(written)
    assert (ran.code, written["verdict"]) == (0, "proved")
    (found,) = written["properties"]
    assert "record[0].outcome == 1  =>  not world[0].reserved" in found["invariant"]


PLAIN = ("single-commit", "write-ahead", "apply-once")


def test_what_is_proved_with_and_without_bounds_is_said_apart_and_certified() -> None:
    named = [word for name in PLAIN for word in ("--property", name)]
    ran = fenceproof("prove", "fenced", *named, "--out", "cert.json", "--json")
    written = json.loads(ran.out)
    VALIDATOR.validate(written)
    assert (ran.code, written["parameters"]["epochs"]) == (0, 3)
    beyond = written["unbounded"]
    assert (beyond["parameters"], beyond["verdict"]) == ({"calls": 1, "epochs": "any"}, "proved")
    assert sorted(p["name"] for p in beyond["properties"]) == sorted(PLAIN)
    assert beyond["independence"]["any_number"]
    assert "certificate written: cert.json (accepted by z3" in ran.err
    again = fenceproof("recheck", "cert.json")
    assert again.code == 0
    assert "any number of calls, epochs=3: " in again.out
    assert "any number of calls, any number of epochs: " in again.out
    assert again.out.count("calls share nothing: compared again with 2 and 3 calls") == 2
    assert again.out.count("cvc5") == 2
    assert "cannot read integers" in again.out
    document = json.loads(Path("cert.json").read_text())
    document["parts"][1]["independence"]["shown_for"] = [2, 4]
    Path("cert.json").write_text(json.dumps({**document, "digest": digest(document)}))
    assert "it was not shown that calls share nothing" in fenceproof("recheck", "cert.json").err


#: One property that no number of states violates, and one that two do.
HALF = RESTS.replace(
    "    @terminal",
    """    @invariant
    def low(self) -> bool:
        return self.n < 1

    @invariant
    def high(self) -> bool:
        return self.n < 2

    @terminal""",
).replace("action, terminal", "action, invariant, terminal")


def test_a_certificate_says_which_properties_it_is_of_where_others_are_violated() -> None:
    model_file(HALF)
    ran = fenceproof("prove", "mine.py", "--quiet", "--out", "cert.json")
    assert (ran.code, ran.out) == (1, "mine.py: violated: low (1 step)\n")
    assert "certificate written: cert.json (of high, no-deadlock; accepted by z3" in ran.err
    ran = fenceproof("prove", "mine.py", "--property", "low", "--quiet", "--out", "none.json")
    assert (ran.code, Path("none.json").exists()) == (1, False)
    assert "no property was proved by an inductive invariant, so none.json was not written" in ran.err
    ran = fenceproof("prove", "mine.py", "--property", "high", "--quiet", "--out", "cert.json")
    assert "certificate written: cert.json (accepted by z3" in ran.err


@pytest.mark.parametrize("path", ["no/cert.json", "file/cert.json", "folder", "/proc/cert.json"])
def test_where_no_certificate_can_be_written_nothing_is_proved_first(path: str) -> None:
    Path("file").write_text("")
    Path("folder").mkdir()
    # The model would end the run if it were read.
    model_file("raise SystemExit('it was read')")
    assert path in fenceproof("prove", "mine.py", "--out", path).message
    assert sorted(p.name for p in Path().iterdir()) == ["file", "folder", "mine.py"]


@pytest.mark.parametrize("options", [["--quiet"], ["--json"], []], ids=["quiet", "json", "text"])
def test_a_full_disk_costs_no_proof_and_is_no_success(options: list[str]) -> None:
    model_file(HALF)
    ran = fenceproof("prove", "mine.py", "--property", "high", "--out", "/dev/full", *options)
    assert (ran.code, "proved" in ran.out) == (2, True)
    assert (
        ran.err == "fenceproof: /dev/full cannot be written: No space left on device. Name another file: --out FILE\n"
    )
    ran = fenceproof("prove", "mine.py", "--out", "/dev/full", *options)
    assert (ran.code, "violated" in ran.out) == (1, True)


#: Counts up to a number, or without end; waiting for the proof without end is interrupted, as by Ctrl-C.
ENDLESS = """
import os
import signal
from typing import Literal

from fenceproof.checker import aside
from fenceproof.model import Model, Natural, Range, action, invariant, require, terminal


def interrupted(_: aside.Aside) -> None:
    os.kill(os.getpid(), signal.SIGINT)


aside.Aside.result = interrupted


class Counts(Model):
    unbounded = {"most": "any"}

    def __init__(self, most: int | Literal["any"] = 2) -> None:
        self.is_endless = most == "any"
        self.last = 0 if most == "any" else most
        self.n = Natural() if most == "any" else Range(0, most)
        self.seen = Natural() if most == "any" else Range(0, most)

    @action
    def up(self) -> None:
        require(self.is_endless or self.n < self.last)
        self.n += 1

    @action
    def look(self) -> None:
        self.seen = self.n

    @invariant
    def seen_is_past(self) -> bool:
        return self.seen <= self.n

    @terminal
    def anywhere(self) -> bool:
        return True
"""


def test_an_interrupt_while_waiting_for_the_proof_without_bounds_keeps_the_one_with_them() -> None:
    model_file(ENDLESS)
    named = ("--property", "seen_is_past", "--out", "cert.json")
    ran = fenceproof("prove", "mine.py", *named)
    text = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (130, "fenceproof: the run was interrupted, so cert.json was not written.\n")
    assert "seen_is_past proved by " in text
    assert "most=2 only seen_is_past (inconclusive without); the proof was interrupted" in text
    ran = fenceproof("prove", "mine.py", *named, "--quiet")
    assert (ran.code, ran.out) == (
        130,
        "mine.py: proved; with most=any: inconclusive: seen_is_past (the proof was interrupted)\n",
    )
    ran = fenceproof("prove", "mine.py", *named, "--json")
    written = json.loads(ran.out)
    VALIDATOR.validate(written)
    assert (ran.code, written["verdict"], written["unbounded"]["stopped"]) == (
        130,
        "proved",
        "the proof was interrupted",
    )
    model_file(ENDLESS.replace("aside.Aside.result = interrupted", ""))
    ran = fenceproof("prove", "mine.py", *named, "--quiet")
    assert (ran.code, ran.out) == (0, "mine.py: proved; with most=any: proved\n")


@pytest.mark.slow
def test_of_a_race_each_engine_says_what_it_looked_at() -> None:
    ran = fenceproof("prove", "fenced", "--epochs", "3", "--max-states", "1", "--property", "single-commit")
    text = " ".join(ran.out.split())
    assert ran.code == 0
    assert "checked enclose: only part of the states of fenced with calls=1, because more than 1 states: 5 dis" in text
    assert "pdr: behaviours of any length of fenced with calls=1, by inductive invariants where it is proved; " in text
    assert "every reachable state of fenced" not in text


def test_a_limit_of_states_leaves_it_inconclusive() -> None:
    ran = fenceproof("prove", "fenced", "--engine", "enclose", "--max-states", "1000", "--quiet")
    assert ran.code == 3
    assert "more than 1,000 states" in ran.out


def test_liveness_is_not_proved_and_said_so() -> None:
    assert (
        "settles is about what happens in the end (liveness)"
        in fenceproof("prove", "fenced", "--property", "settles").message
    )


def test_an_action_that_is_never_enabled_makes_a_proof_vacuous() -> None:
    more = """
    @action
    def down(self) -> None:
        require(self.n > 1)
        self.n = 0
"""
    model_file((RESTS + more).replace("terminal\n", "require, terminal\n", 1).replace("most: int = 1", "most: int = 2"))
    ran = fenceproof("prove", "mine.py", "--quiet")
    assert ran.code == 4
    assert "no state enables down" in ran.out


def test_pdr_is_an_engine_of_check() -> None:
    ran = fenceproof("check", "fenced", "--engine", "pdr", "--property", "single-commit", "--quiet")
    assert (ran.code, ran.out) == (0, "fenced: proved\n")


def test_pdr_does_not_say_that_it_visited_states() -> None:
    written = json.loads(fenceproof("check", "fenced", "--engine", "pdr", "--property", "single-commit", "--json").out)
    VALIDATOR.validate(written)
    assert (written["states"]["distinct"], written["states"]["generated"]) == (None, None)
    assert written["claim"].startswith(
        "Checked: behaviours of any length of fenced, by inductive invariants where it is proved; "
        "the states in them were not counted. "
    )
    ran = fenceproof("check", "fenced", "--engine", "pdr", "--property", "single-commit", "--time", "0.0001")
    assert "where it is proved; no more, because the search took more than 0.0001 seconds" in " ".join(ran.out.split())

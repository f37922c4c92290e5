"""The report of a run, for machines and for people: it says what was found, and fits its schema."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from fenceproof.checker import check
from fenceproof.checker.limits import Limits
from fenceproof.checker.report.claim import claim
from fenceproof.checker.report.document import document
from fenceproof.checker.report.save import file_name, save_traces
from fenceproof.checker.report.summary import summary, untested_why
from fenceproof.checker.report.text import print_result
from fenceproof.checker.result import CheckResult
from fenceproof.checker.verdict import Verdict
from fenceproof.model import (
    Model,
    Range,
    Set,
    Step,
    action,
    fault,
    implies,
    invariant,
    quiescent,
    require,
    step_property,
    terminal,
)
from rich.console import Console

SCHEMA: Any = json.loads(files("fenceproof.checker").joinpath("report/report.schema.json").read_text())
VALIDATOR: Any = jsonschema.Draft202012Validator(SCHEMA)


class Walker(Model):
    """Walks from 0 to its last step and begins anew."""

    def __init__(self, last: int = 3, sharp: bool = False) -> None:
        self.last = last
        self.n = Range(0, last)
        self.seen = Set(Range(0, last))

    @action(by=(1, 2))
    def walk(self, by: int) -> str:
        require(self.n + by <= self.last)
        self.n += by
        self.seen.add(self.n)
        return "far" if by == 2 else "near"

    @action
    def again(self) -> None:
        require(self.n == self.last)
        self.n = 0

    @fault("slip", budget=2)
    @action
    def slip(self) -> None:
        require(self.n == 2)
        self.n = 0

    @invariant
    def in_range(self) -> bool:
        """The walker stays on its way."""
        return self.n <= self.last


class Short(Walker):
    """Walks, and should not come to 3."""

    @invariant(name="never-3")
    def never_three(self) -> bool:
        """The walker never gets to 3."""
        return self.n != 3

    @step_property(name="no-slip")
    def no_slip(self, step: Step) -> bool:
        """Nobody slips."""
        return step.action != "slip"


class Untested(Walker):
    @invariant
    def beyond(self) -> bool:
        """What lies beyond is odd."""
        return implies(self.n > 2, self.n == 3) if self.last < 3 else implies(self.n < 0, self.n == 3)


class Careless(Walker):
    @action
    def leap(self) -> None:
        self.n += 2


RESULTS = {
    "holds": check(Walker(sharp=True)),
    "violated": check(Short()),
    "inconclusive": check(Walker(), limits=Limits(max_states=2)),
    "vacuous": check(Untested()),
    "model error": check(Careless()),
}
CASES = pytest.mark.parametrize("verdict", RESULTS)


def as_text(result: CheckResult, target: str = "walker.py") -> str:
    """What a person reads, without colour and on wide paper."""
    out = StringIO()
    print_result(Console(file=out, width=200, no_color=True, highlight=False), target, result)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


class Rests(Walker):
    """Comes to rest where it may, and then is asked something."""

    def __init__(self, restless: bool) -> None:
        super().__init__()
        self.restless = restless

    @action
    def turn(self) -> None:
        require(self.restless)
        self.n = 0

    @action
    def again(self) -> None:
        require(self.n == self.last and self.restless)
        self.n = 0

    @terminal
    def arrived(self) -> bool:
        return self.n == self.last

    @quiescent
    def at_end(self) -> bool:
        return self.n == self.last

    @quiescent
    def never_back(self) -> bool:
        return implies(self.n == 0, self.restless)


@pytest.mark.parametrize(
    ("restless", "said"),
    [
        (True, {"at_end": "no quiescent state was reached", "never_back": "antecedent true in no quiescent state"}),
        (False, {"never_back": "antecedent true in no quiescent state"}),
    ],
)
def test_a_vacuous_property_of_quiescent_states_says_what_was_not_there(restless: bool, said: dict[str, str]) -> None:
    result = check(Rests(restless))
    told = {p.name: untested_why(result, p) for p in result.properties if p.verdict is Verdict.VACUOUS}
    assert told == said
    for name, why in said.items():
        assert f"{name} ({why})" in summary(result)
        assert f"never put to the test: {why}" in as_text(result)


@CASES
def test_a_report_fits_the_shipped_schema(verdict: str) -> None:
    written = json.loads(json.dumps(document("walker.py", RESULTS[verdict])))
    VALIDATOR.validate(written)
    assert (written["format"], written["version"], written["verdict"]) == ("fenceproof-report", 1, verdict)


def test_the_schema_is_a_schema_and_allows_nothing_that_a_report_does_not_say() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    written: Any = document("walker.py", RESULTS["violated"])
    for spoiled in (
        {**written, "more": 1},
        {**written, "verdict": "ok"},
        {**written, "version": 2},
        {k: v for k, v in written.items() if k != "claim"},
        {**written, "states": {**written["states"], "distinct": -1}},
        {**written, "properties": [{**written["properties"][0], "verdict": "model error"}]},
    ):
        assert not VALIDATOR.is_valid(spoiled)


def test_a_report_says_what_was_checked_and_found() -> None:
    written: Any = document("walker.py", RESULTS["violated"])
    assert {k: written[k] for k in ("target", "model", "parameters", "faults", "most_faults", "without", "engine")} == {
        "target": "walker.py",
        "model": "Short",
        "parameters": {"last": 3, "sharp": False},
        "faults": {"slip": 2},
        "most_faults": None,
        "without": [],
        "engine": "explicit",
    }
    found = RESULTS["violated"]
    states = {"distinct": found.distinct, "generated": found.generated, "depth": found.depth, "complete": True}
    assert (written["states"], written["stopped"], written["model_error"]) == (states, None, None)
    assert {p["name"]: (p["kind"], p["verdict"], p["meaning"]) for p in written["properties"]} == {
        "no-slip": ("step property", "violated", "Nobody slips."),
        "in_range": ("invariant", "holds", "The walker stays on its way."),
        "never-3": ("invariant", "violated", "The walker never gets to 3."),
        "no-deadlock": ("deadlock", "holds", written["properties"][-1]["meaning"]),
    }


def test_a_trace_in_a_report_shows_each_step_with_its_outcome_fault_and_whole_state() -> None:
    written: Any = document("walker.py", RESULTS["violated"])
    slip = next(p["trace"] for p in written["properties"] if p["name"] == "no-slip")
    assert (slip["property"], slip["loop"], slip["initial"]["n"]) == ("no-slip", None, 0)
    assert slip["steps"] == [
        {
            "action": "walk",
            "args": {"by": 2},
            "outcome": "far",
            "fault": None,
            "state": {"n": 2, "seen": [2], "spent slip": 0},
        },
        {
            "action": "slip",
            "args": {},
            "outcome": None,
            "fault": "slip",
            "state": {"n": 0, "seen": [2], "spent slip": 1},
        },
    ]


def test_a_report_tells_each_trace_and_why_it_violates() -> None:
    written: Any = document("walker.py", RESULTS["violated"])
    told = {p["name"]: (p["story"], p["why"]) for p in written["properties"]}
    system = RESULTS["violated"].system
    slip, three = system.step_properties[0].site, next(p.site for p in system.invariants if p.name == "never-3")
    assert told == {
        "no-slip": (
            "What happens: walk(by=2) → far. slip() [fault: slip]. This violates no-slip.",
            [f"it is false of any slip() ({slip})"],
        ),
        "in_range": (None, []),
        "never-3": (
            "What happens: walk(by=1) → near. walk(by=2) → far. This violates never-3.",
            [f"n != 3 is false; here n = 3 ({three})"],
        ),
        "no-deadlock": (None, []),
    }


def test_a_model_error_is_reported_with_its_line_and_trace() -> None:
    written: Any = document("walker.py", RESULTS["model error"])
    error = written["model_error"]
    assert error["story"] == "What happens: leap(). leap(). There the model goes wrong."
    assert error["why"] == ["leap() goes wrong; here n = 2"]
    assert "n" in error["message"]
    assert error["site"].startswith("tests") or "test_report.py:" in error["site"]
    assert error["trace"]["property"] is None
    assert {p["verdict"] for p in written["properties"]} == {"inconclusive"}


def test_a_stopped_run_says_why_and_that_it_is_not_complete() -> None:
    written: Any = document("walker.py", RESULTS["inconclusive"])
    assert (written["stopped"], written["states"]["complete"]) == ("more than 2 states", False)


def test_the_same_run_gives_the_same_report_but_for_the_seconds() -> None:
    first, second = (document("walker.py", check(Short())) for _ in range(2))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


@CASES
def test_the_text_names_every_property_with_its_verdict(verdict: str) -> None:
    lines = [line.split() for line in as_text(RESULTS[verdict]).splitlines()]
    for found in RESULTS[verdict].properties:
        assert [found.name, str(found.verdict)] in [words[:2] for words in lines]


def test_the_text_shows_each_shortest_trace_with_what_it_changed() -> None:
    text = as_text(RESULTS["violated"])
    for fact in (
        "walker.py: Walks, and should not come to 3.",
        "no-slip is violated in 2 steps. It says:\n  Nobody slips.",
        "never-3 is violated in 2 steps. It says:\n  The walker never gets to 3.",
        "walk(by=2)",
        "slip()  [fault: slip]",
        "n: 0 → 2",
        "seen + 2",
    ):
        assert fact in text
    assert "spent slip" not in text


def test_the_text_of_a_model_error_says_where_and_how() -> None:
    wrong = RESULTS["model error"].wrong
    assert wrong is not None
    text = as_text(RESULTS["model error"])
    assert f"{wrong.mistake.site}: {wrong.mistake.message}" in text
    assert "leap()" in text


def test_the_claim_says_how_much_was_covered_and_under_which_bounds() -> None:
    found = RESULTS["holds"]
    said = claim("walker.py", found)
    assert "every reachable state of walker.py" in said
    for fact in (f"{found.distinct:,} distinct", f"{found.generated:,} generated", "last=3, sharp=True", "slip ×2"):
        assert fact in said
    assert "liveness" in said


def test_the_claim_of_a_stopped_run_claims_no_more_than_a_part() -> None:
    said = claim("walker.py", RESULTS["inconclusive"])
    assert "only part" in said
    assert "more than 2 states" in said
    assert "every reachable state" not in said


def test_each_violated_property_is_saved_to_a_file_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert save_traces("walker.py", RESULTS["violated"], Path("a/b"))
    written = sorted(path.name for path in Path("a/b").iterdir())
    assert written == ["walker-never-3.json", "walker-no-slip.json"]
    saved = json.loads(Path("a/b/walker-no-slip.json").read_text())
    properties: Any = document("walker.py", RESULTS["violated"])["properties"]
    assert saved == next(p["trace"] for p in properties if p["name"] == "no-slip")
    said = capsys.readouterr()
    assert (said.out, said.err.count("trace saved: ")) == ("", 2)


def test_a_file_that_cannot_be_written_costs_none_of_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    Path("out/walker-no-slip.json").mkdir(parents=True)
    assert not save_traces("walker.py", RESULTS["violated"], Path("out"))
    assert json.loads(Path("out/walker-never-3.json").read_text())["property"] == "never-3"
    said = capsys.readouterr().err
    assert "the trace of no-slip was not saved to out/walker-no-slip.json: Is a directory." in said
    assert "trace saved: out/walker-never-3.json" in said


def test_where_nothing_is_violated_nothing_is_written() -> None:
    assert save_traces("walker.py", RESULTS["holds"], Path("out"))
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("name", "file"),
    [("fenced", "fenced"), ("no-ghost", "no-ghost"), ("../../etc/mine.py:Walker", "mine-Walker"), ("a b/c:d", "c-d")],
)
def test_a_file_is_named_after_the_model_and_stays_in_its_folder(name: str, file: str) -> None:
    assert file_name(name) == file


def test_a_parameter_that_is_none_is_reported_as_null() -> None:
    system = replace(RESULTS["holds"].system, parameters={"last": None})
    written = document("walker.py", replace(RESULTS["holds"], system=system))
    VALIDATOR.validate(json.loads(json.dumps(written)))
    assert written["parameters"] == {"last": None}


class Stuck(Model):
    """Ends, and does not say that it may."""

    def __init__(self) -> None:
        self.n = Range(0, 1)

    @action
    def end(self) -> None:
        require(self.n == 0)
        self.n = 1


class Asks(Stuck):
    """Asks for what it says that it has, and does not have."""

    asks: int

    @invariant
    def asked(self) -> bool:
        return self.asks == 0


def test_a_deadlock_of_a_model_without_an_end_says_how_to_give_it_one() -> None:
    hint = "If it may end there, say so in a method marked @terminal; the model has none."
    assert hint in as_text(check(Stuck()))
    assert "@terminal" not in as_text(RESULTS["violated"])


def test_one_level_is_one_level_and_a_question_ends_in_its_mark() -> None:
    text = as_text(check(Asks()))
    assert "1 level\n" in text and "Did you mean asked?\n" in text, text

"""A model that goes wrong: said first, never taken for a violation, its trace saved under a name of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import fenceproof, model_file

COUNTS = """
from fenceproof.model import Model, Range, Step, action, invariant, step_property, terminal


class Counts(Model):
    def __init__(self) -> None:
        self.n = Range(0, 3)

    @action
    def up(self) -> None:
        self.n = min(self.n + 1, 3)

    @{property}
    def odd(self{step}) -> bool:
        return 6 // (2 - {value}) < 9
"""
OF_STATES = COUNTS.format(property="invariant", step="", value="self.n")
OF_STEPS = COUNTS.format(property="step_property", step=", step: Step", value="step.after.n")
RESTING = COUNTS.format(property="terminal", step="", value="self.n")
#: A property that goes wrong wherever it is asked has no value anywhere.
ALWAYS = COUNTS.format(property="invariant", step="", value="self.n").replace("6 // (2 - self.n) < 9", "{}['gone']")
ALWAYS_OF_STEPS = OF_STEPS.replace("6 // (2 - step.after.n) < 9", "{}['gone']")
ALWAYS_RESTING = RESTING.replace("6 // (2 - self.n) < 9", "{}['gone']")
CASES = pytest.mark.parametrize(
    "text",
    [OF_STATES, OF_STEPS, ALWAYS, ALWAYS_OF_STEPS],
    ids=["invariant", "step property", "invariant always", "step property always"],
)
GOES_WRONG = """mine.py

The model itself goes wrong: mine.py:15: ZeroDivisionError: integer division or modulo by zero.
What happens: up(). up(). There the model goes wrong.
      action  outcome  changes
  1.  up()             n: 0 → 1
> 2.  up()             n: 1 → 2
Why: odd cannot be judged; here {n} = 2

odd"""


@CASES
def test_a_property_whose_own_evaluation_goes_wrong_is_inconclusive_and_never_violated(text: str) -> None:
    model_file(text)
    ran = fenceproof("check", "mine.py", "--json", "--out", "traces")
    written = json.loads(ran.out)
    assert (ran.code, written["verdict"]) == (2, "model error")
    found = {p["name"]: (p["verdict"], p["witnesses"], p["trace"]) for p in written["properties"]}
    assert found == {"odd": ("inconclusive", 0, None), "no-deadlock": ("inconclusive", 0, None)}


def test_what_is_wrong_in_an_initial_state_is_shown_with_that_state() -> None:
    model_file(OF_STATES.replace("2 - self.n", "0 - self.n"))
    ran = fenceproof("check", "mine.py")
    assert ran.code == 2
    told = "What happens: Nothing has happened yet. There the model goes wrong.\n"
    where = '  in the initial state {"n": 0}\nWhy: odd cannot be judged; here n = 0\n\nodd'
    assert f"integer division or modulo by zero.\n{told}{where}" in ran.out
    assert "changes" not in ran.out
    model_file(OF_STATES.replace("6 // (2 - self.n) < 9", "self.n > 0"))
    ran = fenceproof("check", "mine.py")
    told = "What happens: Nothing has happened yet. This violates odd.\n"
    assert f'odd is violated in 0 steps.\n{told}  in the initial state {{"n": 0}}\nWhy: n > 0 is false; ' in ran.out


@pytest.mark.parametrize(("text", "n"), [(OF_STATES, "n"), (OF_STEPS, "n'")], ids=["invariant", "step property"])
def test_what_went_wrong_with_the_model_stands_above_the_table(text: str, n: str) -> None:
    model_file(text)
    ran = fenceproof("check", "mine.py")
    assert ran.out.startswith(GOES_WRONG.format(n=n)), ran.out
    assert "violated" not in ran.out


def test_what_goes_wrong_everywhere_is_laid_on_no_value() -> None:
    model_file(ALWAYS)
    assert "\nWhy: odd cannot be judged, whatever the state\n" in fenceproof("check", "mine.py").out


def test_the_trace_of_a_model_error_is_saved_as_such_and_can_be_replayed() -> None:
    model_file(OF_STATES)
    ran = fenceproof("check", "mine.py")
    assert (ran.code, ran.err) == (2, "trace saved: fenceproof-traces/mine-model-error.json\n")
    assert [path.name for path in Path("fenceproof-traces").iterdir()] == ["mine-model-error.json"]
    again = fenceproof("replay", "fenceproof-traces/mine-model-error.json", "--model", "mine.py", "--quiet")
    assert (again.code, again.out) == (
        0,
        "fenceproof-traces/mine-model-error.json: 2 steps replayed on mine.py; there the model itself goes wrong: "
        "mine.py:15: ZeroDivisionError: integer division or modulo by zero.\n",
    )


def test_a_trace_to_where_a_property_goes_wrong_does_not_replay_as_its_violation() -> None:
    model_file(ALWAYS)
    fenceproof("check", "mine.py", "--quiet", "--out", ".")
    saved = json.loads(Path("mine-model-error.json").read_text())
    Path("said.json").write_text(json.dumps({**saved, "property": "odd"}))
    assert "said.json: the trace does not violate odd, as it says it does." in (
        fenceproof("replay", "said.json", "--model", "mine.py", "--quiet").message
    )


@pytest.mark.parametrize("text", [RESTING, ALWAYS_RESTING])
def test_a_rest_that_cannot_be_judged_is_no_deadlock(text: str) -> None:
    text = text.replace("self.n = min(self.n + 1, 3)", "require(self.n < 2)\n        self.n += 1")
    model_file(text.replace("import Model", "import Model, require"))
    written = json.loads(fenceproof("check", "mine.py", "--json").out)
    assert [(p["name"], p["verdict"]) for p in written["properties"]] == [("no-deadlock", "inconclusive")]


def test_quiet_says_a_model_error_with_its_line() -> None:
    model_file(OF_STATES)
    ran = fenceproof("check", "mine.py", "--quiet")
    assert (ran.code, ran.out, ran.err) == (
        2,
        "mine.py: model error: mine.py:15: ZeroDivisionError: integer division or modulo by zero\n",
        "",
    )

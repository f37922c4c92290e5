"""`fenceproof refine` as a person runs it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command import fenceproof, model_file

SCHEMA = json.loads(files("fenceproof.checker").joinpath("report/refinement.schema.json").read_text())
VALIDATOR: Any = jsonschema.Draft202012Validator(SCHEMA)
TOYS = Path(__file__).resolve().parents[1] / "toys" / "refining.py"
COUNT = f"{TOYS}:Count"
FEW = ("--faults", "delay,crash")
#: A counter that begins at a number of its own.
OTHER = """def __init__(self, most: int = 3, *, least: int = 0) -> None:
        self.n = Range(0, most, start=least)"""


def test_the_fenced_planner_refines_the_atomic_fence() -> None:
    ran = fenceproof("refine", "fenced", "atomic-fence")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(
        "fenced refines atomic-fence: every step of it is a step there, or changes nothing there."
    )
    assert "every reachable state of fenced: 489,452 distinct, 4,621,292 generated, 25 levels" in ran.out
    assert "open 47,910, commit 183,168; 4,390,213 change nothing there" in ran.out
    assert "whether anything eventually happens (liveness)" in ran.out


def test_a_step_that_is_none_is_shown_with_what_it_does_there_and_its_trace_replays() -> None:
    ran = fenceproof("refine", "late-bump", "atomic-fence")
    assert ran.code == 1
    assert "late-bump does not refine atomic-fence: its step 4 is no step there." in ran.out
    assert "It says" not in ran.out
    assert 'before   record: [{"live": 1, "committed": null, "outcome": null}]' in ran.out
    assert 'after    record: [{"live": 2, "committed": 2, "outcome": "compensated"}]' in ran.out
    assert "allowed  open(call=0): record[0].live: 1 → 2" in ran.out
    saved = "fenceproof-traces/late-bump-atomic-fence-steps.json"
    assert ran.err == f"trace saved: {saved}\n"
    again = fenceproof("replay", saved, "--quiet")
    assert (again.code, again.out) == (0, f"{saved}: 4 steps replayed on late-bump.\n")


def test_the_report_of_a_pass_fits_its_schema() -> None:
    ran = fenceproof("refine", "fenced", "atomic-fence", "--json", *FEW)
    written = json.loads(ran.out)
    VALIDATOR.validate(written)
    assert (ran.code, ran.err, written["verdict"]) == (0, "", "holds")
    assert written["abstract"] == {
        "target": "atomic-fence",
        "model": "AtomicFence",
        "parameters": {"calls": 1, "epochs": 3},
        "faults": {},
    }
    assert (written["states"]["complete"], written["unmatched"], written["steps"]["trace"]) == (True, [], None)
    assert not Path("fenceproof-traces").exists()


def test_the_report_of_a_violation_fits_its_schema() -> None:
    ran = fenceproof("refine", "no-outbox", "atomic-fence", "--json", *FEW)
    written = json.loads(ran.out)
    VALIDATOR.validate(written)
    assert (ran.code, written["verdict"], written["states"]["complete"]) == (1, "violated", False)
    steps = written["steps"]
    assert len(steps["trace"]["steps"]) == 4
    assert (steps["before"]["record"][0]["live"], steps["after"]["record"][0]["committed"]) == (1, 2)
    assert {step["action"] for step in steps["allowed"]} == {"open", "commit"}


@pytest.mark.parametrize(
    ("name", "code", "verdict"),
    [
        ("Durable", 0, "holds"),
        ("InMemory", 1, "violated"),
        ("BeginsLater", 1, "violated"),
        ("Leaves", 2, "model error"),
        ("LeavesAtOnce", 2, "model error"),
        ("Constant", 4, "vacuous"),
    ],
)
def test_every_verdict_has_its_exit_code_and_fits_the_schema(name: str, code: int, verdict: str) -> None:
    ran = fenceproof("refine", f"{TOYS}:{name}", COUNT, "--json", "--set", "most=4")
    written = json.loads(ran.out)
    VALIDATOR.validate(written)
    assert (ran.code, written["verdict"]) == (code, verdict)
    assert written["abstract"]["parameters"] == {"most": 4}


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("InMemory", 1, "{} does not refine {}: its step 2 is no step there"),
        ("BeginsLater", 1, "{} does not refine {}: 1 initial state of it stands for none there"),
        (
            "Constant",
            4,
            "vacuous: that {} refines {} was not put to the test: every step stutters: none changes the state of Count",
        ),
    ],
)
def test_the_verdict_fits_one_line(name: str, code: int, said: str) -> None:
    target = f"{TOYS}:{name}"
    ran = fenceproof("refine", target, COUNT, "--quiet", "--set", "most=3")
    assert (ran.code, ran.out, ran.err) == (code, f"{said.format(target, COUNT)}\n", "")


def test_an_initial_state_that_stands_for_none_is_shown_with_those_that_there_are() -> None:
    ran = fenceproof("refine", f"{TOYS}:BeginsLater", COUNT)
    assert ran.code == 1
    assert "An initial state stands for what is no initial state of" in ran.out
    assert "it       n: 1" in ran.out and "allowed  n: 0" in ran.out
    saved = ran.err.removeprefix("trace saved: ").strip()
    assert fenceproof("replay", saved, "--model", f"{TOYS}:BeginsLater", "--quiet").code == 0


def test_a_mapping_that_goes_wrong_is_a_model_error_with_its_line() -> None:
    ran = fenceproof("refine", f"{TOYS}:Leaves", COUNT, "--quiet")
    assert ran.code == 2
    assert "refining.py:" in ran.out
    assert "the abstract n becomes greater than 3, which is outside Range(0, 3)" in ran.out


def test_an_abstract_action_that_no_step_is_is_said() -> None:
    ran = fenceproof("refine", "wait", "atomic-fence", "--faults", "none")
    assert ran.code == 0
    assert "no step is   open" in ran.out


def test_the_faults_of_the_abstract_model_have_no_limit_and_that_is_said() -> None:
    ran = fenceproof("refine", f"{TOYS}:InMemory", f"{TOYS}:Glitches")
    assert ran.code == 0
    assert "its faults without limit: glitch" in ran.out


def test_parameters_go_to_whom_they_concern() -> None:
    ran = fenceproof("refine", "fenced", "atomic-fence", "--epochs", "2", *FEW)
    assert "atomic-fence (calls=1, epochs=2)" in ran.out
    text = TOYS.read_text().replace("def __init__(self, most: int = 3) -> None:", OTHER, 1)
    text = text.replace("        self.n = Range(0, most)\n", "", 1)
    model_file(text, "other.py")
    ran = fenceproof("refine", "other.py:Durable", "other.py:Count", "--set", "least=1", "--quiet")
    assert ran.out == ("other.py:Durable does not refine other.py:Count: 1 initial state of it stands for none there\n")
    assert "least" in fenceproof("refine", f"{TOYS}:Durable", COUNT, "--set", "least=1").message
    needs = model_file(text.replace("least: int = 0", "least: int"), "needs.py")
    assert fenceproof("refine", f"{needs}:Durable", f"{needs}:Count").message == (
        "fenceproof: needs.py:Count needs a value for least: --set least=…\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("fenced",), "Missing argument 'ABSTRACT'"),
        ((), "Missing argument 'DURABLE'"),
        (("fenced", "atomic-fense"), "'atomic-fense' is not known. Did you mean atomic-fence?"),
        (("fencd", "atomic-fence"), "'fencd' is not known. Did you mean fenced?"),
        (("fenced", "nothing.py"), "there is no file nothing.py"),
        (("atomic-fence", "fenced"), "AtomicFence does not say which state of Planner a state of it stands for."),
        (("fenced", COUNT), "atomic_fence gives a value to what Count does not have."),
        (
            ("fenced", "atomic-fence", "--set", "epoch=2"),
            "The parameter of fenced and atomic-fence 'epoch' is not known",
        ),
        (("fenced", "atomic-fence", "--faults", "dely"), "The fault 'dely' is not known. Did you mean delay or"),
        (("fenced", "atomic-fence", "--time", "0"), "0"),
        (("fenced", "atomic-fence", "--max-states", "0"), "0 is not in the range"),
    ],
)
def test_what_has_no_meaning_is_refused_with_one_message(arguments: tuple[str, ...], said: str) -> None:
    assert said in fenceproof("refine", *arguments).message


def test_what_is_no_model_is_refused() -> None:
    Path("empty.py").write_text("x = 1\n")
    assert "there is no model in this file" in fenceproof("refine", "fenced", "empty.py").message


@pytest.mark.parametrize(
    ("limit", "reason"),
    [(("--max-states", "100"), "more than 100 states"), (("--time", "0.000001"), "the search took more than 1e-06 s")],
)
def test_a_limit_leaves_it_open(limit: tuple[str, str], reason: str) -> None:
    ran = fenceproof("refine", "fenced", "atomic-fence", "--json", *limit)
    written = json.loads(ran.out)
    VALIDATOR.validate(written)
    assert (ran.code, written["verdict"]) == (3, "inconclusive")
    assert reason in written["stopped"]
    assert written["unmatched"] == []


#: Somebody presses Ctrl-C while the first level is searched.
INTERRUPTS = """
import os
import signal

import fenceproof.checker.engines.explicit as engine

real = engine.Search._expand_level


def interrupted(search: engine.Search) -> None:
    real(search)
    os.kill(os.getpid(), signal.SIGINT)


signal.signal(signal.SIGINT, signal.default_int_handler)
engine.Search._expand_level = interrupted
"""


def test_an_interrupt_leaves_it_open_and_says_what_was_covered() -> None:
    model_file(TOYS.read_text() + INTERRUPTS)
    ran = fenceproof("refine", "mine.py:Durable", "mine.py:Count")
    assert ran.code == 130
    assert ran.out.startswith(
        "inconclusive: whether mine.py:Durable refines mine.py:Count is open: the search was inter"
    )
    assert "only part of the states of mine.py:Durable" in ran.out


def test_traces_that_cannot_be_saved_where_they_were_asked_for_cost_no_verdict() -> None:
    Path("taken").write_text("")
    ran = fenceproof("refine", f"{TOYS}:InMemory", COUNT, "--quiet", "--out", "taken/inside")
    assert ran.code == 1
    assert "was not saved" in ran.err

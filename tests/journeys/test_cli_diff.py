"""`fenceproof diff` as a person runs it: what it says of two models, what it saves, and what it refuses."""

from __future__ import annotations

import json
import os
import re
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command import ENVIRONMENT, FENCEPROOF, RESTS, Ran, fenceproof, model_file

SCHEMA = json.loads(files("fenceproof.checker").joinpath("report/diff.schema.json").read_text())
TRACES = Path("fenceproof-traces")
SIDES = ("mine.py:Counts", "mine.py:Down")
#: The same behaviour as that of `COUNTS`, said in another way, with a parameter and a fault of its own.
LIFT = """
from fenceproof.model import Model, Range, action, fault, require, safeguard, terminal


class Counts(Model):
    def __init__(self, most: int = 2) -> None:
        self.n = Range(0, 3)
        self.most = most

    @safeguard("limit")
    def may(self) -> bool:
        return self.n < self.most

    @action
    def up(self) -> str:
        require(self.may())
        self.n = (self.n + 1) % 4
        return "up"

    @terminal
    def anywhere(self) -> bool:
        return True


class Down(Model):
    def __init__(self, most: int = 2, start: int = 3) -> None:
        self.gone = Range(0, 4)
        self.start = start

    @action
    def up(self) -> str:
        require(self.gone + 1 < self.start)
        self.gone = self.gone + 1
        return "up"

    @fault("slip", budget=1)
    @action
    def slip(self) -> None:
        require(self.gone + 1 == self.start)

    @terminal
    def anywhere(self) -> bool:
        return True


class Wrong(Model):
    def __init__(self) -> None:
        self.n = Range(0, 1)

    @action
    def up(self) -> str:
        self.n += 1
        return "up"
"""


def document(ran: Ran) -> Any:
    found = json.loads(ran.out)
    jsonschema.validate(found, SCHEMA)
    return found


def test_a_design_is_the_same_as_itself_word_for_word() -> None:
    ran = fenceproof("diff", "fenced", "fenced", "--faults", "delay")
    assert (ran.code, ran.err) == (0, "")
    assert "fenced and fenced: equivalent" in ran.out
    assert "the two transition systems are the same, word for word" in ran.out
    assert not TRACES.exists()


def test_two_designs_part_and_both_runs_are_saved_and_replayed() -> None:
    ran = fenceproof("diff", "fenced", "late-bump", "--faults", "delay")
    assert ran.code == 1
    assert "fenced and late-bump: different" in ran.out
    saved = [TRACES / "fenced-beside-late-bump.json", TRACES / "late-bump-beside-fenced.json"]
    assert ran.err == "".join(f"trace saved: {path}\n" for path in saved)
    for path, target in zip(saved, ("fenced", "late-bump"), strict=True):
        again = fenceproof("replay", path)
        assert (again.code, again.err) == (0, "")
        assert f"steps replayed on {target}." in again.out


def test_the_document_says_the_same_from_either_side() -> None:
    model_file(LIFT)
    there = fenceproof("diff", "mine.py:Counts", "mine.py:Down", "--faults", "none", "--json")
    back = fenceproof("diff", "mine.py:Down", "mine.py:Counts", "--faults", "none", "--json")
    assert (there.code, back.code, document(there)["verdict"], document(back)["verdict"]) == (
        0,
        0,
        "equivalent",
        "equivalent",
    )
    one, other = (
        document(fenceproof("diff", *(f"mine.py:{n}" for n in names), "--json"))
        for names in (("Counts", "Down"), ("Down", "Counts"))
    )
    assert (one["verdict"], one["method"], one["pairs"], one["levels"]) == ("different", "product", 3, 3)
    slip: dict[str, object] = {"action": "slip", "args": {}, "outcome": None}
    up: dict[str, object] = {"action": "up", "args": {}, "outcome": "up"}
    for found, can in ((one, 1), (other, 0)):
        parted = found["difference"]
        assert (parted["events"], parted["event"], parted["can"]) == ([up, up], slip, can)
        assert (parted["instead"], parted["why"]) == ([], ["there is no action slip"])
        assert [len(t["steps"]) for t in parted["traces"]] == ([2, 3] if can else [3, 2])
    assert not TRACES.exists()


def test_what_only_one_side_has_is_for_that_one() -> None:
    model_file(LIFT)
    ran = fenceproof("diff", "mine.py:Counts", "mine.py:Down", "--faults", "none", "--set", "start=2", "--quiet")
    assert (ran.code, ran.out) == (
        1,
        "mine.py:Counts, mine.py:Down: different: after 1 event only mine.py:Counts can do up() with the outcome up\n",
    )
    assert ran.err == "fenceproof: checked without the parameter start, which is not in them: mine.py:Counts.\n"
    ran = fenceproof("diff", "mine.py:Counts", "mine.py:Down", "--faults", "slip", "--quiet", "--hide", "slip")
    assert (ran.code, ran.out) == (0, "mine.py:Counts, mine.py:Down: equivalent\n")
    assert ran.err == (
        "fenceproof: checked without the fault slip, which is not in them: mine.py:Counts.\n"
        "fenceproof: mine.py:Counts has no action slip to hide.\n"
    )


def test_options_are_for_both() -> None:
    model_file(LIFT)
    sides = ("mine.py:Counts", "mine.py:Counts")
    both = document(fenceproof("diff", *sides, "--set", "most=1", "--without", "limit", "--json"))
    assert [s["parameters"] for s in both["sides"]] == [{"most": 1}] * 2
    assert [s["without"] for s in both["sides"]] == [["limit"]] * 2


def test_what_is_hidden_and_ignored_is_said() -> None:
    model_file(LIFT)
    model_file(LIFT.replace('return "up"', 'return "on"'), "other.py")
    sides = ("mine.py:Counts", "other.py:Counts")
    assert fenceproof("diff", *sides, "--quiet").code == 1
    ran = fenceproof("diff", *sides, "--ignore-outcomes")
    assert ran.code == 0
    assert "by their actions and arguments, faults among them" in " ".join(ran.out.split())
    ran = fenceproof("diff", *sides, "--hide", "up")
    assert ran.code == 0
    assert re.search(r"^hidden +up *$", ran.out, re.MULTILINE)


def test_two_files_of_one_name_are_two_models() -> None:
    Path("old").mkdir()
    Path("new").mkdir()
    model_file(LIFT, "old/mine.py")
    # A line more, so that every place in the file is another.
    model_file("# Newer.\n" + LIFT.replace("< self.most", "< 1"), "new/mine.py")
    ran = fenceproof("diff", "old/mine.py:Counts", "new/mine.py:Counts")
    assert ran.code == 1
    assert "There new/mine.py:Counts cannot do up():\n  not met: n < 1\n" in ran.out


def test_a_limit_exits_with_3_and_says_what_was_covered() -> None:
    model_file(LIFT)
    sides = ("mine.py:Counts", "mine.py:Down", "--faults", "none", "--max-states", "1")
    ran = fenceproof("diff", *sides, "--json")
    found = document(ran)
    assert (ran.code, found["verdict"], found["complete"], found["difference"]) == (3, "inconclusive", False, None)
    assert found["stopped"] == "more than 1 pairs of states"
    ran = fenceproof("diff", *sides)
    assert (ran.code, ran.err) == (3, "")
    assert "only a part, because more than 1 pairs of states: 2 pairs of states, 2 levels" in ran.out
    ran = fenceproof("diff", "mine.py:Counts", "mine.py:Down", "--hide", "slip", "--max-states", "1", "--quiet")
    assert (ran.code, ran.out) == (3, "mine.py:Counts, mine.py:Down: inconclusive: more than 1 states\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fenced"], "Missing argument 'B'"),
        (["fenced", "fence"], "The target 'fence' is not known. Did you mean fenced or atomic-fence?"),
        (["fenced", "none.py"], "there is no file none.py"),
        ([*SIDES, "--set", "mots=2"], "The parameter 'mots' is not known. Did you mean most?"),
        ([*SIDES, "--set", "most=no"], "most"),
        ([*SIDES, "--faults", "slpi"], "The fault 'slpi' is not known. Did you mean slip?"),
        ([*SIDES, "--without", "limti"], "The safeguard 'limti' is not known. Did you mean limit?"),
        ([*SIDES, "--hide", "slpi"], "The action 'slpi' is not known. Did you mean slip?"),
        ([*SIDES, "--memory", "much"], "--memory much is not a size"),
        (["mine.py", "mine.py:Down"], "there are 3 models in this file"),
        (["fenced", "fenced", "--epochs", "any"], "diff cannot visit infinitely many states"),
        (["mine.py:Wrong", "mine.py:Counts"], "in up of mine.py:Wrong."),
    ],
)
def test_bad_input_is_refused_with_what_to_write_instead(arguments: list[str], message: str) -> None:
    model_file(LIFT)
    assert message in fenceproof("diff", *arguments).message


def test_a_request_to_end_exits_with_130_and_says_what_was_covered() -> None:
    stops = RESTS.replace(
        "class Rests",
        """import os
import signal

import fenceproof.checker.engines.explicit as engine

real = engine.Search._expand_level


def ended(search: engine.Search) -> None:
    real(search)
    os.kill(os.getpid(), signal.SIGTERM)


engine.Search._expand_level = ended


class Rests""",
    )
    model_file(stops)
    model_file(RESTS.replace("Range(0, most)", "Range(0, most + 1)"), "other.py")
    ran = fenceproof("diff", "mine.py", "other.py")
    assert (ran.code, ran.err) == (130, "")
    assert "the search was interrupted" in ran.out


def test_a_closed_pipe_is_silent_and_is_no_verdict() -> None:
    model_file(LIFT)
    reading, writing = os.pipe()
    os.close(reading)
    command = [*FENCEPROOF, "diff", "mine.py:Counts", "mine.py:Down", "--json"]
    done = subprocess.run(command, env=ENVIRONMENT, stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(writing)
    assert (done.stderr, done.returncode) == (b"", 141)


def test_traces_that_cannot_be_written_cost_no_verdict() -> None:
    model_file(LIFT)
    Path("taken").write_text("")
    ran = fenceproof("diff", "mine.py:Counts", "mine.py:Down", "--out", "taken/in")
    assert ran.code == 1
    assert "was not saved" in ran.err

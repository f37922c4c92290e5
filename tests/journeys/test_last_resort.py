"""What nobody foresaw: a model that ends the program, and mistakes of our own. Never the exit code of a verdict."""

from __future__ import annotations

import json

import pytest
from command import RESTS, fenceproof, model_file

#: The line of the action is 11, that of the property 15, that of the constructor 7.
IN_ACTION = RESTS.replace("self.n = 1", "raise SystemExit(0)")
IN_PROPERTY = RESTS.replace("return True", "raise SystemExit(0)").replace("terminal", "invariant")
IN_CONSTRUCTOR = RESTS.replace("self.n = Range(0, most)", "raise SystemExit(0)")


@pytest.mark.parametrize("how", ["raise SystemExit(0)", "sys.exit(0)", "sys.exit('enough')", "exit(0)"])
def test_an_action_that_ends_the_program_is_an_error_of_the_model(how: str) -> None:
    model_file(f"import sys{IN_ACTION.replace('raise SystemExit(0)', how)}")
    ran = fenceproof("check", "mine.py")
    assert (ran.code, ran.err) == (2, "trace saved: fenceproof-traces/mine-model-error.json\n")
    assert "mine.py:11: SystemExit: " in ran.out


def test_a_property_that_ends_the_program_is_an_error_of_the_model() -> None:
    model_file(IN_PROPERTY)
    ran = fenceproof("check", "mine.py", "--json")
    assert (ran.code, ran.err) == (2, "")
    error = json.loads(ran.out)["model_error"]
    assert (error["message"], error["site"]) == ("SystemExit: 0", "mine.py:15")


def test_a_constructor_or_a_file_that_ends_the_program_is_refused_with_its_line() -> None:
    model_file(IN_CONSTRUCTOR)
    assert "mine.py:7: SystemExit: 0" in fenceproof("check", "mine.py").message
    model_file(RESTS + "\nraise SystemExit(0)\n")
    assert "mine.py:17: SystemExit: 0" in fenceproof("check", "mine.py").message


def test_what_ends_the_program_anywhere_else_is_told_and_is_no_verdict() -> None:
    model_file(RESTS.replace("@action\n", "@action(i='some')\n").replace("def up(self)", "def up(self, i)") + SOME)
    ran = fenceproof("check", "mine.py")
    assert "mine.py:" in ran.message
    assert "SystemExit: 0" in ran.message


SOME = """
    @property
    def some(self) -> int:
        raise SystemExit(0)
"""
#: A mistake of ours, made by a model that spoils our modules as it is imported.
SPOILT = """
import fenceproof.model.lift as spoilt


def spoil(*arguments, **settings):
    raise {}


spoilt.state_of = spoil
"""


def test_a_mistake_of_ours_is_no_verdict_and_asks_to_be_reported() -> None:
    model_file(RESTS + SPOILT.format("KeyError('gone')"))
    ran = fenceproof("check", "mine.py")
    assert (ran.code, ran.out) == (70, "")
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("fenceproof: internal error, KeyError: 'gone' (")
    assert "fenceproof/model/lift.py:" in ran.err
    assert "Please report it" in ran.err
    assert "FENCEPROOF_TRACEBACK=1" in ran.err


def test_a_mistake_of_ours_is_shown_whole_where_that_is_asked_for() -> None:
    model_file(RESTS + SPOILT.format("KeyError('gone')"))
    ran = fenceproof("check", "mine.py", environment={"FENCEPROOF_TRACEBACK": "1"})
    assert (ran.code, ran.out) == (70, "")
    assert "Traceback (most recent call last)" in ran.err
    assert "fenceproof: internal error, " in ran.err


def test_a_message_of_many_lines_is_told_in_one() -> None:
    model_file(RESTS + SPOILT.format("ValueError('one\\ntwo')"))
    ran = fenceproof("check", "mine.py")
    assert (ran.code, ran.err.count("\n")) == (70, 1)
    assert "ValueError: one two" in ran.err


def test_too_little_memory_is_inconclusive() -> None:
    model_file(RESTS + SPOILT.format("MemoryError"))
    ran = fenceproof("check", "mine.py")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == (
        "fenceproof: the memory of this machine does not suffice, so nothing was decided. "
        "Make the model smaller, or set --memory or --max-states.\n"
    )


FAULTY = """
from fenceproof.model import Model, Range, action, fault, terminal


class Faulty(Model):
    def __init__(self) -> None:
        self.n = Range(0, 1)

    @action
    def up(self) -> None:
        self.n = 1

    @fault("loss")
    @action
    def lose(self) -> None:
        self.n = 0

    @terminal
    def anywhere(self) -> bool:
        return True
"""


def test_at_most_no_faults_is_the_same_as_no_faults() -> None:
    model_file(FAULTY)
    none = fenceproof("check", "mine.py", "--faults", "none")
    at_most = fenceproof("check", "mine.py", "--most-faults", "0")
    assert (none.code, at_most.code) == (0, 0)
    assert "none, all switched off" in at_most.out
    assert "never enabled" not in at_most.out

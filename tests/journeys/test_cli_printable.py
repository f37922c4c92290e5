"""What a model's author wrote is shown by a terminal, and gives it no orders."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import fenceproof, model_file

ORDERS = "\x1b[2J", "\u202e", "\x07", "\x9b1A"
SHOWN = "\\u001b[2J", "\\u202e", "\\u0007", "\\u009b1A"

HOSTILE = """
from fenceproof.model import Choice, Model, Range, action, fault, invariant


class Hostile(Model):
    '''ORDERS of the model.'''

    def __init__(self) -> None:
        self.place = Choice("in", "ORDERS out")
        self.n = Range(0, 1)

    @fault("ORDERS fault", budget=1)
    @action(to=("in", "ORDERS out"), says="it goes to ORDERS {to}")
    def go(self, to: str) -> str:
        self.place = to
        return "ORDERS went"

    @action
    def never(self) -> None:
        if self.place == "ORDERS out" and self.n == 1:
            self.n = 0

    @invariant(name="ORDERS stays")
    def stays(self) -> bool:
        '''ORDERS says it stays.'''
        return self.place == "in"
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "mine.py"],
        ["check", "mine.py", "--quiet"],
        ["check", "mine.py", "--all-shortest"],
        ["coverage", "mine.py"],
        ["coverage", "mine.py", "--source"],
        ["compare", "mine.py", "fenced", "--most-faults", "0"],
        ["prove", "mine.py"],
        ["trace", "show", "TRACE", "--model", "mine.py"],
        ["trace", "needed", "TRACE", "--model", "mine.py"],
        ["trace", "diff", "TRACE", "mine.py", "--model", "mine.py"],
        ["replay", "TRACE", "--model", "mine.py"],
        ["replay", "TRACE", "--model", "mine.py", "--quiet"],
        ["diff", "mine.py", "other.py"],
    ],
    ids=" ".join,
)
def test_text_of_an_author_is_shown_and_moves_no_cursor(arguments: list[str]) -> None:
    text = HOSTILE.replace("ORDERS", "".join(ORDERS).encode("unicode_escape").decode())
    model_file(text)
    model_file(text.replace("return self.place", "return self.place != self.place or self.place"), "other.py")
    assert fenceproof("check", "mine.py", "--quiet", "--out", "traces").code == 1
    (trace,) = map(str, Path("traces").iterdir())
    ran = fenceproof(*(trace if argument == "TRACE" else argument for argument in arguments))
    said = ran.out + ran.err
    assert [order for order in ORDERS if order in said] == []
    assert "Traceback" not in said
    assert any(shown in said for shown in SHOWN), said


#: Names and values with lines of their own; and a constant that is called as None is.
LINES = """
from fenceproof.model import Choice, Maybe, Model, Range, Record, action, invariant, require


class Part(Record):
    v = Range(0, 1)


class Lines(Model):
    def __init__(self) -> None:
        self.j = Maybe(Choice("none", "x"), start="none")
        self.t = Range(0, 3)
        self.part = Maybe(Part)

    @action
    def tick(self) -> str:
        self.t = (self.t + 1) % 4
        self.j = None if self.t == 1 else "none"
        return "ok\\nq  holds"

    @action
    def clear(self) -> None:
        require(self.j == "x")

    @action
    def use(self) -> None:
        require(self.part is not None)

    @invariant(name="p\\nq  holds")
    def p(self) -> bool:
        return self.t < 2
"""


@pytest.mark.parametrize("arguments", [["check"], ["check", "--quiet"], ["coverage"]], ids=" ".join)
def test_a_name_or_a_value_begins_no_line(arguments: list[str]) -> None:
    model_file(LINES)
    ran = fenceproof(*arguments, "mine.py")
    assert "q  holds" in ran.out
    assert [line for line in ran.out.splitlines() if line.startswith("q")] == []


def test_none_is_told_apart_from_a_constant_of_that_name_and_what_is_there_is_said_so() -> None:
    model_file(LINES)
    assert 'j: "none" → none' in fenceproof("check", "mine.py").out
    told = fenceproof("coverage", "mine.py").out
    assert "because part is there was never true" in told


@pytest.mark.parametrize(
    "arguments", [["show"], *(["export", "--format", f] for f in ("smtlib", "chc", "vmt", "btor2"))]
)
def test_what_is_printed_for_other_programs_moves_no_cursor_either(arguments: list[str]) -> None:
    model_file(HOSTILE.replace("ORDERS", "".join(ORDERS).encode("unicode_escape").decode()))
    ran = fenceproof(*arguments, "mine.py")
    assert ran.code == 0
    assert [order for order in ORDERS if order in ran.out] == []

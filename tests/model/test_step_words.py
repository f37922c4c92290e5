"""Slips that once left a property true for no reason, or forgotten: each is refused or remarked, its like is not."""

from __future__ import annotations

import textwrap

import pytest
from command import fenceproof, model_file
from fenceproof.checker.targets import build, find
from fenceproof.model import ModelError
from fenceproof.model.budgets import Settings
from fenceproof.model.forgotten import forgotten
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem

MODEL = """
from fenceproof.model import *

class Pair(Record):
    left: int = Range(0, 1)

class M(Model):
    def __init__(self, polite: bool = False):
        self.polite = polite
        self.n = Range(0, 3)
        self.pair = Pair
        self.seen = Set(Range(0, 3))
    @action(by=[1])
    def go(self, by):
        require(self.n < 3)
        self.n += by
        return "thanks" if self.polite else "done"
    @fault("slow")
    @action
    def nap(self, why="bed"):
        self.n = 0
        return "dreamt"
    @terminal
    def end(self):
        return self.n == 3
"""


def lifted(body: str, settings: Settings | None = None) -> TransitionSystem:
    model_file(MODEL + textwrap.indent(textwrap.dedent(body), "    "))
    return lift(build(find("mine.py"), {}), settings)


PROPERTY = "@step_property\ndef p(self, step):\n    {}\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('return not (step.action == "goo" and step.after.n == 2)', "The action 'goo' is not known. Did you mean go?"),
        ('return step.action != "goo"', "The action 'goo' is not known"),
        ('return step.action not in ("go", "nip")', "The action 'nip' is not known. Did you mean nap?"),
        ('return "goo" != step.action', "The action 'goo' is not known"),
        ('return step.outcome != "dnoe"', "The outcome 'dnoe' is not known. Did you mean done?"),
        ('return step.args.get("bye") != 1', "The argument 'bye' is not known. Did you mean by?"),
        ('return "bye" not in step.args', "The argument 'bye' is not known"),
        ('step.action == "go"\n    return True', "what this comparison says is used for nothing"),
        ("not self.n\n    return True", "what this negation says is used for nothing"),
    ],
)
def test_a_step_is_compared_with_what_there_is(line: str, said: str) -> None:
    with pytest.raises(ModelError, match=r"mine\.py") as caught:
        lifted(PROPERTY.format(line))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        'return step.action == "go" or step.action == "nap"',
        'return step.outcome != "thanks"',  # with another value of a parameter there is such an outcome
        'return step.outcome != "something else entirely"',
        'return step.args.get("by") != 2',
        'return "by" not in step.args or step.args["by"] == 1',
    ],
)
def test_words_that_some_step_may_have_are_no_slips(line: str) -> None:
    assert len(lifted(PROPERTY.format(line)).step_properties) == 1


def test_where_a_fault_is_switched_off_its_words_are_not_missed() -> None:
    line = 'return step.action != "nap" and step.outcome != "dreamd" and step.args.get("bye") != 3'
    assert lifted(PROPERTY.format(line), Settings(budgets={"slow": 0})).switched_off == ("nap",)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("return implyes(True, True)", "NameError: name 'implyes' is not defined"),
        ("return implies(step.acton == 'go', True)", "Of a step, the part 'acton' is not known. Did you mean action?"),
        (
            "return implies(step.after.pair.lefd == 0, True)",
            "In Pair, the field 'lefd' is not known. Did you mean left?",
        ),
    ],
)
def test_a_slip_in_a_name_is_not_blamed_on_implies(line: str, said: str) -> None:
    model_file(MODEL + textwrap.indent(PROPERTY.format(line), "    "))
    ran = fenceproof("check", "mine.py")
    told = " ".join(ran.out.split())
    assert ran.code == 2
    assert said in told
    assert "evaluated in any case" not in told


def test_a_word_that_was_not_imported_is_named_with_its_import() -> None:
    text = MODEL.replace(
        "import *", "import Model, Record, Range, Set, action, fault, require, step_property, terminal"
    )
    model_file(text + textwrap.indent(PROPERTY.format("return implies(True, True)"), "    "))
    ran = fenceproof("check", "mine.py")
    assert "write `from fenceproof.model import implies`" in " ".join(ran.out.split())


def test_a_second_method_of_one_name_is_refused_with_both_lines() -> None:
    with pytest.raises(ModelError, match=r"two methods are named p, at mine\.py:\d+ and mine\.py:\d+"):
        lifted(PROPERTY.format("return True") + PROPERTY.format("return False"))


@pytest.mark.parametrize("body", ["while True: pass", "while 1:\n        pass"])
def test_a_loop_that_does_nothing_and_never_ends_is_refused(body: str) -> None:
    with pytest.raises(ModelError, match=r"never ends|may run for ever"):
        lifted(f"@action\ndef spin(self):\n    {body}\n")


def test_a_method_that_nothing_marks_and_nothing_calls_is_remarked() -> None:
    model_file(
        MODEL + "    def low(self):\n        return self.n < 2\n    def used(self):\n        return True\n"
        "    @invariant\n    def high(self):\n        return self.used()\n"
    )
    assert [name for name, _ in forgotten(find("mine.py").model)] == ["low"]
    ran = fenceproof("check", "mine.py")
    assert ran.code == 0
    assert "M.low (mine.py:" in ran.err and "has no decorator" in ran.err

"""Decorators that do not go together, and names that two methods claim: refused, with the places."""

from __future__ import annotations

import re
import textwrap

import pytest
from command import model_file
from fenceproof.checker.targets import build, find
from fenceproof.model import ModelError
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem

HEAD = """\
from fenceproof.model import *
class M(Model):
    def __init__(self):
        self.n = Range(0, 3)
    @action
    def go(self):
        self.n = 1
"""


def lifted(body: str, below: str = "") -> TransitionSystem:
    model_file(HEAD + textwrap.indent(textwrap.dedent(body), " " * 4) + textwrap.dedent(below))
    return lift(build(find("mine.py:N" if below else "mine.py"), {}))


def refusal(body: str, below: str = "") -> str:
    with pytest.raises(ModelError) as caught:
        lifted(body, below)
    return str(caught.value)


TWO = "@{0}\ndef first(self): return self.n == 0\n@{0}\ndef second(self): return self.n == 1\n"
BELOW = "class N(M):\n    {}\n"


@pytest.mark.parametrize("role", ["initial", "terminal"])
def test_two_methods_for_what_a_model_has_one_of_are_refused_with_both_places(role: str) -> None:
    message = refusal(TWO.format(role))
    assert f"first and second are both marked @{role}, at mine.py:8 and mine.py:10." in message
    assert "mine.py:10: " in message


@pytest.mark.parametrize("role", ["initial", "terminal"])
def test_a_second_one_in_a_subclass_is_refused_as_well(role: str) -> None:
    below = f"class N(M):\n    @{role}\n    def second(self): return True\n"
    assert "first and second are both marked" in refusal(f"@{role}\ndef first(self): return True\n", below)


def test_a_subclass_may_override_the_one_method() -> None:
    below = "class N(M):\n    @initial\n    def first(self): self.n = 3\n"
    assert lifted("@initial\ndef first(self): self.n = 2\n", below).initial == ((3,),)


@pytest.mark.parametrize("role", ["invariant", "action", "step_property", "terminal", "initial", "fault('x')"])
def test_a_safeguard_answers_a_question_and_has_no_other_role(role: str) -> None:
    for above, below in ((f"@safeguard('s')\n@{role}\n", ""), (f"@{role}\n@safeguard('s')\n", "")):
        message = refusal(f"{above}def good(self): return True\n{below}")
        assert re.match(r"mine\.py:\d+: good is a safeguard and also ", message)
        assert "a safeguard marks a helper that answers whether something is allowed" in message


@pytest.mark.parametrize("body", ["@fault('loss')\ndef lose(self): self.n = 0\n"])
def test_a_fault_that_is_no_action_is_refused(body: str) -> None:
    message = refusal(body)
    assert "mine.py:8: lose is marked as a fault, and not as an action." in message
    assert "Add @action to @fault." in message


def test_an_override_that_is_marked_as_a_fault_only_is_refused_too() -> None:
    below = "class N(M):\n    @fault('loss', budget=2)\n    def lose(self): self.n = 0\n"
    message = refusal("@fault('loss')\n@action\ndef lose(self): self.n = 0\n", below)
    assert "lose is marked as a fault, and not as an action." in message


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "@invariant(name='same')\ndef a(self): return True\n@invariant(name='same')\ndef b(self): return True\n",
            "two properties are named same, at mine.py:8 and mine.py:10.",
        ),
        (
            "@invariant(name='a-b')\ndef a(self): return True\n@step_property\ndef a_b(self, step): return True\n",
            "two properties are named a_b, at mine.py:8 and mine.py:10.",
        ),
        (
            "@action(name='go')\ndef other(self): pass\n",
            "two actions are named go, at mine.py:5 and mine.py:8.",
        ),
    ],
)
def test_a_name_for_two_properties_or_two_actions_is_refused_with_both_places(body: str, words: str) -> None:
    message = refusal(body)
    assert words in message
    assert "Give each a name of its own." in message


@pytest.mark.parametrize("name", ["no-deadlock", "no_deadlock"])
def test_the_name_of_the_property_that_is_always_checked_is_taken(name: str) -> None:
    message = refusal(f"@invariant(name='{name}')\ndef a(self): return True\n")
    assert f"mine.py:8: the property {name} has the name of the one that finds deadlocks" in message


def test_a_property_and_an_action_may_have_one_name() -> None:
    system = lifted("@invariant(name='go')\ndef a(self): return True\n")
    assert [i.name for i in system.invariants] == ["go"]

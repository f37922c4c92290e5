"""What cannot be lifted is refused, with the line and what to write instead. Each model file is the user's own."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from fenceproof.checker import check
from fenceproof.checker.targets import build, find
from fenceproof.model import ModelError
from fenceproof.model.lift import lift

HEAD = """\
from fenceproof.model import *
import enum, random, time, datetime, os
COUNT = 0
SEEN = []
class Color(enum.Enum):
    RED = 1
    BLUE = 2
class M(Model):
    def __init__(self) -> None:
        self.n = Range(0, 3)
        self.flag = Bool()
        self.color = Choice(Color)
        self.members = Set(Range(0, 3))
        self.log = []
"""


def refusal(body: str) -> str:
    """The message with which a model with these methods is refused."""
    Path("mine.py").write_text(HEAD + textwrap.indent(textwrap.dedent(body), "    "))
    with pytest.raises(ModelError) as caught:
        lift(build(find("mine.py"), {}))
    return str(caught.value)


ACTION = "@action\ndef go(self):\n"

CASES = {
    "identity of an enum": ("    if self.color is Color.RED: self.n = 1", 17, "`==`"),
    "identity with True": ("    return 'x' if self.flag is True else 'y'", 17, "`==`"),
    "a True pattern": ("    match self.flag:\n        case True: self.n = 1", 18, "case True"),
    "randomness": ("    self.n = random.randint(0, 3)", 17, "choose(values)"),
    "the clock": ("    self.n = int(time.time()) % 4", 17, "an action of its own"),
    "the date": ("    self.n = datetime.date.today().day % 4", 17, "clock"),
    "the environment": ("    self.n = len(os.environ) % 4", 17, "operating system"),
    "printing": ("    print('hello')", 17, "outcome"),
    "a file": ("    open('/etc/hostname')", 17, "constructor"),
    "a changed global": ("    global COUNT\n    COUNT += 1", 18, "make it an attribute with a kind"),
    "a changed container": ("    SEEN.append(1)", None, "SEEN is changed"),
    "a changed constant": ("    self.log.append(1)", None, "log is changed"),
    "an attribute that is no state": ("    self.other = 1", 17, "Give it a kind"),
    "a float": ("    self.n = self.n * 0.5", 17, "whole numbers"),
    "true division": ("    self.n = self.n / 2", 17, "//"),
    "an endless loop": ("    while self.n < 2: pass", 17, "for ever"),
    "an endless loop on what is known": ("    while self.flag: pass", 17, "for ever"),
    "a type": ("    return type(self.n).__name__", 17, "isinstance"),
    "an outcome that is no text": ("    return [1]", 15, "a string"),
    "a list method that arrays lack": ("    self.members.pop_all()", 17, "has no 'pop_all'"),
}


@pytest.mark.parametrize("name", CASES)
def test_an_action_that_cannot_be_lifted_is_refused_with_its_line(name: str) -> None:
    body, line, words = CASES[name]
    message = refusal(ACTION + body)
    assert words in message
    assert f"mine.py:{line}:" in message if line is not None else "mine.py:" in message


def test_a_loop_that_ends_on_nothing_is_refused_with_its_line() -> None:
    # In a process of its own: where a debugger or a coverage tool traces already, nobody counts the lines.
    Path("mine.py").write_text(
        HEAD + "    @action\n    def go(self):\n        x = 1\n        while x:\n            x += 1\n"
    )
    command = [sys.executable, "-m", "fenceproof", "show", "mine.py"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == 2
    assert re.match(r"fenceproof: mine.py:(18|19): this line .* for ever", run.stderr)


def test_an_action_that_does_something_else_the_second_time_is_refused() -> None:
    message = refusal("calls = [0]\n" + ACTION + "    M.turn = not getattr(M, 'turn', False)\n    self.n = int(M.turn)")
    assert "changed" in message or "second time" in message


def test_a_bare_except_that_swallows_require_is_refused() -> None:
    message = refusal(
        ACTION
        + "    if self.flag:\n        try:\n            require(not self.flag)\n        except:\n            self.n = 1"
    )
    assert "Name the exceptions" in message


def test_too_many_paths_are_refused_with_the_line_that_forks_most() -> None:
    text = HEAD.replace("Set(Range(0, 3))", "Set(Range(0, 19))") + textwrap.indent(
        ACTION
        + "    n = 0\n    for i in range(20):\n        if i in self.members:\n            n += 1\n    self.n = n % 4",
        "    ",
    )
    Path("mine.py").write_text(text)
    with pytest.raises(ModelError) as caught:
        lift(build(find("mine.py"), {}))
    assert "paths" in str(caught.value)
    assert "mine.py:19:" in str(caught.value)
    assert "count(" in str(caught.value)


def test_a_property_may_not_change_the_state_or_require() -> None:
    act = ACTION + "    self.n = 1\n"
    assert "Only actions change the state" in refusal(
        act + "@invariant\ndef bad(self):\n    self.n = 2\n    return True"
    )
    assert "implies" in refusal(act + "@invariant\ndef bad(self):\n    require(self.flag)\n    return True")
    assert "truth value" in refusal(act + "@invariant\ndef bad(self):\n    return self.n")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("@action(client='clients')\ndef go(self, client): pass", "does not have"),
        ("@action\ndef go(self, client): pass", "not told its values"),
        ("@action(other=2)\ndef go(self): pass", "no parameter 'other'"),
        ("@action(k=2.5)\ndef go(self, k): pass", "Give a number or a list"),
        ("n2 = Range(0, 1)", "no action"),
        (
            "@fault('x', budget=1)\n@action\ndef a(self): pass\n@fault('x', budget=2)\n@action\ndef b(self): pass",
            "two budgets",
        ),
    ],
)
def test_a_model_that_is_not_one_is_refused(body: str, words: str) -> None:
    assert words in refusal(body)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("Range(0, float('inf'))", "finite"),
        ("Range(3, 0)", "smaller bound first"),
        ("Range(0, 10**15)", "too wide"),
        ("Choice()", "at least one"),
        ("Choice('a', 'a')", "twice"),
        ("Choice(0.5)", "float"),
        ("Maybe(Maybe(Bool()))", "Use one Maybe"),
        ("Maybe(3)", "is not a kind"),
        ("Array(-1, Bool())", "the length first"),
        ("Set(Range(0, 10**6))", "1,000,001 values"),
        ("Bag(Bool(), most=0)", "most=4"),
        ("Queue(Bool(), capacity='x')", "capacity=4"),
        ("Range(0, 3, start=7)", "starting value"),
        ("Set(Array(2, Bool()))", "cannot be an element"),
    ],
)
def test_a_kind_that_is_not_one_is_refused_with_its_line(kind: str, words: str) -> None:
    text = HEAD.replace("Bool()\n", f"{kind}\n", 1) + "    @action\n    def go(self): self.n = 1\n"
    Path("mine.py").write_text(text)
    with pytest.raises(ModelError) as caught:
        lift(build(find("mine.py"), {}))
    assert words in str(caught.value)
    assert "mine.py:" in str(caught.value)


@pytest.mark.parametrize(
    ("body", "words", "steps"),
    [
        ("@action\ndef up(self):\n    self.n += 1", "n becomes greater than 3", 4),
        ("@action\ndef down(self):\n    self.n -= 1", "n becomes less than 0", 1),
        ("@action\ndef boom(self):\n    raise ValueError('boom')", "ValueError: boom", 1),
        ("@action\ndef zero(self):\n    self.n = 3 // self.n", "ZeroDivisionError", 1),
        ("@action\ndef late(self):\n    assert self.n < 2, 'too late'\n    self.n += 1", "too late", 3),
        ("@action\ndef none(self):\n    self.n = None", "not a value of Range(0, 3)", 1),
        ("@action\ndef take(self):\n    self.members.remove(2)", "not in it", 1),
        ("@action\ndef key(self):\n    self.n = {0: 1, 1: 2}[self.n]", "KeyError", 3),
        (
            "@action\ndef go(self):\n    self.n = 2\n@invariant\ndef bad(self):\n    return 6 // (2 - self.n) > 0",
            "ZeroDivision",
            1,
        ),
    ],
)
def test_what_goes_wrong_in_a_run_is_an_error_of_the_model_with_a_trace(body: str, words: str, steps: int) -> None:
    Path("mine.py").write_text(HEAD + textwrap.indent(body, "    "))
    result = check(build(find("mine.py"), {}))
    assert result.verdict.exit_code == 2
    assert result.wrong is not None
    assert words in result.wrong.mistake.message
    assert str(result.wrong.mistake.site).startswith("mine.py:")
    assert len(result.wrong.trace) + (result.wrong.trace.mistake is not None) == steps

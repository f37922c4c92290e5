"""What an action may not depend on besides the state, however it is hidden: each was once taken for a constant."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from command import model_file
from fenceproof.checker import check
from fenceproof.checker.targets import build, find
from fenceproof.model import LiftError, Maybe, Model, ModelError, Range, action
from fenceproof.model.lift import lift
from fenceproof.model.snapshot import Snapshot
from fenceproof.model.system import TransitionSystem

HEAD = """\
from fenceproof.model import *
import enum, itertools, operator, random, time
from collections import deque
from dataclasses import dataclass, field
from operator import is_ as same
from random import random as draw
"""


def lifted(above: str, constructor: str, body: str) -> TransitionSystem:
    """The system of a model file: what stands above its class, in its constructor, and its methods."""
    parts = [
        HEAD,
        textwrap.dedent(above),
        "class M(Model):\n    def __init__(self):\n        self.bad = Bool()\n        self.n = Range(0, 3)\n",
        textwrap.indent(textwrap.dedent(constructor), " " * 8) + "\n",
        textwrap.indent(textwrap.dedent(body), " " * 4),
    ]
    model_file("".join(parts))
    return lift(build(find("mine.py"), {}))


def refusal(above: str, constructor: str, body: str) -> str:
    with pytest.raises(LiftError) as caught:
        lifted(above, constructor, body)
    return str(caught.value)


#: An action that depends on what another changed, and is not part of the state.
HIDDEN = """
@action
def fire(self):
    require({armed})
    self.bad = True
@action
def arm(self):
    {change}
@invariant
def good(self):
    return not self.bad
"""
#: By where the change hides: what stands above the class, the constructor, whether it is armed, the change, its name.
PLACES = {
    "an attribute of a constant": (
        "class Lamp: armed = False\n",
        "self.lamp = Lamp()",
        "self.lamp.armed",
        "self.lamp.armed = True",
        "lamp",
    ),
    "a slot of a constant": (
        "class Lamp:\n    __slots__ = ('armed',)\n    def __init__(self): self.armed = False\n",
        "self.lamp = Lamp()",
        "self.lamp.armed",
        "self.lamp.armed = True",
        "lamp",
    ),
    "a private slot of a base class": (
        "class Base:\n    __slots__ = ('__armed',)\n    def __init__(self): self.__armed = False\n"
        "    def arm(self): self.__armed = True\n    def armed(self): return self.__armed\n"
        "class Lamp(Base):\n    __slots__ = ()\n",
        "self.lamp = Lamp()",
        "self.lamp.armed()",
        "self.lamp.arm()",
        "lamp",
    ),
    "an object of the module": (
        "class Lamp: armed = False\nLAMP = Lamp()\n",
        "",
        "LAMP.armed",
        "LAMP.armed = True",
        "LAMP",
    ),
    "a dataclass of the module": (
        "@dataclass\nclass Lamp:\n    armed: bool = False\nLAMP = Lamp()\n",
        "",
        "LAMP.armed",
        "LAMP.armed = True",
        "LAMP",
    ),
    "a deque": ("", "self.lamp = deque()", "self.lamp", "self.lamp.append(1)", "lamp"),
    "a deque of the module": ("LAMP = deque()\n", "", "LAMP", "LAMP.append(1)", "LAMP"),
    "a set": ("", "self.lamp = set()", "self.lamp", "self.lamp.add(1)", "lamp"),
    "a bytearray": ("", "self.lamp = bytearray(1)", "self.lamp[0]", "self.lamp[0] = 1", "lamp"),
    "an attribute of another class": (
        "class Lamp: armed = False\n",
        "",
        "Lamp.armed",
        "Lamp.armed = True",
        "Lamp",
    ),
    "an attribute of a base of another class": (
        "class Base: armed = False\nclass Lamp(Base): pass\ndel Base\n",
        "",
        "Lamp.armed",
        "Lamp.__mro__[1].armed = True",
        "Lamp",
    ),
    "a subclass of a list": (
        "class Lamp(list): armed = False\n",
        "self.lamp = Lamp()",
        "self.lamp.armed",
        "self.lamp.armed = True",
        "lamp",
    ),
    "an object that is far down": (
        "class Lamp: armed = False\n",
        "self.lamp = [{'a': ({'b': [(Lamp(),)]},)}]",
        "self.lamp[0]['a'][0]['b'][0][0].armed",
        "self.lamp[0]['a'][0]['b'][0][0].armed = True",
        "lamp",
    ),
    "an object in a set": (
        "class Lamp: armed = False\n",
        "self.lamp = frozenset([Lamp()])",
        "list(self.lamp)[0].armed",
        "list(self.lamp)[0].armed = True",
        "lamp",
    ),
    "an object that refers to itself": (
        "class Lamp: armed = False\n",
        "self.lamp = Lamp()\nself.lamp.lamp = [self.lamp]",
        "self.lamp.armed",
        "self.lamp.lamp[0].armed = True",
        "lamp",
    ),
    "True in the place of 1": ("", "self.lamp = [1]", "self.lamp[0] is None", "self.lamp[0] = True", "lamp"),
    "an attribute of an enum's member": (
        "class Lamp(enum.Enum):\n    ON = 1\nLamp.ON.armed = False\n",
        "",
        "Lamp.ON.armed",
        "Lamp.ON.armed = True",
        "Lamp",
    ),
    "a variable of the context": (
        "from contextvars import ContextVar\nLAMP = ContextVar('lamp', default=False)\n",
        "",
        "LAMP.get()",
        "LAMP.set(True)",
        "LAMP",
    ),
    "an array of numbers": (
        "import array\n",
        "self.lamp = array.array('b', [0])",
        "self.lamp[0] == 1",
        "self.lamp[0] = 1",
        "lamp",
    ),
    "a default of a function": (
        "def lamp(on=False, seen=[]):\n    if on: seen.append(1)\n    return seen\n",
        "",
        "lamp()",
        "lamp(True)",
        "lamp",
    ),
    "an attribute of a function": (
        "def lamp(): pass\nlamp.armed = False\n",
        "",
        "lamp.armed",
        "lamp.armed = True",
        "lamp",
    ),
    "what a function encloses": (
        "def made():\n    seen = []\n    def lamp(on=False):\n        if on: seen.append(1)\n        return seen\n"
        "    return lamp\nlamp = made()\n",
        "",
        "lamp()",
        "lamp(True)",
        "lamp",
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_what_an_action_changes_and_is_no_state_is_refused_wherever_it_hides(place: str) -> None:
    above, constructor, armed, change, name = PLACES[place]
    message = refusal(above, constructor, HIDDEN.format(armed=armed, change=change))
    assert f"{name} is changed by an action or property, and is not part of the state." in message


NEIGHBOUR = """
SEEN = []
armed = False
def arm():
    SEEN.append(1)
def is_armed():
    return len(SEEN) > 0
"""


@pytest.mark.parametrize(
    ("above", "armed", "change", "name"),
    [
        ("import beside_{0}", "beside_{0}.armed", "beside_{0}.armed = True", "beside_{0}.armed"),
        ("import beside_{0}", "beside_{0}.SEEN", "beside_{0}.SEEN.append(1)", "beside_{0}.SEEN"),
        ("from beside_{0} import arm, is_armed", "is_armed()", "arm()", "beside_{0}.SEEN"),
    ],
)
def test_what_is_changed_in_another_file_of_the_authors_is_refused(
    above: str, armed: str, change: str, name: str, tmp_path: Path
) -> None:
    # A name of its own for each: what was imported once stays.
    case = abs(hash((armed, change, str(tmp_path))))
    model_file(NEIGHBOUR, f"beside_{case}.py")
    message = refusal(above.format(case) + "\n", "", HIDDEN.format(armed=armed, change=change).format(case))
    assert f"{name.format(case)} is changed by an action or property" in message


def test_what_a_safeguard_encloses_is_watched_too() -> None:
    above = "SEEN = []\ndef made():\n    seen = []\n    @safeguard('lamp')\n    def lamp(self):\n"
    above += "        seen.append(1)\n        return len(seen) < 3\n    return lamp\n"
    message = refusal(above, "", "lamp = made()\n@action\ndef fire(self):\n    require(self.lamp())\n")
    assert "M.lamp is changed by an action or property" in message


def test_constants_that_nobody_changes_are_no_hidden_state() -> None:
    above = """
    class Shape(enum.Flag):
        ROUND = 1
        FLAT = 2
    class Node:
        def __init__(self, next=None): self.next = next
    @dataclass
    class Table:
        rows: list = field(default_factory=lambda: [[1, 2], [3, float("nan")]])
    LONG = None
    for _ in range(5000):
        LONG = Node(LONG)
    IDS = itertools.count()
    """
    system = lifted(
        above,
        "self.table = Table()\nself.loop = [1]\nself.loop.append(self.loop)\nself.add = operator.add",
        "@action\ndef go(self):\n    Shape.ROUND | Shape.FLAT\n    self.n = self.add(self.table.rows[0][0], 0)\n",
    )
    assert [t.action for t in system.transitions] == ["go"]
    assert model_file("").exists()


def test_a_snapshot_never_goes_through_what_is_no_container() -> None:
    numbers = iter([1, 2, 3])
    values = {"numbers": numbers, "several": [numbers, {1: numbers}]}
    assert Snapshot(values).changed(Snapshot(values)) is None
    assert list(numbers) == [1, 2, 3]


def test_a_snapshot_names_what_was_changed_added_or_taken_away() -> None:
    shared = [1]
    values = {"a": shared, "b": [shared], "c": 1}
    before = Snapshot(values)
    shared.append(2)
    assert before.changed(Snapshot(values)) == "a"
    assert Snapshot({"a": 1}).changed(Snapshot({"a": 1, "b": 2})) == "b"
    assert Snapshot({"a": 1, "b": 2}).changed(Snapshot({"a": 1})) == "b"


#: Randomness and the clock by way of C, which Python's own tracing does not see.
WORLD = {
    "a bound method of the module's generator": ("", "", "self.n = int(draw() * 4)", "draw depends on randomness"),
    "a generator of the author's": (
        "RNG = random.Random(1)\n",
        "",
        "self.n = int(RNG.random() * 4)",
        "RNG depends on randomness",
    ),
    "a method of the author's generator": (
        "toss = random.Random(1).random\n",
        "",
        "self.n = int(toss() * 4)",
        "toss depends on randomness",
    ),
    "an import inside": ("", "", "import random\nself.n = int(random.random() * 4)", "random depends on randomness"),
    "an import of a name inside": (
        "",
        "",
        "from random import random\nself.n = int(random() * 4)",
        "random depends on randomness",
    ),
    "the clock imported inside": ("", "", "import time\nself.n = int(time.time()) % 4", "time depends on the clock"),
    "a submodule imported inside": ("", "", "import os.path\nself.n = 1", "os.path depends on the operating system"),
    "a method in a constant": (
        "",
        "self.draw = random.random",
        "self.n = int(self.draw() * 4)",
        "draw depends on randomness",
    ),
    "a method in a container": (
        "",
        "self.draw = {'now': [time.time]}",
        "self.n = int(self.draw['now'][0]()) % 4",
        "draw depends on the clock",
    ),
    "a module in a constant": (
        "",
        "self.source = random",
        "self.n = int(self.source.random() * 4)",
        "source depends on randomness",
    ),
}


@pytest.mark.parametrize("way", WORLD)
def test_chance_and_time_are_refused_by_whatever_way_they_come(way: str) -> None:
    above, constructor, body, words = WORLD[way]
    assert words in refusal(above, constructor, "@action\ndef go(self):\n" + textwrap.indent(body, "    "))


def test_a_class_attribute_that_is_a_method_of_chance_is_refused() -> None:
    message = refusal("", "", "toss = random.random\n@action\ndef go(self):\n    self.n = int(self.toss() * 4)")
    assert "M.toss depends on randomness" in message


def test_an_enclosed_name_is_looked_at_like_a_global_one() -> None:
    from random import random as toss

    class M(Model):
        def __init__(self) -> None:
            self.n = Range(0, 3)

        @action
        def go(self) -> None:
            self.n = int(toss() * 4)

    with pytest.raises(LiftError, match="randomness"):
        lift(M())


@pytest.mark.parametrize(
    "body",
    [
        "self.bad = operator.is_(self.n, 1)",
        "self.bad = operator.is_not(self.n, 1)",
        "self.bad = same(self.n, 1)",
        "import operator\nself.bad = operator.is_(self.n, 1)",
        "import operator as o\nself.bad = o.is_(self.n, 1)",
        "from operator import is_not\nself.bad = is_not(self.n, 1)",
    ],
)
def test_comparing_by_identity_with_a_function_is_refused_like_the_operator(body: str) -> None:
    message = refusal("", "", "@action\ndef go(self):\n" + textwrap.indent(body, "    "))
    assert "compares identities" in message
    assert "`==`" in message


def test_an_iterator_of_the_module_is_refused_where_it_is_used() -> None:
    message = refusal("IDS = itertools.count()\n", "", "@action\ndef go(self):\n    self.n = next(IDS) % 4")
    assert "mine.py:15: IDS is an iterator" in message


WATCHED = """\
from fenceproof.model import *
from fenceproof.model.lift import lift
class M(Model):
    def __init__(self):
        self.n = Range(0, 3)
    @action
    def go(self):
        print("hello")
"""


@pytest.mark.parametrize("arguments", [["-"], ["-c", WATCHED + "lift(M())"]])
def test_a_model_that_is_in_no_file_is_watched_too(arguments: list[str]) -> None:
    text = WATCHED + "lift(M())" if arguments == ["-"] else ""
    run = subprocess.run(
        [sys.executable, *arguments], input=text, capture_output=True, text=True, check=False, timeout=60
    )
    assert run.returncode == 1
    assert "LiftError" in run.stderr
    assert ":8: this prints, which has no meaning in a model." in run.stderr


def test_a_model_that_is_installed_as_a_library_is_watched_too(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("site").mkdir()
    model_file(WATCHED, "site/mine.py")
    monkeypatch.setattr("fenceproof.model.source._LIBRARIES", (str(Path("site").resolve()),))
    with pytest.raises(ModelError, match="this prints, which has no meaning in a model"):
        lift(build(find("site/mine.py"), {}))


def test_a_constant_is_watched_though_its_module_has_something_of_the_same_name() -> None:
    above = "lamp = [1]\n"
    message = refusal(above, "self.lamp = []", HIDDEN.format(armed="self.lamp", change="self.lamp.append(1)"))
    assert "lamp is changed by an action or property" in message
    message = refusal(above, "self.lamp = []", HIDDEN.format(armed="lamp[1:]", change="lamp.append(1)"))
    assert ".lamp is changed by an action or property" in message


def test_an_assertion_that_pytest_has_rewritten_may_ask_for_none_and_for_nothing_else() -> None:
    class M(Model):
        def __init__(self) -> None:
            self.m = Maybe(Range(0, 1), start=1)

        @action
        def go(self) -> None:
            self.m = 1 - (self.m or 0)
            assert self.m is not None

    class Wrong(M):
        @action
        def go(self) -> None:
            self.m = 1
            assert self.m is True

    assert "@py_assert" in " ".join(M.go.__code__.co_varnames), "pytest rewrites this file"
    lift(M())
    with pytest.raises(LiftError, match="compares identities"):
        lift(Wrong())


def test_an_assertion_that_fails_under_pytest_is_an_error_of_the_model() -> None:
    class M(Model):
        def __init__(self) -> None:
            self.n = Range(0, 5)

        @action
        def go(self) -> None:
            self.n += 1
            assert self.n < 3

    result = check(M())
    assert result.wrong is not None
    assert "AssertionError" in result.wrong.mistake.message
    assert len(result.wrong.trace) == 2

"""What a run changes besides the state is refused, though a later run puts it back: the verdicts in between were of
another model than its author's."""

from __future__ import annotations

import textwrap
from collections import deque
from collections.abc import Callable
from operator import methodcaller
from types import SimpleNamespace

import pytest
from command import model_file
from fenceproof.checker.targets import build, find
from fenceproof.model import LiftError
from fenceproof.model.fingerprint import Fingerprint, after_each
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem

#: By where the change hides: what stands above the class, the constructor, the change, how it is put back, its name.
PLACES = {
    "an item of a list": ("", "self.owner = [None]", "self.owner[0] = 7", "self.owner[0] = None", "owner"),
    "a key": ("", "self.held = {}", "self.held[1] = True", "self.held.clear()", "held"),
    "another key with the same value": (
        "",
        "self.held = {0: True}",
        "self.held.pop(0); self.held[1] = True",
        "self.held.pop(1); self.held[0] = True",
        "held",
    ),
    "from the end of one list to the beginning of the next": (
        "",
        "self.free, self.used = [5], []",
        "self.used.append(self.free.pop())",
        "self.free.append(self.used.pop())",
        "free",
    ),
    "a set": ("", "self.seen = set()", "self.seen.add(1)", "self.seen.discard(1)", "seen"),
    "a queue": ("", "self.line = deque()", "self.line.append(1)", "self.line.clear()", "line"),
    "an attribute": (
        "class Lamp:\n    on = False\n",
        "self.lamp = Lamp(); self.lamp.on = False",
        "self.lamp.on = True",
        "self.lamp.on = False",
        "lamp",
    ),
    "a slot": (
        "class Lamp:\n    __slots__ = ('on',)\n",
        "self.lamp = Lamp(); self.lamp.on = False",
        "self.lamp.on = True",
        "self.lamp.on = False",
        "lamp",
    ),
    "a slot that was empty": (
        "class Lamp:\n    __slots__ = ('on',)\n",
        "self.lamp = Lamp()",
        "self.lamp.on = True",
        "del self.lamp.on",
        "lamp",
    ),
    "a global": ("HELD = set()\n", "", "HELD.add(1)", "HELD.discard(1)", "HELD"),
    "an attribute of the class": ("", "", "type_of(self).on = True", "del type_of(self).on", "M"),
    "an attribute of a function": ("def lamp(): pass\n", "", "lamp.on = True", "del lamp.on", "lamp"),
    "what a function encloses": (
        "def made():\n    on = False\n    def lamp(now):\n        nonlocal on\n        on = now\n    return lamp\n"
        "lamp = made()\n",
        "",
        "lamp(True)",
        "lamp(False)",
        "lamp",
    ),
    "bytes": ("", "self.page = bytearray(2)", "self.page[0] = 1", "self.page[0] = 0", "page"),
}

#: Two actions, of which the later one puts back what the earlier one changed.
IN_TWO = """
@action
def go(self):
    require(self.n < 3)
    self.n += 1
    {change}
@action
def back(self):
    require(self.n > 0)
    {undo}
@invariant
def low(self):
    return self.n < 9
"""
#: One action, whose last run puts it back.
IN_ONE = """
@action
def turn(self):
    if choose([True, False]):
        {change}
    else:
        {undo}
    self.n = 1
@invariant
def low(self):
    return self.n < 9
"""


def lifted(above: str, constructor: str, body: str) -> TransitionSystem:
    model_file(
        "from fenceproof.model import *\nfrom collections import deque\ndef type_of(model): return M\n"
        f"{above}class M(Model):\n    def __init__(self):\n        self.n = Range(0, 3)\n        {constructor}\n"
        f"{textwrap.indent(body, '    ')}"
    )
    return lift(build(find("mine.py"), {}))


@pytest.mark.parametrize("body", [IN_TWO, IN_ONE], ids=["in two actions", "in one action"])
@pytest.mark.parametrize("place", PLACES)
def test_what_is_changed_and_put_back_is_refused_wherever_it_hides(place: str, body: str) -> None:
    above, constructor, change, undo, name = PLACES[place]
    with pytest.raises(LiftError) as caught:
        lifted(above, constructor, body.format(change=change, undo=undo))
    assert f"{name} is changed by an action or property, and is not part of the state." in str(caught.value)


def test_what_one_run_puts_back_itself_is_nobodys_business() -> None:
    system = lifted(
        "", "self.scratch = []", IN_TWO.format(change="self.scratch.append(1)\n    self.scratch.clear()", undo="pass")
    )
    assert len(system.transitions) == 2
    assert after_each.get()() is None


@pytest.mark.parametrize(
    ("thing", "change"),
    [
        ([1, 2], methodcaller("__setitem__", 0, 10**30)),
        ({"a": 1}, methodcaller("update", a=True)),
        ({1, 2}, methodcaller("add", 3)),
        (deque([1]), methodcaller("append", 2)),
        (SimpleNamespace(on=1), methodcaller("__setattr__", "on", 1.0)),
        (bytearray(b"ab"), methodcaller("reverse")),
    ],
)
def test_a_fingerprint_tells_what_equality_does_not(thing: object, change: Callable[[object], object]) -> None:
    taken = Fingerprint([], [thing])
    assert taken.is_same() and taken.is_same()
    change(thing)
    assert not taken.is_same()
    taken.renew()
    assert taken.is_same()

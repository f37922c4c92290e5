"""A model's constants and the values of its actions' parameters: what may be one, and what is refused."""

from __future__ import annotations

import textwrap

import pytest
from command import model_file
from fenceproof.checker.targets import build, find
from fenceproof.model import ModelError
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem

HEAD = """\
from fenceproof.model import *
import itertools
class P(Record):
    x = Range(0, 2)
class M(Model):
    class Nested(Record):
        y = Range(0, 5)
    def __init__(self):
        self.n = Range(0, 3)
"""


def lifted(constructor: str, body: str = "@action\ndef go(self): self.n = 1\n") -> TransitionSystem:
    model_file(HEAD + textwrap.indent(constructor, " " * 8) + "\n" + textwrap.indent(body, " " * 4))
    return lift(build(find("mine.py"), {}))


def refusal(constructor: str, body: str = "@action\ndef go(self): self.n = 1\n") -> str:
    with pytest.raises(ModelError) as caught:
        lifted(constructor, body)
    return str(caught.value)


GO = "@action(p={})\ndef go(self, p): self.n = 1\n"


@pytest.mark.parametrize(
    "constant",
    [
        "itertools.permutations(range(2), 2)",
        "itertools.count()",
        "(i for i in range(4))",
        "iter([1, 2])",
        "map(str, [1, 2])",
        "[iter([1, 2])]",
        "{'a': (itertools.count(),)}",
    ],
)
def test_a_constant_that_can_be_gone_through_only_once_is_refused(constant: str) -> None:
    message = refusal(f"self.pairs = {constant}")
    assert "mine.py:" in message
    assert "pairs is an iterator, or holds one, and is used up by going through it." in message
    assert "Write list(…) or tuple(…) around it." in message


@pytest.mark.parametrize("values", ["(i for i in range(4))", "itertools.count()", "iter(range(2))"])
def test_the_values_of_a_parameter_are_no_iterator(values: str) -> None:
    for _ in range(2):
        message = refusal("", GO.format(values))
        assert "mine.py:11: the values of p in go are an iterator" in message
        assert "Write list(…) or tuple(…) around it." in message


def test_an_iterator_in_an_attribute_is_not_gone_through_for_the_values_of_a_parameter() -> None:
    assert "iterator" in refusal("self.pairs = itertools.permutations(range(2), 2)", GO.format('"pairs"'))
    assert "iterator" in refusal("self.pairs = itertools.count()", GO.format('"pairs"'))


@pytest.mark.parametrize(
    "values",
    [
        "range(10**30)",
        "10**30",
        "20_001",
        "range(20_001)",
        "Range(0, 2**40)",
        "[0] * 20_001",
        "Endless()",
    ],
)
def test_more_values_than_there_may_be_transitions_are_refused_before_they_are_made(values: str) -> None:
    endless = "class Endless:\n    def __iter__(self):\n        return itertools.count()\n"
    message = refusal("", endless + GO.format(values))
    assert "the model has more than 20,000 transitions." in message
    assert "Make the values of the actions' parameters fewer." in message


def test_too_many_combinations_of_values_are_refused_before_they_are_lifted() -> None:
    message = refusal("", "@action(a=20_000, b=20_000)\ndef go(self, a, b): require(a == b == 0)\n")
    assert "mine.py:11: the parameters of go have more than 200,000 combinations of values." in message


def test_values_whose_making_raises_are_refused_with_the_line_of_the_action() -> None:
    body = "@property\ndef some(self): raise ValueError('gone')\n" + GO.format('"some"')
    assert "mine.py:13: the values of p in go cannot be listed: ValueError: gone" in refusal("", body)


def test_values_in_any_container_that_can_be_gone_through_again_are_taken() -> None:
    for values in ("[1, 0]", "(1, 0)", "{1: 'a', 0: 'b'}", "dict.fromkeys((1, 0)).keys()", "range(1, -1, -1)", "2"):
        arguments = [t.args["p"] for t in lifted("", GO.format(values)).transitions]
        assert sorted(map(int, map(str, arguments))) == [0, 1], values


def test_a_record_class_set_in_the_constructor_is_state_and_one_nested_in_the_class_is_not() -> None:
    system = lifted("self.r = P", "@action\ndef go(self): self.r.x = 1\n")
    assert [(v.name, str(v.kind)) for v in system.variables] == [("n", "Range(0, 3)"), ("r", "P(x=Range(0, 2))")]


@pytest.mark.parametrize(
    ("constant", "remedy"),
    [
        ("[Bool(), Bool()]", "Array(2, …)"),
        ("(Bool(),)", "Array(1, …)"),
        ("[[Range(0, 1)]]", "Array(1, …)"),
        ("{'a': Bool()}", "Map(keys, …)"),
        ("{'a': [P()]}", "Map(keys, …)"),
        ("[P(), P()]", "Array(2, …)"),
        ("[choose([0, 1])]", "Array(1, …)"),
    ],
)
def test_kinds_in_a_python_container_are_no_state_and_refused(constant: str, remedy: str) -> None:
    message = refusal(f"self.flags = {constant}")
    assert "mine.py:" in message
    assert "flags holds kinds inside a Python " in message
    assert remedy in message


def test_a_container_of_kinds_in_the_class_is_refused_too() -> None:
    assert "flags holds kinds inside a Python list" in refusal("", "flags = [Bool()]\n@action\ndef go(self): pass\n")


def test_values_of_a_record_in_a_container_are_constants() -> None:
    system = lifted("self.parts = [P.of(x=1), P.of(x=2)]", "@action(p='parts')\ndef go(self, p): self.n = p.x\n")
    assert [t.args for t in system.transitions] == [{"p": {"x": 1}}, {"p": {"x": 2}}]

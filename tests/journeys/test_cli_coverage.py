"""`fenceproof coverage` as a person runs it: what it counts, what it calls never taken, and when it does not."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from command import RESTS, fenceproof, model_file
from fenceproof.specs.variants import VARIANTS
from some_designs import some_later

SCHEMA = json.loads(files("fenceproof.checker").joinpath("report/coverage.schema.json").read_text())
#: One action that is never enabled, one outcome, sides of tests and lines that are never taken; and all around them.
HOLES = """from fenceproof.model import Bool, Maybe, Model, Range, action, require, terminal


class Holes(Model):
    def __init__(self, most: int = 3) -> None:
        self.n = Range(0, 5)
        self.flag = Bool()
        self.last = Maybe(Range(0, 1))
        self.most = most

    @action(by=(1, 2))
    def up(self, by: int) -> str:
        require(self.n + by <= self.most and not self.flag)
        self.n += by
        if self.n > 4:
            return "beyond"
        return "up" if self.last is None or self.last == 1 else "again"

    @action(to=(0, 1))
    def stop(self, to: int) -> None:
        require(self.n == 3)
        require(self.last == 0)
        self.flag = True

    @action
    def down(self) -> str:
        require(self.n > 0)
        if self.n == 1:
            if self.n > 1:
                self.n = 5
            require(not self.flag)
        self.n -= 1
        return "down"

    @terminal
    def anywhere(self) -> bool:
        return True
"""


def document(*arguments: str) -> tuple[int, Any]:
    ran = fenceproof("coverage", *arguments, "--json")
    found = json.loads(ran.out)
    jsonschema.validate(found, SCHEMA)
    return ran.code, found


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(HOLES.splitlines(), start=1) if text in line)


def test_everything_that_is_never_taken_is_named_with_its_line() -> None:
    model_file(HOLES)
    ran = fenceproof("coverage", "mine.py", "--no-color")
    assert ran.code == 4
    lines = [line.strip() for line in ran.out.splitlines()]
    start = lines.index("Never taken, in any reachable state:") + 1
    never = lines[start : lines.index("", start)]
    assert never == [
        f"stop, at mine.py:{line_of('def stop') - 1}: never enabled, because last != none was never true "
        f"(mine.py:{line_of('require(self.last')}), nor its like in 1 other instance",
        "require(self.last == 0)",
        f"up, at mine.py:{line_of('def up') - 1}: never with the outcome again",
        f"mine.py:{line_of('self.n > 4')}: `self.n > 4` is true in no step",
        "if self.n > 4:",
        f"mine.py:{line_of('self.last is None')}: `self.last is None` is false in no step",
        'return "up" if self.last is None or self.last == 1 else "again"',
        f"mine.py:{line_of('self.n > 1:')}: `self.n > 1` is true in no step",
        "if self.n > 1:",
        f"mine.py:{line_of('beyond')}: no step comes along this line",
        'return "beyond"',
        f"mine.py:{line_of('self.n = 5')}: no step comes along this line",
        "self.n = 5",
    ]


def test_the_counts_are_those_of_the_states() -> None:
    """n is 0 to 3 and flag stays false: up(1) from 0, 1, 2; up(2) from 0, 1; down from 1, 2, 3."""
    model_file(HOLES)
    code, found = document("mine.py")
    assert (code, found["verdict"], found["states"]) == (
        4,
        "vacuous",
        {"distinct": 4, "generated": 9, "depth": 3, "complete": True},
    )
    actions = {a["action"]: a for a in found["actions"]}
    assert actions["up"]["taken"] == {"times": 5, "depth": 1}
    assert actions["up"]["outcomes"] == [
        {"outcome": "up", "taken": {"times": 5, "depth": 1}},
        {"outcome": "again", "taken": {"times": 0, "depth": None}},
    ]
    assert actions["down"]["taken"] == {"times": 3, "depth": 2}
    assert (actions["stop"]["instances"], actions["stop"]["instances_taken"]) == (2, 0)
    tested = {(t["line"], t["text"]): (t["true"], t["false"]) for t in found["tests"]}
    assert tested[line_of("self.n == 1"), "self.n == 1"] == ({"times": 1, "depth": 2}, {"times": 2, "depth": 2})
    statements = {s["line"]: s for s in found["statements"]}
    assert statements[line_of("self.n -= 1")]["taken"] == {"times": 3, "depth": 2}
    assert not any(s["ends"] for s in statements.values() if s["line"] == line_of("self.n = 5"))


def test_what_was_not_explored_is_not_called_never_taken() -> None:
    model_file(HOLES)
    ran = fenceproof("coverage", "mine.py", "--max-states", "2", "--no-color")
    assert (ran.code, "Never taken" in ran.out) == (3, False)
    assert "states explored, and maybe in others:" in ran.out
    code, found = document("mine.py", "--max-states", "2")
    assert (code, found["verdict"], found["states"]["complete"]) == (3, "inconclusive", False)


def test_the_source_is_printed_with_how_often_each_line_was_taken() -> None:
    model_file(HOLES)
    lines = fenceproof("coverage", "mine.py", "--source", "--no-color").out.splitlines()[1:]
    assert lines[line_of("self.n -= 1") - 1] == f"          3 {line_of('self.n -= 1'):>4}          self.n -= 1"
    assert lines[line_of("self.n = 5") - 1].startswith("!         0")
    assert lines[line_of("self.n == 1") - 1].startswith("          3")
    assert lines[line_of("self.n > 4") - 1].startswith("?         5")
    assert [line[13:] for line in lines[:-1]] == [
        f"{n:>3}  {text}".rstrip() for n, text in enumerate(HOLES.splitlines(), 1)
    ]


def test_a_model_in_which_all_is_taken_exits_0() -> None:
    model_file(RESTS)
    ran = fenceproof("coverage", "mine.py")
    assert (ran.code, "Everything was taken" in ran.out) == (0, True)
    assert fenceproof("coverage", "mine.py", "--quiet").out == (
        "mine.py: every action was enabled; 1 of 1 actions, 1 of 1 outcomes, 0 of 0 sides of tests, 1 of 1 statements\n"
    )


def test_a_model_that_goes_wrong_is_an_error_and_nothing_in_it_is_called_never_taken() -> None:
    model_file(HOLES.replace("require(self.n > 0)", "pass"))
    ran = fenceproof("coverage", "mine.py")
    assert (ran.code, "The model itself goes wrong" in ran.out, "Never taken" in ran.out) == (2, True, False)


WRONG = """
from fenceproof.model import Maybe, Model, Queue, Range, action, require


class Mine(Model):
    def __init__(self) -> None:
        self.k = Maybe(Range(0, 2))
        self.q = Queue(Range(0, 1), capacity=2)
        self.t = Range(0, 3)

    @action
    def tick(self) -> None:
        self.t = (self.t + 1) % 4

    @action
    def bad(self) -> None:
        require(self.t == 2)
        self.q.popleft()

    @action
    def reset(self) -> None:
        require(self.k is not None)
        self.t = 0
"""


def test_what_goes_wrong_is_told_apart_from_what_was_not_enabled_until_then() -> None:
    model_file(WRONG)
    lines = [line.strip() for line in fenceproof("coverage", "mine.py").out.splitlines()]
    assert "bad, at mine.py:15: enabled, but there it goes wrong" in lines
    assert "reset, at mine.py:20: never enabled, because k != none was never true (mine.py:22)" in lines


def test_text_of_a_model_moves_no_cursor() -> None:
    model_file(HOLES.replace('"up" if', '"u\\x1b[2Jp" if').replace("# ", "# \x1b[31m"))
    ran = fenceproof("coverage", "mine.py")
    assert ("\x1b" in ran.out, "u\\u001b[2Jp 5" in ran.out) == (False, True)
    assert {o["outcome"] for a in document("mine.py")[1]["actions"] for o in a["outcomes"]} >= {"u\x1b[2Jp"}


#: Reads a Maybe once to ask for it, and once more where the answer is known.
LOOKS = """
from fenceproof.model import Maybe, Model, Range, Set, action, require


class Mine(Model):
    def __init__(self) -> None:
        self.a = Maybe(Range(0, 2))
        self.b = Set(Range(0, 2))

    @action
    def put(self) -> None:
        self.a = 1

    @action
    def copy(self) -> None:
        require(self.a is not None)
        self.b.add(self.a)

    @action
    def look(self) -> str:
        return "none" if self.a is None else "some"
"""


def test_what_is_read_where_it_is_known_to_be_there_is_no_test() -> None:
    model_file(LOOKS)
    ran = fenceproof("coverage", "mine.py")
    assert (ran.code, "Everything was taken" in ran.out, "2 of 2 sides of tests" in ran.out) == (0, True, True)


#: Tests of values that are None in some runs, and there plain: `p` is none of the state.
PLAIN = """
from fenceproof.model import Maybe, Model, Range, action


class Mine(Model):
    def __init__(self) -> None:
        self.k = Maybe(Range(0, 2))
        self.z = Maybe(Range(0, 1), start=0)

    @action
    def tick(self) -> None:
        self.k = 0 if self.k is None else (None if self.k == 2 else self.k + 1)

    @action
    def cmp(self) -> str:
        if self.k != 1:
            if self.k != None:
                return "a value"
            return "none at all"
        return "one"

    @action(p=(0, 1))
    def ask(self, p: int) -> str:
        if p == 0 and self.z is not None and not self.z:
            return "zero"
        while p < 2:
            p += 1
        return "p"
"""


def test_a_test_of_a_value_that_may_be_none_is_counted_where_it_is_none_as_well() -> None:
    model_file(PLAIN)
    ran = fenceproof("coverage", "mine.py")
    said = [line.strip() for line in ran.out.splitlines() if line.endswith(" in no step")]
    assert said == ["mine.py:24: `self.z is not None` is false in no step", "mine.py:24: `self.z` is true in no step"]
    (told,) = (line for line in ran.out.splitlines() if line.startswith("taken"))
    assert "10 of 12 sides of tests" in told


def test_in_a_narrow_terminal_actions_are_listed() -> None:
    model_file(LOOKS)
    ran = fenceproof("coverage", "mine.py", environment={"COLUMNS": "40"})
    assert "put: 1/1 taken, 3 times, first at depth\n1\n  none 3\n" in ran.out, ran.out
    assert "action  taken" not in ran.out


def test_source_with_json_is_refused() -> None:
    model_file(RESTS)
    assert "Leave one of them out" in fenceproof("coverage", "mine.py", "--source", "--json").message


@pytest.mark.parametrize("variant", some_later(VARIANTS))
def test_every_shipped_variant_takes_all_of_its_actions(variant: str) -> None:
    code, found = document(variant, "--most-faults", "3")
    assert (code, found["states"]["complete"]) == (0, True)
    assert [a["action"] for a in found["actions"] if not a["taken"]["times"]] == []


def test_actions_that_limits_leave_no_room_for_are_not_called_enabled() -> None:
    ran = fenceproof("coverage", "fenced", "--most-faults", "2", "--quiet")
    assert ran.code == 0
    assert ran.out.startswith("fenced: every action was enabled, but for faults that are limited; ")


NEGATED = """
from fenceproof.model import Bool, Model, action


class Gate(Model):
    def __init__(self) -> None:
        self.open = Bool(start=True)

    def is_open(self) -> bool:
        return self.open

    @action
    def one(self) -> str:
        if not self.is_open():
            return "shut"
        return "ok"

    @action
    def two(self) -> str:
        if self.open and not (self.is_open() and self.open):
            return "shut"
        return "ok"

    @action
    def value(self) -> str:
        shut = not self.open
        return "ok" if not shut else "shut"
"""


def test_a_side_is_that_of_what_is_asked_whatever_is_denied_around_it() -> None:
    ran = fenceproof("coverage", model_file(NEGATED))
    assert ran.code == 0
    said = [line.strip().partition(": ")[2] for line in ran.out.splitlines() if line.endswith(" in no step")]
    assert [text.replace(" (test 1 of 2)", "").replace(" (test 2 of 2)", "") for text in said] == [
        "`self.is_open()` is false in no step",
        "`self.open` is false in no step",
        "`self.is_open()` is false in no step",
        "`self.open` is false in no step",
        "`self.open` is false in no step",
        "`shut` is true in no step",
    ]


WITHIN = """
from fenceproof.model import Array, Bool, Model, action, require


class Row(Model):
    def __init__(self) -> None:
        self.seen = Array(2, Bool())

    @action
    def mark(self) -> None:
        require(not all(self.seen[i] for i in range(2)))
        self.seen[1] = True

    @action
    def finish(self) -> str:
        require(self.seen[1])
        self.seen[0] = True
        return "seen" if bool(self.seen[1]) else "unseen"
"""


def test_what_is_tested_within_a_call_is_a_part_of_it() -> None:
    """All are seen in a reachable state, where mark is not enabled; in its steps the first item is never true."""
    model_file(WITHIN)
    code, found = document("mine.py")
    assert code == 0
    assert [(t["text"], t["whole"], t["true"], t["false"]) for t in found["tests"]] == [
        ("all((self.seen[i] for i in range(2)))", False, {"times": 0, "depth": None}, {"times": 2, "depth": 1}),
        ("bool(self.seen[1])", True, {"times": 2, "depth": 2}, {"times": 0, "depth": None}),
    ]
    assert [line.strip() for line in fenceproof("coverage", "mine.py").out.splitlines() if "in no step" in line] == [
        "mine.py:11: a part of `all((self.seen[i] for i in range(2)))` is true in no step",
        "mine.py:18: `bool(self.seen[1])` is false in no step",
    ]

"""Slips that newcomers make with the language, each refused or explained with its line and what to write instead."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from fenceproof.checker import check
from fenceproof.checker.targets import build, find
from fenceproof.model import FenceproofError, ModelError
from fenceproof.model.lift import lift
from fenceproof.model.system import Judgement, Transition

HEAD = """\
from fenceproof.model import *
import enum, logging, sys, warnings
class Color(enum.Enum):
    RED = 1
    BLUE = 2
class Other(enum.Enum):
    RED = 1
class R(Record):
    who = Range(0, 3)
    n = Maybe(Range(0, 3))
class Made(Record):
    def __init__(self, most=3):
        self.who = Range(0, most)
        self.n = Maybe(Range(0, most))
class M(Model):
    def __init__(self) -> None:
        self.x = Range(0, 3)
        self.flag = Bool()
        self.c = Choice("idle", "busy")
        self.color = Choice(Color)
        self.y = Maybe(Range(0, 3))
        self.a = Array(2, Range(0, 3))
        self.q = Queue(Range(0, 3), capacity=2)
        self.s = Set(Range(0, 3))
        self.rs = Set(R)
        self.r = R
        self.m = Made()
        self.doing = Array(2, Maybe(R))
    def is_open(self):
        return self.flag
"""
FIRST = HEAD.count("\n") + 1  # the line on which a body begins
ACTION = "@action\ndef go(self):\n    "
STEP = "@action\ndef go(self):\n    self.x = 0\n"


def write(body: str) -> None:
    Path("mine.py").write_text(HEAD + textwrap.indent(textwrap.dedent(body), "    "))


def refusal(body: str) -> str:
    """The message with which a model with these methods is refused, from its place on."""
    write(body)
    with pytest.raises(FenceproofError) as caught:
        lift(build(find("mine.py"), {}))
    return str(caught.value)


def mistake(body: str) -> str:
    """What goes wrong in a model with these methods, with its place."""
    write(body)
    system = lift(build(find("mine.py"), {}))
    judged: list[Transition | Judgement] = [*system.transitions, *(p.judgement for p in system.invariants)]
    (found,) = [m for part in judged for m in part.mistakes]
    return f"{found.site}: {found.message}"


def outcomes(body: str) -> tuple[str | None, ...]:
    write(body)
    (transition,) = lift(build(find("mine.py"), {})).transitions
    return transition.outcomes


def at(line: int, message: str) -> str:
    return f"mine.py:{FIRST + line - 1}: {message}"


# A method where its answer is meant


def test_a_method_that_is_required_but_not_called_is_refused() -> None:
    assert refusal(ACTION + "require(self.is_open)") == at(
        3, "`require` is given the method is_open itself, which is always true.\n    Did you forget the ()?"
    )


def test_a_lambda_that_is_required_is_refused() -> None:
    assert refusal(ACTION + "require(lambda: self.flag)") == at(
        3, "`require` is given a lambda itself, which is always true.\n    Did you forget the ()?"
    )


def test_a_method_as_an_antecedent_is_refused() -> None:
    body = STEP + "@invariant\ndef p(self):\n    return implies(self.is_open, self.flag)"
    assert refusal(body) == at(
        6, "`implies` is given the method is_open itself, which is always true.\n    Did you forget the ()?"
    )


def test_a_method_that_is_counted_but_not_called_is_refused() -> None:
    body = STEP + "@invariant\ndef p(self):\n    return exists(self.a, lambda item: self.is_open)"
    assert "`exists` is given the method is_open itself" in refusal(body)


def test_a_method_as_what_an_invariant_returns_is_refused() -> None:
    assert refusal(STEP + "@invariant\ndef p(self):\n    return self.is_open") == at(
        4, "p returns the method is_open itself, and no truth value.\n    Did you forget the ()?"
    )


@pytest.mark.parametrize(
    "line",
    [
        "if self.is_open: self.x = 1",
        "if not self.is_open: self.x = 1",
        "if self.flag and self.is_open: self.x = 1",
        "while self.is_open: self.x = 1",
        "self.x = 1 if self.is_open else 2",
        "found = self.is_open or self.flag",
        "self.flag = any(not self.is_open for i in range(2))",
        "self.flag = any([not self.is_open for i in range(2)])",
        "self.flag = (lambda: not self.is_open)()",
    ],
)
def test_a_truth_test_of_a_method_that_is_not_called_is_refused(line: str) -> None:
    assert refusal(ACTION + line) == at(
        3, "the method is_open itself is tested, which is always true.\n    Did you forget the ()?"
    )


@pytest.mark.parametrize(
    "line",
    [
        "if self.is_open(): self.x = 1",
        "if not self.flag: self.x = 1",
        "test = self.is_open\n    if test(): self.x = 1",
        "self = self.r\n    if not self.n: pass",
        "self.flag = exists([self], M.is_open)",
    ],
)
def test_a_method_that_is_called_or_handed_on_is_no_slip(line: str) -> None:
    write(ACTION + line)
    assert lift(build(find("mine.py"), {})).transitions


# Decorators


@pytest.mark.parametrize("body", ["@fault\n@action\n", "@action\n@fault\n", "@fault\n"])
def test_a_fault_without_a_name_is_refused(body: str) -> None:
    line = body.split("\n").index("@fault") + 1
    assert refusal(STEP + body + "def lose(self):\n    self.x = 1") == at(
        3 + line, '`@fault` needs a name.\n    Write @fault("lose").'
    )


def test_a_fault_with_nothing_in_its_brackets_is_refused() -> None:
    assert refusal("@fault()\n@action\ndef lose(self):\n    self.x = 1") == at(
        1, '`@fault` needs a name.\n    Write @fault("x").'
    )


def test_a_safeguard_without_a_name_is_refused() -> None:
    assert refusal(STEP + "@safeguard\ndef allowed(self):\n    return self.flag") == at(
        4, '`@safeguard` needs a name.\n    Write @safeguard("allowed").'
    )


@pytest.mark.parametrize("word", ["action", "invariant", "step_property"])
def test_a_name_that_is_not_given_by_keyword_is_refused(word: str) -> None:
    assert refusal(STEP + f'@{word}("kept")\ndef p(self):\n    return self.flag') == at(
        4, f"`@{word}` is given 'kept'.\n    Write @{word}(name='kept')."
    )


@pytest.mark.parametrize("word", ["terminal", "initial"])
def test_a_name_where_there_is_none_is_refused(word: str) -> None:
    assert refusal(STEP + f'@{word}("kept")\ndef p(self):\n    return self.flag') == at(
        4, f"`@{word}` is given 'kept'.\n    Write @{word} alone, above a method."
    )


# Records


def test_a_record_value_made_by_calling_its_class_is_told_of_of() -> None:
    assert refusal(ACTION + "self.r = R(who=1, n=2)") == at(
        3, "R(…) is a kind, and takes no values.\n    For a value, write R.of(who=…, n=…)."
    )


@pytest.mark.parametrize("value", ["R", "R()"])
def test_a_record_kind_as_a_value_is_told_of_of(value: str) -> None:
    assert refusal(ACTION + f"self.r = {value}") == at(
        3, "r: R is given as a kind, and not as a value.\n    Write R.of(who=…, n=…)."
    )


def test_a_record_kind_with_parameters_as_a_value_is_told_of_of() -> None:
    assert refusal(ACTION + "self.m = Made(3)") == at(
        3, "m: Made is given as a kind, and not as a value.\n    Write Made.of(who=…, n=…)."
    )


@pytest.mark.parametrize("name", ["R", "Made"])
def test_a_misspelt_field_is_told_the_nearest(name: str) -> None:
    target = "r" if name == "R" else "m"
    assert refusal(ACTION + f"self.{target} = {name}.of(who=1, num=None)").startswith(
        at(3, f"{target}: {name} has no field 'num'.\n    Did you mean n?")
    )


@pytest.mark.parametrize("name", ["R", "Made"])
def test_a_missing_field_is_named(name: str) -> None:
    target = "r" if name == "R" else "m"
    assert refusal(ACTION + f"self.{target} = {name}.of(who=1)") == at(
        3, f"{target}: {name}.of(…) is given no n.\n    Write {name}.of(who=…, n=…)."
    )


def test_a_record_of_the_state_is_not_compared_with_one_of_other_fields() -> None:
    assert refusal(ACTION + "require(self.m == Made.of(who=1, num=None))") == at(
        3, "Made has no field 'num'.\n    Did you mean n?"
    )


@pytest.mark.parametrize("line", ["require(R.of(num=1) in self.rs)", "self.rs.discard(R.of(num=1))"])
def test_a_set_is_not_asked_for_a_record_of_other_fields(line: str) -> None:
    assert refusal(ACTION + line) == at(3, "R has no field 'num'.\n    Did you mean n?")


def test_a_starting_value_with_a_misspelt_field_is_told_the_nearest() -> None:
    message = refusal("z = Queue(R, capacity=1, start=[R.of(who=1, num=2)])\n" + STEP)
    assert message.endswith("a starting value does not fit: R has no field 'num'.\n    Did you mean n?")


# Choices


@pytest.mark.parametrize(
    ("line", "value", "near"),
    [
        ('require(self.c != "bussy")', "'bussy'", "'busy'"),
        ('require("bussy" == self.c)', "'bussy'", "'busy'"),
        ('require(self.c in ("idle", "bussy"))', "'bussy'", "'busy'"),
        ('match self.c:\n        case "bussy": self.x = 1', "'bussy'", "'busy'"),
        ("require(self.color == Other.RED)", "Other.RED", "Color.RED"),
    ],
)
def test_a_choice_is_not_compared_with_what_it_never_is(line: str, value: str, near: str) -> None:
    kind = "Choice(Color.RED, Color.BLUE)" if "color" in line else "Choice('idle', 'busy')"
    assert refusal(ACTION + line) == at(
        3 + line.count("\n"), f"{kind} is compared with {value}, which is none of its values.\n    Did you mean {near}?"
    )


def test_a_choice_is_told_all_values_where_none_is_near() -> None:
    assert refusal(ACTION + 'require(self.c == "zzz")') == at(
        3, "Choice('idle', 'busy') is compared with 'zzz', which is none of its values.\n    It is 'idle' or 'busy'."
    )


@pytest.mark.parametrize(
    "line",
    [
        "self.flag = self.c != None",
        'self.flag = self.c == ("idle", "busy")',
        'other = ["idle", "away"]\n    require(any([self.c == o for o in other]))',
        "self.flag = self.c == self.x",
    ],
)
def test_a_choice_may_be_compared_with_other_things(line: str) -> None:
    write(ACTION + line)
    lift(build(find("mine.py"), {}))


# Properties


def test_an_antecedent_that_does_not_guard_is_told_of_lambda() -> None:
    body = STEP + "@invariant\ndef p(self):\n    return implies(len(self.q) > 0, self.q[0] == 0)"
    assert mistake(body) == at(
        6,
        "IndexError: index 0 of q, which has 0 items (the consequent of `implies` is evaluated in any case: "
        "write implies(a, lambda: b) where it has a meaning only if the antecedent is true)",
    )


def test_a_consequent_that_is_guarded_is_told_nothing_of_lambda() -> None:
    body = STEP + "@invariant\ndef p(self):\n    return implies(self.flag, lambda: self.q[0] == 0)"
    assert mistake(body) == at(6, "IndexError: index 0 of q, which has 0 items")


def test_what_goes_wrong_in_a_property_without_implies_is_told_nothing_of_lambda() -> None:
    body = STEP + "@invariant\ndef p(self):\n    return self.q[0] == 0"
    assert mistake(body) == at(6, "IndexError: index 0 of q, which has 0 items")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("@invariant\ndef p():\n    return True", "an invariant takes self only, and p takes nothing"),
        ("@invariant\ndef p(self, x):\n    return True", "an invariant takes self only, and p takes self and x"),
        ("@step_property\ndef p(self):\n    return True", "a step property takes self and a step, and p takes self"),
        ("@terminal\ndef p(self, x):\n    return True", "a @terminal method takes self only, and p takes self and x"),
        ("@initial\ndef p():\n    pass", "an @initial method takes self only, and p takes nothing"),
        ("@action\ndef p():\n    pass", "an action takes self first, and p takes nothing"),
    ],
)
def test_a_method_with_other_parameters_than_its_mark_wants_is_refused_before_it_runs(body: str, what: str) -> None:
    wanted = what.split(" takes ")[1].split(",", maxsplit=1)[0]
    fixed = {
        "self only": "def p(self)",
        "self and a step": "def p(self, step)",
        "self first": "def p(self, …)",
    }[wanted]
    assert refusal(STEP + body) == at(4, f"{what}.\n    Write {fixed}.")


def test_a_misspelt_attribute_is_told_the_nearest() -> None:
    assert mistake(ACTION + "self.x = self.colr") == at(
        3, "AttributeError: The attribute 'colr' is not known. Did you mean color?"
    )


# What messages call things


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("self.q.append(1); self.q.append(1); self.q.append(1)", "q is full: Queue(Range(0, 3), capacity=2)"),
        ("self.q.clear(); self.q.popleft()", "popleft from q, which is empty"),
        ("self.s.add(7)", "s's element becomes 7, which is outside Range(0, 3)"),
        ("self.rs.add(R.of(who=4, n=None))", "rs's element.who becomes 4, which is outside Range(0, 3)"),
        ("self.a[2] = 0", "IndexError: index 2 of a, which has 2 items"),
        ("self.doing[0] = R.of(who=4, n=None)", "doing[0].who becomes 4, which is outside Range(0, 3)"),
        ("self.a = [1, 7]", "a[1] becomes 7, which is outside Range(0, 3)"),
        ("self.a[self.x % 2] = 7", "a[…] becomes 7, which is outside Range(0, 3)"),
    ],
)
def test_a_mistake_names_what_the_author_wrote(line: str, message: str) -> None:
    assert mistake(ACTION + line) == at(3, message)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("self.q.pop()", "q is a Queue, which has no 'pop'"),
        ("self.s.pop_all()", "s is a Set, which has no 'pop_all'"),
        ("require(self.q == [1])", "q, a Queue(Range(0, 3), capacity=2), is compared with a list of another kind"),
    ],
)
def test_a_refusal_names_what_the_author_wrote(line: str, message: str) -> None:
    assert refusal(ACTION + line).startswith(at(3, f"{message}."))


def test_a_property_that_changes_a_queue_names_it() -> None:
    body = STEP + "@invariant\ndef p(self):\n    self.q.clear()\n    return True"
    assert refusal(body).startswith(at(6, "q is changed in the property p."))


# Kinds


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("Range(3)", "Range: missing a required argument: 'hi'.\n    Write Range(0, 3): the least and the greatest."),
        (
            "Queue(Bool())",
            "Queue: missing a required argument: 'capacity'.\n    Write Queue(kind, capacity=4): how many it holds.",
        ),
        ("Bag(Bool())", "Bag: missing a required argument: 'most'.\n    Write Bag(kind, most=4): how many it holds."),
        (
            'Choice(["a", "b"])',
            "a Choice has the list ['a', 'b'] among its values.\n"
            '    Write the values themselves: Choice("a", "b"), or Choice(*values).',
        ),
        ("Range(3, 0)", "Range(3, 0) holds nothing.\n    Write the smaller bound first."),
    ],
)
def test_a_kind_that_is_told_too_little_is_refused_with_its_line(kind: str, message: str) -> None:
    assert refusal(f"def extra(self):\n    pass\nz = {kind}\n" + STEP) == at(3, message)


def test_a_sum_with_an_absent_value_is_told_to_test_for_it() -> None:
    assert mistake(ACTION + "self.y += 0") == at(
        3,
        "TypeError: unsupported operand type(s) for +=: 'NoneType' and 'int' "
        "(a Maybe without a value is None: test `is not None` first)",
    )


# Text


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("return f'{self.r}'", "R(who=0, n=None)"),
        ("return str(self.r)", "R(who=0, n=None)"),
        ("return f'{self.a}'", "[0, 1]"),
        ("return f'{list(self.a)}'", "[0, 1]"),
        ("return f'{self.s}'", "{0}"),
        ("return f'{self.rs}'", "set()"),
        ("return f'{self.q}'", "[1]"),
        ("return f'{self.doing}'", "[None, R(who=2, n=1)]"),
    ],
)
def test_an_outcome_shows_the_values_of_records_and_containers(line: str, shown: str) -> None:
    before = (
        "self.r = R.of(who=0, n=None)\n    self.a = [0, 1]\n    self.s = {0}\n    self.rs = set()\n"
        "    self.q.clear()\n    self.q.append(1)\n    self.doing = [None, R.of(who=2, n=1)]\n    "
    )
    assert outcomes(ACTION + before + line) == (shown,)


def test_an_outcome_forks_over_what_a_record_may_be() -> None:
    found = outcomes(ACTION + "require(self.r.who < 2)\n    self.r.n = 1\n    return f'{self.r}'")
    assert sorted(map(str, found)) == ["R(who=0, n=1)", "R(who=1, n=1)"]


# Printing


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("logging.warning('x')", "logging"),
        ("logging.getLogger('x').info('x')", "logging"),
        ("sys.stdout.write('x')", "sys.stdout"),
        ("sys.stderr.write('x')", "sys.stderr"),
        ("warnings.warn('x')", "warnings"),
        ("from sys import stdout", "sys.stdout"),
    ],
)
def test_what_prints_in_other_ways_is_refused_like_print(line: str, name: str) -> None:
    assert refusal(ACTION + line) == at(
        3,
        f"{name} prints, which has no meaning in a model.\n"
        "    Return the text as the action's outcome instead: it is shown in every trace.",
    )


def test_what_is_said_of_the_system_is_no_printing() -> None:
    write(ACTION + "self.flag = sys.maxsize > 3")
    assert lift(build(find("mine.py"), {})).transitions


# Everything at once


def test_a_model_without_slips_is_checked() -> None:
    write(STEP + "@invariant\ndef p(self):\n    return self.x < 2")
    assert str(check(build(find("mine.py"), {})).verdict) == "holds"


def test_a_refusal_is_a_model_error() -> None:
    write(ACTION + "require(self.is_open)")
    with pytest.raises(ModelError):
        lift(build(find("mine.py"), {}))

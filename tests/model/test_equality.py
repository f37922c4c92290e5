"""What equals what is what Python says, whichever side comes from the state."""

from __future__ import annotations

import enum
import functools
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from asked import Base, reached, verdict
from fenceproof.checker import check
from fenceproof.checker.verdict import Verdict
from fenceproof.model import (
    Array,
    Bag,
    Choice,
    LiftError,
    Map,
    Maybe,
    Model,
    ModelError,
    Queue,
    Range,
    Record,
    Set,
    Step,
    action,
    choose,
    forall,
    implies,
    invariant,
    require,
    step_property,
)
from fenceproof.model.lift import lift


class Point(Record):
    x = Range(0, 3)


class Asking(Base):
    """A model in which questions are asked of a fixed state."""

    def __init__(self, ask: Callable[[Any], bool] = bool) -> None:
        self.ask = ask
        self.x = Range(0, 5, start=choose([2, 4]))
        self.a = Array(2, Range(0, 3), start=[1, 2])
        self.b = Array(2, Range(0, 5), start=[1, 2])
        self.q = Queue(Range(0, 3), capacity=2, start=[1])
        self.s = Set(Range(0, 3), start={1, 2})
        self.m = Map(["k"], Range(0, 3), start={"k": 3})
        self.bag = Bag(Range(0, 3), most=2, start=[1])
        self.r = Point()
        self.points = Set(Point(), start=[{"x": 1}])
        self.c = Choice("x", "a")
        self.d = Choice("a", "x", start="x")

    @action
    def rest(self) -> None:
        self.a[0] = 1

    @invariant
    def said(self) -> bool:
        return self.ask(self)


YES: dict[str, Callable[[Any], bool]] = {
    "a record and a value": lambda m: m.r == Point.of(x=0) and m.r != Point.of(x=1) and Point.of(x=0) == m.r,
    "elements and a value": lambda m: forall(m.points, lambda p: p == Point.of(x=1) and p != Point.of(x=0)),
    "a value in a set": lambda m: Point.of(x=1) in m.points and Point.of(x=0) not in m.points,
    "arrays of other kinds": lambda m: list(m.a) == list(m.b),
    "an array and a list": lambda m: m.a == [1, 2] and m.a != [1] and m.a != [5, 5] and m.a == [1, 2],
    "a queue and a deque": lambda m: m.q == deque([1]) and m.q != deque([1, 1]) and m.q != deque(),
    "a set and a set": lambda m: m.s == {1, 2} and m.s != {1} and m.s != {1, 2, 9},
    "a map and a dict": lambda m: m.m == {"k": 3} and m.m != {"k": 2} and m.m != {"j": 3},
    "outside the universe": lambda m: 9 not in m.s and (m.x + 5) not in m.s and 9 not in m.bag and m.bag.count(9) == 0,
    "a truth value as an index": lambda m: m.a[m.x > 9] == 1 and m.a[m.x > 0] == 2,
    "other kinds of thing": lambda m: m.a != 3 and m.a is not None and m.x not in ("2", (2,)),
    "choices in another order": lambda m: m.c == m.d and m.c == "x",
    "isinstance": lambda m: all(map(isinstance, (m.a, m.q, m.s, m.m), (list, deque, set, dict))),
}


@pytest.mark.parametrize("name", YES)
def test_it_is_as_in_python(name: str) -> None:
    assert verdict(check(Asking(YES[name])), "said") is Verdict.HOLDS


NO: dict[str, tuple[Callable[[Any], bool], str]] = {
    "a queue and a list": (lambda m: m.q == [1], "compared with a list"),
    "an array and a tuple": (lambda m: m.a == (1, 2), "compared with a tuple"),
    "arrays of other kinds": (lambda m: m.a == m.b, "of another kind"),
    "a number and a fraction": (lambda m: m.x == Fraction(2), "compared with a Fraction"),
    "records in a Python set": (lambda m: len({m.r}) == 1, "is hashed"),
}


@pytest.mark.parametrize("name", NO)
def test_a_comparison_that_would_surprise_is_refused(name: str) -> None:
    ask, words = NO[name]
    with pytest.raises(LiftError, match=words):
        check(Asking(ask))


def test_match_takes_containers_apart() -> None:
    def ask(m: Any) -> bool:
        match m.a:
            case [1, second]:
                right = bool(second == 2)
            case _:
                right = False
        match m.m:
            case {"k": 3}:
                return right
            case _:
                return False

    assert verdict(check(Asking(ask)), "said") is Verdict.HOLDS


def test_a_choice_with_none_is_refused() -> None:
    with pytest.raises(ModelError, match=r"Maybe\(Choice"):
        Choice("a", None)


def test_an_array_is_not_given_a_missing_value() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.a = Array(1, Range(0, 2))
            self.b: Any = Array(1, Maybe(Range(1, 2)))

        @action
        def go(self) -> None:
            self.a = self.b

    assert check(M()).verdict is Verdict.MODEL_ERROR


def test_an_array_of_choices_is_copied_by_what_is_in_it() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.a = Array(1, Choice("x", "a"))
            self.b = Array(1, Choice("a", "x"))

        @action
        def go(self) -> None:
            self.b = self.a

    assert reached(M(), "b") == [["a"], ["x"]]


class Message(NamedTuple):
    kind: str
    node: int
    path: str


def test_a_constants_own_attributes_are_found_whatever_their_names() -> None:
    messages = [Message("ok", 1, "p"), Message("fail", 2, "q")]

    class M(Base):
        def __init__(self) -> None:
            self.c = Choice(*messages)

        @action
        def turn(self) -> str:
            self.c = messages[1] if self.c == messages[0] else messages[0]
            return f"{self.c.kind} {self.c.node} {self.c.path}"

    outcomes = {data["outcome"] for *_, data in check(M()).graph().edges(data=True)}
    assert outcomes == {"fail 2 q", "ok 1 p"}


class Color(enum.Enum):
    RED = 1
    BLUE = 2


def test_a_step_has_the_arguments_that_the_action_was_given() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.c = Choice(Color)

        @action(c=Color, pair=[(1, 2)])
        def paint(self, c: Color, pair: tuple[int, int]) -> None:
            self.c = c

        @step_property
        def blue(self, step: Step) -> bool:
            return implies(step.args["pair"] == (1, 2), step.args["c"] != Color.BLUE)

    assert verdict(check(M()), "blue") is Verdict.VIOLATED


def test_choose_tries_every_option_by_its_place() -> None:
    class Stop(enum.IntEnum):
        NOW = 1

    class M(Base):
        def __init__(self) -> None:
            self.x = Range(0, 3, start=2)
            self.y = Range(0, 3, start=3)
            self.z = Range(0, 9)

        @action
        def pick(self) -> None:
            require(self.z == 0)
            value, weight = choose([(self.x, 1), (self.y, 2)])
            self.z = value + weight

        @action
        def mixed(self) -> None:
            require(self.z == 0)
            picked = choose([0, False, 1, True, Stop.NOW])
            self.z = 7 if isinstance(picked, Stop) else 8 if isinstance(picked, bool) else 9

        @action
        def rows(self) -> None:
            require(self.z == 0)
            self.z = choose([[0, 1], [0, 6]])[1]

    assert sorted(reached(M(), "z")) == [0, 1, 3, 5, 6, 7, 8, 9]
    mixed = [t.args for t in lift(M()).transitions if t.action == "mixed"]
    assert [a["choice"] for a in mixed] == [0, False, 1, True, "NOW"]


def test_a_value_kept_from_another_run_is_refused() -> None:
    @functools.cache
    def successor(value: int) -> int:
        return (value + 1) % 3

    class M(Base):
        def __init__(self) -> None:
            self.x = Range(0, 2, start=2)
            self.y = Range(0, 2)

        @action
        def up(self) -> None:
            require(self.y == 2)
            self.x = successor(self.x)

        @action
        def write(self) -> None:
            self.y = successor(self.y)

    with pytest.raises(LiftError, match="after the run that it was read in"):
        check(M())


def test_a_refusal_cannot_be_swallowed() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.x = Range(0, 3)

        @action
        def up(self) -> None:
            require(self.x < 3)
            self.x += 1

        @invariant
        def fine(self) -> bool:
            try:
                return (self.x | 1) != 3
            except Exception:
                return True

    with pytest.raises(LiftError, match="this operator is not there"):
        check(M())


def test_what_is_said_of_an_element_that_is_never_in_a_set_is_vacuous() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.s = Set(Range(0, 1))

        @action
        def put(self) -> None:
            self.s.add(0)

        @invariant
        def ones(self) -> bool:
            return forall(self.s, lambda e: implies(e == 1, False))

        @invariant
        def zeros(self) -> bool:
            return forall(self.s, lambda e: implies(e == 0, True))

    result = check(M())
    assert verdict(result, "ones") is Verdict.VACUOUS
    assert verdict(result, "zeros") is Verdict.HOLDS


@pytest.mark.parametrize("value", [2, True, Color.RED, [1]])
def test_an_outcome_that_is_no_text_is_refused(value: object) -> None:
    class M(Model):
        def __init__(self) -> None:
            self.x = Range(0, 1)

        @action
        def go(self) -> Any:
            self.x = 1
            return value

    with pytest.raises(LiftError, match="its outcome is text"):
        check(M())


def test_match_takes_a_choice_of_tuples_apart() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.edge = Choice(("a", 0), ("a", 1), ("b", 0))

        @action
        def go(self) -> str:
            match self.edge:
                case ("a", 0):
                    self.edge = ("a", 1)
                    return "first"
                case ("a", n):
                    return f"a{n}"
                case _:
                    return "other"

    assert {data["outcome"] for *_, data in check(M()).graph().edges(data=True)} == {"first", "a1"}


def test_the_states_before_and_after_a_step_are_compared_by_what_is_in_them() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 1)

        @action
        def idle(self) -> None:
            """Changes nothing."""

        @action
        def up(self) -> None:
            self.n = 1

        @step_property
        def changes(self, step: Step) -> bool:
            return bool(step.before != step.after)

        @step_property
        def rests(self, step: Step) -> bool:
            return implies(step.action == "idle", step.before == step.after)

    result = check(M())
    assert verdict(result, "changes") is Verdict.VIOLATED
    assert verdict(result, "rests") is Verdict.HOLDS


def test_a_choice_of_numbers_can_be_computed_with() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.c = Choice(1, 2, 4, start=2)

        @action
        def go(self) -> str:
            return f"{self.c * 2} {3 * self.c} {self.c // 2} {9 // self.c} {-self.c} {abs(self.c)} {self.c % 2}"

    assert {data["outcome"] for *_, data in check(M()).graph().edges(data=True)} == {"4 6 1 4 -2 2 0"}

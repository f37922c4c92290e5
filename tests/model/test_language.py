"""What an author writes means what plain Python would do: each construct, on a model of a few lines."""

from __future__ import annotations

import enum
from typing import Any

import pytest
from asked import Base, outcomes, reached
from fenceproof.checker import check
from fenceproof.model import (
    Array,
    Bool,
    Choice,
    Maybe,
    Range,
    UsageError,
    action,
    choose,
    greatest,
    invariant,
    least,
    require,
)
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


def test_if_elif_else_loops_helpers_and_early_returns() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 9)

        def classify(self, n: int) -> str:
            for bound, name in ((3, "small"), (6, "middle")):
                if n < bound:
                    return name
            return "large"

        @action
        def up(self) -> str:
            require(self.n < 9)
            self.n += 1
            if self.n == 5:
                return "five"
            if self.n > 7 or self.n == 2:
                return "odd one"
            return self.classify(self.n)

    edges = [data["outcome"] for _, _, data in check(M()).graph().edges(data=True)]
    assert edges == ["small", "odd one", "middle", "middle", "five", "large", "large", "odd one", "odd one"]


def test_match_statements_on_constants_and_enums() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.color = Choice(Color)

        @action
        def turn(self) -> str:
            match self.color:
                case Color.RED:
                    self.color = Color.GREEN
                    return "go"
                case Color.GREEN:
                    self.color = Color.BLUE
                    return "cool"
                case _:
                    self.color = Color.RED
                    return "stop"

    assert reached(M(), "color") == ["RED", "GREEN", "BLUE"]
    assert outcomes(M()) == {"go", "cool", "stop"}


def test_reading_an_absent_value_is_none_and_a_present_one_is_its_value() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.seen = Maybe(Range(-1, 1))

        @action(value=(-1, 0, 1))
        def see(self, value: int) -> str:
            if self.seen is None:
                self.seen = value
                return "first"
            require(self.seen != value)
            before = self.seen
            self.seen = None
            return f"forgot {before}"

    assert sorted(reached(M(), "seen"), key=str) == [-1, 0, 1, None]
    assert outcomes(M()) == {"first", "forgot -1", "forgot 0", "forgot 1"}


def test_arithmetic_is_pythons() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.a = Range(-7, 7)
            self.b = Range(-7, 7)
            self.c = Range(-60, 60)
            self.done = Bool()

        @action(a=range(-7, 8), d=(-3, -2, 2, 3), kind=("//", "%", "-", "*", "abs", "divmod"))
        def compute(self, a: int, d: int, kind: str) -> None:
            require(not self.done and self.a == -7)
            self.a = a
            match kind:
                case "//":
                    self.c = self.a // d
                case "%":
                    self.c = self.a % d
                case "-":
                    self.c = d - self.a
                case "*":
                    self.c = -self.a * d
                case "abs":
                    self.c = abs(self.a)
                case _:
                    quotient, rest = divmod(self.a, d)
                    self.c = quotient * d + rest
            self.done = True

        @invariant
        def fine(self) -> bool:
            return self.c <= 60

    def expected(kind: str, a: int, d: int) -> int:
        return {"//": a // d, "%": a % d, "-": d - a, "*": -a * d, "abs": abs(a), "divmod": a}[kind]

    system = lift(M())
    for transition in system.transitions:
        args: Any = transition.args
        after = take(transition, system.initial[0]).state
        assert after is not None
        assert system.decode(after)["c"] == expected(args["kind"], args["a"], args["d"]), args


def test_computing_with_a_value_that_is_not_known_is_pythons_too() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.a = Range(-7, 7, start=choose(range(-7, 8)))
            self.out = Array(6, Range(-60, 60))

        @action(d=(-3, -2, 2, 3))
        def compute(self, d: int) -> None:
            self.out[0] = self.a // d
            self.out[1] = self.a % d
            self.out[2] = 20 // (self.a + 8)
            self.out[3] = 20 % (self.a - 8)
            self.out[4] = least(self.a, d)
            self.out[5] = greatest(self.a, d) - abs(self.a)

    system = lift(M())
    assert len(system.initial) == 15
    for state in system.initial:
        for transition in system.transitions:
            a, d = state[0], int(str(transition.args["d"]))
            after = take(transition, state).state
            assert after is not None
            expected = [a // d, a % d, 20 // (a + 8), 20 % (a - 8), min(a, d), max(a, d) - abs(a)]
            assert system.decode(after)["out"] == expected


def test_a_constant_table_is_indexed_by_the_state() -> None:
    names = ("zero", "one", "two")
    ages = {0: 30, 1: 40, 2: 50}

    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 2)

        @action
        def up(self) -> str:
            require(self.n < 2)
            self.n += 1
            return f"{names[self.n]} {ages[self.n]}" + "!" * self.n

    assert outcomes(M()) == {"one 40!", "two 50!!"}


def said(number: object, flag: object, choice: object) -> str:
    return f"{isinstance(number, int)} {isinstance(flag, bool)} {isinstance(choice, str)}"


def test_isinstance_says_of_a_value_of_the_state_what_it_says_of_a_plain_one() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 1)
            self.b = Bool()
            self.c = Choice("x", "y")

        @action
        def look(self) -> str:
            self.n = 1 - self.n
            return said(self.n, self.b, self.c)

    assert outcomes(M()) == {"True True True"}


def test_require_and_choose_outside_of_an_action_say_where_they_belong() -> None:
    with pytest.raises(UsageError, match="inside an action"):
        require(True)


def test_a_model_can_be_a_class_with_its_kinds_on_the_class() -> None:
    class M(Base):
        n = Range(0, 2)

        @action
        def up(self) -> None:
            require(self.n < 2)
            self.n += 1

    assert reached(M(), "n") == [0, 1, 2]


def test_the_model_order_of_transitions_is_the_order_in_which_actions_are_written() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 2)

        @action(k=(1, 2))
        def second(self, k: int) -> None:
            require(self.n == 0)
            self.n = k

        @action
        def first(self) -> None:
            require(self.n == 2)

    system = lift(M())
    assert [t.action for t in system.transitions] == ["second", "second", "first"]
    assert enabled(system, (0,)) == [0, 1]

"""Why a property is violated: all that would do and nothing that would not, with values as their author writes them."""

from __future__ import annotations

from fenceproof.checker.engines.explicit import check
from fenceproof.checker.report.story import faults_spent
from fenceproof.checker.report.text import as_text
from fenceproof.checker.report.why import why
from fenceproof.model import Array, Bool, Choice, Model, Range, action, count, fault, implies, invariant, terminal
from fenceproof.model.lift import lift


class Returned(Model):
    """Truth values as Python's own `and` and `or` return them, and as branches do."""

    def __init__(self) -> None:
        self.done, self.a, self.b = Bool(), Bool(), Bool()
        self.x = Range(0, 3)
        self.level = Array(2, Choice(3, 2, 1))

    @action
    def go(self) -> None:
        self.done = True
        self.x = 3

    @terminal
    def anywhere(self) -> bool:
        return True

    @invariant
    def either(self) -> bool:
        return self.x < 2 or self.b

    @invariant
    def any_of_three(self) -> bool:
        return self.x == 0 or self.a or self.b

    @invariant
    def both(self) -> bool:
        return implies(self.done, self.a and self.b)

    @invariant
    def turned(self) -> bool:
        return implies(self.done, self.x == 3 and self.a)

    @invariant
    def no_three(self) -> bool:
        return implies(self.done, count(self.level, lambda each: each == 3) < 1)


def test_all_that_would_do_is_said_and_nothing_that_would_not() -> None:
    result = check(lift(Returned()))
    lines = {p.name: [line.split(" (tests")[0] for line in why(result.system, p)] for p in result.properties}
    assert lines["either"] == ["(x < 2 or b) is false; here b = false, x = 3"]
    assert lines["any_of_three"] == ["(x == 0 or a or b) is false; here a = false, b = false, x = 3"]
    assert lines["both"] == ["(not done or (a and b)) is false; here done = true, a = false, b = false"]
    assert lines["turned"] == ["(not done or a) is false; here done = true, a = false"]
    assert "level[0] == 3" in lines["no_three"][0]
    assert "level[0] = 3" in lines["no_three"][0]


class Breaks(Model):
    """A fault after which the model itself goes wrong."""

    def __init__(self) -> None:
        self.n = Range(0, 1)

    @fault("push", budget=3)
    @action
    def push(self) -> None:
        self.n += 1

    @terminal
    def anywhere(self) -> bool:
        return True


def test_a_fault_that_breaks_the_model_is_said_and_counted_like_those_before_it() -> None:
    result = check(lift(Breaks()))
    assert result.wrong is not None
    text = as_text(result)
    assert text.count("push()  [fault: push]") == 2
    assert faults_spent(result.system, result.wrong.trace) == "faults spent: push ×2 of 3"

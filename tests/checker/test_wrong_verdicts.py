"""Models that look right and are not: an engine that said that they are would make the worst of mistakes."""

from __future__ import annotations

import pytest
from fenceproof.checker.api import check
from fenceproof.checker.engines import ENGINES
from fenceproof.checker.verdict import Verdict
from fenceproof.model import Array, Bool, Model, Range, Step, action, choose, count, invariant, require, step_property


class Calls(Model):
    """Calls that are sent once, each for itself."""

    def __init__(self, calls: int = 3) -> None:
        self.calls = calls
        self.sent = Array(calls, Bool())

    @action(call="calls")
    def send(self, call: int) -> str:
        """Once, or over again."""
        self.sent[call] = not self.sent[call]
        return "third" if call == 2 else "sent"


class TwoOfThree(Calls):
    """It takes three to break it."""

    @invariant
    def few(self) -> bool:
        return count(self.sent) < 3


class ThirdAlone(Calls):
    """Only the third breaks it."""

    @invariant
    def not_the_third(self) -> bool:
        return all(not sent for call, sent in enumerate(self.sent) if call == 2)


class ThirdSaysSo(Calls):
    """What the third does has an outcome that no other has."""

    @step_property
    def like_the_others(self, step: Step) -> bool:
        return step.outcome != "third"


class SeesAnother(Calls):
    """A step of the last is judged by the state of the first."""

    @step_property
    def for_itself(self, step: Step) -> bool:
        return not (step.before.sent[0] and step.args["call"] == self.calls - 1)


class Rounds(Model):
    """Numbers on both sides of zero, divided by numbers on both sides."""

    def __init__(self) -> None:
        self.number = Range(-7, 7)
        self.by = Range(-3, 3, start=1)

    @action
    def turn(self) -> None:
        """Whatever."""
        self.number = choose(range(-7, 8))
        self.by = choose((-3, -2, -1, 1, 2, 3))


class RoundsUp(Rounds):
    """5 // -2 is -3, and not -2."""

    @invariant
    def towards_zero(self) -> bool:
        return self.number != 5 or self.by != -2 or self.number // self.by > -3


class RestIsPositive(Rounds):
    """5 % -2 is -1."""

    @invariant
    def is_positive(self) -> bool:
        return self.number != 5 or self.number % self.by >= 0


class AtTheTop(Model):
    """Off by one, where the number is as wide as its bits."""

    def __init__(self, top: int = 8) -> None:
        self.top = top
        self.number = Range(0, top)

    @action
    def up(self) -> None:
        """To the top, and from the beginning again."""
        self.number = (self.number + 1) % (self.top + 1)

    @invariant
    def below(self) -> bool:
        return self.number + self.number < 2 * self.top


class ComesRound(AtTheTop):
    """A counter that is said to go up."""

    @invariant
    def below(self) -> bool:
        return True

    @step_property
    def goes_up(self, step: Step) -> bool:
        return bool(step.after.number > step.before.number)


class LastStep(Model):
    """One path of sixteen, in its last step."""

    def __init__(self) -> None:
        self.at = Range(0, 4)
        self.path = Array(4, Bool())

    @action
    def go(self) -> None:
        """Left or right; then again."""
        require(self.at < 4)
        self.path[self.at] = choose((False, True))
        self.at += 1

    @action
    def again(self) -> None:
        """From the beginning."""
        require(self.at == 4)
        self.at = 0

    @invariant
    def elsewhere(self) -> bool:
        return self.at < 4 or self.path[2] or count(self.path) < 3


@pytest.mark.parametrize("all_copies", [True, False])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "model",
    [
        TwoOfThree,
        ThirdAlone,
        ThirdSaysSo,
        SeesAnother,
        RoundsUp,
        RestIsPositive,
        AtTheTop,
        ComesRound,
        LastStep,
    ],
)
def test_a_model_that_is_violated_is_never_said_to_hold(model: type[Model], engine: str, *, all_copies: bool) -> None:
    assert check(model, engine=engine, all_copies=all_copies).verdict is Verdict.VIOLATED

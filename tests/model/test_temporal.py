"""Properties of whole behaviours, quiescent states, and actions that follow a fault, as an author writes them."""

from __future__ import annotations

from typing import Any

import pytest
from asked import Base, verdict
from fenceproof.checker import check
from fenceproof.checker.limits import Limits
from fenceproof.checker.verdict import Verdict
from fenceproof.model import (
    Array,
    Bool,
    Choice,
    Model,
    ModelError,
    Range,
    action,
    after_fault,
    eventually,
    fault,
    implies,
    leads_to,
    quiescent,
    require,
    strong,
    weak,
)
from fenceproof.model.lift import lift


class Mutex(Base):
    """Two processes that take turns at a lock as they are scheduled."""

    def __init__(self) -> None:
        self.at = Array(2, Choice("idle", "waiting", "critical"))

    @action(p=2)
    def ask(self, p: int) -> None:
        require(self.at[p] == "idle")
        self.at[p] = "waiting"

    @action(p=2)
    def enter(self, p: int) -> None:
        require(self.at[p] == "waiting" and self.at[1 - p] != "critical")
        self.at[p] = "critical"

    @action(p=2)
    def leave(self, p: int) -> None:
        require(self.at[p] == "critical")
        self.at[p] = "idle"

    @leads_to(fair=[weak("enter"), "leave"])
    def weakly_served(self) -> Any:
        """Who waits gets in, if entering is weakly fair."""
        return self.at[0] == "waiting", self.at[0] == "critical"

    @leads_to(fair=[strong("enter"), "leave"])
    def strongly_served(self) -> Any:
        """Who waits gets in, if entering is strongly fair."""
        return self.at[0] == "waiting", self.at[0] == "critical"


def test_mutual_exclusion_starves_under_weak_fairness_and_serves_under_strong() -> None:
    result = check(Mutex())
    assert verdict(result, "weakly_served") is Verdict.VIOLATED
    assert verdict(result, "strongly_served") is Verdict.HOLDS
    trace = result.trace("weakly_served")
    assert trace is not None
    actions = [result.system.transitions[t].action for t in trace.transitions]
    assert (actions, trace.loop) == (["ask", "ask", "enter", "leave"], 1)


class Channel(Base):
    """A message that is sent again until it arrives; a fault loses it."""

    def __init__(self, losses: int = 2) -> None:
        self.sent = Bool()
        self.arrived = Bool()

    @action
    def send(self) -> None:
        require(not self.sent and not self.arrived)
        self.sent = True

    @action
    def deliver(self) -> None:
        require(self.sent)
        self.sent, self.arrived = False, True

    @fault("loss")
    @action
    def lose(self) -> None:
        require(self.sent)
        self.sent = False

    @eventually(fair=["*"])
    def arrives(self) -> bool:
        """The message arrives in the end."""
        return self.arrived

    @eventually(fair=["send"])
    def hopes(self) -> bool:
        """As before, and nobody need deliver."""
        return self.arrived


@pytest.mark.parametrize(("losses", "expected", "loop"), [(2, Verdict.HOLDS, (1, 1)), (None, Verdict.VIOLATED, (2, 0))])
def test_a_lossy_channel_delivers_unless_it_may_lose_for_ever(
    losses: int | None, expected: Verdict, loop: tuple[int, int]
) -> None:
    result = check(Channel(), faults={"loss": losses})
    assert verdict(result, "arrives") is expected
    assert verdict(result, "hopes") is Verdict.VIOLATED
    hopes = result.trace("hopes")
    assert hopes is not None
    assert (len(hopes), hopes.loop) == loop


def test_of_a_part_of_the_states_nothing_is_said_of_behaviours() -> None:
    result = check(Channel(), faults={"loss": None}, limits=Limits(max_states=1))
    assert verdict(result, "hopes") is Verdict.INCONCLUSIVE


def test_what_was_never_left_to_happen_is_vacuous() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 1)

        @action
        def turn(self) -> None:
            self.n = 1 - self.n

        @eventually(fair=["*"])
        def from_the_start(self) -> bool:
            return self.n < 2

        @leads_to(fair=["*"])
        def never_asked(self) -> Any:
            return self.n == 2, self.n == 1

    result = check(M())
    assert verdict(result, "from_the_start") is Verdict.VACUOUS
    assert verdict(result, "never_asked") is Verdict.VACUOUS


class Once(Model):
    def __init__(self) -> None:
        self.n = Range(0, 2)

    @action
    def up(self) -> None:
        require(self.n < 2)
        self.n += 1

    @fault("reset")
    @action
    def reset(self) -> None:
        self.n = 0

    @after_fault("reset")
    @action
    def shrug(self) -> None:
        require(self.n == 2)

    @quiescent
    def at_the_top(self) -> bool:
        """Where nothing but a reset can happen, all is counted."""
        return self.n == 2

    @quiescent
    def asked(self) -> bool:
        return implies(self.n == 0, False)


def test_a_quiescent_property_is_asked_only_where_nothing_but_a_fault_can_happen() -> None:
    result = check(Once(), faults={})
    assert verdict(result, "at_the_top") is Verdict.HOLDS
    assert verdict(result, "asked") is Verdict.VACUOUS


def test_an_action_that_follows_a_fault_goes_with_it() -> None:
    assert [t.action for t in lift(Once()).transitions] == ["up", "reset", "shrug"]
    assert {t.action for t in check(Once(), faults={}).system.transitions} == {"up"}


@pytest.mark.parametrize(
    ("fair", "words"),
    [
        (["delivr"], "Did you mean deliver?"),
        (["lose"], "which is a fault"),
    ],
)
def test_a_fairness_that_means_nothing_is_refused(fair: list[str], words: str) -> None:
    class M(Channel):
        @eventually(fair=fair)
        def settles(self) -> bool:
            return self.arrived

    with pytest.raises(ModelError, match=words):
        lift(M())


def test_leads_to_wants_a_pair() -> None:
    class M(Channel):
        @leads_to(fair=["*"])
        def settles(self) -> Any:
            return self.arrived

    with pytest.raises(ModelError, match="does not return a pair"):
        lift(M())

"""One search for a whole family, on models whose members differ in a known way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from asked import Base
from fenceproof.checker.engines import family as engine
from fenceproof.checker.engines.family import NEVER, Family, FamilyTally, Keys, Member, explore_family
from fenceproof.checker.engines.words import pack
from fenceproof.checker.lattice import number_of
from fenceproof.checker.limits import Limits
from fenceproof.checker.result import Sort
from fenceproof.model import (
    Bool,
    Model,
    ModelError,
    Range,
    Step,
    action,
    after_fault,
    eventually,
    fault,
    implies,
    initial,
    invariant,
    quiescent,
    require,
    safeguard,
    step_property,
    terminal,
)
from fenceproof.model.budgets import Settings
from fenceproof.model.layout import Layout
from fenceproof.model.lift import lift
from fenceproof.model.methods import safeguards


def explored(
    model: Model, *, pruned: bool = False, most_faults: int | None = None, limits: Limits | None = None
) -> Family:
    varied = frozenset(safeguards(type(model)))
    system = lift(model, Settings(varied=varied, noted=True, most_faults=most_faults))
    return explore_family(system, pruned=pruned, limits=limits)


def member(found: Family, name: str) -> Member:
    return next(m for m in found.members if m.name == name)


def steps(found: Family, name: str, missing: Sequence[str] = (), faults: Sequence[str] = ()) -> int | None:
    """The length of the shortest trace in a member of the family; None if the property holds there."""
    property_of = found.wrong if name == "model error" else member(found, name)
    length = int(property_of.steps[number_of(missing, found.safeguards), number_of(faults, found.faults)])
    return None if length == NEVER else length


def was_tested(found: Family, name: str, faults: Sequence[str] = ()) -> bool:
    return bool(member(found, name).tested[0, number_of(faults, found.faults)])


class Tank(Base):
    """Fills up to its rim; two safeguards stop it before, and a surge or a knock make it overflow sooner."""

    def __init__(self) -> None:
        self.level = Range(0, 4)
        self.knocks = Range(0, 9)

    @safeguard("valve")
    def open_valve(self) -> bool:
        return self.level < 2

    @safeguard("float")
    def float_down(self) -> bool:
        return self.level < 3

    @action
    def fill(self) -> None:
        require(self.level < 4 and self.open_valve() and self.float_down())
        self.level += 1

    @fault("surge")
    @action
    def surge(self) -> None:
        require(self.level < 4)
        self.level += 1

    @fault("knock", budget=None)
    @action
    def knock(self) -> None:
        require(self.level > 0 and self.knocks < 9)
        self.knocks += 1
        self.level = 4

    @invariant
    def dry(self) -> bool:
        """Nothing runs over."""
        return self.level < 4


def test_every_member_has_the_length_of_its_own_shortest_trace() -> None:
    found = explored(Tank())
    assert (found.safeguards, found.faults) == (("valve", "float"), ("surge", "knock"))
    assert [[steps(found, "dry", m, f) for f in ((), ("surge",), ("knock",), ("surge", "knock"))] for m in MISSING] == [
        [None, None, 2, 2],
        [None, 4, 2, 2],
        [None, None, 2, 2],
        [4, 4, 2, 2],
    ]


MISSING = ((), ("valve",), ("float",), ("valve", "float"))


def test_a_pruned_search_finds_the_same_members_fallen_in_fewer_states() -> None:
    whole, pruned = explored(Tank()), explored(Tank(), pruned=True)
    assert np.array_equal(whole.fallen, pruned.fallen)
    assert (whole.distinct, pruned.distinct) == (101, 37)


def test_a_state_that_violates_at_the_beginning_falls_in_no_steps_and_only_without_its_safeguard() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.on = Bool()

        @safeguard("lock")
        def locked(self) -> bool:
            return self.on

        @initial
        def begin(self) -> None:
            if self.locked():
                self.on = True

        @action
        def rest(self) -> None:
            """Nothing."""

        @invariant
        def off(self) -> bool:
            return not self.on

    for pruned in (False, True):
        found = explored(M(), pruned=pruned)
        assert (steps(found, "off"), steps(found, "off", ["lock"])) == (None, 0)


def test_a_model_error_is_one_of_the_members_in_which_it_happens() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 2)

        @safeguard("ceiling")
        def may_rise(self) -> bool:
            return self.n < 2

        @action
        def up(self) -> None:
            require(self.may_rise())
            self.n += 1

        @fault("jolt")
        @action
        def jolt(self) -> None:
            self.n += 1

    for pruned in (False, True):
        found = explored(M(), pruned=pruned)
        wrong = [steps(found, "model error", m, f) for m in ((), ("ceiling",)) for f in ((), ("jolt",))]
        assert wrong == [None, 3, 3, 3]


def test_a_property_of_steps_is_put_to_the_test_by_the_fault_that_takes_the_step() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 1)

        @fault("flip")
        @action
        def flip(self) -> None:
            self.n = 1

        @action
        def rest(self) -> None:
            """Nothing."""

        @step_property
        def flips_up(self, step: Step) -> bool:
            return implies(step.before.n != step.after.n, step.after.n == 1)

    found = explored(M())
    assert [was_tested(found, "flips_up", f) for f in ((), ("flip",))] == [False, True]


def test_a_stop_is_a_deadlock_only_without_the_fault_that_something_follows() -> None:
    class M(Model):
        def __init__(self) -> None:
            self.lost = Bool()
            self.sent = Bool()

        @action
        def send(self) -> None:
            require(not self.sent)
            self.sent = True

        @fault("loss")
        @action
        def lose(self) -> None:
            require(self.sent)
            self.lost = True

        @after_fault("loss")
        @action
        def again(self) -> None:
            require(self.lost)
            self.lost = False

        @quiescent
        def not_lost(self) -> bool:
            return not self.lost

        @terminal
        def unsent(self) -> bool:
            return not self.sent

    for pruned in (False, True):
        found = explored(M(), pruned=pruned)
        # The fault may also happen never.
        assert [steps(found, "no-deadlock", (), f) for f in ((), ("loss",))] == [1, 1]
        assert steps(found, "not_lost", (), ["loss"]) is None


class Hasty(Base):
    """What should follow a fault can happen without it."""

    def __init__(self) -> None:
        self.n = Range(0, 2)

    @action
    def up(self) -> None:
        require(self.n == 0)
        self.n = 1

    @fault("loss")
    @action
    def lose(self) -> None:
        require(self.n != 1)
        self.n = 1

    @after_fault("loss")
    @action
    def recover(self) -> None:
        # A level further both kinds of states are there: those after the fault, and those without it.
        require(self.n == 1)
        self.n = 2


class Stumbling(Hasty):
    """There it also goes wrong."""

    def recover(self) -> None:
        require(self.n == 1)
        self.n += 2


@pytest.mark.parametrize("model", [Hasty, Stumbling])
@pytest.mark.parametrize("pruned", [False, True])
def test_what_follows_a_fault_and_can_happen_before_it_is_refused(model: type[Model], pruned: bool) -> None:
    with pytest.raises(ModelError, match=r"recover is marked @after_fault\('loss'\), and can happen before that fault"):
        explored(model(), pruned=pruned)


def test_a_property_may_have_any_name() -> None:
    class M(Hasty):
        @safeguard("brake")
        def slow(self) -> bool:
            return self.n == 2

        def recover(self) -> None:
            require(False)

        @action
        def go(self) -> None:
            require(self.slow())
            self.n = 0

        @invariant(name="after-fault")
        def never_one(self) -> bool:
            return self.n != 1

        @step_property(name="model error")
        def never_up(self, step: Step) -> bool:
            return step.action != "up"

    found = explored(M())
    assert (steps(found, "after-fault"), int(member(found, "model error").steps[0, 0])) == (1, 1)
    assert found.fallen.all()


def test_that_a_fault_has_happened_is_no_part_of_the_state_that_an_author_compares() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 1)

        @action
        def up(self) -> None:
            self.n = 1

        @fault("noise", budget=None)
        @action
        def noise(self) -> None:
            """Nothing."""

        @fault("hum")
        @action
        def hum(self) -> None:
            """Nothing."""

        @step_property
        def harmless(self, step: Step) -> bool:
            return step.action == "up" or step.before == step.after

        @step_property
        def changes(self, step: Step) -> Any:
            return step.before != step.after

    found = explored(M())
    assert not member(found, "harmless").steps.min() < NEVER
    assert [steps(found, "changes", (), f) for f in ((), ("noise",), ("hum",))] == [2, 1, 1]


def test_liveness_falls_where_a_safeguard_keeps_what_is_awaited_from_happening() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.done = Bool()
            self.broken = Bool()

        @safeguard("care")
        def careful(self) -> bool:
            return not self.broken

        @action
        def work(self) -> None:
            require(self.careful() and not self.done)
            self.done = True

        @fault("break", budget=None)
        @action
        def fall(self) -> None:
            self.broken = True

        @eventually(fair=["work"])
        def finished(self) -> bool:
            return self.done

    for pruned in (False, True):
        found = explored(M(), pruned=pruned)
        cells = [steps(found, "finished", m, f) for m in ((), ("care",)) for f in ((), ("break",))]
        assert cells == [None, 0, None, None]


def test_a_member_with_less_than_its_budget_of_faults_in_all_does_not_fall() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.hits = Range(0, 9)

        @fault("left", budget=2)
        @action
        def left(self) -> None:
            self.hits += 1

        @fault("right", budget=2)
        @action
        def right(self) -> None:
            self.hits += 1

        @action
        def rest(self) -> None:
            """Nothing."""

        @invariant
        def standing(self) -> bool:
            return self.hits < 3

    both = ("left", "right")
    assert [steps(explored(M()), "standing", (), f) for f in (("left",), ("right",), both)] == [None, None, 3]
    assert steps(explored(M(), most_faults=3), "standing", (), both) == 3
    assert steps(explored(M(), most_faults=2), "standing", (), both) is None


def test_a_trace_of_any_length_is_told_from_none() -> None:
    system = lift(Tank(), Settings(noted=True))
    layout = Layout.of(system.slots)
    keys = Keys(system, layout)
    tally = FamilyTally(keys, [0] * len(system.transitions), "dry", Sort.INVARIANT, "", True)
    tally.record(2**15 - 2, 0, pack(layout, system.initial))
    assert tally.steps.tolist() == [[2**15 - 1, *[NEVER] * 3]]
    assert (tally.steps < NEVER).any()


def test_a_search_that_stops_keeps_what_has_fallen_and_says_that_it_is_not_complete() -> None:
    found = explored(Tank(), limits=Limits(max_states=12))
    assert not found.complete
    assert steps(found, "dry", (), ["knock"]) == 2
    assert not found.fallen[:, 0].any()


def test_liveness_is_decided_on_parts_of_the_states_as_on_all(monkeypatch: pytest.MonkeyPatch) -> None:
    class M(Tank):
        @eventually(fair=["fill"])
        def full(self) -> bool:
            return self.level >= 3

    at_once = explored(M())
    monkeypatch.setattr(engine, "MOST_AT_ONCE", 1)
    in_parts = explored(M())
    assert np.array_equal(member(at_once, "full").steps, member(in_parts, "full").steps)
    assert [steps(at_once, "full", m) for m in MISSING] == [0, None, 0, None]


def test_a_system_that_does_not_tell_which_faults_have_happened_is_our_mistake() -> None:
    with pytest.raises(AssertionError, match="which faults have happened"):
        explore_family(lift(Tank()))

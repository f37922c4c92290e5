"""Which faults a counterexample needs: held against checks of the model lifted without them."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from asked import Base
from fenceproof.checker import check
from fenceproof.checker.engines import explicit
from fenceproof.checker.limits import Limits
from fenceproof.checker.minimal import Necessity, Need, Without
from fenceproof.checker.needed import QUICK_STATES, spent_faults, with_necessity
from fenceproof.checker.result import CheckResult
from fenceproof.checker.verdict import Verdict
from fenceproof.model import Range, action, eventually, fault, invariant, require, weak
from fenceproof.model.budgets import Settings
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from random_models import random_model


class Leak(Base):
    """Fills by rain and by a burst pipe; a drain takes the first drop away, unless it is clogged."""

    def __init__(self, most: int = 4, rains: bool = True, bursts: bool = True) -> None:
        self.most = most
        self.rains = rains
        self.bursts = bursts
        self.level = Range(0, most)
        self.clogged = Range(0, 1)

    @action
    @fault("clog", budget=1)
    def clog(self) -> None:
        self.clogged = 1

    @action
    @fault("rain", budget=1)
    def rain(self) -> None:
        require(self.rains and self.level < self.most)
        self.level += 1

    @action
    @fault("burst", budget=1)
    def burst(self) -> None:
        require(self.bursts and self.level < self.most)
        self.level = min(self.most, self.level + 1)

    @action
    def drip(self) -> None:
        require(self.clogged == 1 and self.level < self.most)
        self.level += 1

    @invariant
    def low(self) -> bool:
        return self.level < 2

    @eventually(fair=[weak("drip")])
    def stays_open(self) -> bool:
        """Not so where it never clogs."""
        return self.clogged == 1


class Drips(Base):
    """Three drops make a puddle; a spill makes it at once."""

    def __init__(self) -> None:
        self.level = Range(0, 3)

    @action
    def drip(self) -> None:
        require(self.level < 3)
        self.level += 1

    @action
    @fault("spill", budget=1)
    def spill(self) -> None:
        self.level = 3

    @invariant
    def low(self) -> bool:
        return self.level < 3

    @invariant
    def damp(self) -> bool:
        """Falls one drop sooner, and is looked at together with the other."""
        return self.level < 2


def needed(model: Model, name: str, limits: Limits | None = None, *, is_quick: bool = False) -> Necessity | None:
    result = with_necessity(explicit.check(lift(model, Settings())), limits or Limits(), is_quick=is_quick)
    (found,) = [p.necessity for p in result.properties if p.name == name]
    return found


def test_a_fault_that_another_can_stand_in_for_is_not_needed_and_which_one_is_said() -> None:
    # Rain and a burst are two drops; without one of them it takes a clog, and a drip.
    found = needed(Leak(), "low")
    assert found == Necessity(
        (
            Without("rain", Need.NOT_NEEDED, 3, ("clog",)),
            Without("burst", Need.NOT_NEEDED, 3, ("clog",)),
        ),
        Without(None, Need.NEEDED),
    )


def test_a_fault_without_which_nothing_is_violated_is_needed() -> None:
    assert needed(Leak(rains=False, bursts=False), "low") == Necessity((Without("clog", Need.NEEDED),), None)


def test_without_the_only_fault_there_is_nothing_more_is_asked() -> None:
    found = needed(Drips(), "low")
    assert found == Necessity((Without("spill", Need.NOT_NEEDED, 3, ()),), None)


def test_a_violation_without_faults_asks_for_none() -> None:
    assert needed(Leak(), "stays_open") is None


@pytest.mark.parametrize(("limits", "is_quick"), [(Limits(max_states=2), False), (Limits(), True)])
def test_what_a_limit_ends_is_not_found_out(limits: Limits, is_quick: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fenceproof.checker.needed.QUICK_STATES", 2)
    found = needed(Leak(), "low", limits, is_quick=is_quick)
    assert found is not None
    assert not found.is_known
    assert [(w.need, w.reason) for w in found.faults] == [(Need.UNKNOWN, "more than 2 states")] * 2
    assert QUICK_STATES == 100_000


@pytest.mark.parametrize(
    ("calls", "faults", "none"),
    [
        (0, [Need.UNKNOWN, Need.UNKNOWN], None),
        (1, [Need.NOT_NEEDED, Need.UNKNOWN], None),
        (2, [Need.NOT_NEEDED, Need.NOT_NEEDED], Need.UNKNOWN),
        (3, [Need.NOT_NEEDED, Need.NOT_NEEDED], Need.NEEDED),
    ],
)
def test_an_interrupt_leaves_what_was_found_out_before_it(
    calls: int, faults: list[Need], none: Need | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = explicit.check(lift(Leak(), Settings()), properties=["low"])
    left = iter([True] * calls)

    def check_or_end(*given: Any, **options: Any) -> CheckResult:
        if not next(left, False):
            raise KeyboardInterrupt
        return explicit.check(*given, **options)

    monkeypatch.setattr("fenceproof.checker.needed.check", check_or_end)
    (found,) = [p.necessity for p in with_necessity(result, Limits()).properties]
    assert found is not None
    assert [without.need for without in found.faults] == faults
    assert (None if found.none is None else found.none.need) == none
    assert found.is_interrupted is (calls < 3)


def by_hand(model: Model, system_result: CheckResult, name: str) -> tuple[dict[str, tuple[bool, int | None]], bool]:
    """For each fault of a counterexample, whether lifting without it leaves no violation, and else how long it is; and
    whether no fault at all leaves none."""
    system = system_result.system
    trace = system_result.trace(name)
    assert trace is not None
    found: dict[str, tuple[bool, int | None]] = {}
    for off in spent_faults(system, trace):
        again = check(model, faults={f: b for f, b in system.faults.items() if f != off}, properties=name)
        other = again.trace(name)
        found[off] = (other is None, None if other is None else len(other))
    return found, check(model, faults="none", properties=name).trace(name) is None


def test_it_is_what_checks_of_the_model_lifted_anew_say() -> None:
    compared, together = 0, 0
    for seed in range(100):
        model = random_model(seed)
        first = explicit.check(lift(model, Settings()))
        if first.wrong is not None:
            continue
        spent = [spent_faults(first.system, p.trace) for p in first.properties if p.trace is not None]
        together += any(set(one) & set(other) for one, other in itertools.combinations(spent, 2))
        for found in with_necessity(first, Limits()).properties:
            if found.necessity is None:
                continue
            assert found.verdict is Verdict.VIOLATED
            faults, none = by_hand(model, first, found.name)
            assert {w.fault: (w.need is Need.NEEDED, w.steps) for w in found.necessity.faults} == faults
            if found.necessity.none is not None:
                assert (found.necessity.none.need is Need.NEEDED) is none
            compared += 1
    # Several properties often ask for the same fault to be off, and are checked together.
    assert compared >= 20
    assert together >= 2


class Noisy(Base):
    """Ticks to its end by itself, or jumps there by a fault, among states that nobody cares for."""

    def __init__(self) -> None:
        self.count = Range(0, 3)
        self.noise = Range(0, 50)

    @action
    def tick(self) -> None:
        require(self.count < 3)
        self.count += 1

    @action
    @fault("jump", budget=1)
    def jump(self) -> None:
        self.count = 3

    @action
    @fault("hiss", budget=None)
    def hiss(self) -> None:
        require(self.noise < 50)
        self.noise += 1

    @invariant
    def below_three(self) -> bool:
        return self.count < 3


def test_what_is_violated_without_any_fault_needs_none_even_where_that_alone_was_found_out() -> None:
    result = with_necessity(check(Noisy()), Limits(max_states=4))
    (found,) = [p for p in result.properties if p.name == "below_three"]
    assert found.necessity is not None
    assert found.necessity.none is not None
    assert (found.necessity.none.need, found.necessity.none.steps) == (Need.NOT_NEEDED, 3)
    (jump,) = found.necessity.faults
    assert (jump.fault, jump.need, jump.steps) == ("jump", Need.NOT_NEEDED, 3)

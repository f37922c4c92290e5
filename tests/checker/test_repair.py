"""The nearest models that hold: which knobs there are, and the fewest of them that mend a model."""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal

import pytest
from fenceproof.checker.engines import explicit
from fenceproof.checker.limits import Limits
from fenceproof.checker.repair import Repairs, knobs, repairs
from fenceproof.checker.report.repairs import repairs_document
from fenceproof.checker.verdict import Verdict
from fenceproof.model import Model, ModelError, Range, UsageError, action, invariant, require, safeguard, terminal
from fenceproof.model.budgets import Settings
from fenceproof.specs.variants import VARIANTS


class Pace(Enum):
    SLOW = 1
    FAST = 3


class Lift(Model):
    """A lift that should stop before 2."""

    brake: Literal["none", "weak", "strong"] = "strong"

    def __init__(self, limited: bool = True, pace: Pace = Pace.SLOW, floors: int = 3) -> None:
        self.limited = limited
        self.pace = pace
        self.floors = floors
        self.at = Range(0, floors + 3)

    @safeguard("door")
    def is_shut(self) -> bool:
        return self.at < 1

    @action
    def up(self) -> None:
        require(self.at < self.floors and self.is_shut())
        self.at += 1 if self.brake == "strong" and self.limited and self.pace == Pace.SLOW else 2

    @invariant(name="low")
    def low(self) -> bool:
        return self.at < 2

    @terminal
    def anywhere(self) -> bool:
        return True


class Weak(Lift):
    brake = "weak"


def mended(model: Model, settings: Settings | None = None, **options: Any) -> Repairs:
    return repairs(model, settings or Settings(), **options)


def named(found: Repairs) -> list[list[str]]:
    return [list(map(str, repair.changes)) for repair in found.repairs]


def test_every_knob_can_be_turned_to_each_of_its_other_values() -> None:
    turns = knobs(Weak(pace=Pace.FAST), Settings(without=frozenset({"door"})))
    assert [(turn.where, str(turn)) for turn in turns] == [
        ("attribute", "brake: weak → none"),
        ("attribute", "brake: weak → strong"),
        ("parameter", "limited: True → False"),
        ("parameter", "pace: FAST → SLOW"),
        ("safeguard", "put door back"),
    ]


@pytest.mark.parametrize(
    ("model", "without", "changes"),
    [
        (Weak(), (), ["brake: weak → strong"]),
        (Lift(limited=False), (), ["limited: False → True"]),
        (Lift(pace=Pace.FAST), (), ["pace: FAST → SLOW"]),
        (Lift(), ("door",), ["put door back"]),
        (Weak(limited=False), (), ["brake: weak → strong", "limited: False → True"]),
        (
            Weak(limited=False, pace=Pace.FAST),
            (),
            ["brake: weak → strong", "limited: False → True", "pace: FAST → SLOW"],
        ),
    ],
    ids=["attribute", "bool", "enum", "safeguard", "two", "three"],
)
def test_the_fewest_changes_that_mend_a_model_are_named(
    model: Model, without: tuple[str, ...], changes: list[str]
) -> None:
    found = mended(model, Settings(without=frozenset(without)))
    assert (named(found), found.distance, found.complete) == ([changes], len(changes), True)
    result = found.repairs[0].result
    assert (result.verdict, result.complete, result.distinct) == (Verdict.HOLDS, True, 2)


def test_where_nothing_falls_there_is_nothing_to_mend() -> None:
    found = mended(Lift())
    assert (named(found), found.distance, found.tried) == ([[]], 0, 1)


def test_four_changes_are_another_design_and_no_repair() -> None:
    found = mended(Weak(limited=False, pace=Pace.FAST), Settings(without=frozenset({"door"})))
    assert (found.repairs, found.distance, found.complete) == ((), 3, True)
    # Five turns of four knobs, and two of them are of one: 1 + 5 + 9 + 7.
    assert found.tried == 22


class Both(Lift):
    """Either of two knobs mends it."""

    first: bool = False
    second: bool = False

    @invariant(name="one")
    def one(self) -> bool:
        return self.first or self.second or self.at == 0


def test_all_nearest_repairs_are_named() -> None:
    assert named(mended(Both())) == [["first: False → True"], ["second: False → True"]]


def test_only_what_was_asked_for_has_to_hold() -> None:
    assert named(mended(Both(limited=False), properties=["low"])) == [["limited: False → True"]]
    with pytest.raises(UsageError, match="Did you mean low"):
        mended(Both(), properties=["lw"])


class Fragile(Lift):
    """One of its changes makes no model."""

    brake = "weak"

    def __init__(self, limited: bool = True) -> None:
        if not limited:
            raise ValueError("there is a law")
        super().__init__(limited)


def test_a_change_that_makes_no_model_is_said_and_hides_no_other() -> None:
    found = mended(Fragile())
    assert named(found) == [["brake: weak → strong"]]
    (unfit,) = found.unfit
    assert unfit.startswith("limited: True → False: ") and "ValueError: there is a law" in unfit


class Broken(Lift):
    @action
    def down(self) -> None:
        print(self.at)


def test_a_model_that_cannot_be_read_is_an_error_of_its_own() -> None:
    with pytest.raises(ModelError):
        mended(Broken())


def test_a_limit_leaves_it_undecided_and_nothing_is_said_to_be_nearest() -> None:
    found = mended(Lift(), limits=Limits(max_states=1))
    assert (found.repairs, found.complete) == ((), False)
    assert found.undecided[0] == ()
    assert repairs_document("lift", found)["complete"] is False


def test_when_time_is_over_nothing_more_is_tried() -> None:
    ticks = iter(range(100))
    found = mended(Weak(), limits=Limits(time_s=0.5, clock=lambda: next(ticks)))
    assert found.stop is not None and found.stop.kind == "time"
    assert (found.tried, found.repairs, found.complete) == (0, (), False)


def interrupts(*_: object) -> None:
    raise KeyboardInterrupt


def test_an_interrupt_inside_a_search_ends_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explicit.Search, "_expand_level", interrupts)
    found = mended(Weak())
    assert found.stop is not None and found.stop.kind == "interrupted"
    assert (found.tried, found.repairs, found.undecided) == (1, (), ())


@pytest.mark.slow
def test_a_planner_that_bumps_late_is_mended_by_bumping_before_it_sends() -> None:
    found = mended(VARIANTS["late-bump"].model(), Settings(most_faults=1))
    assert ["bump: on-return → before-send"] in named(found)
    assert (found.distance, found.complete) == (1, True)
    assert all(repair.result.verdict is Verdict.HOLDS for repair in found.repairs)

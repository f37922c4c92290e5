"""Actions that cannot happen are said to be: never enabled, or left out because a parameter has no values."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from asked import Base
from fenceproof.checker import check
from fenceproof.checker.report.claim import claim_sheet
from fenceproof.checker.report.document import document
from fenceproof.checker.verdict import Verdict
from fenceproof.model import (
    LiftError,
    Model,
    ModelError,
    Range,
    Step,
    action,
    choose,
    fault,
    implies,
    require,
    step_property,
)
from fenceproof.model.budgets import Settings
from fenceproof.model.lift import lift


class Rises(Base):
    def __init__(self, most: int = 2) -> None:
        self.most = most
        self.x = Range(0, 2)

    @action
    def up(self) -> None:
        require(self.x < 2)
        self.x += 1


def test_an_action_whose_guard_is_false_in_itself_is_named_as_never_enabled() -> None:
    class M(Rises):
        @action
        def leap(self) -> None:
            require(self.x > 5)
            self.x = 0

    result = check(M())
    assert result.never_enabled == ("leap",)
    assert (result.verdict, result.verdict.exit_code) == (Verdict.VACUOUS, 4)
    assert (result.distinct, result.generated) == (3, 3)
    assert [(t.action, t.guard is result.system.expressions.false) for t in result.system.transitions] == [
        ("up", False),
        ("leap", True),
    ]


def test_an_action_that_some_arguments_enable_has_no_transition_for_the_others() -> None:
    class M(Rises):
        @action(a=range(3), b=range(3))
        def swap(self, a: int, b: int) -> None:
            require(a < b)
            self.x = b

    result = check(M())
    assert result.never_enabled == ()
    assert [t.args for t in result.system.transitions if t.action == "swap"] == [
        {"a": 0, "b": 1},
        {"a": 0, "b": 2},
        {"a": 1, "b": 2},
    ]


def test_a_step_property_is_not_asked_about_an_action_that_is_never_enabled() -> None:
    class M(Rises):
        @action
        def leap(self) -> None:
            require(self.x > 5)
            self.x = choose([0, 1], label="to")

        @step_property
        def rises(self, step: Step) -> bool:
            if step.action == "leap":
                return bool(step.args["to"] == 0)
            return implies(step.action == "up", step.after.x > step.before.x)

    result = check(M())
    rises = next(p for p in result.properties if p.name == "rises")
    assert rises.verdict is Verdict.HOLDS
    assert result.never_enabled == ("leap",)


def test_a_model_none_of_whose_actions_can_be_enabled_is_refused() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.x = Range(0, 2)

        @action
        def leap(self) -> None:
            require(self.x > 5)

    with pytest.raises(ModelError, match="no action of M can ever be enabled"):
        lift(M())


class Designed(Rises):
    """A design without its second action; one of its faults has no values either."""

    @action(i=[])
    def wait(self, i: int) -> None:
        self.x = i

    @action(i="none_of_them", j=2)
    def rest(self, i: int, j: int) -> None:
        self.x = i + j

    @property
    def none_of_them(self) -> int:
        return 0

    @fault("loss")
    @action
    def lose(self) -> None:
        self.x = 0


def test_actions_without_values_and_faults_that_are_off_are_left_out_of_a_system() -> None:
    assert (lift(Designed()).left_out, lift(Designed()).switched_off) == (("wait", "rest"), ())
    off = lift(Designed(), Settings(only=frozenset()))
    assert (off.left_out, off.switched_off) == (("wait", "rest", "lose"), ("lose",))


def test_a_report_says_which_actions_are_left_out_because_they_have_no_values() -> None:
    result = check(Designed(), faults={})
    assert result.verdict is Verdict.HOLDS
    assert ("left out", "wait, rest (a parameter has no values)") in claim_sheet("designed", result)
    written: Any = json.loads(json.dumps(document("designed", result)))
    assert written["left_out"] == ["wait", "rest"]
    schema: Any = json.loads(files("fenceproof.checker").joinpath("report/report.schema.json").read_text())
    validator: Any = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid(written)


def test_a_report_of_a_model_that_leaves_nothing_out_has_no_row_for_it() -> None:
    result = check(Rises())
    assert "left out" not in dict(claim_sheet("rises", result))
    assert document("rises", result)["left_out"] == []


def test_more_decisions_one_after_another_than_can_be_followed_are_refused_with_the_action() -> None:
    class M(Model):
        def __init__(self) -> None:
            self.n = Range(0, 100_000)

        @action
        def go(self) -> None:
            for i in range(1500):
                require(self.n != 3 * i)

    with pytest.raises(LiftError, match=r"test_left_out\.py:\d+: go makes too many decisions one after another") as no:
        lift(M())
    assert "forall(" in str(no.value)

"""Faults as a user names them: which are on, with which budgets, and what is refused."""

from __future__ import annotations

import pytest
from fenceproof.checker.faults import parse_faults
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import ModelError, UsageError
from fenceproof.specs import Planner


def parsed(text: str, most: int | None = None, without: tuple[str, ...] = ()) -> Settings:
    return parse_faults(text, most, without, Planner())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("all", Settings({}, None)),
        ("none", Settings({}, frozenset())),
        ("delay", Settings({}, frozenset({"delay"}))),
        ("delay,loss=2", Settings({"loss": 2}, frozenset({"delay", "loss"}))),
        (" delay , loss=unlimited", Settings({"loss": None}, frozenset({"delay", "loss"}))),
        ("loss=0", Settings({"loss": 0}, frozenset({"loss"}))),
        ("loss=1000", Settings({"loss": 1000}, frozenset({"loss"}))),
    ],
)
def test_named_faults_are_on_and_all_others_off(text: str, expected: Settings) -> None:
    assert parsed(text) == expected


def test_a_total_and_safeguards_are_handed_on() -> None:
    assert parsed("all", 2, ("echo-check",)) == Settings({}, None, 2, frozenset({"echo-check"}))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "--faults  names no fault. Write all, none, or names: --faults delay,loss=2"),
        ("delay,", "--faults delay, names no fault"),
        ("=2", "--faults =2 names no fault"),
        ("delay,loss,delay", "--faults names delay twice."),
        ("loss=", "loss= is not a budget. Write a number from 0 to 1000, or loss=unlimited."),
        ("loss=-1", "loss=-1 is not a budget"),
        ("loss=1001", "loss=1001 is not a budget"),
        ("loss=two", "loss=two is not a budget"),
        ("loss=1.5", "loss=1.5 is not a budget"),
    ],
)
def test_what_names_no_faults_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        parsed(text)
    assert words in str(refused.value)


@pytest.mark.parametrize("most", [-1, 1001])
def test_a_total_out_of_reach_is_refused(most: int) -> None:
    with pytest.raises(UsageError, match=f"--most-faults {most} is not a number from 0 to 1000"):
        parsed("all", most)


def test_an_unknown_fault_is_answered_with_the_nearest() -> None:
    with pytest.raises(ModelError, match=r"'dely' is not known\. Did you mean delay or comp-delay"):
        parsed("dely")

"""What a user expects of a check: exit 0 for exactly that, never for less and never for something else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.expect import exit_code, parse_expectation
from fenceproof.checker.limits import Stop
from fenceproof.checker.result import CheckResult, Coverage, PropertyResult, Sort, Wrong
from fenceproof.checker.verdict import Verdict
from fenceproof.model.errors import UsageError
from fenceproof.model.system import Mistake
from fenceproof.model.trace import Trace
from toys import graph

SYSTEM = graph([(0, 1), (1, 0)], bad=[1])
HOLDS, VIOLATED, VACUOUS, INCONCLUSIVE = Verdict.HOLDS, Verdict.VIOLATED, Verdict.VACUOUS, Verdict.INCONCLUSIVE
STOP = Stop("states", "more than 1 states")


def result(**verdicts: Verdict) -> CheckResult:
    found = tuple(PropertyResult(name, Sort.INVARIANT, "", verdict, 0, None) for name, verdict in verdicts.items())
    return replace(check(SYSTEM), properties=found)


@pytest.mark.parametrize(
    ("expected", "found", "code"),
    [
        ("a", {"a": VIOLATED, "b": HOLDS}, 0),
        ("a b", {"a": VIOLATED, "b": VIOLATED}, 0),
        ("a", {"a": VIOLATED, "b": VIOLATED}, 1),
        ("a", {"a": HOLDS, "b": VIOLATED}, 1),
        ("a", {"a": HOLDS, "b": HOLDS}, 1),
        ("a b", {"a": VIOLATED, "b": HOLDS}, 1),
        ("a", {"a": VACUOUS, "b": HOLDS}, 1),
        ("a", {"a": VIOLATED, "b": VACUOUS}, 4),
        ("", {"a": HOLDS}, 0),
        ("", {"a": HOLDS, "b": VIOLATED}, 1),
        ("", {"a": HOLDS, "b": VACUOUS}, 4),
    ],
)
def test_only_exactly_what_was_expected_exits_with_0(expected: str, found: dict[str, Verdict], code: int) -> None:
    assert exit_code(frozenset(expected.split()), result(**found)) == code


@pytest.mark.parametrize(
    ("found", "code"),
    [
        ({"a": VIOLATED, "b": INCONCLUSIVE}, 3),
        ({"a": INCONCLUSIVE, "b": INCONCLUSIVE}, 3),
        ({"a": INCONCLUSIVE, "b": VIOLATED}, 1),
        ({"a": VIOLATED}, 0),
    ],
)
def test_a_search_that_was_stopped_is_not_what_was_expected_while_anything_is_open(
    found: dict[str, Verdict], code: int
) -> None:
    stopped = replace(result(**found), stop=STOP)
    assert exit_code(frozenset({"a"}), stopped) == code


def test_an_action_that_was_never_enabled_is_not_hidden_by_an_expectation() -> None:
    never = replace(result(a=VIOLATED, b=HOLDS), coverage=Coverage((1, 0), (1, 0)))
    assert exit_code(frozenset({"a"}), never) == 4


def test_a_model_error_is_never_what_was_expected() -> None:
    wrong = Wrong(Mistake("boom", None), Trace(((0, 0),), ()))
    assert exit_code(frozenset({"a"}), replace(result(a=VIOLATED), wrong=wrong)) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, set[str]()),
        ("holds", set[str]()),
        ("violated:fine", {"fine"}),
        ("violated:no_deadlock, fine", {"no-deadlock", "fine"}),
    ],
)
def test_an_expectation_names_properties(text: str | None, expected: set[str]) -> None:
    assert parse_expectation(text, SYSTEM, None) == expected


@pytest.mark.parametrize("text", ["violated", "violated:", "fails", "", "holds:fine"])
def test_what_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=f"--expect {text} says nothing. Write --expect holds or --expect violated:"):
        parse_expectation(text, SYSTEM, None)


def test_an_unknown_property_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"'no-deadlok' is not known\. Did you mean no-deadlock"):
        parse_expectation("violated:no-deadlok", SYSTEM, None)


def test_a_property_that_is_not_checked_cannot_be_expected() -> None:
    with pytest.raises(UsageError, match="'fine' is not known"):
        parse_expectation("violated:fine", SYSTEM, ["no-deadlock"])

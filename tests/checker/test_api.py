"""Checking from Python: what `check` takes, and what its result says when it is compared, printed and asked."""

from __future__ import annotations

from typing import Any

import pytest
from fenceproof import check
from fenceproof.checker.report.text import as_text
from fenceproof.checker.verdict import Verdict
from fenceproof.model import Model, Range, action, fault, implies, invariant, require, terminal
from fenceproof.model.errors import FenceproofError, UsageError


class Jobs(Model):
    """Jobs are done, and one may be lost."""

    def __init__(self, jobs: int = 2) -> None:
        self.jobs = jobs
        self.done = Range(0, jobs)

    @action
    def finish(self) -> None:
        require(self.done < self.jobs)
        self.done += 1

    @fault("loss")
    @action
    def lose(self) -> None:
        require(self.done > 0)
        self.done -= 1

    @invariant
    def done_once(self) -> bool:
        """At most one job is done."""
        return self.done < 2

    @invariant(name="never-asked")
    def never_asked(self) -> bool:
        """What is below nothing is odd."""
        return implies(self.done < 0, self.done == 1)

    @terminal
    def anywhere(self) -> bool:
        return True


RESULT = check(Jobs())


def test_a_verdict_is_equal_to_the_word_that_it_is() -> None:
    verdict: Any = RESULT.verdict
    assert verdict == "violated"
    assert verdict != "holds"
    assert verdict is Verdict.VIOLATED
    assert f"{verdict}, {verdict!s}" == "violated, violated"


def test_whether_everything_holds_is_one_question() -> None:
    assert RESULT.holds is False
    assert check(Jobs(), properties=["no-deadlock"]).holds is True
    assert check(Jobs(), properties=["never-asked"]).holds is False


def test_a_result_shows_a_line_for_each_property_and_not_the_whole_system() -> None:
    assert repr(RESULT).splitlines() == [
        "<CheckResult of Jobs(jobs=2): violated>",
        "    done_once: violated in 2 steps",
        "    never-asked: vacuous",
        "    no-deadlock: holds",
    ]


def test_the_trace_of_a_property_is_asked_for_by_its_name() -> None:
    trace = RESULT.trace("done-once")
    assert trace is not None
    assert len(trace) == 2
    assert RESULT.trace("no-deadlock") is None
    with pytest.raises(UsageError, match=r"The property 'done_onec' is not known\. Did you mean done_once"):
        RESULT.trace("done_onec")


def test_a_result_is_told_in_the_words_of_the_command() -> None:
    lines = [line.rstrip() for line in as_text(RESULT).splitlines()]
    assert lines[:13] == [
        "Jobs: Jobs are done, and one may be lost.",
        "",
        "done_once    violated  in 2 steps; 2 violating states",
        "never-asked  vacuous   never put to the test: antecedent never true",
        "no-deadlock  holds",
        "",
        "done_once is violated in 2 steps. It says:",
        "  At most one job is done.",
        "What happens: finish(). finish(). This violates done_once.",
        "      action    outcome  changes",
        "  1.  finish()           done: 0 → 1",
        "> 2.  finish()           done: 1 → 2",
        "faults spent: none",
    ]
    written = next(p.site for p in RESULT.system.invariants if p.name == "done_once")
    assert lines[13] == f"Why: done < 2 is false; here done = 2 ({written})"
    assert lines[14] == ""
    assert lines[15].startswith("checked ")


@pytest.mark.parametrize(
    ("faults", "on"), [("none", {"loss": 0}), ("all", {"loss": 1}), ("loss=2", {"loss": 2}), ({"loss": 3}, {"loss": 3})]
)
def test_faults_are_given_by_name_or_as_the_command_line_has_them(faults: Any, on: dict[str, int]) -> None:
    assert check(Jobs(), faults=faults).system.faults == on


def test_a_name_alone_is_a_name_and_not_its_letters() -> None:
    assert [p.name for p in check(Jobs(), properties="done_once").properties] == ["done_once"]
    with pytest.raises(FenceproofError, match="The safeguard 'guard' is not known"):
        check(Jobs(), without="guard")


@pytest.mark.parametrize(("given", "shown"), [(3, "3"), ("fenced", "'fenced'"), (int, "<class 'int'>")])
def test_what_is_no_model_is_refused(given: Any, shown: str) -> None:
    with pytest.raises(UsageError) as refused:
        check(given)
    assert str(refused.value) == f"{shown} is not a model. Give a class that derives from Model, or an instance of one."

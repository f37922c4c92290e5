"""What follows from what a run found: whether it is complete, what never happened, what can be said of it all."""

from __future__ import annotations

from dataclasses import replace

from fenceproof.checker.limits import Stop
from fenceproof.checker.result import CheckResult, Coverage, PropertyResult, Sort, Wrong
from fenceproof.checker.verdict import Verdict
from fenceproof.model.system import Mistake
from fenceproof.model.trace import Trace
from toys import graph

SYSTEM = graph([(0, 1), (1, 0)])
STOP = Stop("states", "more than 1 states")


def found(verdict: Verdict) -> PropertyResult:
    return PropertyResult("fine", Sort.INVARIANT, "", verdict, 0, None)


def result(*verdicts: Verdict) -> CheckResult:
    return CheckResult(
        SYSTEM, "explicit", tuple(map(found, verdicts)), 2, 3, 2, None, None, Coverage((1, 1), (1, 2)), 0.5
    )


def test_a_complete_run_in_which_all_holds_holds() -> None:
    assert result(Verdict.HOLDS, Verdict.HOLDS).complete
    assert result(Verdict.HOLDS, Verdict.HOLDS).verdict is Verdict.HOLDS


def test_an_action_that_was_never_enabled_makes_a_run_vacuous_but_hides_no_violation() -> None:
    never = Coverage((1, 0), (1, 0))
    assert replace(result(Verdict.HOLDS), coverage=never).never_enabled == ("1-0",)
    assert replace(result(Verdict.HOLDS), coverage=never).verdict is Verdict.VACUOUS
    assert replace(result(Verdict.VIOLATED), coverage=never).verdict is Verdict.VIOLATED


def test_of_a_search_that_was_stopped_nobody_says_that_an_action_is_never_enabled() -> None:
    stopped = replace(result(Verdict.INCONCLUSIVE), coverage=Coverage((1, 0), (1, 0)), stop=STOP)
    assert (stopped.complete, stopped.never_enabled, stopped.verdict) == (False, (), Verdict.INCONCLUSIVE)


def test_an_action_with_several_transitions_is_enabled_when_one_of_them_is() -> None:
    system = replace(SYSTEM, transitions=tuple(replace(t, action="go") for t in SYSTEM.transitions))
    assert Coverage((0, 3), (0, 1)).never_enabled(system) == ()
    assert Coverage((0, 0), (0, 0)).never_enabled(system) == ("go",)


def test_a_model_that_went_wrong_is_a_model_error_whatever_else_was_found() -> None:
    wrong = Wrong(Mistake("boom", None), Trace(((0, 0),), (), mistake=0))
    went_wrong = replace(result(Verdict.VIOLATED, Verdict.HOLDS), wrong=wrong)
    assert (went_wrong.complete, went_wrong.verdict) == (False, Verdict.MODEL_ERROR)


def test_a_run_that_checked_nothing_is_inconclusive() -> None:
    assert result().verdict is Verdict.INCONCLUSIVE


def test_two_runs_are_equal_whatever_time_they_took() -> None:
    assert result(Verdict.HOLDS) == replace(result(Verdict.HOLDS), seconds=99.0)

"""The closing questions: each comes up as declared, each answer is really given, and comes out as declared."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import pytest
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.questions import (
    ANSWER,
    Examined,
    asked_of,
    examine,
    follow,
    is_never_asked,
    search_for_question,
)
from fenceproof.checker.restrict import restrict
from fenceproof.checker.verdict import Verdict
from fenceproof.checker.violation import ends_in_violation
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take
from fenceproof.model.trace import replay
from fenceproof.specs import Planner, answers
from fenceproof.specs.questions import ALL, QUESTIONS, Action, Case, Question

BY_NAME = {question.name: question for question in QUESTIONS}
CASES = [
    pytest.param(
        question,
        case,
        id=f"{question.name}-{answer.name}-{case.planner.__name__}-{len(case.faults)}",
        marks=[pytest.mark.slow] * (question is not QUESTIONS[0]),
    )
    for question in QUESTIONS
    for answer in question.answers
    for case in answer.cases
]
#: What the step that asks a question gives, by the answer.
GIVEN = {
    ("result-before-bump", "reject"): "reject:stale",
    ("result-before-bump", "replay"): "reject:stale",
    ("result-before-bump", "compensate-again"): "reject:stale",
    ("success-without-epoch", "reject"): "reject:malformed",
    ("success-without-epoch", "replay"): "reject:malformed",
    ("success-without-epoch", "compensate-again"): "reject:malformed",
    ("second-timeout", "reject"): "refused",
    ("second-timeout", "replay"): "bump",
    ("second-timeout", "compensate-again"): "bump",
}


@functools.cache
def examined(place: tuple[str, type[Planner], frozenset[str]]) -> Examined:
    name, planner, faults = place
    question = BY_NAME[name]
    cases = [case for answer in question.answers for case in answer.cases]
    return examine(question, next(case for case in cases if (case.planner, case.faults) == (planner, faults)))


def found(question: Question, case: Case) -> Examined:
    return examined((question.name, case.planner, case.faults))


def test_there_are_three_questions_with_three_answers_each() -> None:
    assert [question.name for question in QUESTIONS] == [
        "result-before-bump",
        "success-without-epoch",
        "second-timeout",
    ]
    for question in QUESTIONS:
        assert [answer.name for answer in question.answers] == ["reject", "replay", "compensate-again"]


def test_all_faults_are_all_that_the_protocol_has() -> None:
    assert set(lift(Planner()).faults) == ALL


@pytest.mark.parametrize(
    ("name", "outcome"),
    [("result-before-bump", "commit"), ("success-without-epoch", "reject:malformed"), ("second-timeout", "bump")],
)
def test_a_question_comes_up_in_its_design(name: str, outcome: str) -> None:
    question = BY_NAME[name]
    system, trace = asked_of(question.design[1], question)
    assert replay(system, trace) is None
    assert len(trace) == len(question.order) == 5
    assert take(system.transitions[trace.transitions[-1]], trace.states[-2]).outcome == outcome


def test_a_result_before_the_bump_comes_up_only_where_write_ahead_has_fallen() -> None:
    question = BY_NAME["result-before-bump"]
    system, trace = asked_of(question.design[1], question)
    before = replace(trace, states=trace.states[:4], transitions=trace.transitions[:3])
    assert question.breach == "write-ahead"
    assert ends_in_violation(system, "write-ahead", before)


def test_the_outbox_is_never_asked_about_a_result_before_the_bump() -> None:
    assert is_never_asked(search_for_question(answers.ResultBeforeBump))


def test_a_design_that_comes_to_a_question_is_not_said_never_to() -> None:
    assert not is_never_asked(search_for_question(answers.SuccessWithoutEpoch))


@pytest.mark.parametrize(("question", "case"), CASES)
def test_an_answer_comes_out_as_declared(question: Question, case: Case) -> None:
    ran = found(question, case)
    assert ran.problems == ()
    assert ran.result.complete
    assert set(ran.falls) == set(case.falls)


@pytest.mark.parametrize(("question", "case"), CASES)
def test_a_right_answer_was_put_to_every_test_and_a_wrong_one_is_shown(question: Question, case: Case) -> None:
    ran = found(question, case)
    if question.is_right(case):
        others = [p.verdict for p in ran.result.properties if p.name != question.breach]
        assert set(others) == {Verdict.HOLDS}
        assert ran.shown is None
    else:
        assert ran.shown is not None
        assert ran.shown.name == case.falls[0] != question.breach


@pytest.mark.parametrize(("question", "case"), CASES)
def test_the_trace_of_a_wrong_answer_passes_by_the_question_and_replays(question: Question, case: Case) -> None:
    ran = found(question, case)
    if ran.shown is None:
        assert question.is_right(case)
        return
    trace, system = ran.shown.trace, ran.result.system
    assert trace is not None
    assert len(trace.states) == len(trace) + 1
    assert replay(system, trace) is None
    assert ends_in_violation(system, case.falls[0], trace)
    shown = [(system.transitions[t].action, system.transitions[t].args) for t in trace.transitions]
    assert shown[: len(question.order)] == [(action.name, action.args) for action in question.order]


@pytest.mark.parametrize(("question", "case"), CASES)
def test_a_wrong_answer_needs_every_fault_that_is_named(question: Question, case: Case) -> None:
    system = found(question, case).result.system
    for fault in () if question.is_right(case) else case.faults:
        fewer = restrict(system, case.faults - {fault})
        asked = follow(fewer, question.order)
        rest = check(replace(fewer, initial=(asked.states[-1],)), properties=[case.falls[0]])
        assert len(asked) < len(question.order) or rest.trace(case.falls[0]) is None, fault


@pytest.mark.parametrize(("question", "case"), CASES)
def test_a_planner_gives_its_answer_wherever_it_is_asked(question: Question, case: Case) -> None:
    assert {p.name: p.verdict for p in found(question, case).result.properties}[ANSWER] is Verdict.HOLDS
    names = [answer.name for answer in question.answers if case in answer.cases]
    assert names == [case.planner.gives]


def first(state: dict[str, object], variable: str) -> Any:
    """What a state holds of the only call."""
    value: Any = state[variable]
    return value[0]


@pytest.mark.parametrize(("question", "case"), CASES)
def test_the_answer_is_seen_in_the_step_that_asks(question: Question, case: Case) -> None:
    system = found(question, case).result.system
    trace = follow(system, question.order)
    before, after = (first(system.decode(state), "outbox") for state in trace.states[-2:])
    outcome = take(system.transitions[trace.transitions[-1]], trace.states[-2]).outcome
    opened = after["epoch"] - before["epoch"]
    if case.planner is answers.EmptyEpoch:
        assert (outcome, opened, after["pending"]) == ("bump", 1, False)
        return
    assert outcome == GIVEN[question.name, case.planner.gives]
    assert opened == (0 if case.planner.gives == "reject" else 1)
    assert after["pending"] == (case.planner not in (answers.RejectAndForget, answers.RefuseAndGiveUp))


@pytest.mark.parametrize(("question", "case"), CASES)
def test_what_is_sent_in_the_epoch_that_an_answer_opens_is_what_it_says(question: Question, case: Case) -> None:
    system = found(question, case).result.system
    state = follow(system, question.order).states[-1]
    sending = [i for i in enabled(system, state) if system.transitions[i].action == "dispatch"]
    sent = [take(system.transitions[i], state) for i in sending]
    paths = [system.decode(after.state) for after in sent if after.state is not None] or [system.decode(state)]
    newest = [
        message["kind"]
        for path in ("tool_path", "compensator_path")
        for message in first(paths[0], path)
        if message["epoch"] == 3
    ]
    assert newest == {"reject": [], "replay": ["tool"], "compensate-again": ["compensate"]}[case.planner.gives]


@pytest.mark.parametrize(
    "planner", [answers.ReplayUnsaved, answers.ReplayUnlabelledCompensating, answers.ReplaySecondCompensating]
)
def test_a_ghost_of_a_replay_commits_after_a_compensation_was_sent(planner: type[answers.Answering]) -> None:
    question, case = next((q, c) for q in QUESTIONS for a in q.answers for c in a.cases if c.planner is planner)
    ran = found(question, case)
    assert ran.shown is not None
    assert ran.shown.trace is not None
    states = [ran.result.system.decode(state) for state in ran.shown.trace.states]
    sent = [any(message["kind"] == "compensate" for message in first(state, "compensator_path")) for state in states]
    assert sent.index(True) < len(question.order)
    assert first(states[-1], "record")["outcome"] == "success"


def test_an_order_of_actions_is_followed_to_the_letter() -> None:
    system = lift(Planner())
    begun = (Action("dispatch"), Action("execute_anonymous", epoch=1))
    assert len(follow(system, (*begun, Action("deliver", "no-echo", 1)))) == 3
    assert len(follow(system, (*begun, Action("deliver", "empty-body", 1)))) == 2


WRONG = BY_NAME["second-timeout"].answers[2].cases[1]


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        (replace(WRONG, falls=()), "compensate-once was to hold, and falls"),
        (replace(WRONG, falls=("compensate-once", "no-ghost")), "no-ghost was to fall, and is holds"),
        (replace(WRONG, falls=("compensate-once", "no-gost")), "there is no property no-gost"),
        (replace(WRONG, planner=answers.SecondTimeout), "compensate-once was to fall, and is holds"),
        (replace(WRONG, faults=frozenset({"delay"})), "clock_jump cannot happen at its place"),
        (replace(WRONG, planner=answers.ResultBeforeBump), "answer was to hold, and is vacuous"),
    ],
)
def test_what_does_not_come_out_as_declared_is_said(case: Case, problem: str) -> None:
    assert problem in examine(BY_NAME["second-timeout"], case).problems


def test_an_answer_that_was_not_put_to_a_test_is_not_right() -> None:
    faults = frozenset({"delay", "clock-jump"})
    case = replace(BY_NAME["second-timeout"].answers[2].cases[0], faults=faults)
    problems = examine(BY_NAME["second-timeout"], case).problems
    assert problems == ("malformed-rejected was to hold, and is vacuous",)


def test_a_fall_that_does_not_come_by_the_question_is_no_answer_to_it() -> None:
    question = replace(BY_NAME["second-timeout"], order=(*BY_NAME["second-timeout"].order, Action("deliver_nothing")))
    assert "deliver_nothing cannot happen at its place" in examine(question, WRONG).problems


@pytest.mark.parametrize("gives", ["reject", "replay"])
def test_a_planner_that_gives_another_answer_than_it_says_is_caught(gives: answers.AnswerName) -> None:
    class Liar(answers.SecondTimeout):
        """It compensates again, whatever it says."""

    Liar.gives = gives
    case = Case("", Liar, (), frozenset({"delay", "clock-jump"}))
    assert "answer was to hold, and falls" in examine(BY_NAME["second-timeout"], case).problems

"""`fenceproof simulate --question`: the closing questions as a person asks them."""

from __future__ import annotations

import functools
from dataclasses import replace

import pytest
from command import Ran, fenceproof
from fenceproof.checker.commands.questions import ask
from fenceproof.specs.answers import SecondTimeout
from fenceproof.specs.questions import QUESTIONS, Case, Question
from fenceproof.specs.variants import Wait


@functools.cache
def asked(name: str) -> Ran:
    return fenceproof("simulate", "--question", name)


def verdicts(out: str) -> list[tuple[str, str]]:
    """Each answer with the first words of its verdicts, in order."""
    found: list[tuple[str, str]] = []
    answer = ""
    for line in out.splitlines():
        if line.startswith("ANSWER "):
            answer = line.split()[1].rstrip(":")
        elif line.startswith(("  right ", "  wrong ")):
            found.append((answer, line.split(":")[0].strip()))
    return found


@pytest.mark.slow
def test_a_question_is_answered_three_times_with_the_assumption_of_each() -> None:
    ran = asked("second-timeout")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "QUESTION second-timeout"
    assert verdicts(ran.out) == [
        (
            "reject",
            "right if what epoch 2 holds is sent again until it is answered, even with a compensator's key that holds "
            "the epoch",
        ),
        ("reject", "wrong if nothing is sent again after it"),
        ("reject", "wrong if it is the result of epoch 2 that is rejected, by an epoch 3 in which nothing is sent"),
        ("replay", "right if epoch 2 was a replay too, and the tool honours its idempotency key"),
        ("replay", "wrong if the tool takes what is sent again for a new call"),
        ("replay", "wrong if epoch 2 compensates the call"),
        ("compensate-again", "right if the compensator's key is the call"),
        ("compensate-again", "wrong if the compensator's key is the call with its epoch"),
    ]
    assert ran.out.splitlines()[-1] == "failed=0 / 9"


@pytest.mark.slow
def test_the_verdict_says_what_falls_and_in_which_search() -> None:
    out = asked("success_without_epoch").out
    assert "nothing falls (SuccessWithoutEpoch: 489,452 states, under every fault once)." in out
    assert "apply-once falls (ReplayUnlabelledNoKey: 376 states, under delay, no-echo once each)." in out


def test_the_first_question_says_that_no_answer_mends_the_breach_and_an_outbox_does() -> None:
    out = asked("result-before-bump").out
    assert "By then write-ahead is violated already, which no answer mends." in out
    assert "It never comes up in fenced (ResultBeforeBump: 489,452 states, under every fault once)." in out
    assert "nothing falls but write-ahead (RejectUnsaved: 356,018 states, under every fault but" in out
    even = "wrong even if the planner does not crash and is the only one, and the tool honours its idempotency key"
    assert ("replay", even) in verdicts(out)


@pytest.mark.slow
def test_all_questions_at_once_say_what_is_right_and_where_the_traces_are() -> None:
    ran = asked("all")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count("QUESTION ") == 3
    wrong = [verdict for _, verdict in verdicts(ran.out) if verdict.startswith("wrong")]
    assert len(wrong) == 14
    assert " steps. It says:" not in ran.out
    assert ran.out.splitlines()[-2:] == ["fenceproof simulate --question NAME shows the traces.", "failed=0 / 26"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [question.name for question in QUESTIONS])
def test_every_wrong_answer_is_shown_by_a_trace_and_no_right_one_is(name: str) -> None:
    out = asked(name).out
    wrong = [verdict for _, verdict in verdicts(out) if verdict.startswith("wrong")]
    assert len(wrong) == out.count(" steps. It says:") > 0


SECOND_TIMEOUT = QUESTIONS[2]
WRONG = SECOND_TIMEOUT.answers[2].cases[1]


def declared(question: Question, case: Case) -> Question:
    """A question with one answer in one case."""
    return replace(question, answers=(replace(question.answers[2], cases=(case,)),))


@pytest.mark.parametrize(
    ("question", "problem"),
    [
        (declared(SECOND_TIMEOUT, replace(WRONG, falls=())), "compensate-once was to hold, and falls"),
        (
            declared(replace(SECOND_TIMEOUT, never_asked=("fenced", SecondTimeout)), WRONG),
            "it was never to come up in fenced, and does",
        ),
        (
            declared(replace(SECOND_TIMEOUT, design=("wait", Wait)), WRONG),
            "deadline_early cannot happen at its place",
        ),
    ],
)
def test_what_is_not_as_declared_is_said_and_exits_with_1(
    question: Question, problem: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fenceproof.checker.commands.questions.QUESTIONS", (question,))
    assert ask(question.name) == 1
    out = capsys.readouterr().out
    assert f"  not as declared: {problem}\n" in out
    assert out.splitlines()[-1].startswith("failed=1 / ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--question", "second-timout"], "The question 'second-timout' is not known. Did you mean second-timeout?"),
        (["--question", "zzz"], "'zzz' is not known. There is: all, result-before-bump, second-timeout, success-with"),
        (["--question", "all", "--inject", "happy_success"], "--inject is about the injected traces"),
        (["--question", "all", "--traces", "mine.toml"], "--traces is about the injected traces"),
        (["--question", "all", "--variant", "fenced"], "--variant is about the injected traces"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_one_message(arguments: list[str], words: str) -> None:
    assert words in fenceproof("simulate", *arguments).message

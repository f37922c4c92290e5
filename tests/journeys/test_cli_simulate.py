"""`fenceproof simulate`: the named event orders with a denominator, and a user's own beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import RESTS, fenceproof, model_file

MINE = """
[[trace]]
name = "mine"
events = ["send", "timeout", "timeout", "compensate_ok@3"]
records = ["commit:compensate_ok:epoch=3"]
"""


def verdicts(out: str) -> dict[str, str]:
    """Each trace's line about its properties."""
    lines = out.splitlines()
    names = [line.removeprefix("TRACE ") for line in lines if line.startswith("TRACE ")]
    return dict(zip(names, (line.split()[-1] for line in lines if "PROPERTY " in line), strict=True))


def test_all_eight_pass_on_the_fenced_planner() -> None:
    ran = fenceproof("simulate")
    assert (ran.code, ran.err) == (0, "")
    assert list(verdicts(ran.out).values()) == ["OK"] * 8
    assert ran.out.splitlines()[-1] == "failed=0 / 8"


def test_one_trace_is_shown_event_by_event() -> None:
    ran = fenceproof("simulate", "--inject", "late_success_after_compensate")
    assert (ran.code, ran.err) == (0, "")
    assert [" ".join(line.split()) for line in ran.out.splitlines()] == [
        "TRACE late_success_after_compensate",
        "send tool live epoch 1, nothing committed",
        "timeout bump live epoch 2, nothing committed",
        "success@1 reject:success:epoch=1 (stale) live epoch 2, nothing committed",
        "compensate_ok@2 commit:compensate_ok:epoch=2 live epoch 2, compensated@2 committed",
        "fenced: committed; naive_broken=True",
        "PROPERTY OK",
        "failed=0 / 1",
    ]


def test_a_trace_named_twice_is_run_once() -> None:
    ran = fenceproof("simulate", "--inject", "happy_success", "--inject", "happy_success")
    assert ran.out.splitlines()[-1] == "failed=0 / 1"


def test_a_planner_that_ghosts_exits_with_1_and_names_what_is_violated() -> None:
    ran = fenceproof("simulate", "--variant", "last-writer")
    assert (ran.code, ran.err) == (1, "")
    failing = [name for name, verdict in verdicts(ran.out).items() if verdict == "FAIL"]
    assert failing == [
        "late_success_after_compensate",
        "duplicate_success_same_epoch",
        "compensate_then_late_success",
        "ghost_then_duplicate_compensate",
    ]
    assert "  no-ghost is violated\n" in ran.out
    assert ran.out.splitlines()[-1] == "failed=4 / 8"


def test_a_trace_of_ones_own_makes_the_denominator_grow() -> None:
    Path("mine.toml").write_text(MINE)
    ran = fenceproof("simulate", "--traces", "mine.toml")
    assert (ran.code, ran.err) == (0, "")
    assert (verdicts(ran.out)["mine"], ran.out.splitlines()[-1]) == ("OK", "failed=0 / 9")


def test_a_trace_of_ones_own_that_expects_otherwise_fails() -> None:
    Path("mine.toml").write_text(MINE.replace("epoch=3", "epoch=2"))
    ran = fenceproof("simulate", "--traces", "mine.toml", "--inject", "mine")
    assert (ran.code, ran.err) == (1, "")
    assert "the planner was to write down commit:compensate_ok:epoch=2" in ran.out
    assert ran.out.splitlines()[-1] == "failed=1 / 1"


def test_a_planner_of_ones_own_can_be_run() -> None:
    model_file("from fenceproof.specs import Planner\n\n\nclass Mine(Planner, check_commit=False):\n    pass\n")
    ran = fenceproof("simulate", "--variant", "mine.py", "--inject", "success_before_timeout_ignored")
    assert ran.code == 1
    assert "no-bump-after-commit is violated" in ran.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--inject", "happy_succes"], "The trace 'happy_succes' is not known. Did you mean happy_success?"),
        (["--inject", "late_succes"], "'late_succes' is not known. Did you mean late_success_after_compensate?"),
        (["--inject", "Late-Sucess"], "'Late-Sucess' is not known. Did you mean late_success_after_compensate?"),
        (["--inject", "zzz"], "The trace 'zzz' is not known. There is: compensate_then_late_success, "),
        (["--variant", "fencd"], "The target 'fencd' is not known. Did you mean fenced?"),
        (["--variant", "mine.py"], "mine.py is not a planner of the epoch-fence protocol"),
        (["--traces", "nowhere.toml"], "nowhere.toml: the file cannot be read: No such file or directory."),
        (["--traces", "."], ".: the file cannot be read: Is a directory."),
        (["--traces", "binary.toml"], "binary.toml: this is not text."),
        (["--traces", "broken.toml"], "broken.toml: not TOML"),
        (["--traces", "empty.toml"], "empty.toml: there is no trace."),
        (["--traces", "event.toml"], "event.toml: trace 1: 'sent' is no event. Write send, timeout"),
        (["--traces", "taken.toml"], "taken.toml: there is a trace called 'happy_success' already."),
        (["--traces", "mine.toml", "--traces", "mine.toml"], "mine.toml: there is a trace called 'mine' already."),
    ],
)
def test_what_cannot_be_simulated_is_refused_with_one_message(arguments: list[str], words: str) -> None:
    model_file(RESTS)
    Path("binary.toml").write_bytes(b"\xff\xfe\x00\x80")
    Path("broken.toml").write_text("[[trace]\n")
    Path("empty.toml").write_text("")
    Path("event.toml").write_text(MINE.replace('"send"', '"sent"'))
    Path("taken.toml").write_text(MINE.replace('"mine"', '"happy_success"'))
    Path("mine.toml").write_text(MINE)
    assert words in fenceproof("simulate", *arguments).message

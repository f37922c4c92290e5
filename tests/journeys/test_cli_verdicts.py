"""The verdict in one line, what was found instead of what was expected, and which faults do not count as missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import RESTS, fenceproof, model_file

JOBS = """
from fenceproof.model import Model, Range, action, fault, implies, invariant, require, terminal


class Jobs(Model):
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

    @fault("second-loss")
    @action
    def lose_again(self) -> None:
        require(self.done > 1)
        self.done -= 1

    @invariant
    def done_once(self) -> bool:
        return self.done < 2

    @invariant
    def never_asked(self) -> bool:
        return implies(self.done < 0, self.done == 1)

    @terminal
    def anywhere(self) -> bool:
        return True
"""
VACUOUS = "vacuous: never_asked (antecedent never true)"


def quiet(*options: str) -> tuple[int, str, str]:
    """What a check of the jobs exits with and prints on each stream."""
    Path("jobs.py").write_text(JOBS)
    ran = fenceproof("check", "jobs.py", "--quiet", *options)
    return ran.code, ran.out, ran.err


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--property", "done_once"], 1, "violated: done_once (2 steps)"),
        ([], 1, f"violated: done_once (2 steps); {VACUOUS}"),
        (["--property", "never_asked"], 4, VACUOUS),
        (["--property", "no-deadlock"], 0, "holds"),
        (
            ["--max-states", "1"],
            3,
            "inconclusive: done_once, never_asked, no-deadlock (more than 1 states)",
        ),
        (["--property", "no-deadlock", "--set", "jobs=1"], 4, "vacuous: no state enables lose_again"),
    ],
)
def test_quiet_says_the_verdict_and_which_properties_it_is_about(options: list[str], code: int, said: str) -> None:
    assert quiet(*options) == (code, f"jobs.py: {said}\n", "")


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--expect", "holds", "--property", "done_once"], 1, "expected holds, found violated: done_once (2 steps)"),
        (["--expect", "holds", "--property", "never_asked"], 4, f"expected holds, found {VACUOUS}"),
        (
            ["--expect", "violated:no_deadlock", "--property", "no-deadlock"],
            1,
            "expected violated: no-deadlock, found holds",
        ),
        (
            ["--expect", "violated:done-once"],
            4,
            f"expected violated: done_once, found violated: done_once (2 steps); {VACUOUS}",
        ),
    ],
)
def test_what_was_not_as_expected_is_said_in_one_line(options: list[str], code: int, said: str) -> None:
    ended, _, err = quiet(*options)
    assert (ended, err) == (code, f"fenceproof: {said}.\n")


def test_what_was_as_expected_is_not_explained() -> None:
    options = ["--expect", "violated:done_once", "--property", "done_once"]
    assert quiet(*options) == (0, "jobs.py: violated: done_once (2 steps)\n", "")


@pytest.mark.parametrize("limited", [["--most-faults", "1"], ["--faults", "second-loss"]])
def test_a_fault_that_cannot_come_about_under_limited_faults_is_listed_and_no_more(limited: list[str]) -> None:
    Path("jobs.py").write_text(JOBS)
    options = ["--property", "no-deadlock", "--set", "jobs=1"]
    assert fenceproof("check", "jobs.py", *options).code == 4
    ran = fenceproof("check", "jobs.py", *options, *limited)
    assert (ran.code, ran.err) == (0, "")
    assert "never enabled  lose_again\n" in "\n".join(line.rstrip() for line in ran.out.splitlines())


def test_an_action_that_is_no_fault_counts_as_missing_under_limited_faults_too() -> None:
    model_file(
        RESTS.replace("action, terminal", "action, fault, require, terminal")
        + """
    @fault("slip")
    @action
    def slip(self) -> None:
        self.n = 0

    @action
    def never(self) -> None:
        require(self.n > 1)
"""
    )
    ran = fenceproof("check", "mine.py", "--quiet", "--most-faults", "1")
    assert (ran.code, ran.out) == (4, "mine.py: vacuous: no state enables never\n")

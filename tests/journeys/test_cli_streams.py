"""What a model prints goes to standard error, and a request to end ends a search as Ctrl-C does."""

from __future__ import annotations

import json
import signal

import pytest
from command import RESTS, fenceproof, model_file

#: Prints as it is imported, and as its model is made.
PRINTS = RESTS.replace("class Rests", 'print("imported")\n\n\nclass Rests').replace(
    "        self.n = Range", '        print("made")\n        self.n = Range'
)
#: A search that is asked to end when it has begun, as `timeout` and `kill` do.
ENDED = RESTS.replace(
    "class Rests",
    """import os
import signal

import fenceproof.checker.engines.explicit as engine

real = engine.Search._expand_level


def ended(search: engine.Search) -> None:
    real(search)
    os.kill(os.getpid(), signal.SIGTERM)


engine.Search._expand_level = ended


class Rests""",
)


def test_what_a_model_prints_is_no_part_of_the_document() -> None:
    model_file(PRINTS)
    ran = fenceproof("check", "mine.py", "--json")
    assert json.loads(ran.out)["verdict"] == "holds"
    assert (ran.code, ran.err) == (0, "imported\nmade\n")


def test_what_a_model_prints_is_no_part_of_the_system_that_is_shown() -> None:
    model_file(PRINTS)
    ran = fenceproof("show", "mine.py")
    assert ran.out.startswith("model Rests(most=1)\n")
    assert ran.err == "imported\nmade\n"


@pytest.mark.parametrize("options", [[], ["--json"], ["--quiet"]], ids=["text", "json", "quiet"])
def test_a_request_to_end_exits_with_130_and_says_what_was_covered(options: list[str]) -> None:
    model_file(ENDED)
    ran = fenceproof("check", "mine.py", *options)
    assert (ran.code, ran.err) == (130, "")
    assert "the search was interrupted" in ran.out


@pytest.mark.parametrize(
    "command",
    [
        ["check", "last-writer", "--faults", "duplicate"],
        ["check", "fenced", "--engine", "pdr", "--property", "single-commit"],
        ["check", "mine.py", "--all"],
        ["compare", "fenced", "last-writer", "--most-faults", "1", "--property", "single-commit"],
        ["diff", "fenced", "last-writer", "--most-faults", "1"],
        ["refine", "fenced", "atomic-fence", "--faults", "delay"],
        ["simulate", "--question", "second-timeout"],
    ],
    ids=lambda command: "-".join(command[:2]),
)
def test_no_line_that_goes_to_a_file_ends_in_blanks(command: list[str]) -> None:
    model_file(RESTS)
    ran = fenceproof(*command)
    lines = ran.out.splitlines()
    assert len(lines) > 3, ran
    assert [line for line in lines if line != line.rstrip()] == []


def test_a_request_to_end_outside_a_search_is_said_too() -> None:
    model_file(f"import os\nos.kill(os.getpid(), {int(signal.SIGTERM)})\n")
    ran = fenceproof("check", "mine.py")
    assert (ran.code, ran.out, ran.err.strip()) == (130, "", "fenceproof: interrupted.")

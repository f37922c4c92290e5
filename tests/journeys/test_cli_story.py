"""A violation as the command tells it: whole and readable in a narrow terminal, without colour, and through a pipe."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command import Ran, fenceproof

KEPT = Path(__file__).parents[1] / "checker"
GHOST = ("check", "last-writer", "--faults", "delay", "--property", "no-ghost")
#: What somebody who has only read the README is to be able to retell.
STORY = (
    "What happens: The planner sends call 0 to the tool in epoch 1. The tool executes call 0, sent in epoch 1, and "
    "answers success. The deadline of call 0 fires, though the tool's request or result is still under way, and opens "
    "epoch 2 [fault: delay]. The tool's success for call 0 in epoch 1 reaches the planner and is committed. This "
    "violates no-ghost: call 0: success of epoch 1 commits after epoch 2 was opened."
)
WHY = "Why: opened[0] <= 1 is false; here opened[0] = 2 (fenceproof/specs/properties.py:"


def ghost(**environment: str) -> Ran:
    ran = fenceproof(*GHOST, environment=environment)
    assert ran.code == 1
    return ran


def words(text: str) -> str:
    return " ".join(text.split())


def test_a_narrow_terminal_gets_every_word_in_one_piece() -> None:
    ran = ghost(COLUMNS="40")
    assert max(map(len, ran.out.splitlines())) <= 40
    assert STORY in words(ran.out)
    assert WHY.rsplit(" ", 1)[0] in words(ran.out)
    assert "faults spent: delay ×1 of 1" in ran.out.splitlines()
    steps = ran.out[ran.out.index("  1. ") : ran.out.index("faults spent")]
    assert words(steps) == words(
        """1. dispatch(call=0) → tool
             armed[0]: false → true  tool_path[0] + tool epoch=1
        2. execute(call=0, epoch=1) → executed
             tool_path[0] + success epoch=1  tool_path[0] − tool epoch=1
             world[0].fence: 0 → 1  world[0].reserved: false → true  world[0].applications: 0 → 1
        3. deadline_early(call=0) [fault: delay] → bump
             record[0].live: 1 → 2  outbox[0].epoch: 1 → 2  opened[0]: 1 → 2  armed[0]: true → false
             copies[0][0].epoch: 1 → 2
        > 4. deliver(call=0, kind=success, epoch=1) → commit
             record[0].committed: none → 1  record[0].outcome: none → success  outbox[0].pending: true → false
             copies[0][0].committed: false → true  tool_path[0] − success epoch=1"""
    )
    assert re.findall(r"(?m)^> \d+\.|^  \d+\.", steps) == ["  1.", "  2.", "  3.", "> 4."]


def test_the_table_begins_where_its_columns_are_wide_enough() -> None:
    below, wide = ghost(COLUMNS="59").out, ghost(COLUMNS="60").out
    assert "action" not in below
    assert re.search(r"(?m)^ +action +outcome +changes$", wide)
    for out in (below, wide):
        assert [line.split()[1] for line in out.splitlines() if line.startswith("> ")] == ["4."]


def test_a_pipe_has_neither_colour_nor_blanks_at_the_ends_of_lines() -> None:
    ran = ghost(NO_COLOR="", COLUMNS="80")
    assert "\x1b" not in ran.out
    assert [line for line in ran.out.splitlines() if line != line.rstrip()] == []


def test_colour_adds_nothing_but_colour() -> None:
    coloured = fenceproof(*GHOST, environment={"FORCE_COLOR": "1", "NO_COLOR": "", "COLUMNS": "80"}).out
    plain = fenceproof(*GHOST, environment={"FORCE_COLOR": "1", "NO_COLOR": "1", "COLUMNS": "80"}).out
    piped = ghost(COLUMNS="80").out
    assert "\x1b[1;31mdeliver(call=0, kind=success," in coloured
    # What is said does not depend on colour: the mark of the violating step is there without.
    assert not re.search(r"\x1b\[[\d;]*3\dm", plain)
    texts: list[list[str]] = []
    for text in (coloured, plain, piped):
        bare = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", text)
        texts.append([line.rstrip() for line in bare.splitlines() if not line.startswith("took")])
    assert texts[0] == texts[1] == texts[2]
    assert any(line.startswith("> 4.  deliver") for line in texts[0])


@pytest.mark.slow
def test_the_story_of_the_last_writer_under_every_fault_is_kept() -> None:
    ran = fenceproof("check", "last-writer", environment={"COLUMNS": "80"})
    assert ran.code == 1
    told = re.sub(r"(?m)^took .*$", "took", ran.out)
    assert told == (KEPT / "last_writer_story.txt").read_text(encoding="utf-8")

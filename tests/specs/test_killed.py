"""A planner's process that is killed at every crash point of the store, and what the next process finds.

This proves little by itself: after kill -9 the operating system still has in its page cache what was never synced, so
SQLite with `synchronous=OFF` passes too. It does show that every step is one transaction, and that the workload can be
taken up from whatever is found. What is on the disk when the power goes is asked in `test_power_loss.py`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import killed_child
from fenceproof.specs.reference.sql_store import DURABLE_STEPS, SqlStore, open_database, sqlite_url
from sqlalchemy import Engine
from workload import STEPS, complaint, expected, found, run

POINTS = {f"{when}-{step}" for step in DURABLE_STEPS for when in ("before", "within", "after")}


@dataclass(frozen=True)
class Killed:
    """Where a child was killed, if it was, and how many steps it had acknowledged."""

    number: int
    point: str | None
    acknowledged: int


def killed_everywhere(folder: Path, store: str) -> list[Killed]:
    command = [sys.executable, killed_child.__file__, str(folder), store]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return [Killed(**json.loads(line)) for line in ran.stdout.splitlines()]


def reopened(folder: Path, child: Killed) -> Engine:
    # Only the child has to wait for the disk.
    return open_database(sqlite_url(folder / f"{child.number}.db"), settings={"synchronous": "OFF"})


def test_a_planner_killed_at_any_point_has_all_that_it_acknowledged_and_goes_on(tmp_path: Path) -> None:
    wanted = expected()
    children = killed_everywhere(tmp_path, "shipped")
    for child in children:
        engine = reopened(tmp_path, child)
        records = found(engine)
        assert complaint(records, child.acknowledged, wanted) is None, child
        if child.point and child.point.startswith("within"):
            assert records == wanted[child.acknowledged], "a step is not there before its transaction is committed"
        if child.point and child.point.startswith("after"):
            assert records == wanted[child.acknowledged + 1], "a step is there when its transaction is committed"
        run(SqlStore(engine), wanted.index(records, child.acknowledged))
        assert found(engine) == wanted[-1], child
        engine.dispose()
    assert {child.point for child in children[:-1]} == POINTS
    assert children[-1] == Killed(len(children), None, len(STEPS) + 1)


def test_an_intent_in_a_transaction_after_its_fence_is_missing_after_a_kill(tmp_path: Path) -> None:
    wanted = expected()
    wrong: list[str | None] = []
    for child in killed_everywhere(tmp_path, "two-transactions"):
        engine = reopened(tmp_path, child)
        if complaint(found(engine), child.acknowledged, wanted):
            wrong.append(child.point)
        engine.dispose()
    # Between the two transactions of each of the three epochs that are opened: after the one, before and in the other.
    assert wrong == ["after-fence", "before-open", "within-open"] * 3


def test_a_lost_step_and_half_a_step_are_complained_about_and_one_that_was_under_way_is_not() -> None:
    wanted = expected()
    before, now = wanted[4], wanted[5]
    assert before and now
    half = (before[0], replace(before[1], live=2), *before[2:])
    assert complaint(now, 4, wanted) is None
    assert str(complaint(before, 5, wanted)).startswith("an acknowledged step is lost: after open_next(1, ")
    assert str(complaint(half, 4, wanted)).startswith("a step is there in part: after commit_if_live(0, 1, 'success')")

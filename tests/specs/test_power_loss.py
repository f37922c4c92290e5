"""What SQLite has after a loss of power, by the crash states of a recorded run: the whole of it is a benchmark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from crash_survey import judged, record, settings_of
from fenceproof.specs.reference.sql_store import SQLITE_SETTINGS
from power_loss import SECTOR, CrashState, crash_states
from recording_vfs import Link, Mark, Operation, Sync, SyncDirectory, Truncate, Write
from two_transactions import TwoTransactions

NOTHING_LOST = [("WAL", "FULL"), ("DELETE", "EXTRA")]
LOSES = [("WAL", "NORMAL"), ("DELETE", "FULL"), ("DELETE", "NORMAL")]
DAMAGES = [("WAL", "OFF"), ("DELETE", "OFF")]


def wrongs(states: Iterable[tuple[CrashState, str | None]]) -> Iterable[str]:
    return (wrong for _, wrong in states if wrong)


def test_the_shipped_setting_is_one_that_is_surveyed() -> None:
    assert (SQLITE_SETTINGS["journal_mode"], SQLITE_SETTINGS["synchronous"]) == NOTHING_LOST[0]


@pytest.mark.parametrize(("journal", "synchronous"), NOTHING_LOST)
def test_a_safe_setting_loses_nothing_and_leaves_nothing_half_there(journal: str, synchronous: str) -> None:
    states = list(judged(settings_of(journal, synchronous), samples=12, go_on_every=40))
    assert [(state, wrong) for state, wrong in states if wrong] == []
    assert len(states) > 200


@pytest.mark.slow
@pytest.mark.parametrize(("journal", "synchronous", "samples"), [("WAL", "FULL", 120), ("DELETE", "EXTRA", 40)])
def test_a_safe_setting_loses_nothing_in_a_larger_sample(journal: str, synchronous: str, samples: int) -> None:
    states = list(judged(settings_of(journal, synchronous), samples=samples, seed=2))
    assert [(state, wrong) for state, wrong in states if wrong] == []
    assert len(states) > 700


@pytest.mark.parametrize(("journal", "synchronous"), LOSES)
def test_a_setting_that_does_not_wait_for_the_disk_loses_what_was_acknowledged(journal: str, synchronous: str) -> None:
    states = judged(settings_of(journal, synchronous), samples=2)
    assert next(iter(wrongs(states))).startswith("an acknowledged step is lost: after prepare there is None")


@pytest.mark.parametrize(("journal", "synchronous"), DAMAGES)
def test_a_setting_that_never_waits_damages_the_database(journal: str, synchronous: str) -> None:
    states = judged(settings_of(journal, synchronous), samples=8)
    found = (wrong.split(":")[0] for wrong in wrongs(states))
    assert any(wrong in ("the database cannot be read", "the database is damaged") for wrong in found)


def test_an_intent_that_is_written_after_its_fence_is_found_missing() -> None:
    states = judged(settings_of("WAL", "FULL"), samples=1, store=TwoTransactions)
    assert next(iter(wrongs(states))).startswith("a step is there in part: after commit_if_live(0, 1, 'success')")


@pytest.mark.parametrize(("journal", "synchronous"), NOTHING_LOST)
def test_the_recording_sees_the_log_go_back_into_the_database_and_journals_go(journal: str, synchronous: str) -> None:
    operations = record(settings_of(journal, synchronous))
    database = next(o.file for o in operations if isinstance(o, Link) and o.name == "planner.db")
    assert sum(isinstance(o, Sync) and o.file == database for o in operations) > 4
    gone = [o.name for o in operations if isinstance(o, Link) and o.file is None]
    assert ("planner.db-wal" if journal == "WAL" else "planner.db-journal") in gone


def files(*operations: Operation, samples: int = 60) -> list[dict[str, bytes]]:
    """What may be on the disk at the end."""
    states = crash_states(operations, "done", samples=samples, seed=1)
    return [state.files for state in states if state.cut == len(operations)]


def durable(*operations: Operation) -> list[Operation]:
    """A file "a" that is on the disk, empty."""
    return [Link("a", 1), Sync(1), SyncDirectory(), *operations, Mark("done")]


def test_what_was_synced_is_there_and_what_was_not_may_be() -> None:
    operations = durable(Write(1, 0, b"old"), Sync(1), Write(1, 0, b"new"))
    assert sorted(f["a"] for f in files(*operations)) == [b"new", b"old"]


def test_writes_reach_the_disk_in_any_order() -> None:
    first, second = Write(1, 0, b"1"), Write(1, 1, b"2")
    start = Write(1, 0, b"--")
    assert {f["a"] for f in files(*durable(start, Sync(1), first, second))} == {b"--", b"1-", b"-2", b"12"}


def test_a_write_may_be_torn_between_sectors_only() -> None:
    start = Write(1, 0, b"-" * 2 * SECTOR)
    found = {f["a"] for f in files(*durable(start, Sync(1), Write(1, 10, b"x" * SECTOR)))}
    first, second = b"x" * (SECTOR - 10), b"x" * 10
    untouched, rest = b"-" * 10, b"-" * (SECTOR - 10)
    assert found == {
        untouched + left + right + rest for left in (first, b"-" * len(first)) for right in (second, b"-" * len(second))
    }


def test_a_sector_that_was_skipped_holds_zeros_or_anything() -> None:
    found = {f["a"] for f in files(*durable(Write(1, 0, b"1" * 4), Write(1, 4, b"2" * 4)))}
    grown = {content[:4] for content in found if content.endswith(b"2222")} - {b"1111"}
    assert bytes(4) in grown and len(grown) > 1


def test_a_change_of_length_may_be_missing() -> None:
    assert {f["a"] for f in files(*durable(Write(1, 0, b"1234"), Sync(1), Truncate(1, 2)))} == {b"1234", b"12"}


NAMES: list[tuple[list[Operation], list[dict[str, bytes]]]] = [
    ([Link("b", 2), Sync(2)], [{"a": b""}, {"a": b"", "b": b""}]),
    ([Link("b", 2), Sync(2), SyncDirectory()], [{"a": b"", "b": b""}]),
    ([Link("a", None)], [{"a": b""}, {}]),
    ([Link("a", None), SyncDirectory()], [{}]),
    ([Link("a", None), Link("a", 2), Write(2, 0, b"2"), Sync(2)], [{"a": b""}, {}, {"a": b"2"}]),
]


@pytest.mark.parametrize(("operations", "found"), NAMES)
def test_a_name_is_durable_when_its_directory_is(operations: list[Operation], found: list[dict[str, bytes]]) -> None:
    there = files(*durable(*operations))
    assert sorted(there, key=str) == sorted(found, key=str)


def test_the_same_seed_draws_the_same_states_and_another_one_others() -> None:
    operations = durable(Write(1, 0, bytes(range(256)) * 40))
    drawn = [list(crash_states(operations, "done", samples=20, seed=seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_state_counts_once_for_as_many_acknowledged_steps() -> None:
    states = list(crash_states([*durable(), *durable()], "done", samples=3, seed=1))
    assert [(state.cut, state.acknowledged) for state in states if state == replace(state, files={"a": b""})] == [
        (1, 0),
        (4, 1),
        (8, 2),
    ]

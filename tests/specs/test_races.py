"""Two planners at once, in two processes on one database: one of two commits counts. The whole of it is a benchmark."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from cluster import Cluster
from fenceproof.specs.reference.record import CallRecord
from fenceproof.specs.reference.sql_store import SqlStore, open_database, sqlite_url
from raced import RACES, raced


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "planner.db").render_as_string()
    cluster: Cluster = request.getfixturevalue("postgres")
    return cluster.new_database().replace("postgresql:", "postgresql+psycopg:")


def test_of_two_planners_one_commits_and_two_open_different_epochs(url: str) -> None:
    """Duplicate results, a late success after a bump, a commit against a bump, and two bumps: a hundred of each."""
    calls = raced(url, 400)
    assert [call.complaint for call in calls if call.complaint] == []
    assert {call.race: call.commits for call in calls if call.race in ("duplicate", "late")} == {
        "duplicate": 1,
        "late": 1,
    }
    assert {race: sum(call.race == race for call in calls) for race in RACES} == dict.fromkeys(RACES, 100)


def test_two_planners_that_have_both_looked_before_either_commits_commit_twice(url: str) -> None:
    """The control: what is seen where the decision is not one statement, whatever the speed of the planners."""
    calls = raced(url, 50, store="select-then-update", races=("duplicate",), meet_at="before-overwrite")
    assert [call.commits for call in calls] == [2] * 50
    assert {str(call.complaint).split(":")[0] for call in calls} == {"two commits"}


def test_an_intent_that_is_restored_while_an_epoch_is_opened_is_the_one_of_that_epoch(url: str) -> None:
    """The other planner has to wait for the record, and not to ask for the epoch that it saw before."""
    engine = open_database(url)
    SqlStore(engine).prepare(1)
    other = threading.Thread(target=SqlStore(engine).restore_intent, args=(0,))

    def start_the_other(point: str) -> None:
        if point == "within-open":
            other.start()
            other.join(1)

    SqlStore(engine, at=start_the_other).open_next(0, even_if_committed=False, raise_fence=True)
    other.join()
    assert SqlStore(engine).read(0) == CallRecord(live=2, intent_epoch=2)
    engine.dispose()


def test_of_two_planners_on_an_empty_database_one_makes_the_tables_and_the_other_goes_on_with_them(url: str) -> None:
    engine = open_database(url)
    raised: list[BaseException] = []

    def prepare() -> None:
        try:
            SqlStore(engine).prepare(2)
        except Exception as error:
            raised.append(error)

    other = threading.Thread(target=prepare)

    def start_the_other(point: str) -> None:
        if point == "within-prepare":
            other.start()
            other.join(1)

    SqlStore(engine, at=start_the_other).prepare(1)
    other.join()
    assert raised == []
    assert [SqlStore(engine).read(call) for call in range(2)] == [CallRecord()] * 2
    engine.dispose()

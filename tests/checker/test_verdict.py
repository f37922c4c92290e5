"""How the verdict of a run follows from those of its parts, and what it exits with."""

from __future__ import annotations

from itertools import combinations

import pytest
from fenceproof.checker.verdict import Verdict, combine

GRAVEST_FIRST = [
    Verdict.MODEL_ERROR,
    Verdict.VIOLATED,
    Verdict.BOUNDED,
    Verdict.INCONCLUSIVE,
    Verdict.VACUOUS,
    Verdict.HOLDS,
    Verdict.PROVED,
]


@pytest.mark.parametrize(("place", "verdict"), list(enumerate(GRAVEST_FIRST)), ids=str)
def test_a_run_is_as_grave_as_its_gravest_part(place: int, verdict: Verdict) -> None:
    milder = GRAVEST_FIRST[place + 1 :]
    for count in range(len(milder) + 1):
        for others in combinations(milder, count):
            assert combine([*others, verdict]) is verdict
            assert combine([verdict, *others]) is verdict


def test_nothing_checked_is_inconclusive() -> None:
    assert combine([]) is Verdict.INCONCLUSIVE


def test_only_a_run_in_which_everything_holds_or_is_proved_exits_with_0() -> None:
    assert {verdict: verdict.exit_code for verdict in Verdict} == {
        Verdict.HOLDS: 0,
        Verdict.PROVED: 0,
        Verdict.VIOLATED: 1,
        Verdict.MODEL_ERROR: 2,
        Verdict.INCONCLUSIVE: 3,
        Verdict.BOUNDED: 3,
        Verdict.VACUOUS: 4,
    }


def test_a_verdict_is_written_as_reports_write_it() -> None:
    assert [str(verdict) for verdict in GRAVEST_FIRST] == [
        "model error",
        "violated",
        "holds up to",
        "inconclusive",
        "vacuous",
        "holds",
        "proved",
    ]

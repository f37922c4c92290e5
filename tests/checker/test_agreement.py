"""Which claims contradict each other, for every pair of them, and what follows from those that do not."""

from __future__ import annotations

import itertools

import pytest
from fenceproof.checker.agreement import Said, contradiction, strongest
from fenceproof.checker.verdict import Verdict

CLAIMS = {
    "holds": Said("a", Verdict.HOLDS),
    "proved": Said("a", Verdict.PROVED),
    "vacuous": Said("a", Verdict.VACUOUS),
    "vacuous up to 4": Said("a", Verdict.VACUOUS, bound=4),
    "holds up to 3": Said("a", Verdict.BOUNDED, bound=3),
    "holds up to 4": Said("a", Verdict.BOUNDED, bound=4),
    "inconclusive": Said("a", Verdict.INCONCLUSIVE),
    "violated in 4": Said("a", Verdict.VIOLATED, steps=4),
    "shortest in 4": Said("a", Verdict.VIOLATED, steps=4, shortest=True),
    "shortest in 5": Said("a", Verdict.VIOLATED, steps=5, shortest=True),
    "violated in 5": Said("a", Verdict.VIOLATED, steps=5),
}
VIOLATED = ("violated in 4", "shortest in 4", "shortest in 5", "violated in 5")
#: Every pair that cannot both be true; all others can.
CONTRADICTORY = {
    *(frozenset((v, other)) for v in VIOLATED for other in ("holds", "proved", "vacuous")),
    *(frozenset((v, other)) for v in VIOLATED[:2] for other in ("holds up to 4", "vacuous up to 4")),
    frozenset(("vacuous", "holds")),
    frozenset(("vacuous", "proved")),
    frozenset(("violated in 4", "shortest in 5")),
    frozenset(("shortest in 4", "shortest in 5")),
}
#: The strongest first; what stands on one line says as much.
ORDER = (
    ("violated in 4", "shortest in 4"),
    ("shortest in 5", "violated in 5"),
    ("proved",),
    ("holds",),
    ("vacuous",),
    ("holds up to 4",),
    ("holds up to 3",),
    ("vacuous up to 4",),
    ("inconclusive",),
)


@pytest.mark.parametrize(("one", "other"), list(itertools.product(CLAIMS, CLAIMS)))
def test_two_claims_contradict_each_other_exactly_where_both_cannot_be_true(one: str, other: str) -> None:
    assert contradiction(CLAIMS[one], CLAIMS[other]) is (frozenset((one, other)) in CONTRADICTORY)


@pytest.mark.parametrize(("one", "other"), list(itertools.product(CLAIMS, CLAIMS)))
def test_of_two_claims_the_stronger_is_taken_and_of_equal_ones_the_first(one: str, other: str) -> None:
    rank = {name: number for number, names in enumerate(ORDER) for name in names}
    taken = strongest([CLAIMS[one], CLAIMS[other]])
    assert taken is CLAIMS[one if rank[one] <= rank[other] else other]

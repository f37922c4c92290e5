"""The shortest fair loop in a component."""

from __future__ import annotations

import pytest
from fenceproof.checker.engines import loops
from fenceproof.checker.engines.loops import Asked, shortest_loop

#: 0 → 1 → 2 → 0, with a short cut 1 → 0; a transition is named by where it leads from and to.
RING = {0: [(1, 1)], 1: [(12, 2), (10, 0)], 2: [(20, 0)]}


def asked(enabled: set[int], taken: set[int], *, strong: bool = False) -> Asked:
    return Asked(frozenset(enabled), frozenset(taken), strong)


@pytest.mark.parametrize("most_pairs", [loops.MOST_PAIRS, 0], ids=["exact", "greedy"])
@pytest.mark.parametrize(
    ("demands", "expected"),
    [
        ([], []),
        ([asked({1, 2}, {20})], []),
        ([asked({0, 1, 2}, {1})], [1, 10]),
        ([asked({0, 1, 2}, {12})], [1, 12, 20]),
        ([asked({0}, set())], [1, 10]),
        ([asked({0, 2}, {20}, strong=True), asked({0}, {1})], [1, 12, 20]),
    ],
)
def test_a_loop_is_fair_to_all_demands(
    monkeypatch: pytest.MonkeyPatch, most_pairs: int, demands: list[Asked], expected: list[int]
) -> None:
    monkeypatch.setattr(loops, "MOST_PAIRS", most_pairs)
    assert [transition for transition, _ in shortest_loop(RING, 0, demands)] == expected

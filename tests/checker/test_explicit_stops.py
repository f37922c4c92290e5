"""How the explicit engine ends before its end, at a limit or an interrupt, and that its inner sizes do not matter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from fenceproof.checker.engines import explicit
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.engines.tally import Tally, Witnesses
from fenceproof.checker.limits import Limits, Progress
from fenceproof.checker.result import CheckResult, Sort
from fenceproof.checker.verdict import Verdict
from fenceproof.model.kinds import BoolKind, RangeKind
from fenceproof.model.system import TransitionSystem
from toys import Builder, graph


def ring(length: int) -> TransitionSystem:
    return graph([(i, (i + 1) % length) for i in range(length)], bad=[3])


class Ticking:
    """A clock that goes on by a second each time somebody looks."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


@pytest.mark.parametrize(
    ("limits", "kind", "counts"),
    [
        (Limits(max_states=2), "states", (3, 3, 3)),
        (Limits(memory_bytes=16), "memory", (3, 3, 3)),
        # What was gathered of a level when the time is up is dropped: to sort it would take more time.
        (Limits(time_s=2.5, clock=Ticking()), "time", (2, 3, 2)),
    ],
    ids=["states", "memory", "time"],
)
def test_a_limit_leaves_the_rest_inconclusive_and_says_what_was_covered(
    limits: Limits, kind: str, counts: tuple[int, int, int]
) -> None:
    result = check(ring(50), limits=limits)
    assert result.stop is not None
    assert (result.stop.kind, result.complete, result.verdict) == (kind, False, Verdict.INCONCLUSIVE)
    assert {p.name: p.verdict for p in result.properties} == {
        "fine": Verdict.INCONCLUSIVE,
        "no-deadlock": Verdict.INCONCLUSIVE,
    }
    assert (result.distinct, result.generated, result.depth) == counts


def test_a_violation_found_before_a_limit_stands() -> None:
    result = check(ring(50), limits=Limits(max_states=10))
    assert {p.name: p.verdict for p in result.properties} == {
        "fine": Verdict.VIOLATED,
        "no-deadlock": Verdict.INCONCLUSIVE,
    }
    assert result.verdict is Verdict.VIOLATED


def test_a_limit_that_is_just_met_does_not_stop_a_search() -> None:
    result = check(ring(50), limits=Limits(max_states=50))
    assert (result.stop, result.distinct, result.complete) == (None, 50, True)


def interrupted_at(depth: int) -> Callable[[Progress], None]:
    def progress(seen: Progress) -> None:
        if seen.depth == depth:
            raise KeyboardInterrupt

    return progress


def test_an_interrupt_keeps_what_was_found() -> None:
    result = check(ring(50), progress=interrupted_at(7))
    assert result.stop is not None
    assert (result.stop.kind, result.distinct, result.verdict) == ("interrupted", 7, Verdict.VIOLATED)


def test_progress_is_told_level_by_level() -> None:
    told: list[tuple[int, int | None, int | None]] = []
    check(ring(4), progress=lambda p: told.append((p.depth, p.distinct, p.generated)))
    assert told == [(1, 1, 2), (2, 2, 3), (3, 3, 4), (4, 4, 5)]


def test_the_size_of_chunks_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    b = Builder({f"v{i}": RangeKind(0, 3) for i in range(4)} | {"flag": BoolKind()})
    for i in range(4):
        b.act(f"set{i}", b.x.less(b.slot(i), b.x.const(3)), {i: b.x.add(b.slot(i), b.x.const(1))})
    b.always("sum", b.x.negate(b.x.equal(b.slot(0), b.x.add(b.slot(1), b.x.const(2)))))
    system = b.build([(0, 0, 0, 0, 0)])

    def found() -> CheckResult:
        return check(system)

    whole = found()
    assert (whole.distinct, whole.generated, whole.depth) == (256, 769, 13)
    monkeypatch.setattr(explicit, "CHUNK", 3)
    monkeypatch.setattr(explicit, "GATHER", 5)
    assert found() == whole


class Interrupted(list[Witnesses]):
    """A list to which nothing is added before the user interrupts."""

    def append(self, _: Witnesses) -> None:
        raise KeyboardInterrupt


def test_what_is_counted_as_violated_has_a_witness_though_the_user_interrupts_while_it_is_noted() -> None:
    tally = Tally("low", Sort.INVARIANT, "", exercised=True, first=Interrupted())
    with pytest.raises(KeyboardInterrupt):
        tally.record(0, None, (np.zeros(1, dtype=np.uint64),))
    assert (tally.count, tally.first) == (0, [])

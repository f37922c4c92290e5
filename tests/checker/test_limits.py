"""When a search has to stop: at a limit that is passed, never at one that is just reached."""

from __future__ import annotations

import pytest
from fenceproof.checker.limits import Limits, Stop, Watch


class Clock:
    """A clock that tests turn."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_without_limits_nothing_stops() -> None:
    assert Watch.start(Limits()).stop(10**12, 10**15) is None


@pytest.mark.parametrize(
    ("limits", "within", "beyond", "stop"),
    [
        (Limits(max_states=1000), (1000, 0), (1001, 0), Stop("states", "more than 1,000 states")),
        (
            Limits(memory_bytes=2048),
            (5, 2048),
            (5, 2049),
            Stop("memory", "states took more than 2,048 bytes of memory"),
        ),
    ],
    ids=["states", "memory"],
)
def test_a_limit_stops_only_what_passes_it(
    limits: Limits, within: tuple[int, int], beyond: tuple[int, int], stop: Stop
) -> None:
    watch = Watch.start(limits)
    assert watch.stop(*within) is None
    assert watch.stop(*beyond) == stop


def test_time_is_counted_from_the_start_of_the_search() -> None:
    clock = Clock()
    watch = Watch.start(Limits(time_s=2.5, clock=clock))
    clock.now = 102.5
    assert (watch.seconds, watch.stop(0, 0)) == (2.5, None)
    clock.now = 102.75
    assert watch.stop(0, 0) == Stop("time", "the search took more than 2.5 seconds")


def test_of_several_passed_limits_the_one_that_is_the_same_everywhere_is_named() -> None:
    clock = Clock()
    watch = Watch.start(Limits(1, 1, 1.0, clock))
    clock.now = 200.0
    stop = watch.stop(2, 2)
    assert stop is not None
    assert stop.kind == "states"

"""Which of the shipped designs a run of the tests looks at, by how long looking at one takes."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet

#: Two for tests that take seconds for each design: one that keeps everything, and one that everybody knows.
FEW = ("fenced", "last-writer")
#: The first of each kind of fence.
SOME = (*FEW, "late-bump", "planner-only-fence", "two-planners")


def some_first(designs: Iterable[str], some: Iterable[str] = SOME) -> list[str | ParameterSet]:
    """Some in every run of the tests, the others in the longer one."""
    return [name if name in some else pytest.param(name, marks=pytest.mark.slow) for name in designs]


def some_later(designs: Iterable[str], some: Iterable[str] = SOME) -> list[ParameterSet]:
    """Some in the longer run of the tests, the others where time does not count."""
    return [pytest.param(name, marks=pytest.mark.slow if name in some else pytest.mark.long) for name in designs]

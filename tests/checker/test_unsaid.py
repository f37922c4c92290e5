"""What an engine does not judge is listed all the same, and is no success."""

from __future__ import annotations

import pytest
from copies import Blinks, Lamps
from fenceproof.checker.api import check, property_names
from fenceproof.checker.engines import ENGINES
from fenceproof.checker.report.summary import summary
from fenceproof.checker.result import Sort
from fenceproof.checker.verdict import Verdict
from fenceproof.model.lift import lift


@pytest.mark.parametrize("engine", ENGINES)
def test_every_property_of_a_model_is_listed_by_every_engine(engine: str) -> None:
    found = check(Lamps(1), engine=engine)
    assert sorted(p.name for p in found.properties) == sorted(property_names(lift(Lamps(1))))


@pytest.mark.parametrize("all_copies", [True, False])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_model_with_a_goal_that_is_missed_is_never_proved(engine: str, *, all_copies: bool) -> None:
    found = check(Blinks(2), engine=engine, all_copies=all_copies)
    (goal,) = [p for p in found.properties if p.sort is Sort.LIVENESS]
    assert goal.verdict in (Verdict.VIOLATED, Verdict.INCONCLUSIVE)
    assert found.verdict in (Verdict.VIOLATED, Verdict.INCONCLUSIVE, Verdict.BOUNDED)
    assert goal.name in summary(found)

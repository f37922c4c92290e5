"""k-induction against the explicit engine, on random models: neither may say of a property what the other refutes."""

from __future__ import annotations

import pytest
from fenceproof.checker.api import property_names
from fenceproof.checker.engines import explicit, kinduction
from fenceproof.checker.limits import Limits
from fenceproof.checker.verdict import Verdict
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from random_models import random_model
from toys import clock, counter, graph

TOYS = {
    "counter": counter(3),
    "wrong counter": counter(3, wrong_at=2),
    "clock": clock(),
    "fine graph": graph([(0, 1), (1, 0), (2, 3)], bad=[3]),
    "bad graph": graph([(0, 1), (1, 2), (2, 3), (0, 2)], bad=[3]),
}


def assert_agreement(system: TransitionSystem, *, find_lemmas: bool) -> int:
    """How many properties were proved."""
    # Liveness is left to the explicit engine, and so is that judging it goes wrong.
    lively = {prop.name for prop in system.liveness}
    plain = explicit.check(system, properties=[name for name in property_names(system) if name not in lively])
    found = kinduction.check(system, limits=Limits(depth=plain.depth + 1), find_lemmas=find_lemmas)
    assert (found.wrong is None) == (plain.wrong is None)
    proved = 0
    assert {p.verdict for p in found.properties if p.name in lively} <= {Verdict.INCONCLUSIVE}
    safety = [p for p in found.properties if p.name not in lively]
    for mine, theirs in zip(safety, plain.properties, strict=True):
        assert mine.name == theirs.name
        if mine.verdict is Verdict.PROVED:
            proved += 1
            assert theirs.verdict is Verdict.HOLDS, mine.name
        elif mine.verdict is Verdict.VACUOUS:
            assert theirs.verdict is Verdict.VACUOUS, mine.name
        elif mine.verdict is Verdict.VIOLATED:
            assert mine.trace is not None and theirs.trace is not None, mine.name
            assert len(mine.trace) == len(theirs.trace), mine.name
        elif found.wrong is None:
            assert theirs.verdict is not Verdict.VIOLATED, mine.name
        if mine.cti is not None and mine.cti.reach == "reachable":
            assert mine.cti.way is not None and mine.cti.way.states[-1] == mine.cti.trace.states[0]
    if found.complete:
        assert found.never_enabled == plain.never_enabled
    return proved


@pytest.mark.parametrize("name", TOYS)
@pytest.mark.parametrize("find_lemmas", [True, False])
def test_toys(name: str, find_lemmas: bool) -> None:
    assert_agreement(TOYS[name], find_lemmas=find_lemmas)


def test_random_models() -> None:
    assert sum(assert_agreement(lift(random_model(seed)), find_lemmas=seed % 2 == 0) for seed in range(16)) >= 10


@pytest.mark.slow
def test_more_random_models() -> None:
    for seed in range(100, 200):
        assert_agreement(lift(random_model(seed)), find_lemmas=seed % 2 == 0)

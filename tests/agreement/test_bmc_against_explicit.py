"""Bounded model checking against the explicit engine: the same properties fall, after the same number of steps."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from fenceproof.checker.api import property_names
from fenceproof.checker.engines import bmc, explicit
from fenceproof.checker.limits import Limits
from fenceproof.checker.result import CheckResult, Sort
from fenceproof.checker.verdict import Verdict
from fenceproof.model.budgets import Settings
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace
from fenceproof.specs.variants import VARIANTS
from random_models import random_model
from some_designs import some_first
from toys import clock, counter, graph

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
TOYS = {
    "counter": counter(5),
    "counter that goes wrong": counter(5, wrong_at=3),
    "clock": clock(),
    "graph": graph([(0, 1), (1, 2), (2, 0), (1, 3)], faults=[(1, 3)], bad=[3]),
    "graph without a bad node": graph([(0, 1), (1, 2), (2, 0)]),
    "graph with nowhere to go": graph([(0, 1), (1, 2)]),
}


def lengths(result: CheckResult) -> dict[str, int]:
    return {p.name: len(p.trace) for p in result.properties if p.trace is not None and p.sort is not Sort.LIVENESS}


def steps(trace: Trace) -> int:
    """How many steps a trace takes, the one that goes wrong included."""
    return len(trace) + (trace.mistake is not None)


def check_agrees(system: TransitionSystem, depth: int | None = None) -> CheckResult:
    """Both engines find the same up to a depth; without one, up to the last level that there is."""
    # Liveness is left to the explicit engine, and so is that judging it goes wrong.
    lively = {prop.name for prop in system.liveness}
    whole = explicit.check(system, properties=[name for name in property_names(system) if name not in lively])
    most = max(1, whole.depth) if depth is None else depth
    found = bmc.check(system, limits=Limits(depth=most))
    if whole.wrong is not None and depth is None:
        assert found.wrong is not None
        # Of a step and a judgement that go wrong equally soon, each engine shows the one that it asks about first.
        assert steps(found.wrong.trace) == steps(whole.wrong.trace)
        assert found.verdict is Verdict.MODEL_ERROR
        return found
    assert found.wrong is None
    assert lengths(found) == {name: length for name, length in lengths(whole).items() if length <= most}
    if depth is None:
        # Beyond the last level there is nothing new, so what is vacuous up to there is vacuous.
        said = {Verdict.HOLDS: Verdict.BOUNDED}
        assert {p.name: p.verdict for p in found.properties if p.sort is not Sort.LIVENESS} == {
            p.name: said.get(p.verdict, p.verdict) for p in whole.properties if p.sort is not Sort.LIVENESS
        }
    assert all(p.verdict is Verdict.INCONCLUSIVE for p in found.properties if p.sort is Sort.LIVENESS)
    return found


@pytest.mark.parametrize("name", TOYS)
def test_a_toy_falls_after_the_same_steps(name: str) -> None:
    check_agrees(TOYS[name])


# In the model of seed 745 everything is violated before the model goes wrong.
@pytest.mark.parametrize("seed", [*range(60), 745])
def test_a_random_model_falls_after_the_same_steps(seed: int) -> None:
    check_agrees(lift(random_model(seed)))


@pytest.mark.parametrize("fenced", [True, False])
def test_a_lease_falls_after_the_same_steps(fenced: bool) -> None:
    lease = runpy.run_path(str(EXAMPLES / "lease.py"))["Lease"]
    found = check_agrees(lift(lease(fenced=fenced)))
    assert (found.verdict is Verdict.VIOLATED) == (not fenced)


@pytest.mark.parametrize("name", some_first(VARIANTS))
def test_a_shipped_variant_falls_after_the_same_steps(name: str) -> None:
    check_agrees(lift(VARIANTS[name].model(), Settings(most_faults=1)), depth=10)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_a_shipped_variant_with_two_faults_falls_after_the_same_steps(name: str) -> None:
    check_agrees(lift(VARIANTS[name].model(), Settings(most_faults=2)), depth=14)

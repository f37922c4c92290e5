"""Every counterexample of every variant, on the reference over every store: one call, three epochs, two faults."""

from __future__ import annotations

from functools import cache

import pytest
from cluster import Cluster
from fenceproof.checker.design import parameters_for
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.implementations import implementation
from fenceproof.checker.replay import replay_against
from fenceproof.checker.result import CheckResult
from fenceproof.model.budgets import Settings
from fenceproof.model.lift import lift
from fenceproof.specs.variants import VARIANTS
from some_designs import some_first

#: What each variant loses under at most two faults, so that no counterexample is passed over.
VIOLATED = {
    name: {lost for lost, under in variant.loses.items() if any(len(faults) <= 2 for faults in under)}
    for name, variant in VARIANTS.items()
}


@cache
def checked(name: str) -> CheckResult:
    return check(lift(VARIANTS[name].model(), Settings(most_faults=2)))


@pytest.fixture(name="url", params=["memory", "sqlite", "postgres"])
def _store(request: pytest.FixtureRequest) -> tuple[str, str | None]:
    """A store by its name, and the address of its database where it has one."""
    cluster: Cluster | None = request.getfixturevalue("postgres") if request.param == "postgres" else None
    return request.param, None if cluster is None else cluster.new_database()


@pytest.mark.parametrize("name", some_first(VARIANTS))
def test_every_counterexample_of_a_variant_replays_on_every_store(name: str, url: tuple[str, str | None]) -> None:
    result = checked(name)
    traces = {found.name: found.trace for found in result.properties if found.trace is not None}
    with implementation(url[0], url=url[1]) as adapter:
        parameters = parameters_for(url[0], VARIANTS[name].model(), result.system)
        for violated, trace in traces.items():
            assert replay_against(result.system, trace, adapter, parameters) is None, violated
    assert traces.keys() == VIOLATED[name]

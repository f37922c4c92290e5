"""Every engine of the table against every other: on random models, and on what ships, under sets of faults."""

from __future__ import annotations

import itertools
from collections.abc import Collection

import pytest
from fenceproof.checker.agreement import merged
from fenceproof.checker.engines import ENGINES
from fenceproof.checker.limits import Limits
from fenceproof.checker.restrict import restrict
from fenceproof.checker.result import CheckResult
from fenceproof.model.errors import UsageError
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.specs.variants import VARIANTS
from random_models import random_model
from some_designs import FEW, some_first, some_later

MODELS = 300
GROUPS = 10
#: The quickest of the groups.
ALWAYS = 7
DEPTH = 4


#: What z3 is given for one system before what is still open is left: nothing more is compared after that.
PATIENCE_S = 5.0

#: Those that are quick on what ships; pdr and kinduction take seconds for each set of faults.
QUICK = ("explicit", "bmc", "enclose")


def agreed(
    system: TransitionSystem, depth: int, engines: Collection[str] = ENGINES, time_s: float | None = None
) -> CheckResult:
    """What engines say together, each in this process; DisagreementError where two contradict each other."""
    results: list[CheckResult] = []
    for name in engines:
        try:
            results.append(ENGINES[name](system, limits=Limits(depth=depth, max_states=20_000, time_s=time_s)))
        except UsageError:
            continue  # Not for this system, as an engine says by this error alone.
    assert len(results) > 1
    return merged("all", results)


@pytest.mark.parametrize(
    "group", [g if g == ALWAYS else pytest.param(g, marks=pytest.mark.slow) for g in range(GROUPS)]
)
def test_the_engines_agree_on_random_models(group: int) -> None:
    for seed in range(group, MODELS, GROUPS):
        found = agreed(lift(random_model(seed)), DEPTH)
        assert len(found.engines) == len(ENGINES), seed


#: Every fault there is: `fenced` has them all.
FAULTS = tuple(sorted(lift(VARIANTS["fenced"].model()).faults))


def under(variant: str, faults: Collection[str], engines: Collection[str] = ENGINES) -> None:
    """Compare what engines say of a variant under these faults alone."""
    system = lift(VARIANTS[variant].model())
    found = agreed(restrict(system, frozenset(faults) & set(system.faults)), 6, engines, PATIENCE_S)
    assert len(found.engines) == len(engines)


@pytest.mark.parametrize("variant", some_first(VARIANTS, FEW))
def test_the_engines_agree_on_every_shipped_variant_without_faults(variant: str) -> None:
    under(variant, ())


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_engines_agree_on_every_shipped_variant_under_all_faults_at_once(variant: str) -> None:
    under(variant, FAULTS)


@pytest.mark.parametrize("variant", some_later(VARIANTS))
def test_the_quick_engines_agree_on_every_shipped_variant_under_each_fault(variant: str) -> None:
    for fault in FAULTS:
        under(variant, (fault,), QUICK)


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_engines_agree_on_every_shipped_variant_under_each_fault(variant: str) -> None:
    for fault in FAULTS:
        under(variant, (fault,))


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_quick_engines_agree_on_every_shipped_variant_under_two_faults(variant: str) -> None:
    for faults in itertools.combinations(FAULTS, 2):
        under(variant, faults, QUICK)

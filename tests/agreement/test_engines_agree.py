"""Every engine of the table against every other: on random models, and on what ships, under sets of faults."""

from __future__ import annotations

import itertools

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

MODELS = 300
GROUPS = 10
DEPTH = 4


def agreed(system: TransitionSystem, depth: int) -> CheckResult:
    """What all engines say together, each in this process; DisagreementError where two contradict each other."""
    results: list[CheckResult] = []
    for engine in ENGINES.values():
        try:
            results.append(engine(system, limits=Limits(depth=depth, max_states=20_000)))
        except UsageError:
            continue  # Not for this system, as an engine says by this error alone.
    assert len(results) > 1
    return merged("all", results)


@pytest.mark.parametrize("group", range(GROUPS))
def test_the_engines_agree_on_random_models(group: int) -> None:
    for seed in range(group, MODELS, GROUPS):
        found = agreed(lift(random_model(seed)), DEPTH)
        assert len(found.engines) == len(ENGINES), seed


def pairs() -> list[tuple[str, ...]]:
    faults = sorted(lift(VARIANTS["fenced"].model()).faults)
    return [chosen for size in (1, 2) for chosen in itertools.combinations(faults, size)]


#: The first of each kind of fence; the rest takes a minute more.
OFTEN = ("fenced", "last-writer", "late-bump", "planner-only-fence", "two-planners")


@pytest.mark.parametrize("variant", [v if v in OFTEN else pytest.param(v, marks=pytest.mark.slow) for v in VARIANTS])
def test_the_engines_agree_on_every_shipped_variant_without_faults(variant: str) -> None:
    agreed(restrict(lift(VARIANTS[variant].model()), frozenset()), DEPTH)


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_engines_agree_on_every_shipped_variant_under_up_to_two_faults(variant: str) -> None:
    system = lift(VARIANTS[variant].model())
    for faults in pairs():
        agreed(restrict(system, frozenset(faults) & set(system.faults)), 6)

"""What each shipped variant loses under which faults: the declared minimal fault sets, exactly.

Fewer faults allow fewer behaviours, so a property that falls under a set falls under every larger one. It is therefore
enough that it falls under each minimal set, and holds under every largest set that contains none of them.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable

import pytest
from fenceproof.checker import check
from fenceproof.checker.verdict import Verdict
from fenceproof.specs.variants import VARIANTS

FAULTS = (
    "delay",
    "loss",
    "duplicate",
    "empty-body",
    "no-echo",
    "comp-delay",
    "comp-loss",
    "comp-duplicate",
    "clock-jump",
)


@functools.cache
def fallen(variant: str, faults: frozenset[str]) -> frozenset[str]:
    """The properties of a variant that fall under some faults, each at most once, at one call and three epochs."""
    result = check(VARIANTS[variant].model(), faults=dict.fromkeys(faults, 1))
    assert result.complete
    assert result.wrong is None
    return frozenset(p.name for p in result.properties if p.verdict is Verdict.VIOLATED)


def largest_without(minimal: Iterable[frozenset[str]]) -> set[frozenset[str]]:
    """The largest fault sets that contain none of the minimal ones: leave out one fault of each."""
    candidates = {frozenset(FAULTS) - set(left_out) for left_out in itertools.product(*minimal)}
    return {c for c in candidates if not any(c < other for other in candidates)}


def test_every_fault_is_in_the_table() -> None:
    model = VARIANTS["fenced"].model()
    assert set(check(model, faults={}).system.faults) == set(FAULTS)


CELLS = [
    (name, prop)
    for name in VARIANTS
    for prop in (
        "single-commit",
        "no-ghost",
        "stale-rejected",
        "malformed-rejected",
        "epoch-monotone",
        "no-bump-after-commit",
        "compensate-once",
        "no-deadlock",
    )
]


@pytest.mark.parametrize(("name", "prop"), CELLS)
def test_a_property_falls_under_exactly_the_declared_faults(name: str, prop: str) -> None:
    minimal = VARIANTS[name].loses.get(prop, [])
    for faults in minimal:
        assert prop in fallen(name, faults), f"{name}: {prop} holds under {sorted(faults)}"
    if frozenset() not in minimal:
        for faults in largest_without(minimal):
            assert prop not in fallen(name, faults), f"{name}: {prop} falls under {sorted(faults)}"


def test_declared_sets_are_minimal() -> None:
    for name, variant in VARIANTS.items():
        for prop, minimal in variant.loses.items():
            for faults in minimal:
                for fault in faults:
                    assert prop not in fallen(name, faults - {fault}), (name, prop, faults)

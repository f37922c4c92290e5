"""What each shipped variant loses under which faults: the declared minimal fault sets, exactly.

Fewer faults allow fewer behaviours, so a property that falls under a set falls under every larger one.
"""

from __future__ import annotations

import functools
import itertools

import pytest
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.matrix import Design, matrix
from fenceproof.checker.restrict import restrict
from fenceproof.checker.verdict import Verdict
from fenceproof.checker.violation import ends_in_violation
from fenceproof.model.budgets import Settings
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import replay
from fenceproof.specs.variants import VARIANTS

FAULTS = {
    "delay",
    "loss",
    "duplicate",
    "empty-body",
    "no-echo",
    "comp-delay",
    "comp-loss",
    "comp-duplicate",
    "crash",
    "second-planner",
    "clock-jump",
}
PROPERTIES = {
    "single-commit",
    "no-ghost",
    "stale-rejected",
    "malformed-rejected",
    "apply-once",
    "compensate-once",
    "write-ahead",
    "epoch-monotone",
    "commit-durable",
    "no-bump-after-commit",
    "effect-matches-record",
    "no-deadlock",
    "settles",
}


@functools.cache
def lifted(variant: str) -> TransitionSystem:
    return lift(VARIANTS[variant].model())


@functools.cache
def fallen(variant: str, faults: frozenset[str]) -> frozenset[str]:
    """The properties of a variant that fall under some faults, each at most once, at one call and three epochs."""
    result = check(restrict(lifted(variant), faults))
    assert result.complete
    assert {p.name for p in result.properties} == PROPERTIES
    return frozenset(p.name for p in result.properties if p.verdict is Verdict.VIOLATED)


def test_every_fault_is_in_the_table() -> None:
    assert set(lifted("fenced").faults) == FAULTS


CELLS = [(name, prop) for name, variant in VARIANTS.items() for prop in variant.loses]


@pytest.mark.parametrize(("name", "prop"), CELLS)
def test_a_property_falls_under_each_declared_set_of_faults_and_under_no_smaller_one(name: str, prop: str) -> None:
    for faults in VARIANTS[name].loses[prop]:
        assert prop in fallen(name, faults), f"{name}: {prop} holds under {sorted(faults)}"
        for fault in faults:
            assert prop not in fallen(name, faults - {fault}), f"{name}: {prop} falls without {fault} too"


@pytest.mark.parametrize("name", VARIANTS)
def test_without_faults_only_what_needs_none_falls(name: str) -> None:
    expected = {prop for prop, minimal in VARIANTS[name].loses.items() if frozenset() in minimal}
    assert fallen(name, frozenset[str]()) == expected


@pytest.mark.parametrize(
    "size", [*(pytest.param(n, marks=pytest.mark.slow) for n in (0, 1, 2)), pytest.param(3, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("name", VARIANTS)
def test_under_all_sets_of_so_many_faults_exactly_what_is_declared_falls(name: str, size: int) -> None:
    for chosen in itertools.combinations(sorted(FAULTS), size):
        faults = frozenset(chosen)
        expected = {prop for prop, minimal in VARIANTS[name].loses.items() if any(least <= faults for least in minimal)}
        assert fallen(name, faults) == expected, sorted(faults)


@pytest.mark.parametrize("name", ["fenced", "replay", "two-planners-fenced"])
def test_these_keep_everything_under_all_faults_at_once(name: str) -> None:
    assert not fallen(name, frozenset(FAULTS))


@functools.cache
def designs() -> dict[str, Design]:
    """Every variant under every set of up to three faults, each of them at most once, from one search a variant."""
    found = matrix([(name, variant.model(), Settings(most_faults=3)) for name, variant in VARIANTS.items()])
    assert found.complete
    return {design.target: design for design in found.designs}


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_the_matrix_names_exactly_the_declared_minimal_sets_of_faults(name: str) -> None:
    rows = designs()[name].rows
    assert {row.name for row in rows} == PROPERTIES
    assert {row.name: set(map(frozenset, row.minimal_faults)) for row in rows if row.falls} == {
        prop: set(minimal) for prop, minimal in VARIANTS[name].loses.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_each_minimal_set_has_a_trace_that_violates_and_spends_just_these_faults(name: str) -> None:
    system = designs()[name].system
    for row in designs()[name].rows:
        for faults, trace in row.falls:
            assert replay(system, trace) is None
            assert ends_in_violation(system, row.name, trace), (row.name, faults)
            assert {system.transitions[t].fault for t in trace.transitions} - {None} == set(faults), row.name


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_each_cell_of_the_matrix_is_what_the_declared_minimal_sets_make_of_it(name: str) -> None:
    columns = {(), *((fault,) for fault in FAULTS)}
    for row in designs()[name].rows:
        declared = VARIANTS[name].loses.get(row.name, [])
        assert {cell.faults for cell in row.cells if len(cell.faults) < 2} == columns
        for cell in row.cells:
            falls = any(minimal <= set(cell.faults) for minimal in declared)
            assert (cell.verdict is Verdict.VIOLATED, cell.steps is not None) == (falls, falls), (row.name, cell)
            assert cell.verdict is not Verdict.INCONCLUSIVE
            # More faults allow no violation later than fewer do.
            lengths = [len(trace) for faults, trace in row.falls if set(faults) <= set(cell.faults)]
            assert cell.steps is None or cell.steps <= min(lengths)
            if set(cell.faults) in map(set, row.minimal_faults):
                assert cell.steps == min(lengths)

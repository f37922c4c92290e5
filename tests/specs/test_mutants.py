"""Mistakes in the reference are caught by walking the model, but for those of which it is said why they cannot be."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache

import pytest
from fenceproof.checker.replay import Divergence, replay_against
from fenceproof.model.budgets import Settings
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace
from fenceproof.specs.mutants.catalogue import MUTANTS
from fenceproof.specs.mutants.loading import Mutant, adapter_of, mutated
from fenceproof.specs.properties import Planner
from walks import traces_to_every_transition

PARAMETERS = {"calls": 1, "epochs": 3, **Planner.design()}


@cache
def walks() -> tuple[TransitionSystem, Sequence[Trace]]:
    system = lift(Planner(), Settings(most_faults=2))
    return system, list(traces_to_every_transition(system))


def first_divergence(mutant: Mutant) -> Divergence | None:
    system, traces = walks()
    with mutated(mutant) as package:
        adapter = adapter_of(package, "memory")()
        found = (replay_against(system, trace, adapter, PARAMETERS) for trace in traces)
        return next((divergence for divergence in found if divergence is not None), None)


KILLED = [mutant for mutant in MUTANTS if not mutant.equivalent]
EQUIVALENT = [mutant for mutant in MUTANTS if mutant.equivalent]


def test_there_are_enough_mistakes_and_each_has_a_name_of_its_own() -> None:
    assert len(KILLED) >= 25
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize("mutant", KILLED, ids=lambda mutant: mutant.name)
def test_a_mistake_is_caught(mutant: Mutant) -> None:
    assert first_divergence(mutant) is not None


@pytest.mark.slow
@pytest.mark.parametrize("mutant", EQUIVALENT, ids=lambda mutant: mutant.name)
def test_what_is_said_to_be_equivalent_is_not_caught(mutant: Mutant) -> None:
    assert first_divergence(mutant) is None


def test_a_mistake_of_another_version_of_the_reference_is_refused() -> None:
    with (
        pytest.raises(ValueError, match="occurs 0 times"),
        mutated(Mutant("old", "", "planner.py", "no such text", "")),
    ):
        pass


def test_a_mutant_leaves_no_module_behind() -> None:
    with mutated(KILLED[0]) as package:
        assert package.__name__ in sys.modules
    assert [name for name in sys.modules if name.startswith("fenceproof_mutant")] == []

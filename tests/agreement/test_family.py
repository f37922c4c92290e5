"""One search for a whole family against a search of its own for each member, on random models.

A member is a combination of safeguards under a set of faults. That it falls, the length of the shortest trace, whether
a property was put to the test, and whether the model itself goes wrong must be what the plain engine says of it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest
from fenceproof.checker.engines import family as engine
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.engines.family import NEVER, Family, FamilySearch, FamilyTally, explore_family
from fenceproof.checker.lattice import names
from fenceproof.checker.restrict import restrict
from fenceproof.checker.result import CheckResult, Sort
from fenceproof.checker.verdict import Verdict
from fenceproof.model.budgets import Settings
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.methods import safeguards
from random_models import random_model

MODELS = 120
MANY = 1500
#: Members of each model that are searched on their own.
MEMBERS = 8


@dataclass(frozen=True)
class Drawn:
    """A random model, how it is lifted, and what one search says of all its members."""

    model: Model
    settings: Settings
    whole: Family
    pruned: Family

    @classmethod
    def of(cls, seed: int, size: int = 1) -> Drawn:
        model = random_model(seed, size=size)
        settings = Settings(most_faults=[None, None, 2, 1][seed % 4])
        varied = frozenset(safeguards(type(model)))
        system = lift(model, replace(settings, varied=varied, noted=True))
        return cls(model, settings, explore_family(system), explore_family(system, pruned=True))


def _check_member(drawn: Drawn, missing: int, faulty: int, result: CheckResult, unlike: frozenset[str]) -> None:
    """What the one search says of a member is what the plain engine found of it."""
    fallen = result.wrong is not None or any(p.verdict is Verdict.VIOLATED for p in result.properties)
    assert bool(drawn.whole.fallen[missing, faulty]) is fallen
    assert bool(drawn.pruned.fallen[missing, faulty]) is fallen, "pruned"
    assert drawn.pruned.wrong.steps[missing, faulty] >= drawn.whole.wrong.steps[missing, faulty]
    wrong = int(drawn.whole.wrong.steps[missing, faulty])
    assert (wrong < NEVER) is (result.wrong is not None), "a model error"
    if result.wrong is not None:
        trace = result.wrong.trace
        # The plain engine does not come to judging whole behaviours, where the search went wrong before.
        assert wrong <= len(trace) + (trace.mistake is not None)
        assert wrong == len(trace) + (trace.mistake is not None) or result.system.liveness
    members = {member.name: member for member in drawn.whole.members}
    assert set(members) == {p.name for p in result.properties}
    for found in result.properties:
        member = members[found.name]
        steps = int(member.steps[missing, faulty])
        if found.verdict is Verdict.VIOLATED:
            assert found.trace is not None
            assert steps == (0 if found.sort is Sort.LIVENESS else len(found.trace)), found.name
        elif found.verdict is not Verdict.INCONCLUSIVE:
            assert steps == NEVER, found.name
            if found.name not in unlike:
                tested = bool(member.tested[missing, faulty])
                assert tested is (found.verdict is Verdict.HOLDS), f"whether {found.name} was tested"


def _without_antecedents(drawn: Drawn, result: CheckResult) -> frozenset[str]:
    """Step properties that have an antecedent for faults that are off only: the plain engine takes them as tested."""
    has = {p.name for p in drawn.whole.system.step_properties if any(j.exercised is not None for j in p.judgements)}
    kept = {p.name for p in result.system.step_properties if any(j.exercised is not None for j in p.judgements)}
    return frozenset(has - kept)


def check_agrees(seed: int, size: int = 1, most: int = MEMBERS) -> None:
    """What one search says of some members of a random family is what searches of their own say."""
    drawn = Drawn.of(seed, size)
    assert drawn.whole.complete and drawn.pruned.complete
    whole, faults = drawn.whole, drawn.whole.faults
    cells = list(itertools.product(range(len(whole.fallen)), range(1 << len(faults))))
    random = Random(seed)
    plain = {
        missing: lift(drawn.model, replace(drawn.settings, without=frozenset(names(missing, whole.safeguards))))
        for missing in range(len(whole.fallen))
    }
    chosen = random.sample(cells, min(most, len(cells)))
    for missing, faulty in chosen:
        result = check(restrict(plain[missing], names(faulty, faults)))
        _check_member(drawn, missing, faulty, result, _without_antecedents(drawn, result))
    missing, faulty = chosen[0]
    without = frozenset(names(missing, whole.safeguards))
    only = frozenset(names(faulty, faults))
    result = check(lift(drawn.model, replace(drawn.settings, without=without, only=only)))
    _check_member(drawn, missing, faulty, result, _without_antecedents(drawn, result))


@pytest.mark.parametrize("first", range(0, MODELS, 15))
def test_one_search_says_of_every_member_what_a_search_of_its_own_says(first: int) -> None:
    for seed in range(first, first + 15):
        check_agrees(seed)


@pytest.mark.parametrize(
    "first",
    [pytest.param(n, marks=pytest.mark.slow if n % 200 < 50 else pytest.mark.long) for n in range(MODELS, MANY, 50)],
)
def test_they_agree_on_many_more_models_about_all_their_members(first: int) -> None:
    for seed in range(first, first + 50):
        check_agrees(seed, size=2, most=64)


def _disagrees(seeds: range) -> bool:
    for seed in seeds:
        try:
            check_agrees(seed)
        except AssertionError:
            return True
    return False


def test_a_fault_that_is_not_counted_to_its_own_step_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = FamilyTally.record

    def careless(self: Any, level: int, transition: int | None, states: Any) -> None:
        bits, self._fault_bits = self._fault_bits, [0] * len(self._fault_bits)
        real(self, level, transition, states)
        self._fault_bits = bits

    monkeypatch.setattr(FamilyTally, "record", careless)
    assert _disagrees(range(MODELS))


def test_a_search_that_prunes_all_members_for_the_fall_of_one_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = FamilySearch.fallen

    def hasty(self: FamilySearch) -> Any:
        found = real(self)
        found[:] = found.any(axis=0)
        return found

    monkeypatch.setattr(FamilySearch, "fallen", hasty)
    assert _disagrees(range(MODELS))


def test_liveness_is_decided_on_parts_of_the_states_as_on_all(monkeypatch: pytest.MonkeyPatch) -> None:
    families = [drawn.whole for drawn in map(Drawn.of, range(40)) if drawn.whole.system.liveness]
    monkeypatch.setattr(engine, "MOST_AT_ONCE", 1)
    for family in families:
        in_parts = explore_family(family.system)
        for whole, part in zip(family.members, in_parts.members, strict=True):
            assert whole.steps.tolist() == part.steps.tolist(), (family.system.name, whole.name)
            assert whole.tested.tolist() == part.tested.tolist(), (family.system.name, whole.name)

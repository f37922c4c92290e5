"""All combinations of safeguards of models whose answers are known: what suffices, what is a cut, what can go."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from asked import Base
from fenceproof.checker import check
from fenceproof.checker.limits import Limits
from fenceproof.checker.space import Space, explore_space
from fenceproof.checker.verdict import Verdict
from fenceproof.model import (
    Bool,
    Model,
    ModelError,
    Range,
    Step,
    UsageError,
    action,
    fault,
    initial,
    invariant,
    require,
    safeguard,
    step_property,
)
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import InternalError
from quota_lease import QuotaLease


class Machine(Base):
    """Three guards, which answer no as long as they are there, and a flag that must not be raised."""

    def __init__(self) -> None:
        self.broken = Bool()
        self.turns = Range(0, 2)

    @safeguard("hood")
    def hood_is_off(self) -> bool:
        return False

    @safeguard("brake")
    def brake_is_off(self) -> bool:
        return False

    @safeguard("label")
    def label_is_off(self) -> bool:
        return False

    @action
    def turn(self) -> None:
        require(self.turns < 2 and not (self.turns == 1 and self.label_is_off()))
        self.turns += 1

    @invariant
    def whole(self) -> bool:
        return not self.broken


class Interchangeable(Machine):
    """Hood or brake alone keeps it from breaking."""

    @action
    def breaks(self) -> None:
        require(self.hood_is_off() and self.brake_is_off())
        self.broken = True


class Mended(Machine):
    """It breaks without its hood, unless the brake was taken off as well."""

    @action
    def breaks(self) -> None:
        require(self.hood_is_off() and not self.brake_is_off())
        self.broken = True


class Doomed(Machine):
    """It breaks in any case."""

    @action
    def breaks(self) -> None:
        self.broken = True


class Harsh(Machine):
    """Without its hood a blow breaks it, and without its brake a blow or heat; both together whatever it has."""

    @fault("blow")
    @action
    def blow(self) -> None:
        require(self.hood_is_off() or self.brake_is_off())
        self.broken = True

    @fault("heat", budget=None)
    @action
    def heat(self) -> None:
        require(self.brake_is_off())
        self.broken = True


def space(model: Model, **kw: Any) -> Space:
    return explore_space(model, Settings(), **kw)


def test_of_two_that_are_interchangeable_either_suffices_and_both_are_the_cut() -> None:
    found = space(Interchangeable())
    assert found.sufficient() == [("hood",), ("brake",)]
    assert found.cuts() == [("hood", "brake")]
    assert found.never_needed() == ["label"]
    assert found.is_monotone()
    assert found.complete


def test_taking_one_more_away_may_mend_what_taking_another_broke() -> None:
    found = space(Mended())
    assert found.cuts() == [("hood",)]
    assert found.sufficient() == [()]
    assert not found.is_monotone()
    assert found.fallen[:, 0].tolist() == [False, True, False, False, False, True, False, False]
    assert found.never_needed() == ["label"]
    assert found.confirm(["hood"]).verdict is Verdict.VIOLATED
    assert found.confirm(["hood", "brake"]).verdict is Verdict.VACUOUS, "it then never breaks at all"


def test_where_all_safeguards_do_not_help_nothing_suffices() -> None:
    found = space(Doomed())
    assert found.cuts() == [()]
    assert found.sufficient() == []
    assert found.never_needed() == ["label"]
    assert found.idle == ("hood", "brake"), "nothing calls them here, which is not to say that they can go"
    assert found.minimal_faults(["hood"]) == [()]


def test_what_is_a_cut_depends_on_the_faults_that_are_on() -> None:
    found = space(Harsh())
    assert found.faults == ("blow", "heat")
    assert found.cuts() == found.cuts(["blow"]) == [("hood",), ("brake",)]
    assert found.cuts(["heat"]) == [("brake",)]
    assert found.cuts([]) == []
    assert found.sufficient() == [("hood", "brake")]
    assert found.sufficient(["heat"]) == [("brake",)]
    assert found.sufficient([]) == [()]
    assert found.never_needed(["heat"]) == ["hood", "label"]
    assert found.minimal_faults(["hood"]) == [("blow",)]
    assert found.minimal_faults(["brake"]) == [("blow",), ("heat",)]
    assert found.minimal_faults([]) == []
    assert found.confirm(["hood"], ["heat"]).verdict is not Verdict.VIOLATED


def test_a_lease_on_quota_is_kept_by_cancelling_alone_or_by_the_epoch_with_both_its_halves() -> None:
    found = space(QuotaLease())
    assert found.sufficient() == [("cancel-at-close",), ("bump-at-close", "fence-at-settle")]
    assert found.cuts() == [("cancel-at-close", "bump-at-close"), ("cancel-at-close", "fence-at-settle")]
    assert found.sufficient([]) == [()]
    assert found.never_needed() == []
    assert found.is_monotone()
    assert found.minimal_faults(["cancel-at-close", "bump-at-close"]) == [("delay",)]
    for kept in found.sufficient():
        result = found.confirm([name for name in found.safeguards if name not in kept])
        assert result.verdict is Verdict.HOLDS
    assert all(len(found.confirm(cut).trace("quota-is-conserved") or ()) == 5 for cut in found.cuts())


class Door(Base):
    """A method and two choices about one attribute, of which the one that was written first is taken away."""

    lock = "bolt"
    bell = True

    no_latch = safeguard("no-latch", lock=("bolt", "latch"))
    some_lock = safeguard("some-lock", lock=("bolt", "none"))
    rings = safeguard("rings", bell=(True, False))

    def __init__(self) -> None:
        self.inside = Range(0, 2)
        self.heard = Bool()

    @safeguard("watch")
    def unwatched(self) -> bool:
        return False

    @action
    def knock(self) -> None:
        self.heard = self.bell

    @action
    def enter(self) -> None:
        require(self.lock == "none" and self.unwatched() and self.inside < 2)
        self.inside += 1
        self.heard = self.bell and self.heard

    @fault("picked")
    @action
    def pick(self) -> None:
        require(self.lock == "latch" and self.inside == 0)
        self.inside = 1

    @invariant
    def empty(self) -> bool:
        return self.inside == 0 or self.heard


def by_hand(model: Model, found: Space, without: tuple[str, ...] = ()) -> list[list[bool]]:
    """What a check of each combination under each set of faults says, in the order of the table."""
    rows: list[list[bool]] = []
    for kept in itertools.product((True, False), repeat=len(found.safeguards)):
        missing = [name for name, there in zip(found.safeguards, reversed(kept), strict=True) if not there]
        row: list[bool] = []
        for on in itertools.product((False, True), repeat=len(found.faults)):
            faults = {name: 1 for name, is_on in zip(found.faults, reversed(on), strict=True) if is_on}
            result = check(model, faults=faults, without=[*missing, *without])
            row.append(result.verdict in (Verdict.VIOLATED, Verdict.MODEL_ERROR))
        rows.append(row)
    return rows


def test_choices_of_design_are_combined_with_safeguards_that_are_methods() -> None:
    found = space(Door())
    assert found.safeguards == ("watch", "no-latch", "some-lock", "rings")
    assert found.fallen.tolist() == by_hand(Door(), found)
    assert found.cuts() == [("no-latch",), ("watch", "some-lock")]
    assert found.never_needed() == ["rings"]
    # Where nobody picks it, a latch instead of a bolt is still better than no lock.
    assert (found.is_monotone(), found.is_monotone([])) == (True, False)


def test_which_of_two_choices_counts_depends_on_one_that_is_gone_in_any_case() -> None:
    class M(Base):
        p = q = 1
        gone = safeguard("gone", q=(1, 9))
        both = safeguard("both", p=(1, 2), q=(1, 2))
        late = safeguard("late", p=(1, 3))

        def __init__(self) -> None:
            self.n = Range(0, 1)

        @action
        def up(self) -> None:
            self.n = self.p - 1 if self.p < 3 else 0

        @invariant
        def not_three(self) -> bool:
            return self.p != 3

    found = explore_space(M(), Settings(without=frozenset({"gone"})))
    assert found.safeguards == ("both", "late")
    assert found.fallen.tolist() == by_hand(M(), found, ("gone",)) == [[False], [False], [True], [True]]


def test_a_choice_may_be_between_values_without_a_hash() -> None:
    class M(Base):
        order = ["a", "b"]
        doubles = safeguard("doubles", order=(["a", "b"], ["a", "a"]))
        sorts = safeguard("sorts", order=(["a", "b"], ["b", "a"]))

        def __init__(self) -> None:
            self.n = Range(0, 1)

        @action
        def up(self) -> None:
            self.n = self.order.index("a")

        @invariant
        def first(self) -> bool:
            return self.n == 0

    assert space(M()).cuts() == [("sorts",)]


def test_only_the_named_ones_are_taken_away_and_those_that_are_gone_stay_away() -> None:
    found = space(Interchangeable(), only=["hood", "label"])
    assert (found.safeguards, found.cuts()) == (("hood", "label"), [])
    found = explore_space(Interchangeable(), Settings(without=frozenset({"brake"})))
    assert (found.safeguards, found.cuts(), found.sufficient()) == (("hood", "label"), [("hood",)], [("hood",)])
    assert found.confirm(["hood"]).system.without == ("brake", "hood")


def test_a_model_error_is_a_fall_and_can_be_confirmed() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 1)

        @safeguard("ceiling")
        def may_rise(self) -> bool:
            return self.n < 1

        @action
        def up(self) -> None:
            require(self.may_rise())
            self.n += 1

    found = space(M())
    assert (found.cuts(), found.sufficient()) == ([("ceiling",)], [("ceiling",)])
    assert found.confirm(["ceiling"]).verdict is Verdict.MODEL_ERROR
    assert found.confirm([]).verdict is Verdict.HOLDS


def test_a_table_that_a_check_of_one_combination_contradicts_is_not_believed() -> None:
    found = space(Interchangeable())
    skewed = replace(found, fallen=~found.fallen)
    for without in ([], ["hood", "brake"]):
        assert found.confirm(without) is not None
        with pytest.raises(InternalError, match=r"disagree\. Please report this"):
            skewed.confirm(without)


@pytest.mark.parametrize("most", [1, 2, 3, 6])
def test_what_was_not_searched_to_its_end_proves_no_safeguard_enough_or_needless(most: int) -> None:
    found = space(Mended(), limits=Limits(max_states=most))
    assert not found.complete
    assert found.stop is not None and found.stop.kind == "states"
    assert (found.sufficient(), found.never_needed(), found.is_monotone()) == ([], [], False)
    assert not (found.fallen & ~space(Mended()).fallen).any()
    # What was not found yet is no contradiction.
    assert found.confirm(["hood"]).verdict is Verdict.VIOLATED


def test_what_was_not_found_in_time_is_neither_proved_nor_contradicted() -> None:
    found = space(QuotaLease(), limits=Limits(max_states=12))
    assert not found.complete
    assert not found.fallen.any()
    assert (found.cuts(), found.sufficient(), found.is_monotone()) == ([], [], False)
    assert found.confirm(["cancel-at-close", "bump-at-close"]).verdict is Verdict.VIOLATED


def test_limits_are_for_the_searches_of_all_choices_together() -> None:
    whole = space(Door())
    assert whole.distinct > 8
    stopped = space(Door(), limits=Limits(max_states=8))
    assert not stopped.complete
    assert stopped.fallen.shape == whole.fallen.shape
    assert not (stopped.fallen & ~whole.fallen).any()


def test_a_combination_in_which_the_model_cannot_begin_is_refused() -> None:
    class M(Machine):
        @initial
        def begin(self) -> None:
            require(not self.hood_is_off())

    with pytest.raises(ModelError, match="begin leaves no initial state without hood"):
        space(M())


def test_properties_are_chosen_by_either_dash_and_an_unknown_one_is_refused() -> None:
    class M(Interchangeable):
        @step_property
        def no_turn(self, step: Step) -> bool:
            return step.action != "turn"

    assert space(M()).cuts() == [()]
    assert space(M(), properties=["whole"]).cuts() == [("hood", "brake")]
    found = space(M(), properties=["no-turn"])
    assert found.cuts() == [()]
    assert [p.name for p in found.confirm([]).properties] == ["no_turn"]
    with pytest.raises(UsageError, match="no-turm"):
        space(M(), properties=["no-turm"])


def _allowed(self: Model) -> bool:
    return True


def _with(count: int, *, choices: bool) -> Model:
    body: dict[str, Any] = {}
    for number in range(count):
        if choices:
            body[f"attribute{number}"] = True
            body[f"guard{number}"] = safeguard(f"guard{number}", **{f"attribute{number}": (True, False)})
        else:
            body[f"guard{number}"] = safeguard(f"guard{number}")(_allowed)
    made: type[Model] = type("Many", (Machine,), body)
    return made()


@pytest.mark.parametrize("choices", [False, True])
def test_too_many_combinations_are_refused_before_the_first_is_searched(choices: bool) -> None:
    with pytest.raises(UsageError, match=r"25 safeguards and 0 faults have more than 16,777,216 combinations"):
        space(_with(22, choices=choices))


def test_some_of_too_many_can_be_asked_about() -> None:
    assert space(_with(40, choices=True), only=["guard3", "hood"]).safeguards == ("hood", "guard3")


class Bare(Base):
    def __init__(self) -> None:
        self.n = Range(0, 1)

    @action
    def up(self) -> None:
        self.n = 1


def test_a_model_without_safeguards_is_refused() -> None:
    with pytest.raises(UsageError, match=r"Bare has no safeguard\. Mark a method"):
        space(Bare())
    with pytest.raises(UsageError, match="has no safeguard"):
        explore_space(Machine(), Settings(without=frozenset({"hood", "brake", "label"})))


def test_a_safeguard_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"'hod' is not known\. Did you mean hood"):
        space(Machine(), only=["hod"])


def test_the_table_has_a_row_for_each_combination_and_a_column_for_each_set_of_faults() -> None:
    found = space(Harsh())
    assert found.fallen.shape == (8, 4)
    assert found.fallen.dtype == np.bool_
    assert found.fallen.tolist() == by_hand(Harsh(), found)

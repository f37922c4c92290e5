"""What is shown to be copies that share nothing, what is not, and that one copy has the verdict of several."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import replace
from functools import cache

import copies
import pytest
from copies import Blinks, Lamps, Named
from fenceproof.checker import check
from fenceproof.checker.engines import explicit
from fenceproof.checker.independence import difference
from fenceproof.checker.reduction import Reduced, SideBySide, beyond_one, check_reduced
from fenceproof.checker.result import CheckResult, Independence
from fenceproof.model.budgets import Settings
from fenceproof.model.expressions import Expression
from fenceproof.model.kinds import ArrayKind, RangeKind
from fenceproof.model.lift import lift
from fenceproof.model.system import Fairness, LivenessProperty, TransitionSystem
from fenceproof.model.text import as_text
from fenceproof.specs.variants import VARIANTS
from some_designs import some_first
from toys import Builder


@cache
def variant(name: str, calls: int) -> TransitionSystem:
    return lift(VARIANTS[name].model(calls=calls))


def lamps(model: type[Lamps], number: int, settings: Settings | None = None) -> TransitionSystem:
    return lift(model(number), settings)


def verdicts(result: CheckResult) -> dict[str, str]:
    return {p.name: str(p.verdict) for p in result.properties}


@pytest.mark.parametrize("name", some_first(VARIANTS))
def test_two_calls_of_every_design_are_copies_of_one(name: str) -> None:
    assert difference(variant(name, 2), variant(name, 1), 2) is None


def test_three_calls_of_the_fenced_planner_are_copies_of_one() -> None:
    assert difference(variant("fenced", 3), variant("fenced", 1), 3) is None


def test_calls_of_two_designs_are_no_copies_of_each_other() -> None:
    assert difference(variant("fenced", 2), variant("planner-only-fence", 1), 2) is not None


@pytest.mark.parametrize("number", [2, 3, 4])
def test_lamps_are_copies(number: int) -> None:
    assert difference(lamps(Lamps, number), lamps(Lamps, 1), number) is None


def test_copies_under_names_are_copies() -> None:
    assert difference(lift(Named(3)), lift(Named(1)), 3) is None


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (copies.SharedCounter, "times is not one for each copy"),
        (copies.ReadsNeighbour, "switch_on(lamp=1) is not about one copy alone"),
        (copies.WritesNeighbour, "switch_on(lamp=1) is not about one copy alone"),
        (copies.ComparesTwo, "switch_on(lamp=0) does something else than where there is one copy"),
        (copies.JudgesOthers, "switch_on(lamp=0) does something else than where there is one copy"),
        (copies.JudgesTheNext, "switch_on(lamp=0) does something else than where there is one copy"),
        (copies.BoundsTheSum, "at_most_one_used is not shown to be about each copy alone"),
        (copies.ComparesInvariant, "at_most_one_used is not shown to be about each copy alone"),
        (copies.MayGoWrong, "at_most_one_used is not shown to be about each copy alone"),
        (copies.EndsWithOne, "where it may end is not shown to be where each copy may"),
        (copies.FaultInAll, "spent fuse is not one for each copy"),
        (copies.BeginsAlike, "the initial states of copies depend on each other"),
        (copies.FirstBeginsLit, "a copy begins in a state in which it does not begin alone"),
        (copies.FirstIsBetter, "switch_on(lamp=1) does something else than where there is one copy"),
        (copies.OneMoreAction, "a copy can do less, or more, than where there is one"),
        (copies.FairAsAWhole, "shines is fair to switch_on(), which is not about one copy alone"),
        (copies.FairToTheFirst, "switch_on_first(lamp=0) does something else than where there is one copy"),
        (copies.LeadsTo, "recovers is about what leads to what"),
    ],
)
def test_lamps_that_share_one_thing_are_not_shown_to_be_copies(model: type[Lamps], why: str) -> None:
    assert difference(lamps(model, 2), lamps(model, 1), 2) == why


@pytest.mark.parametrize(
    ("model", "other", "about"),
    [
        (copies.BoundsTheSum, "never_dark_again", "at_most_one_used"),
        (copies.JudgesOthers, "at_most_one_used", "never_dark_again"),
        (copies.LeadsTo, "at_most_one_used", "recovers"),
    ],
)
def test_a_property_that_is_not_asked_about_may_be_about_several_copies(
    model: type[Lamps], other: str, about: str
) -> None:
    many, one = lamps(model, 2), lamps(model, 1)
    assert difference(many, one, 2, [other]) is None
    assert difference(lift(model(2), once=True, only=[other]), one, 2, [other]) is None
    assert difference(many, one, 2, [other, about]) == difference(many, one, 2)
    assert difference(many, one, 2, [about]) is not None
    assert beyond_one(model(1), Settings(), one, [other]) == Independence("lamps", 1, (2, 3))
    assert isinstance(beyond_one(model(1), Settings(), one, [about]), SideBySide)


@pytest.mark.parametrize("model", [copies.WritesNeighbour, copies.EndsWithOne, copies.BeginsAlike, copies.FaultInAll])
def test_whatever_is_asked_about_steps_and_states_have_to_be_of_each_copy(model: type[Lamps]) -> None:
    many, one = lamps(model, 2), lamps(model, 1)
    assert difference(many, one, 2, []) == difference(many, one, 2) is not None


def test_what_is_lifted_without_some_properties_does_the_same() -> None:
    whole, part = lift(Lamps(2)), lift(Lamps(2), only=["never_dark_again"])
    assert [p.name for p in part.step_properties] == ["never_dark_again"]
    assert (part.invariants, part.liveness) == ((), ())
    invariants, rest = as_text(whole).partition("invariant ")[::2]
    assert as_text(part) == invariants + rest[rest.index("terminal") :].partition("\neventually")[0]


def test_a_number_of_faults_in_all_couples_copies() -> None:
    settings = Settings(most_faults=1)
    why = "spent in all is not one for each copy"
    assert difference(lamps(Lamps, 2, settings), lamps(Lamps, 1, settings), 2) == why


def test_no_faults_at_all_couple_nothing() -> None:
    settings = Settings(most_faults=0)
    assert difference(lamps(Lamps, 2, settings), lamps(Lamps, 1, settings), 2) is None


def test_another_budget_is_another_model() -> None:
    why = "it has other actions, faults or properties"
    assert difference(lamps(Lamps, 2, Settings({"burn": None})), lamps(Lamps, 1, Settings({"burn": 0})), 2) is not None
    assert difference(replace(lamps(Lamps, 2), faults={"burn": 2}), lamps(Lamps, 1), 2) == why


def counters(mosts: list[int], *, uneven: bool = False) -> TransitionSystem:
    """Counters that stop at their bounds; in the slots all reach as far as the largest."""
    b = Builder({"n": ArrayKind(len(mosts), RangeKind(0, max(mosts)))})
    for place, most in enumerate(mosts):
        n = b.slot(place)
        step = 2 if uneven and place else 1
        b.act("up", b.x.less(n, b.x.const(most)), {place: b.x.add(n, b.x.const(step))})
    b.terminal = b.judge(b.x.true)
    return b.build([(0,) * len(mosts)])


def test_a_copy_with_another_bound_or_another_step_is_no_copy() -> None:
    assert difference(counters([4, 4]), counters([4]), 2) is None
    why = "up() does something else than where there is one copy"
    assert difference(counters([4, 2]), counters([4]), 2) == why
    assert difference(counters([4, 4], uneven=True), counters([4]), 2) == why


def test_a_slot_with_other_values_is_none_of_a_copy() -> None:
    def wide(number: int, most: int) -> TransitionSystem:
        b = Builder({"n": ArrayKind(number, RangeKind(0, most))})
        for place in range(number):
            b.act("rest", b.x.equal(b.slot(place), b.x.const(0)), {place: b.x.const(0)})
        return b.build([(0,) * number])

    assert difference(wide(2, 4), wide(1, 4), 2) is None
    assert difference(wide(2, 5), wide(1, 4), 2) == "n[0] has other values than n[0] where there is one copy"


def test_what_is_less_in_one_copy_is_less_in_the_other() -> None:
    def pairs(orders: list[tuple[int, int]]) -> TransitionSystem:
        b = Builder({name: ArrayKind(len(orders), RangeKind(0, 4)) for name in ("a", "b")})
        for place, (low, high) in enumerate(orders):
            slots = [b.slot(place), b.slot(len(orders) + place)]
            b.act("up", b.x.less(slots[low], slots[high]), {place: b.x.const(4)})
        return b.build([(0, 1) * len(orders)] if len(orders) == 1 else [(0, 0, 1, 1)])

    assert difference(pairs([(0, 1), (0, 1)]), pairs([(0, 1)]), 2) is None
    why = "up() does something else than where there is one copy"
    assert difference(pairs([(0, 1), (1, 0)]), pairs([(0, 1)]), 2) == why


def test_fairness_has_to_be_the_same_in_each_copy() -> None:
    many, one = lamps(Lamps, 2), lamps(Lamps, 1)
    (shines,) = many.liveness

    def with_fairness(prop: LivenessProperty) -> str | None:
        return difference(replace(many, liveness=(prop,)), one, 2)

    assert with_fairness(shines) is None
    less = replace(shines, fairness=shines.fairness[:1])
    weaker = replace(shines, fairness=(shines.fairness[0], replace(shines.fairness[1], is_strong=False)))
    assert with_fairness(less) == with_fairness(weaker) == "shines is fair to other actions in some copy"


def test_one_copy_stands_for_any_number() -> None:
    result = check(Lamps(4), all_copies=False)
    assert result.holds
    assert result.system.parameters == {"lamps": 1}
    assert result.independence is not None
    assert (result.independence.copies, result.independence.shown_for) == (4, (2, 4))
    assert result.independence.any_number
    assert "the verdict is that for any number of lamps that are such copies" in result.independence.statement
    assert result.distinct == check(Lamps(1)).distinct
    assert [p.name for p in result.properties] == [p.name for p in check(Lamps(1)).properties]


def test_all_copies_are_explored_from_python_unless_one_is_asked_for() -> None:
    result = check(Lamps(3))
    assert result.independence is None
    assert result.distinct == check(Lamps(1)).visited ** 3


def test_what_was_shown_for_two_alone_is_said_of_two_alone() -> None:
    result = check(copies.OnlyUpToTwo(2), all_copies=False)
    assert result.independence is not None
    assert (result.independence.shown_for, result.independence.any_number) == ((2,), False)
    assert "so the verdict is that for lamps=2;" in result.independence.statement
    assert check(copies.OnlyUpToTwo(3), all_copies=False).independence is None


def test_lamps_that_blink_need_not_be_lit_together() -> None:
    assert difference(lift(Blinks(2)), lift(Blinks(1)), 2) is None
    assert check(Blinks(1)).holds
    result = check(Blinks(2), all_copies=False)
    assert result.independence is None
    assert verdicts(result)["all_lit"] == "violated"
    assert list(verdicts(result)) == ["no-deadlock", "all_lit"]
    # What nobody asks about costs nobody a copy.
    assert check(Blinks(2), all_copies=False, properties="no-deadlock").independence is not None


def test_a_goal_that_one_copy_may_miss_is_missed_by_all_though_it_does_not_stay() -> None:
    result = check(copies.Flickers(2), all_copies=False)
    assert result.independence is not None
    assert verdicts(result)["all_lit"] == "violated"


MODELS = [Blinks, copies.Flickers, *(m for m in vars(copies).values() if isinstance(m, type) and issubclass(m, Lamps))]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@pytest.mark.parametrize(("faults", "most_faults"), [("all", None), ("none", None), ("all", 1)])
def test_a_reduced_check_has_the_verdicts_of_a_whole_one(
    model: type[Lamps], faults: str, most_faults: int | None
) -> None:
    whole = check(model(2), faults=faults, most_faults=most_faults)
    one = check(model(2), faults=faults, most_faults=most_faults, all_copies=False)
    assert verdicts(one) == verdicts(whole)
    assert one.verdict == whole.verdict
    assert one.missing == whole.missing


def machine(seed: int, number: int) -> TransitionSystem:
    """Copies of a random machine: steps between four states, some of them faults, and properties of each copy."""
    rng = random.Random(seed)
    steps = [(rng.randrange(4), rng.randrange(4), rng.random() < 0.3) for _ in range(rng.randint(2, 6))]
    bad, over, tested, goal = ([s for s in range(4) if rng.random() < chance] for chance in (0.2, 0.5, 0.4, 0.6))
    starts = rng.sample(range(4), rng.randint(1, 2))
    is_strong = rng.random() < 0.5
    b = Builder({"at": ArrayKind(number, RangeKind(0, 3))})
    x = b.x

    def among(place: int, states: list[int]) -> Expression:
        return x.disjoin(x.equal(b.slot(place), x.const(state)) for state in states)

    for place in range(number):
        for source, target, is_fault in steps:
            guard = x.equal(b.slot(place), x.const(source))
            b.act(f"{source}-{target}", guard, {place: x.const(target)}, fault="slip" if is_fault else None)
    everywhere = x.conjoin(x.negate(among(place, bad)) for place in range(number))
    b.always("fine", everywhere, x.disjoin(among(place, tested) for place in range(number)))
    b.terminal = b.judge(x.conjoin(among(place, over) for place in range(number)))
    b.on_steps("rises", lambda t: b.judge(x.less(b.slot(t.updates[0][0]), x.add(t.updates[0][1], x.const(3)))))
    fairness = tuple(
        Fairness(
            f"{place}",
            tuple(p for p, t in enumerate(b.transitions) if t.updates[0][0] == place and not t.fault),
            is_strong,
        )
        for place in range(number)
    )
    met = b.judge(x.conjoin(among(place, goal) for place in range(number)))
    return replace(
        b.build(list(itertools.product(starts, repeat=number))),
        liveness=(LivenessProperty("arrives", None, met, fairness, "All arrive.", None),),
    )


@pytest.mark.parametrize("number", [2, 3])
def test_random_machines_side_by_side_have_the_verdicts_of_one(number: int) -> None:
    seen: Counter[tuple[str, str, bool]] = Counter()
    for seed in range(150):
        many, one = machine(seed, number), machine(seed, 1)
        assert difference(many, one, number) is None, seed
        whole = explicit.check(many)
        found = check_reduced(explicit.check, many, Reduced(one, Independence("n", number, (number,))))
        assert verdicts(found) == verdicts(whole), seed
        assert found.missing == whole.missing, seed
        seen.update((name, verdict, found.independence is not None) for name, verdict in verdicts(found).items())
    for name in ("fine", "rises", "no-deadlock", "arrives"):
        assert seen[name, "holds", True] > 5
        assert seen[name, "violated", True] > 5
    assert seen["fine", "vacuous", True] > 5
    assert seen["arrives", "violated", False] > 0

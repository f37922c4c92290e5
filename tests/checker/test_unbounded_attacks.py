"""Attempts to have something false proved of every number: what the argument rests on, each part taken away once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from fenceproof.checker.engines import unbounded
from fenceproof.checker.limits import Limits, Watch
from fenceproof.checker.parametric import prover
from fenceproof.checker.parametric.held import hold, movers
from fenceproof.checker.parametric.obligations import Obligation, Parametric
from fenceproof.checker.parametric.prover import Prover
from fenceproof.checker.parametric.reached import is_at_rest, reach
from fenceproof.checker.parametric.verify import first_refuted
from fenceproof.checker.result import CheckResult
from fenceproof.checker.verdict import Verdict
from fenceproof.checker.violation import ends_in_violation
from fenceproof.model import (
    Bool,
    Model,
    ModelError,
    Natural,
    Set,
    Step,
    action,
    exists,
    greatest,
    implies,
    invariant,
    naturals,
    quiescent,
    require,
    step_property,
    terminal,
)
from fenceproof.model.expressions import UNBOUNDED, Expression, Expressions
from fenceproof.model.lift import lift
from fenceproof.model.trace import replay


class Queue(Model):
    """Numbers are drawn in order and served in any order."""

    def __init__(self) -> None:
        self.last = Natural()
        self.waiting = Set(Natural(1))
        self.numbers = naturals(1)

    @action
    def draw(self) -> None:
        """The next number."""
        self.last += 1
        self.waiting.add(self.last)

    @action(number="numbers")
    def serve(self, number: int) -> None:
        """Anyone who waits."""
        require(number in self.waiting)
        self.waiting.remove(number)

    @invariant
    def drawn(self) -> bool:
        """Nobody waits with a number that was not drawn."""
        return not exists(self.waiting, lambda number: number > self.last)

    @step_property
    def gone(self, step: Step) -> bool:
        """Who was served waits no more."""
        return implies(step.action == "serve", step.after.last not in step.after.waiting or step.after.last > 0)


def checked(model: Model, *names: str) -> CheckResult:
    return unbounded.check(lift(model), properties=list(names) or None, limits=Limits(time_s=60))


def verdicts(model: Model, *names: str) -> Mapping[str, Verdict]:
    return {p.name: p.verdict for p in checked(model, *names).properties}


def refuted(p: Parametric, *conjuncts: Expression) -> str | None:
    """The first obligation of the induction that conjuncts do not meet."""
    return first_refuted(p, conjuncts, p.induction(), 10)


def test_numbers_that_a_step_does_not_name_keep_their_place_so_that_only_the_last_waits_is_refuted() -> None:
    p = Parametric(lift(Queue()))
    x, last, waiting = p.x, p.slot(0), p.slot(1)
    waits, is_last = x.select(waiting, p.number), x.equal(p.number, last)

    # True at the number that is drawn; false of one that was drawn before, which is still there.
    assert refuted(p, x.disjoin((x.negate(waits), is_last))) == "draw()"


def test_an_invariant_is_used_at_the_number_it_is_shown_of_and_at_those_a_step_names() -> None:
    p = Parametric(lift(Queue()))
    drawn = p.x.disjoin((p.x.negate(p.x.select(p.slot(1), p.number)), p.x.negate(p.x.less(p.slot(0), p.number))))

    assert refuted(p, drawn) is None
    for obligation in p.induction():
        if not obligation.is_initial:
            assert obligation.number in obligation.used_at
            elsewhere = replace(obligation, terms=tuple(t for t in obligation.terms if t is not obligation.number))
            if elsewhere.terms:
                assert first_refuted(p, [drawn], [elsewhere], 10) == obligation.name


def test_the_number_that_a_step_names_may_be_the_one_an_invariant_is_shown_of() -> None:
    """Served numbers are gone from the set at that very number, which takes the two to be equal sometimes."""
    p = Parametric(lift(Queue()))
    x = p.x
    # "All of 1..last wait" is broken only by serving the number at hand.
    everyone = x.disjoin((x.select(p.slot(1), p.number), x.less(p.slot(0), p.number), x.less(p.number, x.const(1))))

    assert refuted(p, everyone) == "serve(number=1..)"


def test_what_is_false_of_an_initial_state_is_refuted_there() -> None:
    p = Parametric(lift(Queue()))

    assert refuted(p, p.x.less(p.x.const(0), p.slot(0))) == "initial state 0"


def test_a_violated_step_property_has_a_trace_that_names_the_number_and_is_replayed_without_the_bound() -> None:
    class Wrong(Queue):
        @step_property
        def in_order(self, step: Step) -> bool:
            """Wrong: who is served was drawn last."""
            return implies(step.action == "serve", step.before.last in step.before.waiting)

    found = checked(Wrong(), "in_order", "drawn")

    assert {p.name: p.verdict for p in found.properties} == {"in_order": Verdict.VIOLATED, "drawn": Verdict.PROVED}
    trace = found.trace("in_order")
    assert trace is not None
    assert replay(found.system, trace) is None
    assert ends_in_violation(found.system, "in_order", trace)
    taken = [(found.system.transitions[i].action, found.system.transitions[i].args) for i in trace.transitions]
    assert taken[-1] == ("serve", {"number": 1})


def test_a_parameter_takes_its_least_number_and_no_smaller_one() -> None:
    class From(Model):
        def __init__(self, least: int) -> None:
            self.seen = Natural(5)
            self.numbers = naturals(least)

        @action(number="numbers")
        def see(self, number: int) -> None:
            """Any number."""
            self.seen = number + 5

        @invariant
        def above(self) -> bool:
            """Not the least."""
            return self.seen != 6

        @terminal
        def never(self) -> bool:
            """There is always something to do."""
            return False

    assert verdicts(From(least=1), "above") == {"above": Verdict.VIOLATED}
    assert verdicts(From(least=2), "above") == {"above": Verdict.PROVED}


def test_a_number_below_its_kind_is_a_mistake_with_a_trace_and_nothing_is_proved() -> None:
    class Below(Model):
        def __init__(self) -> None:
            self.level = Natural(1)

        @action
        def down(self) -> None:
            """One less."""
            self.level -= 1

        @invariant
        def positive(self) -> bool:
            """True wherever the model has not gone wrong."""
            return self.level >= 1

    found = checked(Below())

    assert found.verdict is Verdict.MODEL_ERROR
    assert found.wrong is not None
    assert len(found.wrong.trace.states) == 1
    assert {p.verdict for p in found.properties} == {Verdict.INCONCLUSIVE}


@pytest.mark.parametrize("huge", [2**63, 2**200, 2**210])
def test_a_constant_as_large_as_what_stands_for_no_bound_is_refused(huge: int) -> None:
    class Huge(Model):
        def __init__(self) -> None:
            self.level = Natural()

        @action
        def up(self) -> None:
            """One more."""
            self.level += 1

        @invariant
        def below(self) -> bool:
            """Wrong, in a while."""
            return self.level != huge

    with pytest.raises(ModelError, match="larger than 64 bits"):
        lift(Huge())


def test_products_of_numbers_without_a_bound_are_not_compared_by_their_bounds() -> None:
    x = Expressions()
    large = x.slot(0, 2**61, UNBOUNDED, is_bool=False)
    other = x.slot(1, 0, UNBOUNDED, is_bool=False)
    product = x.multiply(x.multiply(large, large), x.multiply(large, large))

    assert not x.less(other, product).is_const
    assert not x.less(product, other).is_const
    assert not x.equal(product, other).is_const


class Restless(Model):
    """It looks at rest with small numbers, and goes on with a large one."""

    def __init__(self) -> None:
        self.level = Natural()
        self.numbers = naturals()

    @action(number="numbers")
    def leap(self, number: int) -> None:
        """Far ahead."""
        require(number == self.level + 1000)
        self.level = number

    @quiescent
    def rests(self) -> bool:
        """False, of states at rest, of which there are none."""
        return False


def test_a_state_is_at_rest_only_where_no_number_moves_it_and_what_is_asked_of_rest_is_then_vacuous() -> None:
    system = lift(Restless())

    assert not is_at_rest(system, system.initial[0])
    assert len(movers(system, system.initial[0])) == 1
    assert reach(system, ["rests", "no-deadlock"], Watch.start(Limits())).violated == {}
    assert verdicts(Restless())["rests"] is not Verdict.VIOLATED
    assert verdicts(Restless())["rests"] is not Verdict.PROVED


def test_a_property_of_states_at_rest_without_a_condition_is_vacuous_where_nothing_rests() -> None:
    class Endless(Model):
        def __init__(self) -> None:
            self.level = Natural()

        @action
        def up(self) -> None:
            """One more."""
            self.level += 1

        @quiescent
        def rests(self) -> bool:
            """True of none."""
            return self.level < 3

    assert verdicts(Endless(), "rests") == {"rests": Verdict.VACUOUS}


def test_what_is_never_violated_is_not_proved_where_nobody_knows_whether_it_is_put_to_the_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(prover, "SPACER_S", 0.5)

    class Far(Model):
        def __init__(self) -> None:
            self.level = Natural()

        @action
        def up(self) -> None:
            """One more."""
            self.level += 1

        @invariant
        def late(self) -> bool:
            """Put to the test after a thousand steps."""
            return implies(self.level == 1000, self.level < 1001)

    (found,) = checked(Far(), "late").properties

    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.remark == unbounded.UNTESTED


def test_an_invariant_that_excludes_a_state_that_was_reached_is_no_proof_whatever_the_obligations_say() -> None:
    known = Prover(lift(Queue()), Watch.start(Limits()))
    p = known.parametric
    bad = p.violations("drawn")
    assert known.show(bad) is not None

    # Without the obligation of its step, `draw` is as if it never happened.
    blind: list[Obligation] = [o for o in known.induction if o.name != "draw()"]
    known.induction[:] = blind
    nothing_waits = p.x.negate(p.x.select(p.slot(1), p.number))
    assert first_refuted(p, [nothing_waits], [*blind, *bad], 10) is None
    assert known._checked([nothing_waits], bad) is None  # pyright: ignore[reportPrivateUsage]


def test_a_held_system_names_the_same_transitions_as_the_whole() -> None:
    held = hold(lift(Queue()), 3)

    assert [(t.action, t.arguments) for t in held.system.transitions] == [
        (t.action, t.arguments) for t in held.whole.transitions
    ]
    assert held.state((2, 0, 1, 1, 0)) == (2, 0b110)


def test_a_quantifier_in_an_update_is_asked_of_the_state_before_the_step() -> None:
    class Noted(Queue):
        def __init__(self) -> None:
            super().__init__()
            self.noted = Bool()

        @action
        def note(self) -> None:
            self.noted = exists(self.waiting, lambda number: number > 3)

        @invariant
        def beyond(self) -> bool:
            return implies(self.noted, self.last > 3)

        @invariant
        def far(self) -> bool:
            """Wrong: 4 is enough."""
            return implies(self.noted, self.last > 4)

        @invariant
        def still(self) -> bool:
            """Wrong: 4 may have been served since."""
            return implies(self.noted, exists(self.waiting, lambda number: number > 3))

    found = verdicts(Noted(), "beyond", "far", "still")

    assert found == {"beyond": Verdict.PROVED, "far": Verdict.VIOLATED, "still": Verdict.VIOLATED}


def test_no_number_is_taken_for_a_set_by_how_large_it_may_become() -> None:
    class Counted(Model):
        def __init__(self) -> None:
            self.last = Natural()

        @action
        def count(self) -> None:
            self.last += 1

        @invariant
        def grows(self) -> bool:
            return self.last * 2**56 >= self.last

        @invariant
        def small(self) -> bool:
            """Wrong of 1."""
            return self.last * 2**56 < 2**56

    assert verdicts(Counted(), "grows", "small") == {"grows": Verdict.PROVED, "small": Verdict.VIOLATED}

    class Bounded(Counted):
        @invariant
        def ends(self) -> bool:
            """Wrong of the number itself, after as many steps."""
            return self.last < 2**256

    with pytest.raises(ModelError, match="larger than 64 bits"):
        lift(Bounded())


@pytest.mark.parametrize("number", [60, 61, 62, 63, 1000, 2**40])
def test_a_large_number_in_a_set_of_numbers_is_no_large_number(number: int) -> None:
    class Full(Model):
        def __init__(self) -> None:
            self.all = Set(Natural())

        @action
        def fill(self) -> None:
            self.all.add(number)

        @invariant
        def only(self) -> bool:
            return not exists(self.all, lambda other: other != number)

        @invariant
        def empty(self) -> bool:
            """Wrong after a step, with a number that is too large to be visited."""
            return not exists(self.all, lambda other: other == number)

    found = verdicts(Full(), "only", "empty")

    assert found["only"] is Verdict.PROVED
    assert found["empty"] is not Verdict.PROVED


def test_a_step_that_always_goes_wrong_with_few_numbers_is_a_mistake_with_a_trace() -> None:
    class Falls(Model):
        def __init__(self) -> None:
            self.level = Natural()

        @action
        def up(self) -> None:
            self.level += 1

        @action
        def down(self) -> None:
            """Below 0, but for levels of which none is visited first."""
            self.level = greatest(0, self.level - 2) - 1

        @invariant
        def is_level(self) -> bool:
            return self.level >= 0

    found = checked(Falls())

    assert found.verdict is Verdict.MODEL_ERROR
    assert found.wrong is not None
    assert len(found.wrong.trace.states) == 1


class PutsWhatIsTooSmall(Model):
    """A set of numbers, into which a number below all is put."""

    def __init__(self) -> None:
        self.last = Natural()
        self.members = Set(Natural())

    @action
    def slip(self) -> None:
        self.members.add(self.last - 2)


def test_a_number_that_a_set_cannot_have_is_a_mistake_with_a_trace() -> None:
    found = unbounded.check(lift(PutsWhatIsTooSmall()))
    assert found.wrong is not None
    assert "members" in found.wrong.mistake.message
    assert found.wrong.trace.mistake == 0

"""Proofs over unbounded integers: what holds is proved, what falls never is, and a proof is checked by others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from fenceproof.checker.api import check as check_explicit
from fenceproof.checker.engines import bmc, unbounded
from fenceproof.checker.limits import Limits, Watch
from fenceproof.checker.parametric.obligations import Obligation, Parametric
from fenceproof.checker.parametric.prover import Prover
from fenceproof.checker.parametric.verify import asserted, first_refuted
from fenceproof.checker.smt.backend import z3
from fenceproof.checker.verdict import Verdict
from fenceproof.model import (
    Model,
    ModelError,
    Natural,
    Range,
    Record,
    Set,
    Step,
    UsageError,
    action,
    exists,
    forall,
    implies,
    invariant,
    naturals,
    require,
    step_property,
    terminal,
)
from fenceproof.model.budgets import Settings
from fenceproof.model.expressions import Expression
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.specs.properties import Planner
from fenceproof.specs.variants import VARIANTS


def unbounded_system(variant: str) -> TransitionSystem:
    """A shipped design without an end of epochs, under every fault."""
    return lift(VARIANTS[variant].model(calls=1, epochs="any"), Settings())


class Ticket(Record):
    """A ticket."""

    number = Natural(1)


class Bakery(Model):
    """Tickets are drawn in order, and served in any order, each once."""

    def __init__(self) -> None:
        self.last = Natural()
        self.served = Natural()
        self.waiting = Set(Ticket())
        self.numbers = naturals(1)

    @action
    def draw(self) -> None:
        """The next number."""
        self.last += 1
        self.waiting.add(Ticket.of(number=self.last))

    @action(number="numbers")
    def serve(self, number: int) -> None:
        """Anyone who waits."""
        require(Ticket.of(number=number) in self.waiting)
        self.waiting.remove(Ticket.of(number=number))
        self.served += 1

    @invariant
    def drawn(self) -> bool:
        """Nobody waits with a number that was not drawn."""
        return forall(self.waiting, lambda ticket: ticket.number <= self.last)

    @invariant
    def few(self) -> bool:
        """Wrong: nobody waits with number 3."""
        return not exists(self.waiting, lambda ticket: ticket.number == 3)

    @step_property
    def fresh(self, step: Step) -> bool:
        """A number that is drawn was not drawn before."""
        return implies(step.action == "draw", Ticket.of(number=step.after.last) not in step.before.waiting)


class Counter(Model):
    """Two counters without a bound, the second of which never overtakes."""

    def __init__(self) -> None:
        self.first = Natural()
        self.second = Natural()

    @action
    def lead(self) -> None:
        """The first goes on."""
        self.first += 2

    @action
    def follow(self) -> None:
        """The second goes on where it is behind."""
        require(self.second < self.first)
        self.second += 1

    @invariant
    def ordered(self) -> bool:
        """The second is not ahead."""
        return self.second <= self.first

    @invariant
    def bounded(self) -> bool:
        """Wrong, at depth 6."""
        return self.first < 10

    @terminal
    def never(self) -> bool:
        """There is always something to do."""
        return False


class Below(Model):
    """A counter that may leave its kind."""

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


def verdicts(system: TransitionSystem, *names: str) -> dict[str, Verdict]:
    found = unbounded.check(system, properties=list(names) or None, limits=Limits(time_s=120))
    return {p.name: p.verdict for p in found.properties}


def test_plain_counters_without_a_bound_are_proved_in_order_and_nothing_false_is_proved() -> None:
    found = verdicts(lift(Counter()))

    assert found == {
        "ordered": Verdict.PROVED,
        "bounded": Verdict.VIOLATED,
        "no-deadlock": Verdict.PROVED,
    }


def test_a_set_of_any_number_of_tickets_is_reasoned_about_for_every_number() -> None:
    found = verdicts(lift(Bakery()))

    assert found["drawn"] is Verdict.PROVED
    assert found["fresh"] is Verdict.PROVED
    assert found["few"] is Verdict.VIOLATED


def test_a_model_that_may_go_wrong_has_nothing_proved_of_it() -> None:
    assert set(verdicts(lift(Below())).values()) == {Verdict.INCONCLUSIVE}


def test_every_fault_and_any_number_of_epochs_leave_the_fenced_planner_single_commits() -> None:
    found = verdicts(unbounded_system("fenced"), "single-commit", "no-ghost", "write-ahead", "compensate-once")

    assert set(found.values()) == {Verdict.PROVED}


@pytest.mark.parametrize("variant", ["fenced", "two-planners-fenced", "replay"])
def test_every_safety_property_of_a_design_that_loses_nothing_is_proved(variant: str) -> None:
    found = verdicts(unbounded_system(variant))

    assert found.pop("settles") is Verdict.INCONCLUSIVE
    assert {name for name, verdict in found.items() if verdict is not Verdict.PROVED} == set()


#: What falls of each design, liveness aside.
FALLING = {
    variant: lost
    for variant, shipped in VARIANTS.items()
    if (lost := sorted(name for name in shipped.loses if name != "settles"))
}
#: Without a last epoch this planner bumps for ever, and what is asked of states at rest is asked of none.
NEVER_AT_REST = ("bump-after-commit", "effect-matches-record")


#: Those that take longer than the others.
MARKS = {"last-writer": pytest.mark.slow, "no-outbox": pytest.mark.long}


@pytest.mark.parametrize("variant", [pytest.param(v, marks=MARKS[v]) if v in MARKS else v for v in FALLING])
def test_what_falls_with_three_epochs_is_violated_without_an_end_or_never_comes_to_rest(variant: str) -> None:
    found = verdicts(unbounded_system(variant), *FALLING[variant])

    for name in FALLING[variant]:
        wanted = Verdict.VACUOUS if (variant, name) == NEVER_AT_REST else Verdict.VIOLATED
        assert (name, found[name]) == (name, wanted)


def test_an_invariant_that_is_too_strong_or_too_weak_is_refuted_by_the_check() -> None:
    system = lift(Bakery())
    prover = Prover(system, Watch.start(Limits()))
    p, bad = prover.parametric, prover.parametric.violations("drawn")
    shown = prover.show(bad)
    assert shown is not None
    obligations = [*prover.induction, *bad]
    x, last = p.x, p.slot(0)

    assert first_refuted(p, shown.invariant, obligations, 10) is None
    assert first_refuted(p, [], obligations, 10) == "drawn"
    assert first_refuted(p, [*shown.invariant, x.less(last, x.const(2))], obligations, 10) == "draw()"
    assert first_refuted(p, [x.less(x.const(0), last)], obligations, 10) == "initial state 0"


def test_the_scripts_of_a_proof_are_unsatisfiable_to_another_solver() -> None:
    cvc5: Any = pytest.importorskip("cvc5")
    prover = Prover(lift(Bakery()), Watch.start(Limits()))
    bad = prover.parametric.violations("drawn")
    shown = prover.show(bad)
    assert shown is not None
    written = list(scripts(prover.parametric, shown.invariant, [*prover.induction, *bad]))

    assert len(written) == 4
    for script in written:
        assert cvc5_says(cvc5, script) == "unsat"
    assert "sat" in {cvc5_says(cvc5, s) for s in scripts(prover.parametric, [], bad)}


def scripts(p: Parametric, invariant: Sequence[Expression], obligations: Sequence[Obligation]) -> Iterator[str]:
    """Every obligation of an invariant as SMT-LIB 2."""
    for obligation in obligations:
        solver = z3.Solver()
        solver.add(*asserted(p, invariant, obligation))
        lines = [line for line in solver.to_smt2().splitlines() if not line.startswith((";", "(set-"))]
        yield "(set-logic QF_UFLIA)\n" + "\n".join(lines) + "\n"


def cvc5_says(cvc5: Any, text: str) -> str:
    """What cvc5 answers to a script."""
    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "script")
    answer = ""
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return answer.strip()
        answer += str(command.invoke(solver, parser.getSymbolManager()))


def test_engines_that_visit_states_refuse_an_unbounded_model() -> None:
    with pytest.raises(UsageError, match=r"infinitely many states: first has no bound\. Give it a bound"):
        check_explicit(Counter())
    with pytest.raises(UsageError, match=r"Give --epochs a number, or write: fenceproof prove, or --engine pdr"):
        check_explicit(Planner(epochs="any"))
    with pytest.raises(UsageError, match="bmc cannot visit"):
        bmc.check(lift(Counter()))


def test_what_has_no_end_cannot_be_counted_or_gone_through() -> None:
    class Counting(Bakery):
        @invariant
        def short(self) -> bool:
            """Refused."""
            return len(self.waiting) < 3

    with pytest.raises(ModelError, match="may have any number of elements"):
        lift(Counting())
    with pytest.raises(ModelError, match="cannot be gone through"):
        list(naturals(1))


def test_a_truth_test_about_an_element_is_refused_because_it_would_fork_over_all() -> None:
    class Forking(Bakery):
        @invariant
        def forks(self) -> bool:
            """Refused."""
            return forall(self.waiting, lambda ticket: ticket.number > 1 and ticket.number <= self.last)

    with pytest.raises(ModelError, match=r"write & and \| for"):
        lift(Forking())


def test_obligations_leave_out_what_never_changes() -> None:
    p = Parametric(unbounded_system("fenced"))
    names = {p.system.slots[s].name for s in (*p.scalars, *p.predicates)}

    assert "copies[0][0].epoch" not in names
    assert not any(name.startswith("spent") for name in names)
    assert "record[0].live" in names


def test_a_range_in_a_model_is_still_a_bound() -> None:
    class Small(Model):
        def __init__(self) -> None:
            self.value = Range(0, 3)

        @action
        def up(self) -> None:
            """Up to three."""
            require(self.value < 3)
            self.value += 1

        @invariant
        def low(self) -> bool:
            """True."""
            return self.value <= 3

        @terminal
        def done(self) -> bool:
            """The end."""
            return self.value == 3

    assert set(verdicts(lift(Small())).values()) == {Verdict.PROVED}

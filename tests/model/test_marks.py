"""What decorators and `choose` make of a method: transitions, initial states, properties, faults, safeguards."""

from __future__ import annotations

from typing import Any

import pytest
from asked import Base, outcomes, reached, verdict
from fenceproof.checker import check
from fenceproof.checker.verdict import Verdict
from fenceproof.model import (
    Array,
    Bool,
    Model,
    ModelError,
    Range,
    Set,
    Step,
    action,
    choose,
    count,
    exists,
    fault,
    forall,
    implies,
    initial,
    invariant,
    require,
    safeguard,
    step_property,
)
from fenceproof.model.lift import lift


def test_a_choice_makes_one_transition_for_each_value() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 6)

        @action
        def jump(self) -> None:
            require(self.n == 0)
            if choose([True, False], label="far"):
                self.n = choose(range(4, 6))
            else:
                self.n = 1

    labels = [t.args for t in lift(M()).transitions]
    assert labels == [{"far": True, "choice": 4}, {"far": True, "choice": 5}, {"far": False}]
    assert reached(M(), "n") == [0, 4, 5, 1]


def test_several_initial_states_by_choice_and_by_an_initial_method() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.a = Range(0, 2, start=choose([0, 2]))
            self.b = choose(["x", "y"])
            self.c = Range(0, 4)

        @initial
        def begin(self) -> None:
            self.c = self.a + choose([1, 2])
            require(not (self.b == "y" and self.c == 4))

        @action
        def stop(self) -> None:
            require(self.c == 0)

    states = [lift(M()).decode(s) for s in lift(M()).initial]
    assert len(states) == 7
    assert {"a": 2, "b": "x", "c": 4} in states
    assert {"a": 2, "b": "y", "c": 4} not in states


def test_a_subclass_overrides_a_method_and_an_action_and_keeps_its_marks() -> None:
    class Parent(Base):
        step = 1

        def __init__(self) -> None:
            self.n = Range(0, 4)

        def more(self) -> int:
            return self.step

        @action
        def up(self) -> str:
            require(self.n + self.more() <= 4)
            self.n += self.more()
            return "parent"

    class Child(Parent):
        step = 2

    class Grandchild(Parent):
        def up(self) -> str:
            require(self.n < 2)
            super().up()
            return "grandchild"

    assert reached(Parent(), "n") == [0, 1, 2, 3, 4]
    assert reached(Child(), "n") == [0, 2, 4]
    assert reached(Grandchild(), "n") == [0, 1, 2]
    assert outcomes(Grandchild()) == {"grandchild"}


def test_counting_without_forking() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.flags = Array(12, Bool())
            self.numbers = Set(Range(0, 11))

        @action(i=12)
        def set(self, i: int) -> None:
            require(count(self.flags) < 2 and not exists(self.numbers, lambda n: n == i))
            self.flags[i] = True
            self.numbers.add(i)

        @invariant
        def in_step(self) -> bool:
            return count(self.flags) == count(self.numbers) and forall(self.numbers, lambda n: self.flags[n])

    result = check(M())
    assert result.distinct == 1 + 12 + 66
    assert result.verdict is Verdict.HOLDS


def test_step_properties_see_the_action_its_arguments_outcome_and_both_states() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 3)

        @action(by=(1, 2))
        def up(self, by: int) -> str:
            require(self.n + by <= 3)
            self.n += by
            return "high" if self.n == 3 else "low"

        @step_property
        def true_of_all(self, step: Step) -> bool:
            rises = step.after.n == step.before.n + step.args["by"]
            return step.action == "up" and rises and (step.outcome == "high") == (step.after.n == 3)

        @step_property
        def no_jump_to_three(self, step: Step) -> bool:
            return not (step.args["by"] == 2 and step.outcome == "high")

    result = check(M())
    assert verdict(result, "true_of_all") is Verdict.HOLDS
    broken = next(p for p in result.properties if p.name == "no_jump_to_three")
    assert broken.witnesses == 1
    assert broken.trace is not None
    assert broken.trace.states == ((0,), (1,), (3,))


def test_a_property_that_was_never_put_to_the_test_is_vacuous() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 5)

        @action
        def up(self) -> None:
            require(self.n < 3)
            self.n += 1

        @invariant
        def never_tested(self) -> bool:
            return implies(self.n == 5, self.n == 0)

        @invariant
        def tested(self) -> bool:
            return implies(self.n == 3, lambda: 6 // self.n == 2)

        @step_property
        def never_stepped(self, step: Step) -> bool:
            return implies(step.before.n == 4, False)

    result = check(M())
    assert verdict(result, "never_tested") is Verdict.VACUOUS
    assert verdict(result, "never_stepped") is Verdict.VACUOUS
    assert verdict(result, "tested") is Verdict.HOLDS
    assert result.verdict is Verdict.VACUOUS
    assert result.verdict.exit_code == 4


def test_an_action_that_is_never_enabled_is_named() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 5)

        @action
        def up(self) -> None:
            require(self.n < 2)
            self.n += 1

        @action
        def unreachable(self) -> None:
            require(self.n == 4)

    result = check(M())
    assert result.never_enabled == ("unreachable",)
    assert result.verdict.exit_code == 4


def test_a_fault_has_a_budget_for_each_call_or_in_all() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.calls = 2
            self.lost = Array(2, Range(0, 3))
            self.jumps = Range(0, 3)

        @fault("loss", budget=2)
        @action(call="calls")
        def lose(self, call: int) -> None:
            self.lost[call] += 1

        @action
        @fault("jump")
        def jump(self) -> None:
            self.jumps += 1

        @action
        def rest(self) -> None:
            """Nothing."""

    def most(**kw: Any) -> tuple[int, int]:
        states = [data["state"] for _, data in check(M(), **kw).graph().nodes(data=True)]
        return max(sum(s["lost"]) for s in states), max(s["jumps"] for s in states)

    assert most() == (4, 1)
    assert most(faults={"loss": 1}) == (2, 0)
    assert most(most_faults=3) == (3, 1)
    assert most(faults={"loss": 3, "jump": 2}, most_faults=4) == (4, 2)
    unlimited = check(M(), faults={"loss": None})
    assert unlimited.wrong is not None
    assert "lost[0]" in unlimited.wrong.mistake.message


def test_faults_are_no_progress_so_a_state_with_only_faults_left_is_a_deadlock() -> None:
    class M(Model):
        def __init__(self) -> None:
            self.n = Range(0, 2)

        @action
        def up(self) -> None:
            require(self.n == 0)
            self.n = 1

        @fault("glitch")
        @action
        def glitch(self) -> None:
            require(self.n == 1)
            self.n = 2

    result = check(M())
    assert verdict(result, "no-deadlock") is Verdict.VIOLATED
    trace = next(p.trace for p in result.properties if p.name == "no-deadlock")
    assert trace is not None
    assert len(trace) == 1


def test_a_safeguard_can_be_taken_away() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 9)

        @safeguard("ceiling")
        def may_rise(self) -> bool:
            return self.n < 3

        @action
        def up(self) -> None:
            require(self.n < 9 and self.may_rise())
            self.n += 1

        @invariant
        def low(self) -> bool:
            return self.n <= 3

    assert lift(M()).safeguards == ("ceiling",)
    assert check(M()).verdict is Verdict.HOLDS
    assert check(M(), without=["ceiling"]).verdict is Verdict.VIOLATED
    with pytest.raises(ModelError, match="ceiling"):
        check(M(), without=["celing"])

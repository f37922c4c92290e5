"""What an author writes means what plain Python would do: each construct, on a model of a few lines."""

from __future__ import annotations

import enum
from typing import Any

import pytest
from fenceproof.checker import check
from fenceproof.checker.result import CheckResult
from fenceproof.checker.verdict import Verdict
from fenceproof.model import (
    Array,
    Bag,
    Bool,
    Choice,
    Map,
    Maybe,
    Model,
    ModelError,
    Queue,
    Range,
    Record,
    Set,
    Step,
    UsageError,
    action,
    choose,
    count,
    exists,
    fault,
    forall,
    greatest,
    implies,
    initial,
    invariant,
    least,
    require,
    safeguard,
    step_property,
    terminal,
)
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take


class Base(Model):
    """Rests anywhere."""

    @terminal
    def anywhere(self) -> bool:
        return True


def reached(model: Model, name: str | None = None) -> list[Any]:
    """The reachable states, decoded, in the order of a breadth-first search; of one variable where it is named."""
    graph = check(model).graph()
    states = [data["state"] for _, data in graph.nodes(data=True)]
    return states if name is None else [state[name] for state in states]


def outcomes(model: Model) -> set[str | None]:
    """Every outcome of every reachable transition."""
    return {data["outcome"] for _, _, data in check(model).graph().edges(data=True)}


def verdict(result: CheckResult, name: str) -> Verdict:
    return next(p.verdict for p in result.properties if p.name == name)


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


def test_if_elif_else_loops_helpers_and_early_returns() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 9)

        def classify(self, n: int) -> str:
            for bound, name in ((3, "small"), (6, "middle")):
                if n < bound:
                    return name
            return "large"

        @action
        def up(self) -> str:
            require(self.n < 9)
            self.n += 1
            if self.n == 5:
                return "five"
            if self.n > 7 or self.n == 2:
                return "odd one"
            return self.classify(self.n)

    edges = [data["outcome"] for _, _, data in check(M()).graph().edges(data=True)]
    assert edges == ["small", "odd one", "middle", "middle", "five", "large", "large", "odd one", "odd one"]


def test_match_statements_on_constants_and_enums() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.color = Choice(Color)

        @action
        def turn(self) -> str:
            match self.color:
                case Color.RED:
                    self.color = Color.GREEN
                    return "go"
                case Color.GREEN:
                    self.color = Color.BLUE
                    return "cool"
                case _:
                    self.color = Color.RED
                    return "stop"

    assert reached(M(), "color") == ["RED", "GREEN", "BLUE"]
    assert outcomes(M()) == {"go", "cool", "stop"}


def test_reading_an_absent_value_is_none_and_a_present_one_is_its_value() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.seen = Maybe(Range(-1, 1))

        @action(value=(-1, 0, 1))
        def see(self, value: int) -> str:
            if self.seen is None:
                self.seen = value
                return "first"
            require(self.seen != value)
            before = self.seen
            self.seen = None
            return f"forgot {before}"

    assert sorted(reached(M(), "seen"), key=str) == [-1, 0, 1, None]
    assert outcomes(M()) == {"first", "forgot -1", "forgot 0", "forgot 1"}


def test_arithmetic_is_pythons() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.a = Range(-7, 7)
            self.b = Range(-7, 7)
            self.c = Range(-60, 60)
            self.done = Bool()

        @action(a=range(-7, 8), d=(-3, -2, 2, 3), kind=("//", "%", "-", "*", "abs", "divmod"))
        def compute(self, a: int, d: int, kind: str) -> None:
            require(not self.done and self.a == -7)
            self.a = a
            match kind:
                case "//":
                    self.c = self.a // d
                case "%":
                    self.c = self.a % d
                case "-":
                    self.c = d - self.a
                case "*":
                    self.c = -self.a * d
                case "abs":
                    self.c = abs(self.a)
                case _:
                    quotient, rest = divmod(self.a, d)
                    self.c = quotient * d + rest
            self.done = True

        @invariant
        def fine(self) -> bool:
            return self.c <= 60

    def expected(kind: str, a: int, d: int) -> int:
        return {"//": a // d, "%": a % d, "-": d - a, "*": -a * d, "abs": abs(a), "divmod": a}[kind]

    system = lift(M())
    for transition in system.transitions:
        args: Any = transition.args
        after = take(transition, system.initial[0]).state
        assert after is not None
        assert system.decode(after)["c"] == expected(args["kind"], args["a"], args["d"]), args


def test_computing_with_a_value_that_is_not_known_is_pythons_too() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.a = Range(-7, 7, start=choose(range(-7, 8)))
            self.out = Array(6, Range(-60, 60))

        @action(d=(-3, -2, 2, 3))
        def compute(self, d: int) -> None:
            self.out[0] = self.a // d
            self.out[1] = self.a % d
            self.out[2] = 20 // (self.a + 8)
            self.out[3] = 20 % (self.a - 8)
            self.out[4] = least(self.a, d)
            self.out[5] = greatest(self.a, d) - abs(self.a)

    system = lift(M())
    assert len(system.initial) == 15
    for state in system.initial:
        for transition in system.transitions:
            a, d = state[0], int(str(transition.args["d"]))
            after = take(transition, state).state
            assert after is not None
            expected = [a // d, a % d, 20 // (a + 8), 20 % (a - 8), min(a, d), max(a, d) - abs(a)]
            assert system.decode(after)["out"] == expected


def test_an_array_is_read_and_written_at_an_index_that_is_part_of_the_state() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.at = Range(0, 2)
            self.cells = Array(3, Range(0, 2))

        @action
        def write(self) -> str:
            require(self.cells[self.at] < 2)
            self.cells[self.at] += 1
            self.at = (self.at + self.cells[self.at]) % 3
            return f"{list(self.cells)}"

    assert reached(M(), "cells") == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [2, 1, 1], [2, 1, 2], [2, 2, 2]]


def test_an_index_outside_is_an_error_of_the_model_only_where_it_is_reached() -> None:
    class M(Base):
        def __init__(self, most: int = 1) -> None:
            self.at = Range(0, 3)
            self.most = most
            self.cells = Array(3, Bool())

        @action
        def step(self) -> None:
            require(self.at < self.most)
            self.at += 1
            self.cells[self.at] = True

    assert check(M()).verdict is Verdict.HOLDS
    wrong = check(M(most=3)).wrong
    assert wrong is not None
    assert "index" in wrong.mistake.message
    assert len(wrong.trace) == 2


def test_sets_bags_queues_and_maps() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.members = Set(Choice("a", "b"))
            self.bag = Bag(Range(0, 1), most=2)
            self.queue = Queue(Range(0, 3), capacity=2)
            self.ages = Map(["x", "y"], Range(0, 3))

        @action(who=("a", "b"))
        def join(self, who: str) -> None:
            require(who not in self.members)
            self.members.add(who)
            self.bag.add(0)
            self.queue.append(len(self.members))
            self.ages["x"] += 1

        @action
        def leave(self) -> str:
            require(len(self.members) == 2 and self.bag.count(0) == 2)
            for who in self.members:
                self.members.discard(who)
            self.bag.remove(0)
            first = self.queue.popleft()
            self.ages["y"] = first
            return ",".join(f"{k}={v}" for k, v in self.ages.items())

    assert {"members": [], "bag": [0], "queue": [2], "ages": {"x": 2, "y": 1}} in reached(M())
    assert "x=2,y=1" in outcomes(M())


def test_whole_sets_are_compared_copied_and_cleared() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.a = Set(Range(0, 2), start={1})
            self.b = Set(Range(0, 2))

        @action
        def copy(self) -> str:
            require(self.a != self.b)
            self.b = self.a
            self.a = {0, 2} | self.b
            self.b.add(2)
            return f"{self.b == {1, 2}} {self.a == {0, 1, 2}} {self.b <= self.a}"

        @action
        def clear(self) -> None:
            require(len(self.a) == 3)
            self.a.clear()
            self.b -= {1}

    assert "True True True" in outcomes(M())
    assert {"a": [], "b": [2]} in reached(M())


class Message(Record):
    kind = Choice("ask", "answer")
    to = Range(0, 1)

    def is_answer(self) -> bool:
        return self.kind == "answer"


def test_records_in_sets_arrays_and_maybes_keep_their_methods() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.sent = Set(Message())
            self.last = Maybe(Message())
            self.boxes = Array(2, Message())

        @action(to=(0, 1))
        def ask(self, to: int) -> None:
            require(Message.of(kind="ask", to=to) not in self.sent)
            self.sent.add(Message.of(kind="ask", to=to))

        @action
        def answer(self) -> str:
            question = choose(self.sent, label="question")
            require(not question.is_answer() and self.last is None)
            self.sent.remove(question)
            self.last = Message.of(kind="answer", to=question.to)
            self.boxes[question.to].kind = "answer"
            self.boxes[question.to].to = question.to
            return "answered" if self.last.is_answer() and self.boxes[question.to].is_answer() else "lost"

    result = check(M())
    assert outcomes(M()) == {None, "answered"}
    assert {str(t.args) for t in result.system.transitions if t.action == "answer"} >= {
        "{'question': {'kind': 'ask', 'to': 1}}"
    }
    assert {"kind": "answer", "to": 1} in [state["last"] for state in reached(M())]


def test_assigning_a_record_copies_it() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.a = Message()
            self.b = Message()

        @action
        def copy(self) -> None:
            require(self.b.kind == "ask")
            self.a.to = 1
            self.b = self.a
            self.b.kind = "answer"

    assert reached(M())[-1] == {"a": {"kind": "ask", "to": 1}, "b": {"kind": "answer", "to": 1}}


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


def test_a_constant_table_is_indexed_by_the_state() -> None:
    names = ("zero", "one", "two")
    ages = {0: 30, 1: 40, 2: 50}

    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 2)

        @action
        def up(self) -> str:
            require(self.n < 2)
            self.n += 1
            return f"{names[self.n]} {ages[self.n]}" + "!" * self.n

    assert outcomes(M()) == {"one 40!", "two 50!!"}


def said(number: object, flag: object, choice: object) -> str:
    return f"{isinstance(number, int)} {isinstance(flag, bool)} {isinstance(choice, str)}"


def test_isinstance_says_of_a_value_of_the_state_what_it_says_of_a_plain_one() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 1)
            self.b = Bool()
            self.c = Choice("x", "y")

        @action
        def look(self) -> str:
            self.n = 1 - self.n
            return said(self.n, self.b, self.c)

    assert outcomes(M()) == {"True True True"}


def test_require_and_choose_outside_of_an_action_say_where_they_belong() -> None:
    with pytest.raises(UsageError, match="inside an action"):
        require(True)


def test_a_model_can_be_a_class_with_its_kinds_on_the_class() -> None:
    class M(Base):
        n = Range(0, 2)

        @action
        def up(self) -> None:
            require(self.n < 2)
            self.n += 1

    assert reached(M(), "n") == [0, 1, 2]


def test_the_model_order_of_transitions_is_the_order_in_which_actions_are_written() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.n = Range(0, 2)

        @action(k=(1, 2))
        def second(self, k: int) -> None:
            require(self.n == 0)
            self.n = k

        @action
        def first(self) -> None:
            require(self.n == 2)

    system = lift(M())
    assert [t.action for t in system.transitions] == ["second", "second", "first"]
    assert enabled(system, (0,)) == [0, 1]

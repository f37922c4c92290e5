"""Safeguards taken away: choices of design one by one, methods also all at once, in a family with a state for each."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from asked import Base, verdict
from command import fenceproof, model_file
from fenceproof.checker import check
from fenceproof.checker.verdict import Verdict
from fenceproof.model import (
    Bool,
    Model,
    ModelError,
    Range,
    action,
    choose,
    fault,
    initial,
    invariant,
    require,
    safeguard,
)
from fenceproof.model.budgets import Settings
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.weaken import changes, choices, made_choices, weaken


class Store(Base):
    """Writes before it sends, and keeps two copies, unless it is designed otherwise."""

    order = "write-first"
    copies = 2

    writes_first = safeguard("write-ahead", order=("write-first", "send-first"))
    two_copies = safeguard("two-copies", copies=(2, 1))
    no_race = safeguard("no-race", order=("write-first", "both-at-once"), copies=(2, 1))

    def __init__(self, most: int = 2) -> None:
        self.most = most
        self.written = Range(0, most)
        self.sent = Range(0, most)

    @action
    def write(self) -> None:
        require(self.written < self.most)
        self.written += 1

    @action
    def send(self) -> None:
        require(self.sent < self.most)
        require(self.order == "send-first" or self.written > self.sent)
        self.sent += 1

    @invariant
    def written_first(self) -> bool:
        return self.sent <= self.written


NAMES = ["write-ahead", "two-copies", "no-race"]


def test_the_choices_of_a_class_and_those_that_a_model_has_made() -> None:
    class SendsFirst(Store):
        order = "send-first"

    assert list(choices(SendsFirst)) == made_choices(Store()) == NAMES
    assert made_choices(SendsFirst()) == ["two-copies"], "no-race needs both its attributes"
    assert lift(SendsFirst()).safeguards == ("two-copies",)
    with pytest.raises(ModelError, match=r"The safeguard 'write-ahead' is not known\. There is: two-copies"):
        check(SendsFirst(), without=["write-ahead"])


@pytest.mark.parametrize(
    ("without", "changed"),
    [
        ([], {}),
        (["write-ahead"], {"order": "send-first"}),
        (["two-copies"], {"copies": 1}),
        (["no-race"], {"order": "both-at-once", "copies": 1}),
        (["two-copies", "write-ahead"], {"order": "send-first", "copies": 1}),
        # Of two choices about one attribute, the one that was written first is taken away.
        (["no-race", "write-ahead"], {"order": "send-first"}),
        (["no-race", "two-copies"], {"copies": 1}),
    ],
)
def test_what_is_other_without_some_of_them(without: list[str], changed: dict[str, object]) -> None:
    assert changes(Store(), without) == changed
    weakened: Any = weaken(Store(), without)
    expected = {"order": "write-first", "copies": 2, **changed}
    assert {"order": weakened.order, "copies": weakened.copies} == expected


def test_a_choice_is_taken_away_by_its_name() -> None:
    assert verdict(check(Store()), "written_first") is Verdict.HOLDS
    result = check(Store(most=1), without=["write-ahead"])
    assert verdict(result, "written_first") is Verdict.VIOLATED
    assert (result.system.name, result.system.parameters) == ("Store", {"most": 1})
    assert (result.system.safeguards, result.system.without) == (tuple(NAMES), ("write-ahead",))
    assert Store.order == "write-first"


def test_a_model_that_has_made_none_of_them_is_left_as_it_is() -> None:
    model = Store()
    assert weaken(model, []) is model
    assert weaken(model, ["unknown"]) is model


@pytest.mark.parametrize(("given", "named"), [((), {}), ((3, 4, 5), {}), ((3,), {"last": 7, "rest": 8})])
def test_a_weaker_model_is_made_with_the_same_arguments(given: tuple[int, ...], named: dict[str, int]) -> None:
    class M(Base):
        weak = False
        guard = safeguard("guard", weak=(False, True))

        def __init__(self, first: int = 1, /, *others: int, last: int = 2, **rest: int) -> None:
            self.given = (first, others, last, rest)
            self.n = Range(0, 1)

        @action
        def up(self) -> None:
            self.n = 1

    weakened: Any = weaken(M(*given, **named), ["guard"])
    assert weakened.weak
    assert weakened.given == M(*given, **named).given


def test_a_choice_that_the_constructor_sets_is_refused() -> None:
    class M(Store):
        def __init__(self) -> None:
            super().__init__()
            self.copies = 2

    with pytest.raises(ModelError) as caught:
        lift(M(), Settings(without=frozenset({"two-copies"})))
    assert "copies is 2, though its class says 1." in str(caught.value)
    assert "Make copies an attribute of the class, which no constructor sets." in str(caught.value)


def test_a_choice_about_an_attribute_that_is_not_there_is_refused() -> None:
    class M(Store):
        locks = safeguard("lock", lock=(True, False))

    with pytest.raises(ModelError, match=r"test_weaken\.py:\d+: the safeguard lock is about the attribute 'lock'"):
        lift(M())


def test_two_choices_with_one_name_are_refused() -> None:
    class M(Store):
        again = safeguard("two-copies", order=("write-first", "send-first"))

    with pytest.raises(ModelError, match=r"two safeguards are named two-copies, at .*:\d+ and .*:\d+\."):
        lift(M())


def test_a_choice_with_the_name_of_a_method_is_refused() -> None:
    class M(Store):
        @safeguard("two-copies")
        def may(self) -> bool:
            return True

    with pytest.raises(ModelError, match="two-copies is the name of a method and of a choice"):
        lift(M())


@pytest.mark.parametrize("pair", ["strong", ("strong",), (1, 2, 3), ["strong", "weak"]])
def test_a_choice_that_is_no_pair_is_refused(pair: Any) -> None:
    with pytest.raises(ModelError, match="the safeguard 'x' gives order as ") as caught:
        safeguard("x", order=pair)
    assert "Write order=(its value with the safeguard, its value without)." in str(caught.value)


def test_a_choice_that_takes_nothing_away_is_refused() -> None:
    with pytest.raises(ModelError, match="the safeguard 'x' leaves order the same, 'strong', where it is taken away"):
        safeguard("x", order=("strong", "strong"))


def test_a_choice_without_a_name_is_refused() -> None:
    with pytest.raises(ModelError, match="`@safeguard` needs a name"):
        safeguard(order=("strong", "weak"))  # type: ignore[call-overload]  # pyright: ignore


def test_one_method_is_one_safeguard() -> None:
    with pytest.raises(ModelError, match="may is marked as two safeguards, one and two"):

        @safeguard("two")
        @safeguard("one")
        def may(self: Model) -> bool:  # pyright: ignore[reportUnusedFunction]
            return True


MINE = """
from fenceproof.model import Model, Range, action, invariant, require, safeguard, terminal


class Mine(Model):
    careful = True
    care = safeguard("care", careful=(True, False))

    def __init__(self, most: int = 1) -> None:
        self.n = Range(0, most)

    @action
    def up(self) -> None:
        require(not self.careful)
        self.n = 1

    @action
    def down(self) -> None:
        self.n = 0

    @invariant
    def zero(self) -> bool:
        return self.n == 0

    @terminal
    def anywhere(self) -> bool:
        return True
"""


def test_a_trace_of_a_weaker_design_says_so_and_is_replayed_on_that() -> None:
    model_file(MINE)
    assert (
        fenceproof("check", "mine.py", "--property", "zero", "--quiet").out == "mine.py: vacuous: no state enables up\n"
    )
    ran = fenceproof("check", "mine.py", "--without", "care", "--set", "most=2", "--out", ".", "--quiet")
    assert (ran.code, ran.out) == (1, "mine.py without care: violated: zero (1 step)\n")
    (saved,) = Path().glob("*.json")
    document = json.loads(saved.read_text())
    assert (document["without"], document["parameters"]) == (["care"], {"most": 2})
    again = fenceproof("replay", saved, "--model", "mine.py")
    assert again.code == 0
    assert again.out.endswith("it ends in a violation of zero.\n")
    saved.write_text(json.dumps({**document, "without": []}))
    assert fenceproof("replay", saved, "--model", "mine.py").code == 2


class Gate(Base):
    """Two safeguards, one of which also says where it begins; a fault with a budget, and one without."""

    def __init__(self) -> None:
        self.n = Range(0, 3)
        self.flag = Bool()

    @safeguard("low")
    def low(self, bound: int) -> bool:
        return self.n < bound

    @safeguard("down")
    def flag_is_down(self) -> bool:
        # An odd safeguard: it writes, and picks among several answers.
        require(self.n >= choose([0, 1]))
        self.flag = False
        return not self.flag

    @initial
    def begin(self) -> None:
        if not self.low(bound=0):
            self.n = 1

    @action
    def up(self) -> None:
        require(self.n < 3 and self.low(2))
        self.n += 1

    @action
    def flip(self) -> None:
        require(self.flag_is_down())
        self.flag = True

    @fault("jolt", budget=2)
    @action
    def jolt(self) -> None:
        self.n = 0

    @fault("noise", budget=None)
    @action
    def noise(self) -> None:
        self.flag = False


def reached(system: TransitionSystem) -> set[State]:
    """Every reachable state."""
    found = set(system.initial)
    frontier = list(found)
    while frontier:
        state = frontier.pop()
        for position in enabled(system, state):
            after = take(system.transitions[position], state).state
            if after is not None and after not in found:
                found.add(after)
                frontier.append(after)
    return found


def shown(system: TransitionSystem, state: State, *hidden: str) -> str:
    return json.dumps({k: v for k, v in system.decode(state).items() if not k.startswith(hidden)})


def test_a_family_begins_with_every_combination_of_its_safeguards() -> None:
    system = lift(Gate(), Settings(varied=frozenset({"low", "down"})))
    assert system.varied == ("low", "down")
    assert [v.name for v in system.variables[-2:]] == ["safeguard low", "safeguard down"]
    begin = [(s["safeguard low"], s["safeguard down"], s["n"]) for s in map(system.decode, system.initial)]
    assert sorted(begin) == [(False, False, 0), (False, True, 0), (True, False, 1), (True, True, 1)]


def test_no_transition_changes_a_safeguard() -> None:
    system = lift(Gate(), Settings(varied=frozenset({"low", "down"}), noted=True))
    rigid = {v.first for v in system.variables if v.name.startswith("safeguard ")}
    assert len(rigid) == 2
    assert not any(position in rigid for t in system.transitions for position, _ in t.updates)


def test_the_states_of_a_family_with_some_safeguards_are_those_of_the_model_with_these() -> None:
    family = lift(Gate(), Settings(varied=frozenset({"low", "down"})))
    states = reached(family)
    for missing in itertools.chain.from_iterable(itertools.combinations(("low", "down"), n) for n in range(3)):
        alone = lift(Gate(), Settings(without=frozenset(missing)))
        expected = {shown(alone, state) for state in reached(alone)}
        there = {name: name not in missing for name in ("low", "down")}
        mine = [s for s in states if all(family.decode(s)[f"safeguard {n}"] is kept for n, kept in there.items())]
        assert {shown(family, state, "safeguard ") for state in mine} == expected


def test_a_safeguard_that_is_gone_in_any_case_is_not_varied() -> None:
    system = lift(Gate(), Settings(varied=frozenset({"low", "down"}), without=frozenset({"low"})))
    assert (system.varied, system.without) == (("down",), ("low",))
    assert len(system.initial) == 2


def test_a_choice_of_design_cannot_be_varied_in_one_system() -> None:
    with pytest.raises(ModelError, match="the safeguard two-copies is a choice of design, which a state cannot vary"):
        lift(Store(), Settings(varied=frozenset({"two-copies"})))
    with pytest.raises(ModelError, match=r"'doun' is not known\. Did you mean down"):
        lift(Gate(), Settings(varied=frozenset({"doun"})))


def test_a_state_tells_of_each_fault_whether_it_has_happened_only_where_that_is_asked_for() -> None:
    names = [v.name for v in lift(Gate(), Settings(noted=True)).variables]
    assert names == ["n", "flag", "spent jolt", "happened noise"]
    assert "happened noise" not in [v.name for v in lift(Gate()).variables]
    assert [v.name for v in lift(Gate(), Settings(noted=True, only=frozenset({"jolt"}))).variables] == names[:3]


def test_what_has_happened_stays_so_and_hides_no_state() -> None:
    noted, plain = lift(Gate(), Settings(noted=True)), lift(Gate())
    assert {shown(noted, s, "happened ") for s in reached(noted)} == {shown(plain, s) for s in reached(plain)}
    for state in reached(noted):
        for position in enabled(noted, state):
            after = take(noted.transitions[position], state).state
            assert after is not None
            is_noise = noted.transitions[position].fault == "noise"
            before = noted.decode(state)["happened noise"]
            assert noted.decode(after)["happened noise"] is (before or is_noise)


def test_a_safeguard_is_taken_away_wherever_it_is_asked() -> None:
    class M(Gate):
        @invariant
        def bounded(self) -> bool:
            return self.low(3)

        @invariant
        def said(self) -> bool:
            return self.n < 3 or self.low(bound=3)

    for missing in ((), ("low",)):
        result = check(M(), without=missing)
        assert {verdict(result, "bounded"), verdict(result, "said")} == {Verdict.HOLDS}
    assert max(s[0] for s in reached(lift(M()))) == 2
    assert max(s[0] for s in reached(lift(M(), Settings(without=frozenset({"low"}))))) == 3


class Stricter(Gate):
    """Overrides a safeguard, as one."""

    @safeguard("low")
    def low(self, bound: int) -> bool:
        return super().low(bound) and self.n < 1


class Unmarked(Gate):
    """Overrides a safeguard, and does not mark it: it is one all the same."""

    def low(self, bound: int) -> bool:
        return super().low(bound)


def test_a_safeguard_that_is_overridden_is_taken_away_with_a_mark_of_its_own_or_without() -> None:
    assert max(s[0] for s in reached(lift(Stricter()))) == 1
    assert max(s[0] for s in reached(lift(Stricter(), Settings(without=frozenset({"low"}))))) == 3
    assert lift(Unmarked()).safeguards == ("low", "down")
    assert max(s[0] for s in reached(lift(Unmarked(), Settings(without=frozenset({"low"}))))) == 3

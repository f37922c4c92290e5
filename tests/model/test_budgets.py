"""Faults happen as often as their budgets allow: in all, for each call, or for each value of another parameter."""

from __future__ import annotations

import enum
from typing import Any

import pytest
from fenceproof.model import Array, Map, Model, ModelError, Range, action, fault, require
from fenceproof.model.budgets import Settings, fault_budgets
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take
from fenceproof.model.system import TransitionSystem


class Net(Model):
    """Counts how often each fault happened."""

    def __init__(self) -> None:
        self.calls = 2
        self.lost = Array(2, Range(0, 9))
        self.jumps = Range(0, 9)
        self.glitches = Range(0, 9)

    @fault("loss", budget=2)
    @action(call="calls")
    def lose(self, call: int) -> None:
        require(self.lost[call] < 4)
        self.lost[call] += 1

    @fault("clock-jump")
    @action
    def jump(self) -> None:
        require(self.jumps < 4)
        self.jumps += 1

    @action
    def rest(self) -> None:
        """Nothing."""

    @fault("glitch", budget=0)
    @action
    def glitch(self) -> None:
        require(self.glitches < 4)
        self.glitches += 1


def reached(system: TransitionSystem) -> list[dict[str, Any]]:
    """Every reachable state, decoded."""
    found = dict.fromkeys(system.initial)
    frontier = list(found)
    while frontier:
        state = frontier.pop()
        for position in enabled(system, state):
            after = take(system.transitions[position], state).state
            if after is not None and after not in found:
                found[after] = None
                frontier.append(after)
    return [system.decode(state) for state in found]


SPENT: dict[str, tuple[Settings, tuple[int, int, int, int, int]]] = {
    "the authors' budgets": (Settings(), (2, 2, 1, 0, 5)),
    "a budget of one": (Settings({"loss": 1}), (1, 1, 1, 0, 3)),
    "a budget of none": (Settings({"loss": 0}), (0, 0, 1, 0, 1)),
    "a budget for what is off by default": (Settings({"glitch": 2}), (2, 2, 1, 2, 7)),
    "no limit": (Settings({"loss": None, "clock-jump": 0}), (4, 4, 0, 0, 8)),
    "only one fault": (Settings(only=frozenset({"clock-jump"})), (0, 0, 1, 0, 1)),
    "only one fault, with a budget": (Settings({"loss": 3}, frozenset({"loss"})), (3, 3, 0, 0, 6)),
    "no faults": (Settings(only=frozenset()), (0, 0, 0, 0, 0)),
    "a budget of a fault that is off": (Settings({"loss": 3}, frozenset({"clock-jump"})), (0, 0, 1, 0, 1)),
    "at most three in all": (Settings(most_faults=3), (2, 2, 1, 0, 3)),
    "at most three in all of no limit": (Settings({"loss": None}, most_faults=3), (3, 3, 1, 0, 3)),
    "none in all": (Settings(most_faults=0), (0, 0, 0, 0, 0)),
    "more in all than there can be": (Settings(most_faults=50), (2, 2, 1, 0, 5)),
}


@pytest.mark.parametrize("name", SPENT)
def test_each_fault_happens_as_often_as_the_settings_say(name: str) -> None:
    settings, expected = SPENT[name]
    counts = [(*s["lost"], s["jumps"], s["glitches"]) for s in reached(lift(Net(), settings))]
    assert (*map(max, zip(*counts, strict=True)), max(map(sum, counts))) == expected


def test_what_was_spent_is_part_of_the_state_and_shown() -> None:
    system = lift(Net(), Settings(most_faults=9))
    assert [(v.name, str(v.kind)) for v in system.variables[3:]] == [
        ("spent loss", "Array(2, Range(0, 2))"),
        ("spent clock-jump", "Range(0, 1)"),
        ("spent in all", "Range(0, 9)"),
    ]
    for state in reached(system):
        assert (state["spent loss"], state["spent clock-jump"]) == (state["lost"], state["jumps"])
        assert state["spent in all"] == sum(state["lost"]) + state["jumps"]


def test_a_system_says_which_budgets_it_was_lifted_with() -> None:
    system = lift(Net(), Settings({"loss": None}, frozenset({"loss", "glitch"}), 4))
    assert (system.faults, system.most_faults) == ({"loss": None, "clock-jump": 0, "glitch": 0}, 4)
    assert fault_budgets(Net(), Settings()) == {"loss": 2, "clock-jump": 1, "glitch": 0}


def test_a_fault_that_is_switched_off_has_no_transitions_and_no_counter() -> None:
    system = lift(Net(), Settings(only=frozenset({"clock-jump"}), most_faults=1))
    assert [(t.action, t.fault) for t in system.transitions] == [("jump", "clock-jump"), ("rest", None)]
    assert [v.name for v in system.variables] == ["lost", "jumps", "glitches", "spent clock-jump", "spent in all"]
    off = lift(Net(), Settings(only=frozenset(), most_faults=3))
    assert [v.name for v in off.variables] == ["lost", "jumps", "glitches"]


def test_at_most_no_faults_in_all_switches_every_fault_off() -> None:
    system = lift(Net(), Settings({"loss": None}, most_faults=0))
    assert system.faults == {"loss": 0, "clock-jump": 0, "glitch": 0}
    assert [t.action for t in system.transitions] == ["rest"]
    assert [v.name for v in system.variables] == ["lost", "jumps", "glitches"]


@pytest.mark.parametrize("values", [([1], [2]), ("1", 1)])
def test_a_fault_that_cannot_be_counted_for_each_of_its_values_is_refused(values: tuple[object, ...]) -> None:
    class M(Net):
        @fault("hit", budget=2)
        @action(call=values)
        def hit(self, call: object) -> None:
            """Nothing."""

    assert "the fault 'hit' cannot be counted for each of" in _refusal(M)


def test_a_fault_whose_action_has_no_values_has_no_counter() -> None:
    class M(Net):
        @fault("hit")
        @action(call=())
        def hit(self, call: int) -> None:
            """Nothing."""

    assert [v.name for v in lift(M()).variables if v.name.startswith("spent")] == ["spent loss", "spent clock-jump"]


class Side(enum.Enum):
    LEFT = 1
    RIGHT = 2


def test_a_budget_can_be_counted_for_each_value_of_another_parameter() -> None:
    class M(Model):
        def __init__(self) -> None:
            self.hits = Map(Side, Range(0, 9))

        @fault("hit", budget=2, per="side")
        @action(side=Side, call=(1, 2))
        def hit(self, side: Side, call: int) -> None:
            self.hits[side] += 1

    system = lift(M())
    assert str(system.variables[1].kind) == "Map([Side.LEFT, Side.RIGHT], Range(0, 2))"
    assert max(sum(s["hits"].values()) for s in reached(system)) == 4
    assert {"hits": {"LEFT": 2, "RIGHT": 1}, "spent hit": {"LEFT": 2, "RIGHT": 1}} in reached(system)


@pytest.mark.parametrize("wider_first", [False, True])
def test_actions_with_one_fault_share_its_budget_though_they_meet_different_calls(wider_first: bool) -> None:
    first, second = ((0, 1, 2), (0, 2)) if wider_first else ((2, 0), (0, 1, 2))

    class M(Model):
        def __init__(self) -> None:
            self.hits = Array(3, Range(0, 9))

        @fault("hit", budget=2)
        @action(call=first)
        def push(self, call: int) -> None:
            self.hits[call] += 1

        @fault("hit", budget=2)
        @action(call=second)
        def pull(self, call: int) -> None:
            self.hits[call] += 1

    states = reached(lift(M()))
    assert len(states) == 27
    assert all(list(s["hits"]) == _in_order(s["spent hit"]) for s in states)


def _in_order(spent: Any) -> list[int]:
    return [spent[str(call)] for call in range(3)] if isinstance(spent, dict) else list(spent)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (Settings({"los": 1}), "The fault 'los' is not known. Did you mean loss?"),
        (Settings({"clock_jump": 1}), "The fault 'clock_jump' is not known. Did you mean clock-jump"),
        (Settings(only=frozenset({"GLITCH"})), "The fault 'GLITCH' is not known. Did you mean glitch?"),
        (Settings({"quux": 1}), "The fault 'quux' is not known. There is: clock-jump, glitch, loss."),
        (Settings({"loss": -1}), "the budget of the fault 'loss' is -1.\n    Give a whole number from 0 on"),
        (Settings({"loss": True}), "the budget of the fault 'loss' is True."),
        (Settings(most_faults=-1), "the largest number of faults in all is -1."),
        (Settings({"loss": 2**41}), "too wide"),
        (Settings(without=frozenset({"echo"})), "The safeguard 'echo' is not known. There is: none."),
    ],
)
def test_settings_that_have_no_meaning_are_refused(settings: Settings, words: str) -> None:
    with pytest.raises(ModelError) as caught:
        lift(Net(), settings)
    assert words in str(caught.value)


def _refusal(model: type[Model]) -> str:
    with pytest.raises(ModelError, match=r"test_budgets\.py:\d+: ") as caught:
        lift(model())
    return str(caught.value)


def test_a_fault_with_two_budgets_is_refused() -> None:
    class M(Net):
        @fault("loss", budget=1)
        @action
        def lose_all(self) -> None:
            """Nothing."""

    assert "the fault 'loss' has two budgets." in _refusal(M)


def test_a_fault_counted_in_two_ways_is_refused() -> None:
    class M(Net):
        @fault("loss", budget=2)
        @action
        def lose_all(self) -> None:
            """Nothing."""

    assert "the fault 'loss' is counted per call here and per None there." in _refusal(M)


def test_a_fault_counted_per_what_the_action_does_not_take_is_refused_with_the_nearest() -> None:
    class M(Net):
        @fault("noise", per="sides")
        @action(side=(0, 1))
        def noise(self, side: int) -> None:
            """Nothing."""

    words = "the fault 'noise' is counted per sides, and noise has no values for that."
    assert words + "\n    The parameter 'sides' is not known. Did you mean side?" in _refusal(M)


def test_a_fault_that_is_no_action_is_refused() -> None:
    class M(Net):
        @fault("noise")
        def noise(self) -> None:
            """Nothing."""

    assert "noise is marked as a fault, and not as an action.\n    Add @action to @fault." in _refusal(M)

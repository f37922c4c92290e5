"""What an author says of the lanes of an action: filled in, by outcome, refused where it names what is not there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fenceproof.model import Array, Bool, Model, ModelError, Range, action, choose, fault, require
from fenceproof.model.instances import with_numbers
from fenceproof.model.lift import lift
from fenceproof.model.system import Transition
from fenceproof.model.text import as_text
from fenceproof.specs.variants import VARIANTS


def _hops(outcome: str | None = None, **given: Any) -> list[tuple[str, str]]:
    return [(hop.sender, hop.receiver) for hop in _lanes(given, outcome)]


def _lanes(given: dict[str, Any], outcome: str | None) -> Any:
    transition = lift(_model(**given)).transitions[1]
    assert transition.lanes is not None
    return transition.lanes.hops(transition.args, outcome)


def _model(**given: Any) -> Model:
    class M(Model):
        def __init__(self) -> None:
            self.done = Array(2, Bool())

        @fault("slip")
        @action(client=2, **given)
        def go(self, client: int) -> str:
            require(not self.done[client])
            self.done[client] = True
            return choose(["won", "lost"], label="luck")

    return M()


@pytest.mark.parametrize(
    ("given", "outcome", "hops"),
    [
        ({"sender": "a"}, None, [("a", "a")]),
        ({"sender": "a", "receiver": "a"}, None, [("a", "a")]),
        ({"sender": "client {client}", "receiver": "{luck}"}, None, [("client 0", "lost")]),
        ({"sender": "a", "receiver": ("b", "c")}, None, [("a", "b"), ("b", "c")]),
        ({"sender": "a", "receiver": ("a", "c")}, None, [("a", "a"), ("a", "c")]),
        ({"sender": "a", "receiver": ["b", ("c", "d")]}, None, [("a", "b"), ("a", "c"), ("c", "d")]),
        ({"sender": "a", "receiver": {"won": "b", None: "c"}}, "won", [("a", "b")]),
        ({"sender": "a", "receiver": {"won": "b", None: "c"}}, "lost", [("a", "c")]),
        ({"sender": "a", "receiver": {"won": "b", "": "c"}}, None, [("a", "c")]),
        ({"sender": "a", "receiver": {"won": "b"}}, "lost", [("a", "a")]),
        ({"receiver": "b"}, None, [("b", "b")]),
        ({"sender": {"won": "a"}}, "lost", []),
    ],
)
def test_lanes_are_handed_on_as_their_author_says(
    given: dict[str, Any], outcome: str | None, hops: list[tuple[str, str]]
) -> None:
    assert _hops(outcome, **given) == hops


def test_each_of_several_receivers_is_reached_by_a_way_of_its_own() -> None:
    hops = _lanes({"sender": "a", "receiver": ["b", ("c", "d")]}, None)
    assert [(hop.is_first, hop.is_last) for hop in hops] == [(True, True), (True, False), (False, True)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sender": "client {clinet}"}, "the argument 'clinet' is not known. Did you mean client?"),
        ({"sender": "a", "receiver": {"won": ["{client.real}"]}}, "the argument 'client.real' is not known."),
        ({"sender": 3}, "sender is 3, which names no lane."),
        ({"sender": "a", "receiver": ["b", ("c", "")]}, "receiver is ('c', ''), which names no lane."),
        ({"sender": "a", "receiver": ()}, "receiver is (), which names no lane."),
        ({"sender": "a", "receiver": {1: "b"}}, "receiver is given for the outcome 1, and an outcome is text."),
        ({"sender": {None: "a", "": "b"}}, "sender is given twice for any other outcome"),
    ],
)
def test_lanes_that_name_nothing_are_refused_with_the_line(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError) as caught:
        lift(_model(**given))
    assert said in str(caught.value)
    assert "test_lanes.py:" in str(caught.value)


def test_a_parameter_called_sender_or_receiver_takes_its_values_as_any_other() -> None:
    class Mail(Model):
        def __init__(self) -> None:
            self.n = Range(0, 1)

        @action(sender=("ann", "bob"), receiver="post of {sender}")
        def send(self, sender: str) -> str:
            self.n = 1
            return sender

        @action(sender="to {receiver}", receiver=2)
        def get(self, receiver: int) -> None:
            self.n = receiver

    transitions = lift(Mail()).transitions
    assert [t.args for t in transitions] == [{"sender": "ann"}, {"sender": "bob"}, {"receiver": 0}, {"receiver": 1}]
    assert [_first(t).sender for t in transitions] == ["post of ann", "post of bob", "to 0", "to 1"]


def _first(transition: Transition) -> Any:
    assert transition.lanes is not None
    return transition.lanes.hops(transition.args, None)[0]


def test_lanes_change_neither_the_text_of_a_system_nor_what_equals_what() -> None:
    plain, drawn = lift(_model()), lift(_model(sender="a"))
    assert as_text(plain) == as_text(drawn)
    assert plain.transitions[0].lanes is None and drawn.transitions[0].lanes is not None
    assert replace(drawn.transitions[0], lanes=None) == drawn.transitions[0]


def test_the_shipped_protocol_names_its_parties_and_keeps_them_for_epochs_without_end() -> None:
    system = with_numbers(lift(VARIANTS["two-planners"].model(epochs="any")), [1, 2])
    found: dict[str, set[str]] = {}
    for t in system.transitions:
        assert t.lanes is not None, t.called
        found.setdefault(t.action, set()).update(
            " > ".join([hop.sender, hop.receiver]) for o in t.outcomes for hop in t.lanes.hops(t.args, o)
        )
    parties = {party for hops in found.values() for hop in hops for party in hop.split(" > ")}
    assert parties == {"Planner", "EpochMap", "ToolPath", "Compensator", "Second planner"}
    assert found["dispatch"] == {"Planner > ToolPath", "Planner > Compensator"}
    assert found["execute_again"] == found["lose"] == {"ToolPath > ToolPath"}
    assert found["deliver_compensation"] == {"Compensator > Planner", "Planner > EpochMap"}
    assert found["clock_jump"] == {"Planner > Planner", "Planner > EpochMap"}
    assert found["second_deliver"] == {"ToolPath > Second planner", "Second planner > EpochMap"}


def test_a_planner_that_finds_nothing_to_do_at_a_deadline_tells_nobody() -> None:
    deadline = next(t for t in lift(VARIANTS["fenced"].model()).transitions if t.action == "deadline")
    assert deadline.lanes is not None
    assert [hop.receiver for hop in deadline.lanes.hops(deadline.args, "ignored")] == ["Planner"]
    assert [hop.receiver for hop in deadline.lanes.hops(deadline.args, "bump")] == ["Planner", "EpochMap"]

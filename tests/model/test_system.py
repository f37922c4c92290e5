"""A state is shown as an author would write it down, and read back; what does not fit is refused."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import pytest
from fenceproof.model.errors import FormatError
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take
from fenceproof.model.system import State, TransitionSystem, Variable
from hypothesis import given, settings
from hypothesis import strategies as st
from mail import Mail
from toys import counter


@functools.cache
def mail() -> TransitionSystem:
    return lift(Mail())


def test_each_variable_takes_the_slots_of_its_kind_one_after_the_other() -> None:
    system = mail()
    assert [(v.name, str(v.kind), v.first) for v in system.variables] == [
        ("last", "Maybe(Letter(to=Range(0, 1), tone=Choice('kind', 'stern')))", 0),
        ("under_way", "Set(Letter(to=Range(0, 1), tone=Choice('kind', 'stern')))", 3),
        ("read", "Array(2, Range(0, 2))", 7),
        ("spent loss", "Range(0, 1)", 9),
    ]
    assert [slot.name for slot in system.slots] == [
        "last?",
        "last.to",
        "last.tone",
        "under_way{Letter(to=0, tone='kind')}",
        "under_way{Letter(to=0, tone='stern')}",
        "under_way{Letter(to=1, tone='kind')}",
        "under_way{Letter(to=1, tone='stern')}",
        "read[0]",
        "read[1]",
        "spent loss",
    ]


def test_a_state_is_decoded_by_the_authors_names() -> None:
    assert mail().decode((1, 1, 0, 0, 0, 1, 1, 2, 0, 1)) == {
        "last": {"to": 1, "tone": "kind"},
        "under_way": [{"to": 1, "tone": "kind"}, {"to": 1, "tone": "stern"}],
        "read": [2, 0],
        "spent loss": 1,
    }


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 9), max_size=10))
def test_encoding_what_was_decoded_gives_the_same_state(choices: list[int]) -> None:
    system = mail()
    state: State = system.initial[0]
    for number in choices:
        possible = enabled(system, state)
        after = take(system.transitions[possible[number % len(possible)]], state).state if possible else None
        state = after if after is not None else state
        shown = system.decode(state)
        assert system.encode(shown) == state
        assert system.encode(dict(reversed(shown.items()))) == state


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "there is no value of the variable n."),
        ({"n": 4}, "n: 4 is not a value of Range(0, 3)"),
        ({"n": None}, "n: None is not a value of Range(0, 3)"),
        ({"n": 0, "m": 0}, "The variable 'm' is not known. There is: n."),
        ({"N": 0}, "The variable 'N' is not known. Did you mean n?"),
    ],
)
def test_a_state_that_is_none_is_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(FormatError) as caught:
        counter(3).encode(values)
    assert str(caught.value) == words


def test_a_variable_that_may_be_none_must_still_be_given() -> None:
    values = mail().decode(mail().initial[0])
    assert values.pop("last") is None
    with pytest.raises(FormatError, match="no value of the variable last"):
        mail().encode(values)


def test_the_arguments_of_a_transition_are_its_parameters_and_its_choices() -> None:
    args = [(t.action, t.args) for t in mail().transitions]
    assert len(args) == 2 * 2 + 4 + 1
    assert args[1] == ("send", {"to": 0, "tone": "stern"})
    assert args[4] == ("deliver", {"letter": {"to": 0, "tone": "kind"}})
    assert args[8] == ("lose", {})


def test_a_system_tells_where_it_comes_from() -> None:
    system = mail()
    assert (system.name, system.parameters) == ("Mail", {"boxes": 2})
    assert (system.faults, system.most_faults, system.without) == ({"loss": 1}, None, ())
    assert system.meaning == "Letters are sent, read, and sometimes lost."
    assert str(system.site).partition(":")[0].endswith("toys/mail.py")
    assert [p.meaning for p in system.step_properties] == ["No letter is unread again."]


def test_a_lifted_system_cannot_be_changed() -> None:
    system = mail()
    for thing, attribute in ((system, "initial"), (system.transitions[0], "guard"), (system.variables[0], "first")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(thing, attribute, None)
    assert isinstance(system.variables, tuple) and isinstance(system.variables[0], Variable)

"""What an author says of a step: by outcome, with arguments and the state filled in; refused where it names nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import pytest
from fenceproof.model import (
    Array,
    Bool,
    Map,
    Maybe,
    Model,
    ModelError,
    Range,
    Record,
    Set,
    Step,
    action,
    choose,
    invariant,
    quiescent,
    require,
    step_property,
)
from fenceproof.model.lift import lift
from fenceproof.model.step import take
from fenceproof.model.text import as_text
from fenceproof.specs.variants import VARIANTS


class Job(Record):
    size = Range(0, 3)
    urgent = Bool()


def _model(**given: Any) -> Model:
    class M(Model):
        def __init__(self) -> None:
            self.done = Array(2, Bool())
            self.jobs = Map(("a", "b"), Maybe(Job()))
            self.held = Set(Range(0, 1))

        @action(client=2, key=("a",), **given)
        def go(self, client: int, key: Literal["a", "b"]) -> str | None:
            require(not self.done[client])
            self.done[client] = True
            self.jobs[key] = Job.of(size=client + 1, urgent=True)
            return choose(["won", "lost", None], label="luck")

    return M()


def _said(says: object, position: int) -> str | None:
    system = lift(_model(says=says))
    transition = system.transitions[position]
    step = take(transition, system.initial[0])
    assert step.state is not None and transition.says is not None
    return transition.says.sentence(transition.args, step.outcome, system.decode(step.state))


@pytest.mark.parametrize(
    ("says", "sentences"),
    [
        ("{client} {key} {luck}", ["1 a won", "1 a lost", "1 a none"]),
        ("{done[client]} {done[0]}", ["true false"] * 3),
        ("{jobs[key].size} {jobs[key].urgent} {jobs[b].size}", ["2 true none"] * 3),
        ({"won": "W", None: "other"}, ["W", "other", "other"]),
        ({"won": "W", "": "other"}, ["W", "other", "other"]),
        ({"won": "W {client}"}, ["W 1", None, None]),
    ],
)
def test_a_sentence_has_arguments_and_the_state_after_the_step(says: object, sentences: list[str | None]) -> None:
    assert [_said(says, position) for position in (3, 4, 5)] == sentences


@pytest.mark.parametrize(
    ("says", "message"),
    [
        ("{clinet}", "the argument or variable 'clinet' is not known. Did you mean client?"),
        ("{done[2]}", "in 'done[2]', the part '2' is not known."),
        ("{jobs[key].sise}", "in 'jobs[key].sise', the part 'sise' is not known. Did you mean size?"),
        ("{done.size}", "'done.size' asks for the field size of Array(2, Bool())."),
        ("{done[0][1]}", "'done[0][1]' asks for the item [1] of Bool()."),
        ("{jobs[a]}", "'jobs[a]' is a Maybe(Job("),
        ("{held}", "'held' is a Set(Range(0, 1)), and not one value."),
        ("so { that }", "' that ' names no value."),
        ({"won": "{done}"}, "'done' is a Array(2, Bool()), and not one value."),
        (3, "says is 3, which says nothing."),
        (" ", "says is ' ', which says nothing."),
        ({1: "x"}, "says is given for the outcome 1, and an outcome is text."),
        ({None: "x", "": "y"}, "says is given twice for any other outcome"),
    ],
)
def test_a_sentence_that_names_nothing_is_refused_with_the_line(says: object, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        lift(_model(says=says))
    assert message in str(caught.value)
    assert "test_says.py:" in str(caught.value)


def test_a_parameter_called_says_takes_its_values_as_any_other() -> None:
    class Mail(Model):
        def __init__(self) -> None:
            self.n = Range(0, 1)

        @action(says=("hello", "bye"))
        def send(self, says: str) -> str:
            self.n = 1
            return says

    transitions = lift(Mail()).transitions
    assert [t.args for t in transitions] == [{"says": "hello"}, {"says": "bye"}]
    assert transitions[0].says is None


def _judged(**given: Any) -> type[Model]:
    class J(Model):
        def __init__(self) -> None:
            self.n = Range(0, 1)

        @action(by=(1,))
        def up(self, by: int) -> None:
            self.n = by

        @action
        def down(self) -> None:
            self.n = 0

        @invariant(says=given.get("state"))
        def low(self) -> bool:
            return self.n == 0

        @quiescent(says=given.get("rest"))
        def rests(self) -> bool:
            return self.n == 0

        @step_property(says=given.get("step"))
        def still(self, step: Step) -> bool:
            return step.action == "down" or step.after.n == step.before.n

    return J


def test_a_property_says_how_it_is_violated_by_the_state_or_the_step() -> None:
    system = lift(_judged(state="n is {n}", rest="n rests at {n}", step="n goes up by {by} to {n}")())
    low, rests = (i.says for i in system.invariants)
    (still,) = (p.says for p in system.step_properties)
    assert low is not None and rests is not None and still is not None
    assert low.sentence({}, None, {"n": 1}) == "n is 1"
    assert rests.sentence({}, None, {"n": 0}) == "n rests at 0"
    assert still.sentence({"by": 1}, None, {"n": 1}) == "n goes up by 1 to 1"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"state": "{by}"}, "In '{by}', which low says, the argument or variable 'by' is not known."),
        ({"rest": "{m}"}, "In '{m}', which rests says, the argument or variable 'm' is not known."),
        ({"step": "{m}"}, "In '{m}', which still, of up(by=1), says, the argument or variable 'm' is not known."),
        ({"step": 1}, "says is 1, which says nothing."),
    ],
)
def test_a_property_that_says_what_names_nothing_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        lift(_judged(**given)())
    assert message in str(caught.value)
    assert "test_says.py:" in str(caught.value)


def test_what_is_said_changes_neither_the_text_of_a_system_nor_what_equals_what() -> None:
    plain, told = lift(_model()), lift(_model(says="so"))
    assert as_text(plain) == as_text(told)
    assert replace(told.transitions[0], says=None) == told.transitions[0]


def test_every_step_of_the_shipped_protocol_has_a_sentence_for_each_outcome() -> None:
    for name in ("fenced", "no-outbox", "two-planners", "wait", "folded-retry"):
        system = lift(VARIANTS[name].model())
        after = system.decode(system.initial[0])
        for transition in system.transitions:
            assert transition.says is not None, transition.action
            for outcome in transition.outcomes:
                sentence = transition.says.sentence(transition.args, outcome, after)
                assert sentence is not None, (transition.action, outcome)
                assert f"call {transition.args['call']}" in sentence
                assert f"epoch {transition.args.get('epoch', '')}" in sentence or "epoch" not in transition.args

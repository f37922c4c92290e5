"""The Informal Trace Format: what is written is of the format, says the same to another reader, and is read back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from every_kind import Everything
from fenceproof.model import Model, Range, Record, action
from fenceproof.model.errors import FormatError
from fenceproof.model.itf import write_itf
from fenceproof.model.itf_matching import matched
from fenceproof.model.itf_values import from_itf, read_name, to_itf, type_of, written_name
from fenceproof.model.kinds import (
    ArrayKind,
    BagKind,
    BoolKind,
    ChoiceKind,
    Kind,
    MapKind,
    MaybeKind,
    QueueKind,
    RangeKind,
    RecordKind,
    SetKind,
)
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace
from fenceproof.model.tracefile import Form, read, resolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from itf_py import trace_from_json, value_from_json  # pyright: ignore[reportMissingTypeStubs]
from itf_schema import SCHEMA
from jsonschema import Draft202012Validator
from mail import Mail
from random_kinds import random_kinds
from toys import clock

VALID: Any = Draft202012Validator(SCHEMA)
OFTEN = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,  # each example writes its file anew, in the folder of its test
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


class Color(Enum):
    RED = 1
    BLUE = 2


class Owner(Record):
    pass


CONSTANTS: list[Any] = ["a", "1", 1, -2, True, "None", "#set", '«\n"', Color.RED, Color.BLUE, ""]
SCALARS = st.one_of(
    st.just(BoolKind()),
    st.builds(RangeKind, st.integers(-(2**39), 0), st.integers(1, 2**39)),
    st.lists(st.sampled_from(CONSTANTS), min_size=1, max_size=4, unique_by=repr).map(ChoiceKind),
)
ELEMENTS = st.one_of(
    st.just(BoolKind()),
    st.builds(RangeKind, st.integers(-3, 0), st.integers(1, 12)),
    st.lists(st.sampled_from(CONSTANTS), min_size=1, max_size=4, unique_by=repr).map(ChoiceKind),
    st.just(RecordKind(Owner, {"a": RangeKind(-1, 1), "b": ChoiceKind(["x", 1])})),
).flatmap(lambda kind: st.sampled_from([kind, MaybeKind(kind)]))
#: A field or a variable may have any name that an attribute may be given.
NAMES = st.text(st.sampled_from('#_ab"\n'), min_size=1, max_size=4)


def larger(inner: st.SearchStrategy[Kind]) -> st.SearchStrategy[Kind]:
    keys = st.lists(st.sampled_from(["a", "b", -7, 10, 2, Color.RED, None, True]), max_size=4, unique=True)
    return st.one_of(
        inner.filter(lambda kind: not isinstance(kind, MaybeKind)).map(MaybeKind),
        st.builds(ArrayKind, st.integers(0, 12), inner),
        st.builds(MapKind, keys, inner),
        st.builds(SetKind, ELEMENTS),
        st.builds(BagKind, ELEMENTS, st.integers(1, 3)),
        st.builds(QueueKind, inner, st.integers(1, 3)),
        st.dictionaries(NAMES, inner, min_size=1, max_size=3).map(lambda fields: RecordKind(Owner, fields)),
    )


KINDS: st.SearchStrategy[Kind] = st.recursive(SCALARS, larger, max_leaves=4)


def value_of(draw: st.DrawFn, kind: Kind) -> Any:
    """A value of a kind as a trace file has it."""
    match kind:
        case BoolKind():
            return draw(st.booleans())
        case RangeKind():
            return draw(st.integers(kind.lo, kind.hi))
        case ChoiceKind():
            return kind.to_json([draw(st.integers(0, len(kind.values) - 1))])
        case MaybeKind():
            return value_of(draw, kind.inner) if draw(st.booleans()) else None
        case ArrayKind():
            return [value_of(draw, kind.item) for _ in kind.keys]
        case MapKind():
            return {name: value_of(draw, kind.item) for name in kind.to_json(kind.default())}  # type: ignore[attr-defined]
        case SetKind():
            return [value_of(draw, kind.item) for _ in range(draw(st.integers(0, 3)))]
        case BagKind():
            return [value_of(draw, kind.item) for _ in range(draw(st.integers(0, kind.most)))]
        case QueueKind():
            return [value_of(draw, kind.item) for _ in range(draw(st.integers(0, kind.capacity)))]
        case RecordKind():
            return {name: value_of(draw, inner) for name, inner in kind.fields.items()}
        case _:
            raise AssertionError(kind)


@st.composite
def values(draw: st.DrawFn) -> tuple[Kind, Any]:
    kind = draw(KINDS)
    return kind, kind.to_json(kind.encode(value_of(draw, kind)))


@settings(OFTEN, max_examples=150)
@given(values())
def test_a_value_of_any_kind_is_of_the_format_and_comes_back(drawn: tuple[Kind, Any]) -> None:
    kind, plain = drawn
    written = json.loads(json.dumps(to_itf(kind, plain)))
    VALID.evolve(schema={"$ref": "#/$defs/value", "$defs": SCHEMA["$defs"]}).validate(written)
    back = from_itf(kind, written)
    assert json.dumps(back) == json.dumps(plain) or kind.encode(back) == kind.encode(plain)
    assert kind.to_json(kind.encode(back)) == plain


@settings(OFTEN, max_examples=100)
@given(st.dictionaries(NAMES, st.just(0)))
def test_names_stay_apart_and_never_begin_as_what_means_something(names: dict[str, int]) -> None:
    written = [written_name(name) for name in names]
    assert [read_name(name) for name in written] == list(names)
    assert not any(name.startswith("#") for name in written)


def other(kind: Kind, plain: Any) -> Any:
    """A value as a reader in Python has it: what `itf_py` is to give, said without the format."""
    match kind:
        case MaybeKind():
            return frozenset(() if plain is None else [other(kind.inner, plain)])
        case ArrayKind():
            return {i: other(kind.item, item) for i, item in enumerate(plain)}
        case MapKind():
            return {
                key.name if isinstance(key, Enum) else key: other(kind.item, plain[_text(key)]) for key in kind.keys
            }
        case SetKind():
            return frozenset(other(kind.item, item) for item in plain)
        case BagKind():
            elements = [other(kind.item, item) for item in plain]
            return {element: elements.count(element) for element in elements}
        case QueueKind():
            return [other(kind.item, item) for item in plain]
        case RecordKind():
            return tuple(other(inner, plain[name]) for name, inner in kind.fields.items())
        case _:
            return plain


def _text(key: Any) -> str:
    return key.name if isinstance(key, Enum) else str(key)


@cache
def everything() -> TransitionSystem:
    return lift(Everything())


@cache
def drawn_system(seed: int) -> TransitionSystem:
    return lift(random_kinds(seed))


def walk(system: TransitionSystem, choices: list[int]) -> Trace:
    """The trace that takes, in each state, the enabled transition that a number picks; none that goes wrong."""
    states, taken = [system.initial[choices[0] % len(system.initial)]], list[int]()
    for number in choices[1:]:
        steps = [(i, take(system.transitions[i], states[-1]).state) for i in enabled(system, states[-1])]
        possible = [(i, after) for i, after in steps if after is not None]
        if not possible:
            break
        position, after = possible[number % len(possible)]
        taken.append(position)
        states.append(after)
    # A lasso where it comes back to where it was.
    loop = states.index(states[-1])
    return Trace(tuple(states), tuple(taken), loop if loop < len(taken) else None)


@OFTEN
@given(st.integers(0, 60), st.lists(st.integers(0, 9), min_size=1, max_size=10))
def test_a_trace_of_a_random_model_is_of_the_format_says_the_same_to_another_reader_and_comes_back(
    seed: int, choices: list[int]
) -> None:
    system = everything() if seed == 0 else drawn_system(seed)
    trace = walk(system, choices)
    text = write_itf(system, trace, "a.py", None)
    document = json.loads(text)
    VALID.validate(document)

    Path("t.itf.json").write_text(text)
    file = read(Path("t.itf.json"))
    assert resolve(system, file) == trace
    assert (file.form, file.target, file.model, file.faults) == (Form.ITF, "a.py", system.name, system.faults)

    seen = trace_from_json(document)
    kinds = {v.name: v.kind for v in system.variables}
    assert (seen.vars, seen.loop, len(seen.states)) == (list(kinds), trace.loop, len(trace.states))
    for index, (state, found) in enumerate(zip(trace.states, seen.states, strict=True)):
        plain: dict[str, Any] = system.decode(state)
        assert found.meta["index"] == index
        assert found.values == {name: other(kind, plain[name]) for name, kind in kinds.items()}


@OFTEN
@given(st.integers(1, 60), st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_states_that_another_program_wrote_are_found_in_the_model(seed: int, choices: list[int]) -> None:
    system = drawn_system(seed)
    trace = walk(system, choices)
    document = json.loads(write_itf(system, trace, "a.py", None))
    counters = [name for name in document["vars"] if name.startswith("spent ")]
    for part in (document, *document["states"]):
        part.pop("#meta")
        for name in counters:
            part.pop(name, None)
    document["vars"] = [name for name in document["vars"] if name not in counters]
    document.pop("loop", None)
    Path("t.itf.json").write_text(json.dumps(document))
    file = read(Path("t.itf.json"))
    found, several = matched(system, [file.initial, *(step["state"] for step in file.steps)])
    shown = [{n: v for n, v in system.decode(s).items() if n not in counters} for s in found.states]
    assert shown == [{n: v for n, v in system.decode(s).items() if n not in counters} for s in trace.states]
    assert several or found.transitions == trace.transitions


def test_every_kind_is_written_as_apalache_writes_it() -> None:
    system = everything()
    trace = walk(system, [0, 0, 2])
    document = json.loads(write_itf(system, trace, "a.py", "fine"))
    assert document["#meta"]["format"] == "ITF"
    assert document["#meta"]["description"] == "Created by fenceproof: a counterexample to fine of a.py"
    assert document["#meta"]["varTypes"] == {
        "flag": "Bool",
        "level": "Int",
        "word": "Str",
        "color": "Str",
        "holder": "Set(Int)",
        "cells": "Int -> Int",
        "ages": "Str -> Bool",
        "by_color": "Str -> Int",
        "members": "Set(Str)",
        "bag": "Int -> Int",
        "queue": "Seq(Str)",
        "last": "Set({ to: Int, body: Str })",
        "sent": "Set({ to: Int, body: Str })",
        "spent slip": "Str -> Int",
    }
    number = [{"#bigint": str(n)} for n in range(3)]
    assert document["states"][1]["#meta"] == {
        "index": 1,
        "action": "rise",
        "args": {"client": 0},
        "outcome": "higher",
        "fault": None,
    }
    last = document["states"][2]
    assert last["#meta"]["fault"] == "slip"
    assert last["cells"] == {"#map": [[number[0], number[1]], [number[1], number[0]]]}
    assert last["by_color"]["#map"] in ([["BLUE", number[n]], ["RED", number[1 - n]]] for n in (0, 1))
    assert last["holder"] == {"#set": []}
    assert last["bag"] == {"#map": [[number[0], number[1]]]}
    assert last["queue"] == ["a"]
    assert last["last"] == {"#set": [{"to": number[1], "body": "answer"}]}


def test_numbers_are_sorted_as_numbers_and_what_apalache_has_no_type_for_is_left_out() -> None:
    assert to_itf(SetKind(RangeKind(-1, 12)), [10, 9, -1]) == {"#set": [{"#bigint": n} for n in ("-1", "9", "10")]}
    assert type_of(ChoiceKind(["a", 1])) is None
    assert type_of(SetKind(ChoiceKind([True, 1]))) is None
    assert type_of(ArrayKind(2, BagKind(BoolKind(), 2))) == "Int -> (Bool -> Int)"


def valid() -> Any:
    system = lift(Mail())
    return json.loads(write_itf(system, walk(system, [0, 0, 2, 3]), "mail.py", None))


def _in(*place: Any) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        *path, last, value = place
        for key in path:
            document = document[key]
        document[last] = value

    return change


BAD: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no states": (_in("states", []), "'states' is a list of one state or more"),
    "states of another form": (_in("states", {}), "'states' is a list of one state or more"),
    "vars of another form": (_in("vars", ["boxes", 1]), "'vars' is a list of names"),
    "a state that is none": (_in("states", 1, 3), "state 1 is not an object"),
    "a #meta that is none": (_in("states", 1, "#meta", []), "state 1 has a #meta that is not an object"),
    "a variable too many": (_in("states", 1, "other", True), "state 1 and 'vars' do not have the same names: 'other'"),
    "our #meta of another form": (_in("#meta", "fenceproof", 7), "its #meta has 7 for 'fenceproof'"),
    "our #meta without a field": (lambda d: d["#meta"]["fenceproof"].pop("model"), "the trace has no 'model'"),
    "our #meta with another": (_in("#meta", "fenceproof", "modle", "M"), "'modle'"),
    "another version": (_in("#meta", "fenceproof", "version", 2), "version 2"),
    "no action": (lambda d: d["states"][2]["#meta"].pop("action"), "step 2 has None for 'action'"),
    "another action": (
        _in("states", 1, "#meta", "action", "sned"),
        "step 1: The action 'sned' is not known. Did you mean send",
    ),
    "another outcome": (_in("states", 1, "#meta", "outcome", "x"), "step 1: send has the outcome"),
    "a loop beyond the end": (_in("loop", 9), "the loop goes back to state 9, and there are 4 states"),
    "a loop that is none": (_in("loop", "0"), "'0' for 'loop'"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_not_of_the_format_is_refused_with_the_place(name: str) -> None:
    change, said = BAD[name]
    document = valid()
    change(document)
    Path("t.itf.json").write_text(json.dumps(document))
    with pytest.raises(FormatError) as caught:
        resolve(lift(Mail()), read(Path("t.itf.json")))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (RangeKind(0, 3), {"#bigint": "1" * 21}, "is not a number of at most 20 digits"),
        (RangeKind(0, 3), {"#bigint": "٣"}, "is not a number of at most 20 digits"),
        (RangeKind(0, 3), {"#bigint": 3}, "is not a number of at most 20 digits"),
        (RangeKind(0, 3), {"#bigint": "4"}, "4 is not a value of Range(0, 3)"),
        (RangeKind(0, 3), True, "True is not a value of Range(0, 3)"),
        (BoolKind(), 1, "1 is not a value of Bool()"),
        (BoolKind(), None, "None is not text, a number or a truth value"),
        (MaybeKind(BoolKind()), {"#set": [True, True]}, "is a set of 2, and not of none or one"),
        (MaybeKind(BoolKind()), [True], "is not an object"),
        (SetKind(BoolKind()), {"#set": [True], "#map": []}, "is not written as"),
        (ArrayKind(1, BoolKind()), {"#map": [[0, True], [{"#bigint": "00"}, True]]}, "or stands there twice"),
        (ArrayKind(1, BoolKind()), {"#map": [[False, True]]}, "False is not a key of"),
        (ArrayKind(2, BoolKind()), {"#map": [[0, True]]}, "has 1 of the 2 keys"),
        (ArrayKind(1, BoolKind()), {"#map": [[0, True, 1]]}, "is not a pair"),
        (MapKind(["a"], BoolKind()), {"#map": [["b", True]]}, "'b' is not a key of"),
        (BagKind(BoolKind(), 2), {"#map": [[True, 3]]}, "3 is not how often"),
        (BagKind(BoolKind(), 2), {"#map": [[True, 10**15]]}, "is not how often"),
        (BagKind(BoolKind(), 2), {"#map": [[True, 1], [True, 1]]}, "stands twice in a bag"),
        (QueueKind(BoolKind(), 1), {"#tup": [True]}, "is not a list"),
        (RecordKind(Owner, {"a": BoolKind()}), {"a": True, "b": True}, "has not the fields of"),
    ],
)
def test_what_is_no_value_of_its_kind_is_refused_with_the_reason(kind: Kind, value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        kind.encode(from_itf(kind, value))


def test_plain_numbers_are_read_as_the_format_allows() -> None:
    assert from_itf(ArrayKind(2, RangeKind(-3, 3)), {"#map": [[1, -3], [0, {"#bigint": "2"}]]}) == [2, -3]
    assert value_from_json({"#bigint": "-3"}) == -3


def test_a_lasso_whose_closing_step_another_program_left_out_is_closed() -> None:
    states: list[dict[str, object]] = [
        {v.name: to_itf(v.kind, x) for v, x in _decoded(clock(), s)} for s in ((0,), (1,))
    ]
    found, several = matched(clock(), states, loop=0)
    assert (found, several) == (Trace(((0,), (1,), (0,)), (0, 0), loop=0), False)


def _decoded(system: TransitionSystem, state: tuple[int, ...]) -> list[tuple[Any, object]]:
    plain = system.decode(state)
    return [(v, plain[v.name]) for v in system.variables]


class Twins(Model):
    """Two actions that do the same."""

    def __init__(self) -> None:
        self.n = Range(0, 2)

    @action
    def left(self) -> None:
        self.n = 1

    @action
    def right(self) -> None:
        self.n = 1


def test_states_that_several_behaviours_have_are_said_to_be_and_those_of_none_are_refused() -> None:
    system = lift(Twins())
    found, several = matched(system, [{"n": 0}, {"n": 1}])
    assert (found.transitions, several) == ((0,), True)
    with pytest.raises(FormatError, match="step 1: no action of the model leads to the state"):
        matched(system, [{"n": 0}, {"n": 2}])
    with pytest.raises(FormatError, match="begins in a state that is not an initial state"):
        matched(system, [{"n": 1}])
    with pytest.raises(FormatError, match="there is no value of the variable n"):
        matched(system, [{}])
    with pytest.raises(FormatError, match="'m' is not known"):
        matched(system, [{"n": 0, "m": 0}])

"""What a variable may hold: how values lie in slots, are written as JSON, and come back as they were."""

from __future__ import annotations

import enum
import itertools
import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from fenceproof.model.constants import Alternatives
from fenceproof.model.declarations import Record
from fenceproof.model.errors import FormatError, ModelError
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
    product,
)
from fenceproof.model.layout import Slot
from hypothesis import given, settings
from hypothesis import strategies as st


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Pair(Record):
    """Any record: the tests give its fields."""


PAIR = RecordKind(Pair, {"to": RangeKind(1, 2), "ok": BoolKind()})
CONSTANTS = st.one_of(st.text(max_size=2), st.integers(-3, 3), st.booleans(), st.sampled_from(Color))


def _range(lo: int, more: int) -> RangeKind:
    return RangeKind(lo, lo + more)


ranges = st.builds(_range, st.integers(-(2**39), 2**39), st.integers(0, 5))
choices = st.lists(CONSTANTS, min_size=1, max_size=4, unique_by=repr).map(ChoiceKind)
scalars = st.one_of(st.builds(BoolKind), ranges, choices)
records = st.dictionaries(st.sampled_from("abc"), scalars, min_size=1).map(lambda fields: RecordKind(Pair, fields))
elements = st.one_of(scalars, scalars.map(MaybeKind), records)


def _nest(kinds: st.SearchStrategy[Kind]) -> st.SearchStrategy[Kind]:
    keys = st.lists(st.one_of(st.text(max_size=2), st.sampled_from(Color)), max_size=3, unique_by=str)
    return st.one_of(
        kinds.filter(lambda kind: not isinstance(kind, MaybeKind)).map(MaybeKind),
        st.builds(ArrayKind, st.integers(0, 3), kinds),
        st.builds(MapKind, keys, kinds),
        st.builds(QueueKind, kinds, st.integers(1, 3)),
        st.dictionaries(st.sampled_from("abc"), kinds, min_size=1).map(lambda fields: RecordKind(Pair, fields)),
    )


leaves = st.one_of(scalars, st.builds(SetKind, elements), st.builds(BagKind, elements, st.integers(1, 4)))
kinds: st.SearchStrategy[Kind] = st.recursive(leaves, _nest, max_leaves=4)


def values(kind: Kind) -> st.SearchStrategy[Any]:
    """Python values of a kind."""
    match kind:
        case MaybeKind():
            return st.none() | values(kind.inner)
        case ArrayKind():
            return st.lists(values(kind.item), min_size=len(kind.keys), max_size=len(kind.keys))
        case MapKind():
            return st.fixed_dictionaries({key: values(kind.item) for key in kind.keys})
        case SetKind():
            return st.lists(st.sampled_from(kind.universe), max_size=5)
        case BagKind():
            return st.lists(st.sampled_from(kind.universe), max_size=kind.most)
        case QueueKind():
            return st.lists(values(kind.item), max_size=kind.capacity).map(tuple)
        case RecordKind():
            fields: Mapping[str, st.SearchStrategy[Any]] = {name: values(k) for name, k in kind.fields.items()}
            return st.fixed_dictionaries(dict(fields)) | st.builds(Pair.of, **fields)
        case _:
            return st.sampled_from(list(kind.members()))


kinds_with_values = kinds.flatmap(lambda kind: st.tuples(st.just(kind), values(kind)))
ALWAYS = settings(max_examples=300, deadline=None, derandomize=True)


@ALWAYS
@given(kinds_with_values)
def test_a_value_written_as_json_comes_back_to_the_same_slots(case: tuple[Kind, Any]) -> None:
    kind, value = case
    encoded = kind.encode(value)
    assert kind.from_json(json.loads(json.dumps(kind.to_json(encoded))), "v") == encoded


@ALWAYS
@given(kinds_with_values)
def test_a_value_fills_its_slots_and_stays_within_them(case: tuple[Kind, Any]) -> None:
    kind, value = case
    slots = kind.slots("v")
    assert len({slot.name for slot in slots}) == len(slots) == kind.width
    for filled in (kind.encode(value), kind.default(), *kind.starts()):
        assert len(filled) == kind.width
        assert all(slot.lo <= v <= slot.hi for slot, v in zip(slots, filled, strict=True))
    assert kind.encode(kind.to_json(kind.default())) == kind.default()


@ALWAYS
@given(elements)
def test_the_members_of_a_kind_are_all_its_values_once(kind: Kind) -> None:
    found = [kind.encode(member) for member in kind.members()]
    assert len(set(found)) == len(found)
    assert len(found) == kind.size() or isinstance(kind, MaybeKind)
    slots = kind.slots("v")
    combinations = list(itertools.product(*(range(slot.lo, slot.hi + 1) for slot in slots)))
    assert found == combinations


JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.text(max_size=2), st.just(2**80)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=2).map(tuple),
        st.dictionaries(st.sampled_from(["a", "b", "c", "RED"]), inner, max_size=3),
    ),
    max_leaves=6,
)


@ALWAYS
@given(kinds, JSON)
def test_anything_else_is_a_format_error_that_names_the_variable(kind: Kind, value: Any) -> None:
    try:
        encoded = kind.encode(value)
    except ValueError:
        with pytest.raises(FormatError, match=r"^the_variable: "):
            kind.from_json(value, "the_variable")
    else:
        assert all(slot.lo <= v <= slot.hi for slot, v in zip(kind.slots("v"), encoded, strict=True))


def _names(kind: Kind) -> list[str]:
    return [slot.name for slot in kind.slots("v")]


EXAMPLES: dict[str, tuple[Kind, Any, tuple[int, ...], Any, list[str]]] = {
    "Bool()": (BoolKind(), True, (1,), True, ["v"]),
    "Range(-2, 3)": (RangeKind(-2, 3), -1, (-1,), -1, ["v"]),
    "Choice('a', 7, True)": (ChoiceKind(["a", 7, True]), True, (2,), True, ["v"]),
    "Choice(Color.RED, Color.GREEN)": (ChoiceKind(Color), Color.GREEN, (1,), "GREEN", ["v"]),
    "Maybe(Range(0, 3))": (MaybeKind(RangeKind(0, 3)), None, (-1,), None, ["v"]),
    "Maybe(Bool())": (MaybeKind(BoolKind()), False, (0,), False, ["v"]),
    "Maybe(Pair(to=Range(1, 2), ok=Bool()))": (
        MaybeKind(PAIR),
        {"to": 2, "ok": True},
        (1, 2, 1),
        {"to": 2, "ok": True},
        ["v?", "v.to", "v.ok"],
    ),
    "Array(2, Maybe(Bool()))": (
        ArrayKind(2, MaybeKind(BoolKind())),
        [None, True],
        (-1, 1),
        [None, True],
        ["v[0]", "v[1]"],
    ),
    "Map(['x', Color.RED, 3], Range(0, 9))": (
        MapKind(["x", Color.RED, 3], RangeKind(0, 9)),
        {"x": 7, Color.RED: 8, 3: 9},
        (7, 8, 9),
        {"x": 7, "RED": 8, "3": 9},
        ["v['x']", "v[Color.RED]", "v[3]"],
    ),
    "Set(Choice('a', 'b'))": (SetKind(ChoiceKind("ab")), {"b"}, (0, 1), ["b"], ["v{'a'}", "v{'b'}"]),
    "Bag(Range(1, 3), most=4)": (
        BagKind(RangeKind(1, 3), 4),
        [3, 1, 3],
        (1, 0, 2),
        [1, 3, 3],
        ["v{1}", "v{2}", "v{3}"],
    ),
    "Queue(Range(5, 9), capacity=2)": (QueueKind(RangeKind(5, 9), 2), [7], (1, 7, 5), [7], ["len(v)", "v[0]", "v[1]"]),
    "Set(Pair(to=Range(1, 2), ok=Bool()))": (
        SetKind(PAIR),
        [Pair.of(to=1, ok=True)],
        (0, 1, 0, 0),
        [{"to": 1, "ok": True}],
        [f"v{{Pair(to={to}, ok={ok})}}" for to in (1, 2) for ok in (False, True)],
    ),
    "Array(2, Set(Bool()))": (
        ArrayKind(2, SetKind(BoolKind())),
        [{True}, set[bool]()],
        (0, 1, 0, 0),
        [[True], []],
        ["v[0]{False}", "v[0]{True}", "v[1]{False}", "v[1]{True}"],
    ),
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_each_kind_lies_in_its_slots_as_described(text: str) -> None:
    kind, value, encoded, shown, names = EXAMPLES[text]
    assert str(kind) == text
    assert kind.encode(value) == encoded
    assert kind.to_json(encoded) == shown
    assert _names(kind) == names


def test_truth_values_alone_have_truth_valued_slots() -> None:
    assert BoolKind().slots("b") == [Slot("b", 0, 1, is_bool=True)]
    assert MaybeKind(BoolKind()).slots("b") == [Slot("b", -1, 1)]
    assert SetKind(RangeKind(4, 4)).slots("s") == [Slot("s{4}", 0, 1, is_bool=True)]
    assert BagKind(RangeKind(4, 4), most=3).slots("s") == [Slot("s{4}", 0, 3)]


def test_a_truth_value_is_no_number_and_a_number_no_truth_value() -> None:
    for kind, value in ((RangeKind(0, 1), True), (BoolKind(), 1), (ChoiceKind([0, 1]), True), (BoolKind(), None)):
        with pytest.raises(ValueError, match=rf"^{value} is not a value of"):
            kind.encode(value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (ArrayKind(2, BoolKind()), [True]),
        (ArrayKind(2, BoolKind()), [True] * 3),
        (MapKind("ab", BoolKind()), {"a": True}),
        (MapKind("ab", BoolKind()), {"a": True, "b": True, "c": True}),
        (MapKind("ab", BoolKind()), ["a", "b"]),
        (BagKind(BoolKind(), 2), [True] * 3),
        (SetKind(BoolKind()), "ab"),
        (QueueKind(BoolKind(), 2), [True] * 3),
        (PAIR, {"to": 1, "ok": True, "more": 1}),
        (PAIR, {"to": 1}),
    ],
)
def test_too_few_or_too_many_items_are_no_value(kind: Kind, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(f'{value!r} is not a value of {kind}')}$"):
        kind.encode(value)


def test_a_record_is_made_with_all_its_fields() -> None:
    with pytest.raises(ValueError, match=r"^Pair\.of\(…\) is given no ok$"):
        PAIR.encode(Pair.of(to=1))


def test_a_queue_beyond_its_length_is_blank_so_that_equal_queues_are_equal_states() -> None:
    queue = QueueKind(PAIR, 2)
    assert queue.encode([]) == queue.default() == (0, 1, 0, 1, 0)
    assert MaybeKind(PAIR).encode(None) == (0, 1, 0)


def test_every_combination_of_starting_values_is_a_start() -> None:
    either = RangeKind(0, 3, start=Alternatives((0, 3)))
    assert either.starts() == [(0,), (3,)]
    assert ArrayKind(2, either).starts() == [(0, 0), (0, 3), (3, 0), (3, 3)]
    assert ArrayKind(2, either, start=[1, 2]).starts() == [(1, 2)]
    assert RecordKind(Pair, {"a": BoolKind(start=True), "b": either}).starts() == [(1, 0), (1, 3)]
    with pytest.raises(ModelError, match="more than 1,000,000 initial states"):
        product([[(0,), (1,)]] * 20)


def test_keys_that_cannot_be_told_apart_are_refused() -> None:
    for keys in (["a", "a"], [1, "1"], [0, False], [1, 1.0], [None, "None"]):
        with pytest.raises(ModelError, match="a Map has a key twice"):
            MapKind(keys, BoolKind())


def test_a_maybe_of_a_choice_that_holds_none_is_refused() -> None:
    with pytest.raises(ModelError, match="has None among its values"):
        MaybeKind(ChoiceKind([None, "a"]))


def test_a_message_about_a_value_that_does_not_fit_is_short() -> None:
    for kind in (BoolKind(), ArrayKind(1, BoolKind()), PAIR):
        with pytest.raises(FormatError) as caught:
            kind.from_json(["x" * 1000] * 1000, "v")
        assert len(str(caught.value)) < 300

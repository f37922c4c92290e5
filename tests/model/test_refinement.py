"""A refinement mapping becomes expressions, or is refused with its line and what to write instead."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import pytest
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
    abstraction,
    action,
    choose,
    require,
    safeguard,
)
from fenceproof.model.budgets import Settings
from fenceproof.model.lift import lift
from fenceproof.model.refinement import lift_abstraction
from fenceproof.model.system import Mistake, TransitionSystem
from refining import Constant, Count, Durable, LeavesAtOnce


class Pair(Record):
    number = Range(0, 3)
    note = Maybe(Choice("a", "b"))


class Many(Model):
    """A state variable of every kind."""

    def __init__(self) -> None:
        self.flag = Bool()
        self.name = Choice("a", "b", "c")
        self.maybe = Maybe(Range(0, 3))
        self.pair = Pair()
        self.perhaps = Maybe(Pair())
        self.row = Array(2, Range(0, 3))
        self.by_name = Map(["x", "y"], Bool())
        self.some = Set(Range(0, 3))
        self.line = Queue(Range(0, 3), capacity=2)
        self.heap = Bag(Range(0, 1), most=2)

    @action
    def flip(self) -> None:
        self.flag = not self.flag


class Source(Model):
    """Two numbers, out of which a state of `Many` is made."""

    def __init__(self) -> None:
        self.m = Range(0, 3)
        self.n = Range(0, 3)

    @action
    def grow(self) -> None:
        require(self.m < 3)
        self.m += 1

    @action
    def jump(self) -> None:
        self.n = 3

    @abstraction
    def abstract(self) -> Mapping[str, object]:
        low = self.m < 2
        return {
            "flag": self.m == self.n,
            "name": "a" if low else "c",
            "maybe": None if low else self.n,
            "pair": {"number": self.n, "note": "b" if low else None},
            "perhaps": None if low else {"number": self.m, "note": None},
            "row": [self.m, 3 - self.n],
            "by_name": {"x": low, "y": self.n > 1},
            "some": {self.m, self.n},
            "line": [self.m] if low else deque([self.n, self.m]),
            "heap": [0, 1] if low else [],
        }


def expected(m: int, n: int) -> dict[str, object]:
    low = m < 2
    return {
        "flag": m == n,
        "name": "a" if low else "c",
        "maybe": None if low else n,
        "pair": {"number": n, "note": "b" if low else None},
        "perhaps": None if low else {"number": m, "note": None},
        "row": [m, 3 - n],
        "by_name": {"x": low, "y": n > 1},
        "some": sorted({m, n}),
        "line": [m] if low else [n, m],
        "heap": [0, 1] if low else [],
    }


def test_every_kind_is_given_by_plain_values_of_its_shape() -> None:
    system, abstract = lift(Source()), lift(Many())
    found = lift_abstraction(Source(), system, abstract)
    for m in range(4):
        for n in range(4):
            state = found.of((m, n))
            assert not isinstance(state, Mistake)
            assert abstract.decode(state) == expected(m, n)
            assert state == abstract.encode(expected(m, n))


class Same(Many):
    """Hands its own state on as it is."""

    @abstraction
    def abstract(self) -> Mapping[str, object]:
        names = ("flag", "name", "maybe", "pair", "perhaps", "row", "by_name", "some", "line", "heap")
        return {name: getattr(self, name) for name in names}


def test_what_lies_in_the_state_is_handed_on_as_it_is() -> None:
    system = lift(Same())
    found = lift_abstraction(Same(), system, lift(Many()))
    for values in (expected(1, 2), expected(3, 0)):
        assert found.of(system.encode(values)) == system.encode(values)


def test_an_overriding_method_is_the_mapping_without_a_mark_of_its_own() -> None:
    model = Constant()
    system = lift(model)
    found = lift_abstraction(model, system, lift(Count()))
    assert found.of(system.initial[0]) == (0,)


def test_a_value_outside_its_kind_is_a_mistake_at_the_line_of_the_mapping() -> None:
    model = LeavesAtOnce()
    system = lift(model)
    found = lift_abstraction(model, system, lift(Count()))
    wrong = found.of(system.initial[0])
    assert isinstance(wrong, Mistake)
    assert wrong.message == "the abstract n becomes less than 0, which is outside Range(0, 3)"
    assert wrong.site == found.site and str(wrong.site).endswith(
        f"refining.py:{LeavesAtOnce.abstract.__code__.co_firstlineno}"
    )


def test_what_goes_wrong_inside_the_mapping_keeps_its_own_line() -> None:
    def divides(self: Any) -> Mapping[str, object]:
        return {"n": 3 // self.disk}

    found = mapped(divides)
    wrong = found[0].of(found[1].initial[0])
    assert isinstance(wrong, Mistake)
    assert str(wrong.site).endswith(f":{divides.__code__.co_firstlineno + 1}")


def test_a_safeguard_that_is_taken_away_is_taken_away_in_the_mapping_too() -> None:
    class Guarded(Durable):
        @safeguard("careful")
        def may_show(self) -> bool:
            return self.memory == self.disk

        def abstract(self) -> Mapping[str, object]:
            return {"n": self.memory if self.may_show() else 0}

    for without, shown in ((frozenset[str](), 0), (frozenset({"careful"}), 1)):
        system = lift(Guarded(), Settings(without=without))
        assert lift_abstraction(Guarded(), system, lift(Count())).of((1, 0, 0)) == (shown,)


def mapped(function: Callable[[Any], object]) -> tuple[Any, TransitionSystem]:
    model: type[Model] = type("Mapped", (Durable,), {"abstract": abstraction(function), "__module__": __name__})
    made = model()
    system = lift(made)
    return lift_abstraction(made, system, lift(Count())), system


def _number(self: Any) -> object:
    return self.disk


def _nothing(self: Any) -> object:
    return None


def _empty(self: Any) -> object:
    return dict[str, object]()


def _more(self: Any) -> object:
    return {"n": 0, "m": 1}


def _seven(self: Any) -> object:
    return {"n": 0, 7: 1}


def _requires(self: Any) -> object:
    require(self.disk < 3)
    return {"n": self.disk}


def _chooses(self: Any) -> object:
    return {"n": choose([0, self.disk])}


def _changes(self: Any) -> object:
    self.disk = 0
    return {"n": self.disk}


def _sometimes(self: Any) -> object:
    return {"n": 0} if self.disk == 0 else {}


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (_number, "does not return a mapping.\n    Return a value for each state variable of Count"),
        (_nothing, "does not return a mapping"),
        (_empty, 'gives no value to n, which Count has.\n    Add "n": … to what it returns.'),
        (_sometimes, "gives no value to n"),
        (_more, "The state variable of Count 'm' is not known"),
        (_seven, "The state variable of Count '7' is not known"),
        (_requires, "abstract uses `require` or `choose`, which only actions may"),
        (_chooses, "abstract uses `require` or `choose`, which only actions may"),
        (_changes, "disk is changed in the mapping abstract"),
    ],
)
def test_what_is_no_mapping_is_refused_with_its_line(function: Any, said: str) -> None:
    with pytest.raises(ModelError) as refused:
        mapped(function)
    assert said in str(refused.value)
    assert "test_refinement.py:" in str(refused.value)


def test_a_record_without_a_field_is_refused_at_the_mapping() -> None:
    class Short(Source):
        def abstract(self) -> Mapping[str, object]:
            return {**expected(0, 0), "pair": {"number": 0}}

    with pytest.raises(ModelError, match=r"the abstract pair: .* has no note") as refused:
        lift_abstraction(Short(), lift(Short()), lift(Many()))
    assert str(refused.value.site).endswith(f"test_refinement.py:{Short.abstract.__code__.co_firstlineno}")


def test_a_model_without_a_mapping_is_told_what_to_write() -> None:
    with pytest.raises(ModelError) as refused:
        lift_abstraction(Count(), lift(Count()), lift(Many()))
    said = str(refused.value)
    assert "Count does not say which state of Many a state of it stands for." in said
    assert "@abstraction" in said and 'return {"flag": …, "name": …, ' in said


def test_a_model_has_one_mapping() -> None:
    class Two(Durable):
        @abstraction
        def another(self) -> Mapping[str, object]:
            return {"n": 0}

    with pytest.raises(ModelError, match="abstract and another are both marked @abstraction"):
        lift(Two())


def test_a_mapping_takes_self_only() -> None:
    class Asks(Durable):
        @abstraction
        def abstract(self, step: object) -> Mapping[str, object]:  # type: ignore[override]
            return {"n": 0}

    with pytest.raises(ModelError, match="an @abstraction method takes self only, and abstract takes self and step"):
        lift(Asks())

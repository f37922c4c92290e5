"""A trace on an implementation: the first divergence, with its step, event, field, and both values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from fenceproof.checker.replay import Divergence, replay_against
from fenceproof.model import Array, Maybe, Model, Range, Record, Set, action, require
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take
from fenceproof.model.trace import Trace


class Item(Record):
    count = Range(0, 3)
    owner = Maybe(Range(0, 1))


class Shelf(Model):
    """Two items that are counted, and the set of those that were touched."""

    def __init__(self) -> None:
        self.items = Array(2, Item())
        self.touched = Set(Range(0, 1))

    @action(item=2)
    def put(self, item: int) -> str:
        require(self.items[item].count < 3)
        self.items[item].count += 1
        self.items[item].owner = item
        self.touched.add(item)
        return "second" if self.items[item].count == 2 else "put"


SYSTEM = lift(Shelf())


def trace_of(*items: int) -> Trace:
    """The trace that puts items one after the other."""
    states, transitions = [SYSTEM.initial[0]], list[int]()
    for item in items:
        position = next(i for i in enabled(SYSTEM, states[-1]) if SYSTEM.transitions[i].args == {"item": item})
        after = take(SYSTEM.transitions[position], states[-1]).state
        assert after is not None
        states.append(after)
        transitions.append(position)
    return Trace(tuple(states), tuple(transitions))


class Shop:
    """The implementation: right, but for what a test changes in what it shows or answers."""

    def __init__(
        self,
        show: Callable[[dict[str, Any]], object] = lambda shown: shown,
        answer: Callable[[str], str | None] = lambda said: said,
    ) -> None:
        self.show, self.answer = show, answer
        self.parameters: Mapping[str, object] | None = None

    def reset(self, parameters: Mapping[str, object]) -> None:
        self.parameters = parameters
        self.counts: list[int] = [0, 0]

    def apply(self, event: Mapping[str, object]) -> str | None:
        args: Any = event["args"]
        if self.counts[args["item"]] >= 2:
            raise ValueError("the shelf is full")
        self.counts[args["item"]] += 1
        return self.answer("second" if self.counts[args["item"]] == 2 else "put")

    def snapshot(self) -> Any:
        items = [{"count": n, "owner": i if n else None} for i, n in enumerate(self.counts)]
        return self.show({"items": items, "touched": [i for i, n in enumerate(self.counts) if n]})


def diverges(shop: Shop, *items: int) -> Divergence | None:
    return replay_against(SYSTEM, trace_of(*items), shop, {"size": 2})


def test_an_implementation_that_does_the_same_does_not_diverge_and_got_the_parameters() -> None:
    shop = Shop()
    assert diverges(shop, 0, 1, 0) is None
    assert shop.parameters == {"size": 2}


def test_another_outcome_is_named_with_its_step_and_event() -> None:
    shop = Shop(answer=lambda said: "third" if said == "second" else said)
    assert diverges(shop, 0, 1, 0) == Divergence(3, "put(item=0)", "outcome", "second", "third")


def test_an_event_that_the_implementation_refuses_is_named() -> None:
    assert diverges(Shop(), 0, 0, 0) == Divergence(3, "put(item=0)", "event", "to be possible", "the shelf is full")


def after(step: int, change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], object]:
    """A snapshot that is changed once `step` items were put."""
    return lambda shown: change(shown) if sum(item["count"] for item in shown["items"]) == step else shown


DIFFERENCES: list[tuple[Callable[[dict[str, Any]], object], str, object, object]] = [
    (lambda s: {**s, "items": [{"count": 9, "owner": 0}, s["items"][1]]}, "items[0].count", 1, 9),
    (lambda s: {**s, "items": [s["items"][0], {"count": 1, "owner": None}]}, "items[1].owner", 1, None),
    (lambda s: {**s, "items": [{"count": True, "owner": 0}, s["items"][1]]}, "items[0].count", 1, True),
    (lambda s: {"items": [{"count": 1, "colour": "red"}, {}]}, "items[0].colour", "not there", "red"),
    (lambda _: {"touched": [0]}, "touched", [0, 1], [0]),
    (lambda _: {"touched": [1, 0]}, "touched[0]", 0, 1),
    (lambda _: {"touched": "both"}, "touched", [0, 1], "both"),
    (lambda _: {}, "snapshot", "an object with variables of the model", {}),
    (lambda _: None, "snapshot", "an object with variables of the model", None),
    (lambda _: {"shelf": 1}, "snapshot", "one of items, touched", "shelf"),
]


@pytest.mark.parametrize(
    ("change", "field", "expected", "got"),
    DIFFERENCES,
)
def test_another_state_is_named_as_deep_inside_as_it_differs(
    change: Callable[[dict[str, Any]], object], field: str, expected: object, got: object
) -> None:
    found = diverges(Shop(show=after(2, change)), 0, 1, 0)
    assert found == Divergence(2, "put(item=1)", field, expected, got)


def test_what_an_implementation_does_not_show_does_not_matter() -> None:
    assert diverges(Shop(show=lambda shown: {"touched": shown["touched"]}), 0, 1) is None
    assert diverges(Shop(show=lambda shown: {"items": [{"count": i["count"]} for i in shown["items"]]}), 0, 1) is None


def test_a_wrong_state_after_the_reset_is_step_0() -> None:
    found = diverges(Shop(show=after(0, lambda _: {"touched": [1]})), 0)
    assert found == Divergence(0, "reset", "touched", [], [1])


def test_a_divergence_at_the_last_step_is_found() -> None:
    found = diverges(Shop(show=after(1, lambda _: {"touched": []})), 0)
    assert found == Divergence(1, "put(item=0)", "touched", [0], [])

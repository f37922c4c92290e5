"""What an action has read stays what it was, or changes with the state, just as a Python object would."""

from __future__ import annotations

import copy
from collections import deque
from typing import Any

import pytest
from asked import Base, reached
from fenceproof.checker import check
from fenceproof.model import (
    Array,
    Bag,
    LiftError,
    Map,
    Maybe,
    Queue,
    Range,
    Record,
    Set,
    action,
    choose,
    require,
)


class Point(Record):
    x = Range(0, 3)
    y = Range(0, 3)


def one_step(model: Any) -> dict[str, Any]:
    """The state after the only step of a model."""
    _, *after = reached(model)
    assert len(after) == 1, after
    return dict(after[0])


class Once(Base):
    """A model whose only action, `go`, is run once."""

    def __init__(self) -> None:
        self.left = Range(0, 1, start=1)
        self.seen = Range(0, 9)
        self.prepare()

    def prepare(self) -> None:
        """State of its own."""

    @action
    def step(self) -> None:
        require(self.left == 1)
        self.left = 0
        self.go()

    def go(self) -> None:
        """What it does."""


def test_a_record_that_was_read_keeps_its_fields_when_another_value_takes_its_place() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.inbox = Maybe(Point(), start={"x": 2, "y": 1})

        def go(self) -> None:
            message: Any = self.inbox
            require(message is not None)
            self.inbox = None
            self.seen = message.x
            message.x = 3

    assert one_step(M()) == {"left": 0, "seen": 2, "inbox": None}


def test_a_record_that_still_lies_in_the_state_is_changed_there() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.points = Array(2, Point())

        def go(self) -> None:
            first = self.points[0]
            first.x = 2
            self.points[1] = Point.of(x=3, y=3)
            first.y = 1
            self.seen = self.points[0].x + first.y

    assert one_step(M())["points"] == [{"x": 2, "y": 1}, {"x": 3, "y": 3}]
    assert one_step(M())["seen"] == 3


def test_swapping_exchanges_rows_records_and_sets() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.points = Array(2, Point(), start=[{"x": 1, "y": 1}, {"x": 2, "y": 2}])
            self.rows = Array(2, Array(2, Range(0, 3)), start=[[0, 1], [2, 3]])
            self.a = Set(Range(0, 3), start={1})
            self.b = Set(Range(0, 3), start={2, 3})

        def go(self) -> None:
            self.points[0], self.points[1] = self.points[1], self.points[0]
            self.rows[0], self.rows[1] = self.rows[1], self.rows[0]
            self.a, self.b = self.b, self.a

    after = one_step(M())
    assert after["points"] == [{"x": 2, "y": 2}, {"x": 1, "y": 1}]
    assert after["rows"] == [[2, 3], [0, 1]]
    assert (after["a"], after["b"]) == ([2, 3], [1])


def test_what_was_read_from_a_queue_outlives_taking_it_out() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.queue: Any = Queue(Point(), capacity=3, start=[{"x": 1, "y": 0}, {"x": 2, "y": 0}, {"x": 3, "y": 0}])

        def go(self) -> None:
            first, second = self.queue[0], self.queue[1]
            taken = self.queue.popleft()
            batch = self.queue
            self.queue = deque()
            taken.y = 1
            self.seen = first.x + second.x + len(batch) + taken.y

    assert one_step(M()) == {"left": 0, "seen": 1 + 2 + 2 + 1, "queue": []}


def test_a_whole_array_that_was_replaced_keeps_its_items() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.items = Array(2, Range(0, 3), start=[3, 1])

        def go(self) -> None:
            old = self.items
            self.items = [1, 2]
            old[1] = 0
            self.seen = old[0] + self.items[1]

    assert one_step(M()) == {"left": 0, "seen": 5, "items": [1, 2]}


def test_replacing_an_item_at_an_index_of_the_state_cuts_loose_only_what_was_there() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.at = Range(0, 1, start=choose([0, 1]))
            self.points = Array(2, Point(), start=[{"x": 1, "y": 0}, {"x": 2, "y": 0}])
            self.seen = Range(0, 9)

        @action
        def go(self) -> None:
            require(self.seen == 0)
            first = self.points[0]
            self.points[self.at] = Point.of(x=3, y=3)
            first.y = 1
            self.seen = first.x + first.y

    found = [(s["at"], s["seen"], s["points"]) for s in reached(M()) if s["seen"]]
    assert found == [
        (0, 2, [{"x": 3, "y": 3}, {"x": 2, "y": 0}]),
        (1, 2, [{"x": 1, "y": 1}, {"x": 3, "y": 3}]),
    ]


def test_an_augmented_assignment_changes_the_object_itself() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.a = Set(Range(0, 3))

        def go(self) -> None:
            same = self.a
            self.a |= {1, 2}
            same.add(3)

    assert one_step(M())["a"] == [1, 2, 3]


def test_a_copy_is_one() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.items = Array(2, Range(0, 3))
            self.point = Point()

        def go(self) -> None:
            items, point = copy.copy(self.items), copy.deepcopy(self.point)
            self.items[0], self.point.x = 3, 3
            self.seen = items[0] + point.x

    assert one_step(M())["seen"] == 0


def test_a_map_is_read_as_it_is_when_one_comes_to_an_item() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.m = Map(["a", "b"], Range(0, 9))

        def go(self) -> None:
            for _, value in self.m.items():
                self.m["b"] = value + 4
            self.seen = sum(self.m.values())

    assert one_step(M()) == {"left": 0, "seen": 8, "m": {"a": 0, "b": 8}}


def test_an_element_of_a_set_cannot_be_changed_in_place() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.s = Set(Point(), start=[{"x": 1, "y": 1}])

        def go(self) -> None:
            element = choose(self.s)
            element.x = 2

    with pytest.raises(LiftError, match=r"Take it out and put another in: Point\.of"):
        check(M())


def test_a_bag_is_not_assigned_to_a_bag_of_another_size() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.a = Bag(Range(0, 1), most=2, start=[1, 1])
            self.b = Bag(Range(0, 1), most=3)

        def go(self) -> None:
            self.b = self.a

    with pytest.raises(LiftError, match="one by one"):
        check(M())


class Node(Record):
    epoch = Range(0, 2)


def test_an_object_of_one_slot_stays_where_it_is_when_its_only_part_is_changed() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.nodes = Array(2, Node())
            self.one = Array(1, Range(0, 3))
            self.m = Map(["k"], Range(0, 3))

        def go(self) -> None:
            node, one, m = self.nodes[1], self.one, self.m
            node.epoch = 1
            node.epoch += 1
            one[0] = 1
            one[0] += 2
            m["k"] = 1
            m["k"] += 1
            self.seen = node.epoch + one[0] + m["k"]

    after = one_step(M())
    assert after == {"left": 0, "seen": 7, "nodes": [{"epoch": 0}, {"epoch": 2}], "one": [3], "m": {"k": 2}}


def test_what_was_read_from_further_back_in_a_queue_moves_up_with_it() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.queue: Any = Queue(Point(), capacity=2, start=[{"x": 1, "y": 0}, {"x": 2, "y": 0}])

        def go(self) -> None:
            head, waiting = self.queue[0], self.queue[1]
            taken = self.queue.popleft()
            waiting.y += 1
            taken.y = 3
            self.seen = head.y + waiting.x

    assert one_step(M()) == {"left": 0, "seen": 5, "queue": [{"x": 2, "y": 1}]}


class Outer(Record):
    inner = Point()
    n = Range(0, 3)


def test_what_was_read_twice_stays_one_thing_when_it_is_replaced() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.o = Array(2, Outer())

        def go(self) -> None:
            outer, again = self.o[0], self.o[0]
            inner = outer.inner
            self.o[0] = self.o[1]
            inner.x = 3
            again.n = 2
            self.seen = outer.inner.x + outer.n

    assert one_step(M())["seen"] == 5
    assert one_step(M())["o"] == [{"inner": {"x": 0, "y": 0}, "n": 0}] * 2


def test_writing_a_record_back_to_where_it_was_read_leaves_it_there() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.current: Any = Maybe(Point(), start={"x": 1, "y": 1})

        def go(self) -> None:
            point = self.current
            require(point is not None)
            self.current = point
            point.x = 3

    assert one_step(M())["current"] == {"x": 3, "y": 1}


def test_a_part_is_not_taken_for_the_whole_that_begins_where_it_does() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.grid: Any = Array(2, Array(2, Range(0, 3)))

        def go(self) -> None:
            self.grid = self.grid[0]

    result = check(M())
    assert result.wrong is not None
    assert "grid" in result.wrong.mistake.message


def test_taking_any_element_out_of_a_set_is_refused() -> None:
    class M(Once):
        def prepare(self) -> None:
            self.s = Set(Range(0, 2), start={0, 1})

        def go(self) -> None:
            self.seen = self.s.pop()

    with pytest.raises(LiftError, match=r"choose\(s\)"):
        check(M())

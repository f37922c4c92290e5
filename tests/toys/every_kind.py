"""A model with every kind and every word, as a careful author types it: what a strict type checker sees."""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import MutableSet
from typing import assert_type

from fenceproof.model import (
    Array,
    Bag,
    BagValue,
    Bool,
    Choice,
    Map,
    Maybe,
    Model,
    Queue,
    Range,
    Record,
    Set,
    Step,
    action,
    choose,
    count,
    exists,
    fault,
    forall,
    greatest,
    implies,
    initial,
    invariant,
    least,
    require,
    safeguard,
    step_property,
    terminal,
)


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Message(Record):
    to = Range(0, 1)
    body = Choice("ask", "answer")

    def is_answer(self) -> bool:
        return self.body == "answer"


class Everything(Model):
    def __init__(self, clients: int = 2) -> None:
        self.clients = clients
        self.flag = Bool()
        self.level = Range(0, 3, start=choose([0, 1]))
        self.word = Choice("a", "b")
        self.color = Choice(Color)
        self.holder = Maybe(Range(0, clients - 1))
        self.cells = Array(clients, Range(0, 3))
        self.ages = Map(["x", "y"], Bool())
        self.by_color = Map(Color, Range(0, 1))
        self.members = Set(Choice(Color))
        self.bag = Bag(Range(0, 1), most=2)
        self.queue = Queue(Choice("a", "b"), capacity=2)
        self.last = Maybe(Message())
        self.sent = Set(Message())

    @initial
    def begin(self) -> None:
        require(not self.flag)

    @safeguard("low")
    def may_rise(self) -> bool:
        return self.level < 3

    @action(client="clients", sender="client {client}", receiver={"top": ["store", ("queue", "log")], None: "store"})
    def rise(self, client: int) -> str:
        require(self.may_rise() and self.holder is None)
        self.level = greatest(self.level, least(self.level + 1, 3))
        self.holder = client
        self.cells[client] = self.level
        return "top" if self.level == 3 else "higher"

    @action
    def types(self) -> None:
        assert_type(self.flag, bool)
        assert_type(self.level, int)
        assert_type(self.word, str)
        assert_type(self.color, Color)
        assert_type(self.holder, int | None)
        assert_type(self.cells, list[int])
        assert_type(self.ages, dict[str, bool])
        assert_type(self.by_color, dict[Color, int])
        assert_type(self.members, MutableSet[Color])
        assert_type(self.bag, BagValue[int])
        assert_type(self.queue, deque[str])
        assert_type(self.last, Message | None)
        assert_type(self.sent, MutableSet[Message])
        assert_type(choose(["p", "q"]), str)
        assert_type(choose(self.sent | {Message.of(to=0, body="ask")}), Message)

    @fault("slip", budget=1, per="color")
    @action(color=Color)
    def slip(self, color: Color) -> None:
        require(len(self.queue) < 2 and color not in self.members and self.holder is not None)
        self.members.add(color)
        self.by_color[color] = 1
        self.queue.append(choose(["a", "b"], label="letter"))
        if 0 not in self.bag and self.bag.count(0) == 0:
            self.bag.add(0)
        self.last = Message.of(to=1, body="answer")
        self.sent.add(self.last)
        self.holder = None

    @terminal
    def anywhere(self) -> bool:
        return True

    @invariant
    def fine(self) -> bool:
        answered = self.last is not None and self.last.is_answer()
        return implies(answered, exists(self.sent, Message.is_answer)) and forall(self.cells, lambda n: n <= 3)

    @step_property(name="slow")
    def rises_slowly(self, step: Step) -> bool:
        rise: int = step.after.level - step.before.level
        return rise <= 1 and count(self.members) <= 2

"""Arrays, sets, bags, queues, maps and records in the state behave as those of Python."""

from __future__ import annotations

from asked import Base, outcomes, reached
from fenceproof.checker import check
from fenceproof.checker.verdict import Verdict
from fenceproof.model import (
    Array,
    Bag,
    Bool,
    Choice,
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


def test_an_array_is_read_and_written_at_an_index_that_is_part_of_the_state() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.at = Range(0, 2)
            self.cells = Array(3, Range(0, 2))

        @action
        def write(self) -> str:
            require(self.cells[self.at] < 2)
            self.cells[self.at] += 1
            self.at = (self.at + self.cells[self.at]) % 3
            return f"{list(self.cells)}"

    assert reached(M(), "cells") == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [2, 1, 1], [2, 1, 2], [2, 2, 2]]


def test_an_index_outside_is_an_error_of_the_model_only_where_it_is_reached() -> None:
    class M(Base):
        def __init__(self, most: int = 1) -> None:
            self.at = Range(0, 3)
            self.most = most
            self.cells = Array(3, Bool())

        @action
        def step(self) -> None:
            require(self.at < self.most)
            self.at += 1
            self.cells[self.at] = True

    assert check(M()).verdict is Verdict.HOLDS
    wrong = check(M(most=3)).wrong
    assert wrong is not None
    assert "index" in wrong.mistake.message
    assert len(wrong.trace) == 2


def test_sets_bags_queues_and_maps() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.members = Set(Choice("a", "b"))
            self.bag = Bag(Range(0, 1), most=2)
            self.queue = Queue(Range(0, 3), capacity=2)
            self.ages = Map(["x", "y"], Range(0, 3))

        @action(who=("a", "b"))
        def join(self, who: str) -> None:
            require(who not in self.members)
            self.members.add(who)
            self.bag.add(0)
            self.queue.append(len(self.members))
            self.ages["x"] += 1

        @action
        def leave(self) -> str:
            require(len(self.members) == 2 and self.bag.count(0) == 2)
            for who in self.members:
                self.members.discard(who)
            self.bag.remove(0)
            first = self.queue.popleft()
            self.ages["y"] = first
            return ",".join(f"{k}={v}" for k, v in self.ages.items())

    assert {"members": [], "bag": [0], "queue": [2], "ages": {"x": 2, "y": 1}} in reached(M())
    assert "x=2,y=1" in outcomes(M())


def test_whole_sets_are_compared_copied_and_cleared() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.a = Set(Range(0, 2), start={1})
            self.b = Set(Range(0, 2))

        @action
        def copy(self) -> str:
            require(self.a != self.b)
            self.b = self.a
            self.a = {0, 2} | self.b
            self.b.add(2)
            return f"{self.b == {1, 2}} {self.a == {0, 1, 2}} {self.b <= self.a}"

        @action
        def clear(self) -> None:
            require(len(self.a) == 3)
            self.a.clear()
            self.b -= {1}

    assert "True True True" in outcomes(M())
    assert {"a": [], "b": [2]} in reached(M())


class Message(Record):
    kind = Choice("ask", "answer")
    to = Range(0, 1)

    def is_answer(self) -> bool:
        return self.kind == "answer"


def test_records_in_sets_arrays_and_maybes_keep_their_methods() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.sent = Set(Message())
            self.last = Maybe(Message())
            self.boxes = Array(2, Message())

        @action(to=(0, 1))
        def ask(self, to: int) -> None:
            require(Message.of(kind="ask", to=to) not in self.sent)
            self.sent.add(Message.of(kind="ask", to=to))

        @action
        def answer(self) -> str:
            question = choose(self.sent, label="question")
            require(not question.is_answer() and self.last is None)
            self.sent.remove(question)
            self.last = Message.of(kind="answer", to=question.to)
            self.boxes[question.to].kind = "answer"
            self.boxes[question.to].to = question.to
            return "answered" if self.last.is_answer() and self.boxes[question.to].is_answer() else "lost"

    result = check(M())
    assert outcomes(M()) == {None, "answered"}
    assert {str(t.args) for t in result.system.transitions if t.action == "answer"} >= {
        "{'question': {'kind': 'ask', 'to': 1}}"
    }
    assert {"kind": "answer", "to": 1} in [state["last"] for state in reached(M())]


def test_assigning_a_record_copies_it() -> None:
    class M(Base):
        def __init__(self) -> None:
            self.a = Message()
            self.b = Message()

        @action
        def copy(self) -> None:
            require(self.b.kind == "ask")
            self.a.to = 1
            self.b = self.a
            self.b.kind = "answer"

    assert reached(M())[-1] == {"a": {"kind": "ask", "to": 1}, "b": {"kind": "answer", "to": 1}}

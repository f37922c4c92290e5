"""What the numbers in an invariant stand for: each said of the slot that it is in, whatever lies before it."""

from __future__ import annotations

from fenceproof.checker.report.numbers import numbers
from fenceproof.model import Array, Bag, Bool, Choice, Map, Maybe, Model, Queue, Range, Record, Set, action
from fenceproof.model.lift import lift


class Pair(Record):
    told: bool = Bool()
    who: str = Choice("a", "b")


class Mixed(Model):
    """Variables of every shape, each with a slot whose number stands for something else behind it."""

    def __init__(self) -> None:
        self.plain = Range(0, 2)
        self.bag = Bag(Range(0, 1), most=2)
        self.seen = Set(Choice("x", "y"))
        self.queue = Queue(Pair(), capacity=2)
        self.pair = Maybe(Pair())
        self.by = Map(("m", "n"), Maybe(Range(1, 3)))
        self.last = Array(1, Maybe(Choice("c", "d")))

    @action
    def nothing(self) -> None:
        self.plain = 0


def test_each_is_said_of_the_slot_that_it_is_in() -> None:
    system = lift(Mixed())
    x = system.expressions
    slots = [x.slot(i, s.lo, s.hi, is_bool=s.is_bool) for i, s in enumerate(system.slots)]
    assert numbers(system, slots) == [
        "0 is a, 1 is b in queue[0].who, queue[1].who, pair.who",
        "0 is none in by['m'], by['n']",
        "-1 is none, 0 is c, 1 is d in last[0]",
    ]
    assert numbers(system, slots[:5]) == []

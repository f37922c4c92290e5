"""Durable counters, and the abstract ones that some of them refine and others do not."""

from __future__ import annotations

from collections.abc import Mapping

from fenceproof.model import Model, Range, abstraction, action, fault, require, terminal


class Count(Model):
    """Counts up to a number, one by one."""

    def __init__(self, most: int = 3) -> None:
        self.most = most
        self.n = Range(0, most)

    @action
    def up(self) -> None:
        """One more."""
        require(self.n < self.most)
        self.n += 1

    @terminal
    def anywhere(self) -> bool:
        return True


class Durable(Model):
    """Counts in memory, writes to disk after at most `ahead` counts, and loses its memory in a crash."""

    def __init__(self, most: int = 3, ahead: int = 1) -> None:
        self.most = most
        self.ahead = ahead
        self.memory = Range(0, most)
        self.disk = Range(0, most)

    @action
    def count_up(self) -> None:
        require(self.memory < self.most and self.memory - self.disk < self.ahead)
        self.memory += 1

    @action
    def write(self) -> None:
        require(self.memory > self.disk)
        self.disk = self.memory

    @fault("crash", budget=2)
    @action
    def crash(self) -> None:
        self.memory = self.disk

    @terminal
    def anywhere(self) -> bool:
        return True

    @abstraction
    def abstract(self) -> Mapping[str, object]:
        """What is on disk is what counts."""
        return {"n": self.disk}


class InMemory(Durable):
    """Shows what a crash takes away."""

    def abstract(self) -> Mapping[str, object]:
        return {"n": self.memory}


class Constant(Durable):
    """Shows nothing."""

    def abstract(self) -> Mapping[str, object]:
        return {"n": 0}


class BeginsLater(Durable):
    """Begins where the abstract counter does not."""

    def abstract(self) -> Mapping[str, object]:
        return {"n": 1 if self.disk == 0 else self.disk}


class Leaves(Durable):
    """Shows a number that the abstract counter does not have."""

    def abstract(self) -> Mapping[str, object]:
        return {"n": self.disk + 2}


class LeavesAtOnce(Durable):
    """Shows a number that the abstract counter does not have, from the beginning."""

    def abstract(self) -> Mapping[str, object]:
        return {"n": self.disk - 1}


class Glitches(Count):
    """May also be set back, once as far as a check goes, and how often it likes as an abstract model."""

    @fault("glitch")
    @action
    def set_back(self) -> None:
        require(self.n > 0)
        self.n -= 1


class Idle(Count):
    """Has an action that changes nothing."""

    @action
    def idle(self) -> None:
        """Nothing happens."""


class GoesWrong(Count):
    """Goes wrong itself where it would count to 2."""

    def up(self) -> None:
        require(self.n < self.most)
        self.n += self.most if self.n == 1 else 1

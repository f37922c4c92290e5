"""The fence as if it were one atomic cell: what a planner is to look like from outside, crashes and all.

A call has a live epoch, and is committed at most once, in the epoch that is live then. There is no outbox, no message,
no memory and no fault here. `fenceproof refine fenced atomic-fence` asks whether the planner adds anything to that.
Which result may commit in which epoch is not said here: that is what `no-ghost` is about.
"""

from __future__ import annotations

from fenceproof.model import Array, Choice, Maybe, Model, Range, Record, action, exists, require, terminal


class Cell(Record):
    """A call: its live epoch, and what was committed under which epoch."""

    def __init__(self, epochs: int) -> None:
        self.live = Range(1, epochs)
        self.committed = Maybe(Range(1, epochs))
        self.outcome = Maybe(Choice("success", "compensated"))


class AtomicFence(Model):
    """An epoch fence of two atomic steps: open the next epoch of a call, and commit it once, in the live epoch."""

    def __init__(self, calls: int = 1, epochs: int = 3) -> None:
        self.calls = calls
        self.epochs = epochs
        self.record = Array(calls, Cell(epochs))

    @action(call="calls", says="Epoch {record[call].live} of call {call} is opened")
    def open(self, call: int) -> None:
        """The next epoch becomes the live one."""
        cell = self.record[call]
        require(cell.committed is None and cell.live < self.epochs)
        cell.live += 1

    @action(
        call="calls",
        outcome=("success", "compensated"),
        says="Call {call} is committed as {outcome} in epoch {record[call].live}",
    )
    def commit(self, call: int, outcome: str) -> None:
        """The call is committed, for good, in the live epoch."""
        cell = self.record[call]
        require(cell.committed is None)
        cell.committed = cell.live
        cell.outcome = outcome

    @terminal
    def is_settled(self) -> bool:
        """Every call is committed."""
        return not exists(range(self.calls), lambda call: self.record[call].committed is None)


#: Abstract models that a design may be held against, by the name that a user types.
ABSTRACT: dict[str, type[Model]] = {"atomic-fence": AtomicFence}

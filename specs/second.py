"""The second planner: another replica that takes itself for the owner of a call, with a memory of its own.

It does what the planner does, by the same code; only who does it differs. The tool, the compensator and the outbox do
not care whose requests they carry.
"""

from __future__ import annotations

from fenceproof.model import action, after_fault, fault, require

from . import says
from .lanes import COMPENSATOR, EPOCH_MAP, SECOND_DEADLINE, SECOND_PLANNER, SECOND_RESULT, TOOL_PATH
from .protocol import Protocol

FAULT = "second-planner"


class SecondPlanner(Protocol):
    """The protocol with the actions of a second planner."""

    @fault(FAULT)
    @action(
        call="calls", sender=SECOND_PLANNER, says="A second planner takes call {call} over, while the first goes on"
    )
    def take_over(self, call: int) -> None:
        """A second planner starts, from the durable record, while the first goes on."""
        require(not self.second[call])
        self.second[call] = True
        if self.basis == "copy":
            self.second_armed[call] = self.armed[call]
            self.restart(call, 1)

    def restart(self, call: int, planner: int) -> None:
        """A planner starts with what the durable record says; a deadline that was running is armed again."""
        record, outbox, copy = self.record[call], self.outbox[call], self.copies[call][planner]
        if copy.unsaved:
            outbox.epoch = record.live
            outbox.pending = record.committed is None
        copy.epoch = record.live
        copy.committed = record.committed is not None
        copy.unsaved = False

    @after_fault(FAULT)
    @action(
        call="waiting_calls",
        sender=SECOND_PLANNER,
        receiver=SECOND_DEADLINE,
        says=says.fires("The second planner's deadline of call {call} fires, with nothing under way"),
    )
    def second_deadline(self, call: int) -> str:
        """The second planner's deadline fires, accurately."""
        require(self.second[call] and self.is_armed(call, 1) and self.is_due(call, 1))
        return self.time_out(call, 1)

    @after_fault(FAULT)
    @action(call="saving_calls", sender=SECOND_PLANNER, receiver=EPOCH_MAP, says=says.saves(says.SECOND_PLANNER))
    def second_persist(self, call: int) -> str:
        """The second planner writes the epoch that it has opened to the record."""
        return self.persist_by(call, 1)

    @after_fault(FAULT)
    @action(
        call="calls",
        kind="tool_results",
        epoch="tool_epochs",
        sender=TOOL_PATH,
        receiver=SECOND_RESULT,
        says=says.result(says.SECOND_PLANNER),
    )
    def second_deliver(self, call: int, kind: str, epoch: int) -> str:
        """A result of the tool reaches the second planner."""
        require(self.second[call])
        return self.receive(call, kind, epoch, 1)

    @after_fault(FAULT)
    @action(
        call="calls",
        epoch="compensation_epochs",
        sender=COMPENSATOR,
        receiver=SECOND_RESULT,
        says=says.compensated(says.SECOND_PLANNER),
    )
    def second_deliver_compensation(self, call: int, epoch: int) -> str:
        """The compensator's result reaches the second planner."""
        require(self.second[call])
        return self.receive_compensation(call, epoch, 1)

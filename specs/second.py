"""The second planner: another replica that takes itself for the owner of a call, with a memory of its own.

It does what the planner does, by the same code; only who does it differs. The tool, the compensator and the outbox do
not care whose requests they carry.
"""

from __future__ import annotations

from fenceproof.model import action, after_fault, fault, require

from .protocol import Protocol

FAULT = "second-planner"


class SecondPlanner(Protocol):
    """The protocol with the actions of a second planner."""

    @fault(FAULT)
    @action(call="calls")
    def take_over(self, call: int) -> None:
        """A second planner starts, from the durable record, while the first goes on."""
        require(not self.second[call])
        self.second[call] = True
        self.memory[call][1].armed = self.memory[call][0].armed
        self.restart(call, 1)

    def restart(self, call: int, planner: int) -> None:
        """A planner's memory is made anew from the durable record; a deadline that was armed is armed again."""
        record, outbox, memory = self.record[call], self.outbox[call], self.memory[call][planner]
        if self.bump == "after-send" and memory.unsaved:
            outbox.epoch = record.live
            outbox.pending = record.committed is None
        memory.epoch = outbox.epoch if self.bump == "on-return" else record.live
        memory.committed = self.basis == "copy" and record.committed is not None
        memory.unsaved = False

    @after_fault(FAULT)
    @action(call="waiting_calls")
    def second_deadline(self, call: int) -> str:
        """The second planner's deadline fires, accurately."""
        require(self.second[call] and self.memory[call][1].armed and self.is_due(call, 1))
        return self.time_out(call, 1)

    @after_fault(FAULT)
    @action(call="saving_calls")
    def second_persist(self, call: int) -> str:
        """The second planner writes the epoch that it has opened to the record."""
        return self.persist_by(call, 1)

    @after_fault(FAULT)
    @action(call="calls", kind="tool_results", epoch="tool_epochs")
    def second_deliver(self, call: int, kind: str, epoch: int) -> str:
        """A result of the tool reaches the second planner."""
        require(self.second[call])
        return self.receive(call, kind, epoch, 1)

    @after_fault(FAULT)
    @action(call="calls", epoch="compensation_epochs")
    def second_deliver_compensation(self, call: int, epoch: int) -> str:
        """The compensator's result reaches the second planner."""
        require(self.second[call])
        return self.receive_compensation(call, epoch, 1)

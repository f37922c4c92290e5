"""What may go wrong, by who is allowed to speak: the tool, the compensator, the clock, the planner.

Each fault is an action with a budget per call. Not here: what the parties do when nothing goes wrong (`protocol.py`).
"""

from __future__ import annotations

from fenceproof.model import action, after_fault, fault, require

from . import says
from .lanes import COMPENSATOR, DEADLINE, PLANNER, RESULT, SECOND_DEADLINE, SECOND_PLANNER, SECOND_RESULT, TOOL_PATH
from .messages import CompensatorMessage, ToolMessage
from .second import FAULT, SecondPlanner


class Faults(SecondPlanner):
    """The protocol with everything that may go wrong in it."""

    # Tool

    @fault("delay")
    @action(
        call="waiting_calls",
        sender=PLANNER,
        receiver=DEADLINE,
        says=says.fires("The deadline of call {call} fires, though the tool's request or result is still under way"),
    )
    def deadline_early(self, call: int) -> str:
        """The tool is slow: the deadline fires while its request or result is still under way."""
        require(self.is_armed(call) and self.is_tool_in_flight(call))
        return self.time_out(call)

    @fault("loss")
    @action(
        call="calls",
        kind=("tool", "success", "empty-body", "no-echo"),
        epoch="tool_epochs",
        sender=TOOL_PATH,
        says=says.loses("the tool's path"),
    )
    def lose(self, call: int, kind: str, epoch: int) -> None:
        """A message on the tool path is lost."""
        message = ToolMessage.of(kind=kind, epoch=epoch)
        require(message in self.tool_path[call])
        self.tool_path[call].remove(message)

    @fault("duplicate")
    @action(
        call="calls", epoch="tool_epochs", sender=TOOL_PATH, says=says.executes("answers success", says.AGAIN_REQUEST)
    )
    def execute_again(self, call: int, epoch: int) -> str:
        """The tool executes a request that is delivered to it once more."""
        return self.run_tool(call, epoch, "success", keep=True)

    @fault("duplicate")
    @action(
        call="calls",
        kind="tool_results",
        epoch="tool_epochs",
        sender=TOOL_PATH,
        receiver=RESULT,
        says=says.result(says.PLANNER, says.AGAIN),
    )
    def deliver_again(self, call: int, kind: str, epoch: int) -> str:
        """A result of the tool reaches the planner, and will reach it once more."""
        return self.receive(call, kind, epoch, keep=True)

    @fault("empty-body")
    @action(call="calls", epoch="tool_epochs", sender=TOOL_PATH, says=says.executes("answers success without a body"))
    def execute_empty(self, call: int, epoch: int) -> str:
        """The tool executes the request and answers success without a body."""
        return self.run_tool(call, epoch, "empty-body")

    @fault("no-echo")
    @action(call="calls", epoch="tool_epochs", sender=TOOL_PATH, says=says.executes("answers success without an epoch"))
    def execute_anonymous(self, call: int, epoch: int) -> str:
        """The tool executes the request and does not say which epoch it answers."""
        return self.run_tool(call, epoch, "no-echo")

    # Compensator

    @fault("comp-delay")
    @action(
        call="compensated_calls",
        sender=PLANNER,
        receiver=DEADLINE,
        says=says.fires("The deadline of call {call} fires, though the compensation is still under way"),
    )
    def compensation_late(self, call: int) -> str:
        """The compensator is slow: the deadline fires while its request or result is still under way."""
        require(self.is_armed(call) and self.is_compensation_in_flight(call))
        return self.time_out(call)

    @fault("comp-loss")
    @action(
        call="calls",
        kind=("compensate", "compensated"),
        epoch="compensation_epochs",
        sender=COMPENSATOR,
        says=says.loses("the compensator's path"),
    )
    def lose_compensation(self, call: int, kind: str, epoch: int) -> None:
        """A message on the compensator's path is lost."""
        message = CompensatorMessage.of(kind=kind, epoch=epoch)
        require(message in self.compensator_path[call])
        self.compensator_path[call].remove(message)

    @fault("comp-duplicate")
    @action(call="calls", epoch="compensation_epochs", sender=COMPENSATOR, says=says.compensates(says.AGAIN_REQUEST))
    def compensate_again(self, call: int, epoch: int) -> str:
        """The compensator executes a request that is delivered to it once more."""
        return self.run_compensator(call, epoch, keep=True)

    @fault("comp-duplicate")
    @action(
        call="calls",
        epoch="compensation_epochs",
        sender=COMPENSATOR,
        receiver=RESULT,
        says=says.compensated(says.PLANNER, says.AGAIN),
    )
    def deliver_compensation_again(self, call: int, epoch: int) -> str:
        """The compensator's result reaches the planner, and will reach it once more."""
        return self.receive_compensation(call, epoch, keep=True)

    # Clock

    @fault("clock-jump")
    @action(
        call="waiting_calls",
        sender=PLANNER,
        receiver=DEADLINE,
        says=says.fires("The clock jumps, so that the deadline of call {call} fires"),
    )
    def clock_jump(self, call: int) -> str:
        """The clock jumps, so the deadline fires at any moment, the one before the first dispatch included."""
        require(self.outbox[call].pending or self.is_armed(call))
        return self.time_out(call)

    # Planner

    @fault("crash")
    @action(call="calls", sender=PLANNER, says=says.restarts(says.PLANNER))
    def crash(self, call: int) -> None:
        """The planner crashes, between any two steps, and starts again from the durable record.

        One that knows of the commit is done with the call.
        """
        require(not self.copies[call][0].committed)
        if self.has_memory:
            self.restart(call, 0)

    # The same with the second planner

    @fault("delay")
    @after_fault(FAULT)
    @action(
        call="waiting_calls",
        sender=SECOND_PLANNER,
        receiver=SECOND_DEADLINE,
        says=says.fires(
            "The second planner's deadline of call {call} fires, though the tool's request or result is under way"
        ),
    )
    def second_deadline_early(self, call: int) -> str:
        """The second planner's deadline fires while the tool's request or result is still under way."""
        require(self.second[call] and self.is_armed(call, 1) and self.is_tool_in_flight(call, 1))
        return self.time_out(call, 1)

    @fault("comp-delay")
    @after_fault(FAULT)
    @action(
        call="compensated_calls",
        sender=SECOND_PLANNER,
        receiver=SECOND_DEADLINE,
        says=says.fires("The second planner's deadline of call {call} fires, though the compensation is under way"),
    )
    def second_compensation_late(self, call: int) -> str:
        """The second planner's deadline fires while the compensation is still under way."""
        require(self.second[call] and self.is_armed(call, 1) and self.is_compensation_in_flight(call, 1))
        return self.time_out(call, 1)

    @fault("clock-jump")
    @after_fault(FAULT)
    @action(
        call="waiting_calls",
        sender=SECOND_PLANNER,
        receiver=SECOND_DEADLINE,
        says=says.fires("The second planner's clock jumps, so that its deadline of call {call} fires"),
    )
    def second_clock_jump(self, call: int) -> str:
        """The second planner's clock jumps."""
        require(self.second[call] and (self.outbox[call].pending or self.is_armed(call, 1)))
        return self.time_out(call, 1)

    @fault("duplicate")
    @after_fault(FAULT)
    @action(
        call="calls",
        kind="tool_results",
        epoch="tool_epochs",
        sender=TOOL_PATH,
        receiver=SECOND_RESULT,
        says=says.result(says.SECOND_PLANNER, says.AGAIN),
    )
    def second_deliver_again(self, call: int, kind: str, epoch: int) -> str:
        """A result of the tool reaches the second planner, and will reach a planner once more."""
        require(self.second[call])
        return self.receive(call, kind, epoch, 1, keep=True)

    @fault("comp-duplicate")
    @after_fault(FAULT)
    @action(
        call="calls",
        epoch="compensation_epochs",
        sender=COMPENSATOR,
        receiver=SECOND_RESULT,
        says=says.compensated(says.SECOND_PLANNER, says.AGAIN),
    )
    def second_deliver_compensation_again(self, call: int, epoch: int) -> str:
        """The compensator's result reaches the second planner, and will reach a planner once more."""
        require(self.second[call])
        return self.receive_compensation(call, epoch, 1, keep=True)

    @fault("crash")
    @after_fault(FAULT)
    @action(call="calls", sender=SECOND_PLANNER, says=says.restarts(says.SECOND_PLANNER))
    def second_crash(self, call: int) -> None:
        """The second planner crashes and starts again from the durable record."""
        require(self.second[call] and not self.copies[call][1].committed)
        if self.basis == "copy":
            self.restart(call, 1)

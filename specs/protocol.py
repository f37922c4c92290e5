"""The parties of the epoch-fence protocol and what they do when nothing goes wrong.

A call is planned in epoch 1; a deadline that fires opens the next epoch, in which its effect is compensated (or tried
again, as the design says). The durable record, the outbox, the two network paths, the world, and what planners believe
are state. Planner 0 is the planner; planner 1 is there only once the fault `second-planner` has happened. Not here:
what may go wrong (`faults.py`), what must hold (`properties.py`), and how designs differ (`knobs.py`, `variants.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, cast

from fenceproof.model import Array, Bool, ModelError, Set, action, exists, naturals, require, safeguard, terminal
from fenceproof.model.unbounded_kinds import Naturals

from . import says
from .knobs import Knobs
from .lanes import COMPENSATOR, DEADLINE, EPOCH_MAP, PLANNER, REQUESTS, RESULT, TOOL_PATH
from .messages import (
    TOOL_RESULTS,
    CompensatorMessage,
    Copy,
    DurableRecord,
    Epochs,
    Intent,
    Result,
    ToolMessage,
    World,
    epoch_kind,
)

#: More calls or epochs than these are a slip: no search would come to its end.
MOST_CALLS = 8
MOST_EPOCHS = 16


class Protocol(Knobs):
    """The epoch-fence protocol for a number of calls and epochs; with "any", epochs have no end."""

    unbounded: ClassVar[Mapping[str, object]] = {"epochs": "any"}

    def __init__(self, calls: int = 1, epochs: Epochs = 3) -> None:
        for name, value, most in (("calls", calls, MOST_CALLS), ("epochs", epochs, MOST_EPOCHS)):
            if (name, value) != ("epochs", "any") and not (isinstance(value, int) and 1 <= value <= most):
                raise ModelError(f"{name}={value} is not a number from 1 to {most}.")
        self.calls = calls
        self.epochs = epochs
        retries = self.on_timeout in ("replay", "compensate-and-retry")
        self.tool_epochs = self.epochs_from(1) if retries else (1,)
        self.compensates = self.on_timeout in ("compensate", "compensate-and-retry")
        self.compensation_epochs = self.epochs_from(2) if self.compensates else ()
        self.waiting_calls = 0 if self.on_timeout == "wait" else calls
        self.compensated_calls = calls if self.compensates else 0
        self.has_memory = self.basis == "copy" or self.bump == "after-send"
        self.saving_calls = calls if self.bump == "after-send" else 0
        self.tool_results = TOOL_RESULTS
        self.record = Array(calls, DurableRecord(epochs))
        self.outbox = Array(calls, Intent(epochs))
        self.opened = Array(calls, epoch_kind(1, epochs))
        self.armed = Array(calls, Bool())
        self.second = Array(calls, Bool())
        self.second_armed = Array(calls, Bool())
        self.copies = Array(calls, Array(2, Copy(epochs)))
        self.tool_path = Array(calls, Set(ToolMessage(self.tool_epochs)))
        self.compensator_path = Array(calls, Set(CompensatorMessage(epochs)))
        self.world = Array(calls, World(epochs))

    # Epochs

    def epochs_from(self, least: int) -> range | Naturals:
        """The epochs from one on."""
        return range(least, self.epochs + 1) if isinstance(self.epochs, int) else naturals(least)

    def has_next(self, epoch: int) -> bool:
        """Whether there is an epoch after this one."""
        return not isinstance(self.epochs, int) or epoch < self.epochs

    # Planner: what a result means

    @safeguard("echo-check")
    def is_well_formed(self, result: Result) -> bool:
        """Whether a result has a body and says which epoch it answers."""
        return result.body and (result.epoch is not None or self.echo == "optional")

    @safeguard("live-check")
    def is_live(self, call: int, result: Result) -> bool:
        """Whether a result's epoch is the one that may commit, as far as the planner that it reached can tell."""
        return result.epoch == self.live_of(call, result.planner)

    @safeguard("committed-check")
    def is_open(self, call: int, result: Result) -> bool:
        """Whether nothing is committed yet, as far as the planner that a result reached can tell."""
        return not self.is_committed(call, result.planner)

    def live_of(self, call: int, planner: int) -> int:
        """The live epoch: what the record says, or what a planner that decides by its own copy believes."""
        return self.copies[call][planner].epoch if self.basis == "copy" else self.record[call].live

    def is_committed(self, call: int, planner: int) -> bool:
        """Whether the call is committed: what the record says, or what a planner's own copy does."""
        if self.basis == "copy":
            return self.copies[call][planner].committed
        return self.record[call].committed is not None

    def judge(self, call: int, result: Result) -> str:
        """What becomes of a result: "commit", or "reject:" with the reason. Override it to try another design."""
        if self.decide == "last-writer":
            return "commit"
        if not self.is_well_formed(result):
            return "reject:malformed"
        if result.epoch is not None and not self.is_live(call, result):
            return "reject:stale"
        if not self.is_open(call, result):
            return "reject:committed"
        return "commit"

    def handle(self, call: int, result: Result) -> str:
        """A planner takes a result that was delivered: judges it, commits it or not, and notes what is answered."""
        record, outbox = self.record[call], self.outbox[call]
        if self.is_late_bump(call, result):
            record.live = cast(int, result.epoch)
        verdict = self.judge(call, result)
        if verdict == "commit":
            record.committed = self.live_of(call, result.planner) if result.epoch is None else result.epoch
            record.outcome = result.kind
            outbox.pending = False
            if self.basis == "copy":
                self.copies[call][result.planner].committed = True
        elif verdict == "reject:committed" and result.epoch == outbox.epoch:
            outbox.pending = False
        return verdict

    def is_late_bump(self, call: int, result: Result) -> bool:
        """Whether the fence is bumped only now, as the compensator returns."""
        if self.bump != "on-return" or result.kind != "compensated" or result.epoch is None:
            return False
        return self.record[call].committed is None and self.record[call].live < result.epoch

    # Planner: deadlines

    @safeguard("bump-check")
    def may_bump(self, call: int, planner: int) -> bool:
        """Whether a deadline that fires still opens an epoch."""
        return not self.check_commit or not self.is_committed(call, planner)

    def time_out(self, call: int, planner: int = 0) -> str:
        """A planner's deadline fires: it opens the next epoch, whose intent replaces the outbox's."""
        self.disarm(call, planner)
        if not self.may_bump(call, planner):
            return "ignored"
        outbox, epoch = self.outbox[call], self.open_epoch(call, planner)
        require(self.has_next(epoch))
        outbox.epoch = epoch + 1
        outbox.pending = True
        self.opened[call] = max(self.opened[call], epoch + 1)
        if self.has_memory:
            self.copies[call][planner].epoch = epoch + 1
        if self.bump == "before-send":
            self.raise_fence(call, epoch + 1)
            return "bump"
        if self.bump == "after-send":
            self.send(call, epoch + 1)
            self.copies[call][planner].unsaved = True
        return "open"

    def open_epoch(self, call: int, planner: int) -> int:
        """The latest epoch that was opened, as far as a planner can tell."""
        return self.copies[call][planner].epoch if self.basis == "copy" else self.outbox[call].epoch

    def has_own_deadline(self, planner: int) -> bool:
        """Whether a planner's deadline is another one than the first planner's.

        Planners that ask the record before they act need only one between them: a deadline of an epoch that is no
        longer open would find its compare-and-set refused, and change nothing.
        """
        return planner == 1 and self.basis == "copy"

    def is_armed(self, call: int, planner: int = 0) -> bool:
        """Whether a planner's deadline is running."""
        return self.second_armed[call] if self.has_own_deadline(planner) else self.armed[call]

    def disarm(self, call: int, planner: int) -> None:
        """A planner's deadline no longer runs."""
        if self.has_own_deadline(planner):
            self.second_armed[call] = False
        else:
            self.armed[call] = False

    def raise_fence(self, call: int, epoch: int) -> None:
        """The durable live epoch becomes at least this."""
        self.record[call].live = max(self.record[call].live, epoch)

    def is_tool_in_flight(self, call: int, planner: int = 0) -> bool:
        """Whether the tool's request or a result of the epoch that a planner has open is under way."""
        epoch = self.open_epoch(call, planner)
        return exists(self.tool_path[call], lambda message: message.epoch == epoch)

    def is_compensation_in_flight(self, call: int, planner: int = 0) -> bool:
        """Whether the compensator's request or result of the epoch that a planner has open is under way."""
        epoch = self.open_epoch(call, planner)
        return exists(self.compensator_path[call], lambda message: message.epoch == epoch)

    def is_due(self, call: int, planner: int = 0) -> bool:
        """Whether a deadline may fire though it is accurate: what was sent for the epoch is no longer under way."""
        return not self.is_tool_in_flight(call, planner) and not self.is_compensation_in_flight(call, planner)

    @action(
        call="waiting_calls",
        sender=PLANNER,
        receiver=DEADLINE,
        says=says.fires("The deadline of call {call} fires, with nothing under way"),
    )
    def deadline(self, call: int) -> str:
        """The deadline fires, accurately: what was sent for the open epoch is no longer under way."""
        require(self.is_armed(call) and self.is_due(call))
        return self.time_out(call)

    # Outbox

    @action(call="calls", sender=PLANNER, receiver=REQUESTS, says=says.SENDS)
    def dispatch(self, call: int) -> str:
        """The outbox sends its pending intent (again, if what it sent is gone) and arms the deadline."""
        require(self.outbox[call].pending)
        if self.on_timeout == "wait":
            self.outbox[call].pending = False
        else:
            self.armed[call] = True
            if self.basis == "copy":
                self.second_armed[call] = self.second[call]
        return self.send(call, self.outbox[call].epoch)

    def send(self, call: int, epoch: int) -> str:
        """The requests of an epoch are sent, as far as they are not under way already."""
        sent: list[str] = []
        tool = ToolMessage.of(kind="tool", epoch=1 if epoch == 1 or self.on_timeout == "compensate" else epoch)
        if (epoch == 1 or self.on_timeout != "compensate") and tool not in self.tool_path[call]:
            self.tool_path[call].add(tool)
            sent.append("tool")
        if epoch > 1 and self.compensates:
            compensation = CompensatorMessage.of(kind="compensate", epoch=epoch)
            if compensation not in self.compensator_path[call]:
                self.compensator_path[call].add(compensation)
                sent.append("compensate")
        require(len(sent) > 0)
        return "+".join(sent)

    @action(call="saving_calls", sender=PLANNER, receiver=EPOCH_MAP, says=says.saves(says.PLANNER))
    def persist(self, call: int) -> str:
        """The epoch that was opened in memory is written to the record, after its request was sent."""
        return self.persist_by(call, 0)

    def persist_by(self, call: int, planner: int) -> str:
        """A planner writes the epoch that it has opened to the record."""
        copy = self.copies[call][planner]
        require(copy.unsaved)
        copy.unsaved = False
        self.raise_fence(call, copy.epoch)
        return "bump"

    # Tool and compensator

    @safeguard("world-fence")
    def is_admitted(self, call: int, epoch: int) -> bool:
        """Whether the fence where the effect happens lets a tool execution of an epoch through."""
        return epoch >= self.world[call].fence

    @safeguard("tool-key")
    def may_apply(self, call: int) -> bool:
        """Whether an execution of the tool is new to it, as far as its idempotency key tells."""
        return self.tool_key == "none" or self.world[call].applications == 0

    @safeguard("compensator-key")
    def may_release(self, call: int, epoch: int) -> bool:
        """Whether a compensation is new to the compensator, as far as its idempotency key tells."""
        world = self.world[call]
        return world.compensations == 0 if self.compensator_key == "call" else epoch not in world.keys

    def run_tool(self, call: int, epoch: int, result: str, *, keep: bool = False) -> str:
        """The tool executes a request that is in flight, unless the fence where the effect happens refuses it."""
        path, world = self.tool_path[call], self.world[call]
        request = ToolMessage.of(kind="tool", epoch=epoch)
        require(request in path)
        if not keep:
            path.remove(request)
        if self.world_fence:
            if not self.is_admitted(call, epoch):
                return "refused"
            world.fence = max(world.fence, epoch)
        if self.may_apply(call):
            world.reserved = True
            if world.applications < 2:
                world.applications += 1
        path.add(ToolMessage.of(kind=result, epoch=epoch))
        return "executed"

    @action(call="calls", epoch="tool_epochs", sender=TOOL_PATH, says=says.executes("answers success"))
    def execute(self, call: int, epoch: int) -> str:
        """The tool executes the request and answers."""
        return self.run_tool(call, epoch, "success")

    def run_compensator(self, call: int, epoch: int, *, keep: bool = False) -> str:
        """The compensator takes a request that is in flight; its idempotency key decides whether it acts again."""
        path, world = self.compensator_path[call], self.world[call]
        request = CompensatorMessage.of(kind="compensate", epoch=epoch)
        require(request in path)
        if not keep:
            path.remove(request)
        if self.may_release(call, epoch):
            world.reserved = False
            if world.compensations < 2:
                world.compensations += 1
        if self.compensator_key == "call-epoch":
            world.keys.add(epoch)
        if self.world_fence:
            world.fence = max(world.fence, epoch)
        path.add(CompensatorMessage.of(kind="compensated", epoch=epoch))
        return "compensated"

    @action(call="calls", epoch="compensation_epochs", sender=COMPENSATOR, says=says.compensates())
    def compensate(self, call: int, epoch: int) -> str:
        """The compensator executes its request and answers."""
        return self.run_compensator(call, epoch)

    # Deliveries

    def receive(self, call: int, kind: str, epoch: int, planner: int = 0, *, keep: bool = False) -> str:
        """A planner takes a result that is in flight on the tool path."""
        message = ToolMessage.of(kind=kind, epoch=epoch)
        require(message in self.tool_path[call])
        if not keep:
            self.tool_path[call].remove(message)
        echo = None if kind == "no-echo" else epoch
        return self.handle(call, Result("success", echo, kind != "empty-body", planner))

    def receive_compensation(self, call: int, epoch: int, planner: int = 0, *, keep: bool = False) -> str:
        """A planner takes a result that is in flight on the compensator's path."""
        message = CompensatorMessage.of(kind="compensated", epoch=epoch)
        require(message in self.compensator_path[call])
        if not keep:
            self.compensator_path[call].remove(message)
        return self.handle(call, Result("compensated", epoch, planner=planner))

    @action(
        call="calls",
        kind="tool_results",
        epoch="tool_epochs",
        sender=TOOL_PATH,
        receiver=RESULT,
        says=says.result(says.PLANNER),
    )
    def deliver(self, call: int, kind: str, epoch: int) -> str:
        """A result of the tool reaches the planner."""
        return self.receive(call, kind, epoch)

    @action(
        call="calls",
        epoch="compensation_epochs",
        sender=COMPENSATOR,
        receiver=RESULT,
        says=says.compensated(says.PLANNER),
    )
    def deliver_compensation(self, call: int, epoch: int) -> str:
        """The compensator's result reaches the planner."""
        return self.receive_compensation(call, epoch)

    @terminal
    def is_settled(self) -> bool:
        """Every call is committed."""
        return not exists(range(self.calls), lambda call: self.record[call].committed is None)

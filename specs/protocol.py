"""The parties of the epoch-fence protocol and what they do when nothing goes wrong.

A call is planned in epoch 1; a deadline that fires opens the next epoch, in which compensation is sent. The durable
record, the outbox, the two network paths and the world are state; the planner itself keeps nothing else. Not here:
what may go wrong (`faults.py`), what must hold (`properties.py`), and how designs differ (`variants.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args

from fenceproof.model import (
    Array,
    Bool,
    Choice,
    Maybe,
    Model,
    ModelError,
    Range,
    Record,
    Set,
    action,
    exists,
    require,
    safeguard,
    terminal,
)

Decide = Literal["fence", "last-writer"]
Bump = Literal["before-send", "on-return"]
Echo = Literal["required", "optional"]
CompensatorKey = Literal["call", "call-epoch"]

#: The results that the tool sends, by what is wrong with them.
TOOL_RESULTS = ("success", "empty-body", "no-echo")


@dataclass(frozen=True)
class Result:
    """A result as the planner sees it: what it reports, the epoch it echoes, and whether it has a body."""

    kind: Literal["success", "compensated"]
    epoch: int | None
    body: bool = True


class DurableRecord(Record):
    """What survives everything: the live epoch (the fence), and what was committed under which epoch."""

    def __init__(self, epochs: int) -> None:
        self.live = Range(1, epochs)
        self.committed = Maybe(Range(1, epochs))
        self.outcome = Maybe(Choice("success", "compensated"))


class Intent(Record):
    """The outbox of a call: the latest epoch that a request was opened for, and whether it waits for an answer."""

    def __init__(self, epochs: int) -> None:
        self.epoch = Range(1, epochs)
        self.pending = Bool(start=True)


class ToolMessage(Record):
    """A message on the tool path: the request, or a result."""

    kind = Choice("tool", *TOOL_RESULTS)
    epoch = Range(1, 1)


class CompensatorMessage(Record):
    """A message on the compensator's path: the request, or its result."""

    def __init__(self, epochs: int) -> None:
        self.kind = Choice("compensate", "compensated")
        self.epoch = Range(2, max(2, epochs))


class World(Record):
    """What the tool and the compensator really change, and the fence that is checked there.

    `compensations` counts how often a compensation took effect, 2 standing for more; `keys` are the epochs in which it
    did, kept only where the idempotency key holds the epoch.
    """

    def __init__(self, epochs: int) -> None:
        self.fence = Range(0, epochs)
        self.compensations = Range(0, 2)
        self.keys = Set(Range(2, max(2, epochs)))


#: More calls or epochs than these are a slip: no search would come to its end.
MOST_CALLS = 8
MOST_EPOCHS = 16


class Protocol(Model):
    """The epoch-fence protocol for a number of calls and epochs; class keywords choose the design of the planner."""

    decide: Decide = "fence"
    bump: Bump = "before-send"
    echo: Echo = "required"
    check_commit: bool = True
    compensator_key: CompensatorKey = "call"

    def __init_subclass__(
        cls,
        *,
        decide: Decide | None = None,
        bump: Bump | None = None,
        echo: Echo | None = None,
        check_commit: bool | None = None,
        compensator_key: CompensatorKey | None = None,
    ) -> None:
        super().__init_subclass__()
        chosen = {
            "decide": (decide, get_args(Decide)),
            "bump": (bump, get_args(Bump)),
            "echo": (echo, get_args(Echo)),
            "check_commit": (check_commit, (True, False)),
            "compensator_key": (compensator_key, get_args(CompensatorKey)),
        }
        for name, (value, allowed) in chosen.items():
            if value is not None:
                if value not in allowed:
                    raise ModelError(
                        f"{cls.__name__}: {name}={value!r} is not a design choice.",
                        None,
                        f"Write one of {', '.join(map(repr, allowed))}.",
                    )
                setattr(cls, name, value)

    def __init__(self, calls: int = 1, epochs: int = 3) -> None:
        for name, value, most in (("calls", calls, MOST_CALLS), ("epochs", epochs, MOST_EPOCHS)):
            if not 1 <= value <= most:
                raise ModelError(f"{name}={value} is not a number from 1 to {most}.")
        self.calls = calls
        self.epochs = epochs
        self.tool_epochs = (1,)
        self.compensation_epochs = range(2, epochs + 1)
        self.tool_results = TOOL_RESULTS
        self.record = Array(calls, DurableRecord(epochs))
        self.outbox = Array(calls, Intent(epochs))
        self.armed = Array(calls, Bool())
        self.tool_path = Array(calls, Set(ToolMessage()))
        self.compensator_path = Array(calls, Set(CompensatorMessage(epochs)))
        self.world = Array(calls, World(epochs))

    @classmethod
    def design(cls) -> dict[str, object]:
        """The design choices of this planner by name."""
        names = ("decide", "bump", "echo", "check_commit", "compensator_key")
        return {name: getattr(cls, name) for name in names}

    # Planner: what a result means

    @safeguard("echo-check")
    def is_well_formed(self, result: Result) -> bool:
        """Whether a result has a body and says which epoch it answers."""
        return result.body and (result.epoch is not None or self.echo == "optional")

    @safeguard("live-check")
    def is_live(self, call: int, epoch: int) -> bool:
        """Whether an epoch is the one that may commit."""
        return self.record[call].live == epoch

    @safeguard("committed-check")
    def is_open(self, call: int) -> bool:
        """Whether nothing is committed yet."""
        return self.record[call].committed is None

    def judge(self, call: int, result: Result) -> str:
        """What becomes of a result: "commit", or "reject:" with the reason. Override it to try another design."""
        if self.decide == "last-writer":
            return "commit"
        if not self.is_well_formed(result):
            return "reject:malformed"
        if result.epoch is not None and not self.is_live(call, result.epoch):
            return "reject:stale"
        if not self.is_open(call):
            return "reject:committed"
        return "commit"

    def handle(self, call: int, result: Result) -> str:
        """Take a result that was delivered: judge it, commit it or not, and note that its intent was answered."""
        record, outbox = self.record[call], self.outbox[call]
        if self.is_late_bump(call, result):
            record.live = cast(int, result.epoch)
        verdict = self.judge(call, result)
        if verdict == "commit":
            record.committed = record.live if result.epoch is None else result.epoch
            record.outcome = result.kind
            outbox.pending = False
        elif result.body and result.epoch is not None and result.epoch == outbox.epoch:
            outbox.pending = False
        return verdict

    def is_late_bump(self, call: int, result: Result) -> bool:
        """Whether the fence is bumped only now, as the compensator returns."""
        if self.bump == "before-send" or result.kind != "compensated" or result.epoch is None:
            return False
        return self.record[call].committed is None and self.record[call].live < result.epoch

    # Planner: deadlines

    @safeguard("bump-check")
    def may_bump(self, call: int) -> bool:
        """Whether a deadline that fires still opens an epoch."""
        return self.record[call].committed is None or not self.check_commit

    def time_out(self, call: int) -> str:
        """A deadline fires: open the next epoch, whose intent replaces the outbox's, in one transaction."""
        record, outbox = self.record[call], self.outbox[call]
        self.armed[call] = False
        if not self.may_bump(call):
            return "ignored"
        require(outbox.epoch < self.epochs)
        outbox.epoch += 1
        outbox.pending = True
        if self.bump == "on-return":
            return "open"
        record.live = outbox.epoch
        return "bump"

    def is_tool_in_flight(self, call: int) -> bool:
        """Whether the tool's request or a result of the open epoch is under way."""
        open_epoch = self.outbox[call].epoch
        return exists(self.tool_path[call], lambda message: message.epoch == open_epoch)

    def is_compensation_in_flight(self, call: int) -> bool:
        """Whether the compensator's request or result of the open epoch is under way."""
        open_epoch = self.outbox[call].epoch
        return exists(self.compensator_path[call], lambda message: message.epoch == open_epoch)

    @action(call="calls")
    def deadline(self, call: int) -> str:
        """The deadline fires, accurately: what was sent for the open epoch is no longer under way."""
        require(self.armed[call])
        require(not self.is_tool_in_flight(call) and not self.is_compensation_in_flight(call))
        return self.time_out(call)

    # Outbox

    @action(call="calls")
    def dispatch(self, call: int) -> str:
        """The outbox sends its pending intent (again, if what it sent is gone) and arms the deadline."""
        outbox = self.outbox[call]
        require(outbox.pending)
        self.armed[call] = True
        if outbox.epoch == 1:
            request = ToolMessage.of(kind="tool", epoch=1)
            require(request not in self.tool_path[call])
            self.tool_path[call].add(request)
            return "tool"
        compensation = CompensatorMessage.of(kind="compensate", epoch=outbox.epoch)
        require(compensation not in self.compensator_path[call])
        self.compensator_path[call].add(compensation)
        return "compensate"

    # Tool and compensator

    def run_tool(self, call: int, epoch: int, result: str, *, keep: bool = False) -> str:
        """The tool executes a request that is in flight, unless the fence where the effect happens refuses it."""
        path, world = self.tool_path[call], self.world[call]
        request = ToolMessage.of(kind="tool", epoch=epoch)
        require(request in path)
        if not keep:
            path.remove(request)
        if epoch < world.fence:
            return "refused"
        world.fence = epoch
        path.add(ToolMessage.of(kind=result, epoch=epoch))
        return "executed"

    @action(call="calls", epoch="tool_epochs")
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
        if self.compensator_key == "call":
            is_new = world.compensations == 0
        else:
            is_new = epoch not in world.keys
            world.keys.add(epoch)
        if is_new and world.compensations < 2:
            world.compensations += 1
        world.fence = max(world.fence, epoch)
        path.add(CompensatorMessage.of(kind="compensated", epoch=epoch))
        return "compensated"

    @action(call="calls", epoch="compensation_epochs")
    def compensate(self, call: int, epoch: int) -> str:
        """The compensator executes its request and answers."""
        return self.run_compensator(call, epoch)

    # Deliveries

    def receive(self, call: int, kind: str, epoch: int, *, keep: bool = False) -> str:
        """The planner takes a result that is in flight on the tool path."""
        message = ToolMessage.of(kind=kind, epoch=epoch)
        require(message in self.tool_path[call])
        if not keep:
            self.tool_path[call].remove(message)
        return self.handle(call, Result("success", None if kind == "no-echo" else epoch, kind != "empty-body"))

    def receive_compensation(self, call: int, epoch: int, *, keep: bool = False) -> str:
        """The planner takes a result that is in flight on the compensator's path."""
        message = CompensatorMessage.of(kind="compensated", epoch=epoch)
        require(message in self.compensator_path[call])
        if not keep:
            self.compensator_path[call].remove(message)
        return self.handle(call, Result("compensated", epoch))

    @action(call="calls", kind="tool_results", epoch="tool_epochs")
    def deliver(self, call: int, kind: str, epoch: int) -> str:
        """A result of the tool reaches the planner."""
        return self.receive(call, kind, epoch)

    @action(call="calls", epoch="compensation_epochs")
    def deliver_compensation(self, call: int, epoch: int) -> str:
        """The compensator's result reaches the planner."""
        return self.receive_compensation(call, epoch)

    @terminal
    def is_settled(self) -> bool:
        """Every call is committed."""
        return not exists(range(self.calls), lambda call: self.record[call].committed is None)

"""What the parties of the protocol keep and send: the durable record, the outbox, a planner's memory, messages, the
world."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fenceproof.model import Bool, Choice, Maybe, Natural, Range, Record, Set
from fenceproof.model.unbounded_kinds import Naturals

#: The epochs of a call: 1 up to a number, or "any", without an end.
Epochs: TypeAlias = int | Literal["any"]

#: The results that the tool sends, by what is wrong with them.
TOOL_RESULTS = ("success", "empty-body", "no-echo")


def epoch_kind(least: int, epochs: Epochs) -> int:
    """The kind of an epoch that is at least some number."""
    return Natural(least) if epochs == "any" else Range(least, max(least, epochs))


@dataclass(frozen=True)
class Result:
    """A result as it reaches a planner: what it reports, the epoch it echoes, whether it has a body."""

    kind: Literal["success", "compensated"]
    epoch: int | None
    body: bool = True
    planner: int = 0


class DurableRecord(Record):
    """What survives everything: the live epoch (the fence), and what was committed under which epoch."""

    def __init__(self, epochs: Epochs) -> None:
        self.live = epoch_kind(1, epochs)
        self.committed = Maybe(epoch_kind(1, epochs))
        self.outcome = Maybe(Choice("success", "compensated"))


class Intent(Record):
    """The outbox of a call: the latest epoch that it holds a request of, and whether that waits for an answer."""

    def __init__(self, epochs: Epochs) -> None:
        self.epoch = epoch_kind(1, epochs)
        self.pending = Bool(start=True)


class Copy(Record):
    """What a planner that does not ask the durable record believes of it; a crash takes it.

    `epoch` is the latest epoch that it knows to be open, `committed` whether it knows of a commit, `unsaved` whether it
    has opened an epoch that the record does not hold yet.
    """

    def __init__(self, epochs: Epochs) -> None:
        self.epoch = epoch_kind(1, epochs)
        self.committed = Bool()
        self.unsaved = Bool()


class ToolMessage(Record):
    """A message on the tool path: the request, or a result."""

    kind = Choice("tool", *TOOL_RESULTS)

    def __init__(self, epochs: Iterable[int] | Naturals) -> None:
        self.epoch = Natural(epochs.lo) if isinstance(epochs, Naturals) else Range(min(epochs), max(epochs))


class CompensatorMessage(Record):
    """A message on the compensator's path: the request, or its result."""

    def __init__(self, epochs: Epochs) -> None:
        self.kind = Choice("compensate", "compensated")
        self.epoch = epoch_kind(2, epochs)


class World(Record):
    """What the tool and the compensator really change, and the fence that is checked there.

    `reserved` is the row that the tool writes and the compensator releases. `applications` and `compensations` count
    how often each took effect, 2 standing for more; `keys` are the epochs in which a compensation did, kept only where
    the idempotency key holds the epoch.
    """

    def __init__(self, epochs: Epochs) -> None:
        self.fence = epoch_kind(0, epochs)
        self.reserved = Bool()
        self.applications = Range(0, 2)
        self.compensations = Range(0, 2)
        self.keys = Set(epoch_kind(2, epochs))

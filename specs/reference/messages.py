"""What travels: requests to the tool and the compensator, and their results; and the network that carries them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

ToolAnswer = Literal["success", "empty-body", "no-echo"]
Kind = Literal["tool", "success", "empty-body", "no-echo", "compensate", "compensated"]
#: Every kind, in the order in which snapshots list them.
KINDS: Final[tuple[Kind, ...]] = ("tool", "success", "empty-body", "no-echo", "compensate", "compensated")


@dataclass(frozen=True, slots=True)
class Message:
    """A message under way, and the epoch of the request that it is, or that it answers."""

    call: int
    kind: Kind
    epoch: int


@dataclass(frozen=True, slots=True)
class Result:
    """A result as it reaches the planner: `epoch` is what it echoes, None where it echoes nothing."""

    call: int
    outcome: Literal["success", "compensated"]
    epoch: int | None
    has_body: bool


class Network:
    """Messages under way. Sending one that is under way already changes nothing."""

    def __init__(self) -> None:
        self._messages: set[Message] = set()

    def send(self, message: Message) -> None:
        """Put a message under way."""
        self._messages.add(message)

    def arrives(self, message: Message, *, again: bool = False) -> None:
        """A message reaches its end, and with `again` will do so once more. ValueError where it is not under way."""
        if message not in self._messages:
            raise ValueError(f"no {message.kind} of epoch {message.epoch} is under way for call {message.call}")
        if not again:
            self._messages.remove(message)

    def is_under_way(self, message: Message) -> bool:
        """Whether a message is under way."""
        return message in self._messages

    def of(self, call: int, kinds: tuple[Kind, ...]) -> list[Message]:
        """A call's messages of some kinds, in the order of kinds and then of epochs."""
        found = (m for m in self._messages if m.call == call and m.kind in kinds)
        return sorted(found, key=lambda m: (KINDS.index(m.kind), m.epoch))


def result_of(message: Message) -> Result:
    """What the planner gets to see of a message that arrives."""
    outcome: Literal["success", "compensated"] = "compensated" if message.kind == "compensated" else "success"
    echo = None if message.kind == "no-echo" else message.epoch
    return Result(message.call, outcome, echo, has_body=message.kind != "empty-body")

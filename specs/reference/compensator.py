"""The compensator: itself a network call, at least once, made harmless by its idempotency key."""

from __future__ import annotations

from .messages import Message, Network
from .world import World


class Compensator:
    """Releases what the tool reserved."""

    def __init__(self, network: Network, worlds: list[World]) -> None:
        self._network = network
        self._worlds = worlds

    def compensate(self, call: int, epoch: int, *, again: bool = False) -> str:
        """Execute the request of an epoch, and answer whether or not there was anything left to do."""
        self._network.arrives(Message(call, "compensate", epoch), again=again)
        self._worlds[call].release(epoch)
        self._network.send(Message(call, "compensated", epoch))
        return "compensated"

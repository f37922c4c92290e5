"""The tool: executes a request and answers, if the world lets it."""

from __future__ import annotations

from .messages import Message, Network, ToolAnswer
from .world import World


class Tool:
    """The tool at the other end of the tool path."""

    def __init__(self, network: Network, worlds: list[World]) -> None:
        self._network = network
        self._worlds = worlds

    def execute(
        self,
        call: int,
        epoch: int,
        *,
        answer: ToolAnswer = "success",
        again: bool = False,
    ) -> str:
        """Execute the request of an epoch; "executed", or "refused" by the fence, which answers nothing."""
        self._network.arrives(Message(call, "tool", epoch), again=again)
        if not self._worlds[call].reserve(epoch):
            return "refused"
        self._network.send(Message(call, answer, epoch))
        return "executed"

"""The outbox's dispatcher: sends pending intents at least once, after the transaction that wrote them."""

from __future__ import annotations

from .design import Design
from .messages import Kind, Message, Network
from .record import RecordStore


class Dispatcher:
    """Sends what the outbox holds. Whether a request that was sent is still under way, the network knows."""

    def __init__(self, store: RecordStore, network: Network, design: Design) -> None:
        self._store = store
        self._network = network
        self._design = design

    def dispatch(self, call: int) -> str:
        """Send what a call's intent asks for and is not under way yet; ValueError where there is nothing to send."""
        record = self._store.read(call)
        if not record.pending:
            raise ValueError(f"call {call} has nothing to send")
        sent = self.send(call, record.intent_epoch)
        if self._design.on_timeout == "wait":
            self._store.answered(call, record.intent_epoch)
        return sent

    def send(self, call: int, epoch: int) -> str:
        """Send the requests of an epoch that are not under way yet; ValueError where all are."""
        requests = [Message(call, kind, epoch) for kind in requests_of(self._design, epoch)]
        sent = [request for request in requests if not self._network.is_under_way(request)]
        if not sent:
            raise ValueError(f"what call {call} asks for is under way already")
        for request in sent:
            self._network.send(request)
        return "+".join(request.kind for request in sent)


def requests_of(design: Design, epoch: int) -> tuple[Kind, ...]:
    """What an intent of an epoch asks for."""
    if epoch == 1 or design.on_timeout == "replay":
        return ("tool",)
    return ("tool", "compensate") if design.on_timeout == "compensate-and-retry" else ("compensate",)

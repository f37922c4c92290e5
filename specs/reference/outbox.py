"""The outbox's dispatcher: sends pending intents at least once, after the transaction that wrote them."""

from __future__ import annotations

from .messages import Kind, Message, Network
from .record import RecordStore


class Dispatcher:
    """Sends what the outbox holds. Whether a request that was sent is still under way, the network knows."""

    def __init__(self, store: RecordStore, network: Network) -> None:
        self._store = store
        self._network = network

    def dispatch(self, call: int) -> str:
        """Send a call's pending intent: the tool call of epoch 1, or a compensation. ValueError where there is none."""
        record = self._store.read(call)
        if not record.pending:
            raise ValueError(f"call {call} has nothing to send")
        kind: Kind = "tool" if record.intent_epoch == 1 else "compensate"
        message = Message(call, kind, record.intent_epoch)
        if self._network.is_under_way(message):
            raise ValueError(f"the {kind} request of call {call} is under way already")
        self._network.send(message)
        return kind

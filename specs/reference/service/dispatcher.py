"""The outbox's loop: sends what is pending, at least once, with back-off, until it is answered, replaced or parked.

A request is counted before it is sent, so that one which takes the process with it is parked too, in the end. What was
sent is kept in the outbox until a result has decided, since a request that was taken may still be lost.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..design import Design
from ..record import CallRecord, RecordStore
from .clock import Clock
from .policy import Policy
from .telemetry import Happening, Telemetry
from .worker import Worker


class OutboxLoop:
    """Serves the outbox of some calls. `before_send` is told which epoch of a call is about to be sent.

    Requests of one call are sent one after the other, and of several calls that one first whose turn came first. One
    thread sends them all: a tool that keeps us waiting, which a good one does not, keeps the others waiting as well.
    """

    def __init__(
        self,
        store: RecordStore,
        send: Callable[[int, int], bool],
        *,
        calls: Collection[int],
        design: Design,
        policy: Policy,
        clock: Clock,
        telemetry: Telemetry,
        before_send: Callable[[int, int], None],
    ) -> None:
        self._store = store
        self._send = send
        self._calls = frozenset(calls)
        self._design = design
        self._policy = policy
        self._clock = clock
        self._telemetry = telemetry
        self._before_send = before_send
        #: When each intent is due, in the order in which they were found. It is not durable: after a start all are due.
        self._due: dict[tuple[int, int], float] = {}
        self._worker = Worker("outbox", self._serve, clock, lambda error: telemetry.failed("outbox", error))
        self.start = self._worker.start
        self.wake = self._worker.wake
        self.close = self._worker.close

    def _serve(self) -> float:
        pending = {(call, r.intent_epoch): r for call, r in self._store.pending() if call in self._calls}
        now = self._clock.now()
        self._due = {key: self._due.get(key, now) for key in [*(k for k in self._due if k in pending), *pending]}
        ready = sorted((key for key, due in self._due.items() if due <= now), key=lambda key: self._due[key])
        for call, epoch in ready:
            self._dispatch(call, epoch, pending[call, epoch])
        return min([*self._due.values(), self._clock.now() + self._policy.poll_s])

    def _dispatch(self, call: int, epoch: int, record: CallRecord) -> None:
        attempt = record.attempts + 1
        is_last = attempt >= self._policy.most_attempts
        self._store.attempted(call, epoch, park=is_last)
        self._due[call, epoch] = self._clock.now() + self._policy.retry_s(attempt)
        self._before_send(call, epoch)
        self._telemetry.tell(Happening("outbox", f"attempt {attempt}", call, epoch, "sending"))
        was_taken = self._send(call, epoch)
        if self._design.on_timeout == "wait" and was_taken:
            self._store.answered(call, epoch)
        elif is_last:
            self._telemetry.tell(Happening("outbox", f"attempt {attempt}", call, epoch, "parked"))

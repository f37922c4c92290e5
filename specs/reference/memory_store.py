"""The store in memory: for speed, and to be held against the databases."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from .record import CallRecord, Outcome


class MemoryStore:
    """The records of so many calls, safe for threads."""

    def __init__(self, calls: int) -> None:
        self._records = [CallRecord() for _ in range(calls)]
        self._lock = threading.Lock()

    def read(self, call: int) -> CallRecord:
        with self._lock:
            return self._at(call)

    def commit_if_live(self, call: int, epoch: int, outcome: Outcome) -> bool:
        return self._change(
            call,
            lambda r: r.live == epoch and r.committed is None,
            lambda r: replace(r, committed=epoch, outcome=outcome, pending=False),
        )

    def overwrite(self, call: int, epoch: int, outcome: Outcome) -> None:
        self._change(call, lambda _: True, lambda r: replace(r, committed=epoch, outcome=outcome, pending=False))

    def open_next(self, call: int, *, even_if_committed: bool, raise_fence: bool) -> int | None:
        with self._lock:
            record = self._at(call)
            if record.committed is not None and not even_if_committed:
                return None
            epoch = record.intent_epoch + 1
            self._records[call] = _opened(record, epoch, raise_fence)
            return epoch

    def open_epoch(self, call: int, epoch: int, *, raise_fence: bool) -> None:
        self._change(call, lambda _: True, lambda r: _opened(r, epoch, raise_fence))

    def raise_fence(self, call: int, epoch: int, *, even_if_committed: bool) -> None:
        self._change(
            call,
            lambda r: r.live < epoch and (even_if_committed or r.committed is None),
            lambda r: replace(r, live=epoch),
        )

    def restore_intent(self, call: int) -> None:
        self._change(call, lambda _: True, lambda r: _asking(r, r.live, pending=r.committed is None))

    def answered(self, call: int, epoch: int) -> None:
        self._change(call, lambda r: r.intent_epoch == epoch, lambda r: replace(r, pending=False))

    def pending(self) -> list[tuple[int, CallRecord]]:
        with self._lock:
            return [(call, r) for call, r in enumerate(self._records) if r.pending and not r.parked]

    def attempted(self, call: int, epoch: int, *, park: bool = False) -> None:
        self._change(
            call,
            lambda r: r.intent_epoch == epoch,
            lambda r: replace(r, attempts=r.attempts + 1, parked=r.parked or park),
        )

    def _at(self, call: int) -> CallRecord:
        if not 0 <= call < len(self._records):
            raise KeyError(call)
        return self._records[call]

    def _change(
        self, call: int, allowed: Callable[[CallRecord], bool], change: Callable[[CallRecord], CallRecord]
    ) -> bool:
        with self._lock:
            record = self._at(call)
            if not allowed(record):
                return False
            self._records[call] = change(record)
            return True


def _opened(record: CallRecord, epoch: int, raise_fence: bool) -> CallRecord:
    live = max(record.live, epoch) if raise_fence else record.live
    return replace(_asking(record, epoch, pending=True), live=live)


def _asking(record: CallRecord, epoch: int, *, pending: bool) -> CallRecord:
    return replace(record, intent_epoch=epoch, pending=pending, attempts=0, parked=False)

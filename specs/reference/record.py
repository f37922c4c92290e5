"""The durable record of each call, with its outbox: small enough to snapshot after every event.

The store is the only place where a commit is decided: one compare-and-set under one lock, whose answer counts.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Literal, Protocol

Outcome = Literal["success", "compensated"]


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call. `intent_epoch` and `pending` are its outbox, written in the same transactions as the fence."""

    live: int = 1
    committed: int | None = None
    outcome: Outcome | None = None
    intent_epoch: int = 1
    pending: bool = True


class RecordStore(Protocol):
    """What a planner needs of durable storage. Every method is one transaction."""

    def read(self, call: int) -> CallRecord:
        """The record as it stands."""
        ...

    def commit_if_live(self, call: int, epoch: int, outcome: Outcome) -> bool:
        """Commit, if `epoch` is live and nothing is committed; whether it was."""
        ...

    def overwrite(self, call: int, epoch: int, outcome: Outcome) -> None:
        """Commit, whatever was there before."""
        ...

    def open_epoch(self, call: int, *, even_if_committed: bool, raise_fence: bool) -> bool:
        """Open the next epoch and put its intent into the outbox; whether it was opened.

        The fence is raised with it, unless the design raises it later.
        """
        ...

    def raise_fence(self, call: int, epoch: int) -> None:
        """Raise the fence to an epoch, if nothing is committed and it is lower."""
        ...

    def answered(self, call: int, epoch: int) -> None:
        """Take an epoch's intent out of the outbox, if it is still the one in it."""
        ...


class MemoryStore:
    """A store in memory, safe for threads."""

    def __init__(self, calls: int, epochs: int) -> None:
        self._records = [CallRecord() for _ in range(calls)]
        self._epochs = epochs
        self._lock = threading.Lock()

    def read(self, call: int) -> CallRecord:
        with self._lock:
            return self._records[call]

    def commit_if_live(self, call: int, epoch: int, outcome: Outcome) -> bool:
        with self._lock:
            record = self._records[call]
            if record.live != epoch or record.committed is not None:
                return False
            self._records[call] = replace(record, committed=epoch, outcome=outcome, pending=False)
            return True

    def overwrite(self, call: int, epoch: int, outcome: Outcome) -> None:
        with self._lock:
            self._records[call] = replace(self._records[call], committed=epoch, outcome=outcome, pending=False)

    def open_epoch(self, call: int, *, even_if_committed: bool, raise_fence: bool) -> bool:
        with self._lock:
            record = self._records[call]
            if record.committed is not None and not even_if_committed:
                return False
            epoch = record.intent_epoch + 1
            if epoch > self._epochs:
                raise ValueError(f"call {call} has no epoch after {record.intent_epoch}")
            live = epoch if raise_fence else record.live
            self._records[call] = replace(record, live=live, intent_epoch=epoch, pending=True)
            return True

    def raise_fence(self, call: int, epoch: int) -> None:
        with self._lock:
            record = self._records[call]
            if record.committed is None and record.live < epoch:
                self._records[call] = replace(record, live=epoch)

    def answered(self, call: int, epoch: int) -> None:
        with self._lock:
            record = self._records[call]
            if record.intent_epoch == epoch:
                self._records[call] = replace(record, pending=False)

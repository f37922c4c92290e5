"""The planner: what a result means, and what a deadline does.

One that decides by the record keeps nothing that the record does not hold. One that is designed otherwise has a copy of
a call's record in memory, which a crash takes.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from .design import Design
from .messages import Result
from .record import RecordStore

log = logging.getLogger(__name__)
# Who uses the planner decides where its log goes; without a handler Python would put it on standard error.
log.addHandler(logging.NullHandler())


@dataclass(slots=True)
class Counters:
    """How many results were turned down, by reason: three different problems, so three numbers. Safe for threads."""

    stale: int = 0
    malformed: int = 0
    committed: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    def count(self, reason: Literal["stale", "malformed", "committed"]) -> str:
        """Count one more, and give the verdict that says so."""
        with self._lock:
            setattr(self, reason, getattr(self, reason) + 1)
        return f"reject:{reason}"


@dataclass(slots=True)
class Copy:
    """What a planner believes of a call: the latest epoch that is open, whether it is committed, and whether the epoch
    is one that the record does not hold yet."""

    epoch: int = 1
    committed: bool = False
    unsaved: bool = False


class Planner:
    """Decides about one call.

    `send` sends the requests of an epoch at once, for a design without an outbox. `epochs` is how many epochs are
    opened at most: a deadline after the last is a ValueError.
    """

    def __init__(
        self,
        call: int,
        store: RecordStore,
        design: Design,
        *,
        send: Callable[[int, int], object],
        epochs: int,
        rejects: Counters | None = None,
    ) -> None:
        self.call = call
        self.copy = Copy()
        self.rejects = rejects or Counters()
        self._store = store
        self._design = design
        self._send = send
        self._epochs = epochs

    def start_again(self) -> None:
        """Come back after a crash, or take over: what is in memory is what the record says."""
        # An epoch that was in memory only is gone, and with it what the outbox sends of it.
        if self.copy.unsaved:
            self._store.restore_intent(self.call)
        record = self._store.read(self.call)
        self.copy = Copy(record.live, record.committed is not None)

    def handle(self, result: Result) -> str:
        """Take a result that was delivered; "commit", or "reject:" with the reason."""
        verdict = self._decide(result)
        level = logging.INFO if verdict == "commit" else logging.WARNING
        log.log(level, "call %d: %s of epoch %s: %s", self.call, result.outcome, result.epoch, verdict)
        if verdict == "reject:committed" and result.epoch is not None:
            self._store.answered(self.call, result.epoch)
        return verdict

    def _decide(self, result: Result) -> str:
        if self._design.decide == "fence" and not self._is_well_formed(result):
            return self.rejects.count("malformed")
        if self._design.bump == "on-return" and result.outcome == "compensated" and result.epoch is not None:
            self._store.raise_fence(self.call, result.epoch, even_if_committed=False)
        epoch = self._live() if result.epoch is None else result.epoch
        if self._commits(result, epoch):
            self.copy.committed = self._design.basis == "copy"
            return "commit"
        if self._live() != epoch:
            return self.rejects.count("stale")
        return self.rejects.count("committed")

    def _is_well_formed(self, result: Result) -> bool:
        return result.has_body and (result.epoch is not None or self._design.echo == "optional")

    def _commits(self, result: Result, epoch: int) -> bool:
        if self._design.decide == "fence":
            if self._design.basis == "record":
                return self._store.commit_if_live(self.call, epoch, result.outcome)
            if self.copy.committed or self.copy.epoch != epoch:
                return False
        self._store.overwrite(self.call, epoch, result.outcome)
        return True

    def _live(self) -> int:
        return self.copy.epoch if self._design.basis == "copy" else self._store.read(self.call).live

    def time_out(self) -> str:
        """The deadline fired: open the next epoch, in the outbox and, unless that comes later, in the fence.

        "ignored" after a commit; "bump" where the fence was raised, "open" where it was not yet.
        """
        opened = self._open()
        if opened is None:
            log.info("call %d: the deadline fired after the commit and is ignored", self.call)
            return "ignored"
        self.copy.epoch = opened
        self.copy.unsaved = self._design.bump == "after-send"
        return "bump" if self._design.bump == "before-send" else "open"

    def _open(self) -> int | None:
        committed, latest = self._believed()
        if committed and self._design.check_commit:
            return None
        epoch = latest + 1
        self._refuse_after_the_last(epoch)
        raise_fence = self._design.bump == "before-send"
        if self._design.bump == "after-send":
            self._send(self.call, epoch)
        elif self._design.basis == "record":
            return self._store.open_next(
                self.call, even_if_committed=not self._design.check_commit, raise_fence=raise_fence
            )
        self._store.open_epoch(self.call, epoch, raise_fence=raise_fence)
        return epoch

    def _believed(self) -> tuple[bool, int]:
        """Whether the call is committed and which epoch is open, by the record or by the copy."""
        if self._design.basis == "copy":
            return self.copy.committed, self.copy.epoch
        record = self._store.read(self.call)
        return record.committed is not None, record.intent_epoch

    def _refuse_after_the_last(self, epoch: int) -> None:
        if epoch > self._epochs:
            raise ValueError(f"call {self.call} has no epoch after {epoch - 1}")

    def save(self) -> str:
        """Write the epoch that was opened in memory to the record. ValueError where there is none."""
        if not self.copy.unsaved:
            raise ValueError(f"the planner of call {self.call} has nothing to write")
        self.copy.unsaved = False
        self._store.raise_fence(self.call, self.copy.epoch, even_if_committed=True)
        return "bump"

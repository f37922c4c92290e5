"""The planner: what a result means, and what a deadline does. It keeps nothing that the record does not hold."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from .design import Design
from .messages import Result
from .record import RecordStore

log = logging.getLogger(__name__)
# Who uses the planner decides where its log goes; without a handler Python would put it on standard error.
log.addHandler(logging.NullHandler())


@dataclass(slots=True)
class Counters:
    """How many results were turned down, by reason: three different problems, so three numbers."""

    stale: int = 0
    malformed: int = 0
    committed: int = 0


class Planner:
    """Decides by the durable record alone."""

    def __init__(self, store: RecordStore, design: Design) -> None:
        self._store = store
        self._design = design
        self.rejects = Counters()

    def handle(self, result: Result) -> str:
        """Take a result that was delivered; "commit", or "reject:" with the reason."""
        verdict = self._decide(result)
        level = logging.INFO if verdict == "commit" else logging.WARNING
        log.log(level, "call %d: %s of epoch %s: %s", result.call, result.outcome, result.epoch, verdict)
        if verdict == "reject:committed" and result.epoch is not None:
            self._store.answered(result.call, result.epoch)
        return verdict

    def _decide(self, result: Result) -> str:
        if self._design.decide == "last-writer":
            echo = self._store.read(result.call).intent_epoch if result.epoch is None else result.epoch
            self._store.overwrite(result.call, echo, result.outcome)
            return "commit"
        if not result.has_body or (result.epoch is None and self._design.echo == "required"):
            self.rejects.malformed += 1
            return "reject:malformed"
        if self._design.bump == "on-return" and result.outcome == "compensated" and result.epoch is not None:
            self._store.raise_fence(result.call, result.epoch)
        epoch = self._store.read(result.call).live if result.epoch is None else result.epoch
        if self._store.commit_if_live(result.call, epoch, result.outcome):
            return "commit"
        if self._store.read(result.call).live != epoch:
            self.rejects.stale += 1
            return "reject:stale"
        self.rejects.committed += 1
        return "reject:committed"

    def time_out(self, call: int) -> str:
        """The deadline fired: open the next epoch, in the outbox and, unless that comes later, in the fence."""
        before_send = self._design.bump == "before-send"
        opened = self._store.open_epoch(call, even_if_committed=not self._design.check_commit, raise_fence=before_send)
        if not opened:
            log.info("call %d: the deadline fired after the commit and is ignored", call)
            return "ignored"
        return "bump" if before_send else "open"

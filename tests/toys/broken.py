"""Reference planners that are broken in one place each, and whose snapshots look like those of the right one."""

from __future__ import annotations

from collections.abc import Mapping

from fenceproof.specs.reference.memory import Memory
from fenceproof.specs.reference.memory_store import MemoryStore
from fenceproof.specs.reference.record import Outcome, RecordStore


class _NoEpochCheckStore(MemoryStore):
    def commit_if_live(self, call: int, epoch: int, outcome: Outcome) -> bool:
        return super().commit_if_live(call, self.read(call).live, outcome)


class NoEpochCheck(Memory):
    """Commits a result whatever epoch it is of."""

    def new_store(self, calls: int) -> RecordStore:
        return _NoEpochCheckStore(calls)


class _NoCommitCheckStore(MemoryStore):
    def commit_if_live(self, call: int, epoch: int, outcome: Outcome) -> bool:
        if self.read(call).live != epoch:
            return False
        self.overwrite(call, epoch, outcome)
        return True


class NoCommitCheck(Memory):
    """Commits a second result of the live epoch."""

    def new_store(self, calls: int) -> RecordStore:
        return _NoCommitCheckStore(calls)


class LostOutbox(Memory):
    """What was to be sent is gone once the planner has been started again."""

    def apply(self, event: Mapping[str, object]) -> str | None:
        outcome = super().apply(event)
        if event["action"] == "crash":
            for call, record in self._store.pending():
                self._store.answered(call, record.intent_epoch)
        return outcome


class KeepsState(Memory):
    """Has the records of before after a reset, if the call was committed."""

    def reset(self, parameters: Mapping[str, object]) -> None:
        """Begin anew, but for the store."""
        kept = getattr(self, "_store", None)
        super().reset(parameters)
        if isinstance(kept, MemoryStore) and kept.read(0).committed is not None:
            self._store = kept

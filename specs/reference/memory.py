"""The reference with its records in memory."""

from __future__ import annotations

from .driver import Reference
from .memory_store import MemoryStore
from .record import RecordStore


class Memory(Reference):
    """The reference planner over records in memory: what is durable is what outlives a planner."""

    def close(self) -> None:
        pass  # It goes with the object.

    def new_store(self, calls: int) -> RecordStore:
        return MemoryStore(calls)

    def reopened(self, store: RecordStore) -> RecordStore:
        return store

"""A store that is wrong: it raises the fence in one transaction, and writes the intent in the next."""

from __future__ import annotations

from fenceproof.specs.reference.sql_store import SqlStore


class TwoTransactions(SqlStore):
    """Opens an epoch in two steps, between which a crash leaves a fence without its intent."""

    def open_next(self, call: int, *, even_if_committed: bool, raise_fence: bool) -> int | None:
        record = self.read(call)
        if record.committed is not None:
            return None
        self.raise_fence(call, record.live + 1, even_if_committed=False)
        self.open_epoch(call, record.live + 1, raise_fence=False)
        return record.live + 1

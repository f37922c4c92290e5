"""The durable record of each call, with its outbox: small enough to snapshot after every event.

A store is the only place where a commit is decided: one compare-and-set, whose answer counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Outcome = Literal["success", "compensated"]


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call. `intent_epoch` and `pending` are its outbox, written in the same transactions as the fence.

    `attempts` counts how often the intent was sent; `parked` says that it is not sent any more (the poison limit).
    """

    live: int = 1
    committed: int | None = None
    outcome: Outcome | None = None
    intent_epoch: int = 1
    pending: bool = True
    attempts: int = 0
    parked: bool = False


class RecordStore(Protocol):
    """What a planner needs of durable storage. Every method is one transaction; calls are numbered from 0."""

    def read(self, call: int) -> CallRecord:
        """The record as it stands. KeyError where there is no such call."""
        ...

    def commit_if_live(self, call: int, epoch: int, outcome: Outcome) -> bool:
        """Commit, if `epoch` is live and nothing is committed; whether it was."""
        ...

    def overwrite(self, call: int, epoch: int, outcome: Outcome) -> None:
        """Commit, whatever was there before."""
        ...

    def open_next(self, call: int, *, even_if_committed: bool, raise_fence: bool) -> int | None:
        """Open the epoch after the intent's and put its intent into the outbox; the epoch, or None after a commit.

        The fence is raised with it, unless the design raises it later.
        """
        ...

    def open_epoch(self, call: int, epoch: int, *, raise_fence: bool) -> None:
        """Open an epoch that the caller chose, whatever was there before."""
        ...

    def raise_fence(self, call: int, epoch: int, *, even_if_committed: bool) -> None:
        """Raise the fence to an epoch, if it is lower (and nothing is committed, unless that does not matter)."""
        ...

    def restore_intent(self, call: int) -> None:
        """Make the outbox ask for the live epoch again, unless the call is committed."""
        ...

    def answered(self, call: int, epoch: int) -> None:
        """Take an epoch's intent out of the outbox, if it is still the one in it."""
        ...

    def pending(self) -> list[tuple[int, CallRecord]]:
        """The calls whose intent waits to be sent (not parked), lowest number first, with their records."""
        ...

    def attempted(self, call: int, epoch: int, *, park: bool = False) -> None:
        """Note that an epoch's intent was sent once more, if it is still the one in the outbox; `park` for the last."""
        ...

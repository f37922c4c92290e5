"""What a planner has around it: its own table of bookings, and the clients of a tool and a compensator.

A planner imports these as a service imports its clients. Who answers a request, and when, an adapter decides.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from typing import Any, TypedDict


class Answer(TypedDict, total=False):
    """What a service answers: a body, and the epoch of the request if it had one. Either may be left out."""

    body: str
    epoch: int


class RefusedError(Exception):
    """A service has seen a later epoch than that of the request, and does nothing."""


class Client:
    """A client of the tool or the compensator; requests may carry an epoch, which is what a fence goes by."""

    def __init__(self) -> None:
        self.answered_by: Callable[[int, int | None], Answer] | None = None

    def request(self, call: int, epoch: int | None = None) -> Answer:
        """Send a request about a call, and wait for its answer. RefusedError, or TimeoutError, where there is none."""
        assert self.answered_by is not None, "an adapter plays the service"
        return self.answered_by(call, epoch)


class Bookings:
    """The planner's table, one row a call; each statement is a transaction of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self.after_statement: Callable[[], None] | None = None
        self._rows.execute(
            "CREATE TABLE bookings (call INTEGER PRIMARY KEY, outcome TEXT, live INTEGER DEFAULT 1, committed INTEGER)"
        )

    def execute(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement; the rows that it returns."""
        with self._lock:
            found = self._rows.execute(statement, values).fetchall()
        if self.after_statement is not None:
            self.after_statement()
        return found


tool = Client()
compensator = Client()
bookings = Bookings()

#: How long a planner waits for the tool, and between two attempts, in seconds. An adapter may set them before it
#: imports a planner.
DEADLINE_S = 30.0
RETRY_S = 1.0

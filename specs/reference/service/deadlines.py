"""Deadlines, one for each epoch of a call."""

from __future__ import annotations

import threading
from collections.abc import Callable

from .clock import Clock
from .worker import Worker


class Deadlines:
    """Tells `fire` about each epoch whose time has come. They are in memory: who starts again sends again, and so arms
    them again."""

    def __init__(self, fire: Callable[[int, int], None], clock: Clock, failed: Callable[[Exception], None]) -> None:
        self._fire = fire
        self._clock = clock
        self._lock = threading.Lock()
        self._due: dict[tuple[int, int], float] = {}
        self._worker = Worker("deadlines", self._fire_what_is_due, clock, failed)
        self.start = self._worker.start
        self.close = self._worker.close

    def arm(self, call: int, epoch: int, seconds: float) -> None:
        """Set the deadline of an epoch so far from now, unless it is set already: sending again moves none."""
        with self._lock:
            self._due.setdefault((call, epoch), self._clock.now() + seconds)
        self._worker.wake()

    def _fire_what_is_due(self) -> float | None:
        now = self._clock.now()
        with self._lock:
            ready = sorted((due, key) for key, due in self._due.items() if due <= now)
        for _, key in ready:
            self._fire(*key)
            # Only now: one that raised an error, as where the database was locked, is still due.
            with self._lock:
                self._due.pop(key, None)
        with self._lock:
            return min(self._due.values(), default=None)

"""Clocks: the real one, and one that is turned by hand.

A clock also decides when a thread that waits for a time goes on, so that nothing else in the service ever sleeps.
"""

from __future__ import annotations

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """Seconds that never go back. Their zero means nothing: a deadline does not outlive the process."""

    def now(self) -> float:
        """The time in seconds."""
        ...

    def wait(self, condition: threading.Condition, until_s: float | None) -> None:
        """Wait, with the condition's lock held, till it is notified or the time has come; None never comes.

        As with `Condition.wait`, the caller looks again at what it waits for.
        """
        ...


class RealClock:
    """The machine's monotonic clock: setting the time of day does not move it."""

    def now(self) -> float:
        return time.monotonic()

    def wait(self, condition: threading.Condition, until_s: float | None) -> None:
        left = None if until_s is None else until_s - self.now()
        if left is None or left > 0:
            condition.wait(left)


class HandClock:
    """A clock that stands still until it is turned."""

    def __init__(self) -> None:
        self._now = 0.0
        self._lock = threading.Lock()
        self._waiting: dict[int, threading.Condition] = {}

    def now(self) -> float:
        with self._lock:
            return self._now

    def wait(self, condition: threading.Condition, until_s: float | None) -> None:
        thread = threading.get_ident()
        # Made known before the time is looked at: a turn in between finds it, and has to wait for its lock.
        with self._lock:
            self._waiting[thread] = condition
        try:
            if until_s is None or until_s > self.now():
                condition.wait()
        finally:
            with self._lock:
                del self._waiting[thread]

    def turn(self, seconds: float) -> None:
        """Turn the clock on, and wake all that wait. ValueError for a turn back."""
        if seconds < 0:
            raise ValueError(f"a clock is not turned back, as by {seconds} s")
        with self._lock:
            self._now += seconds
            waiting = list(self._waiting.values())
        for condition in waiting:
            with condition:
                condition.notify_all()

"""A thread that does one step whenever it is woken, or when the time has come that its last step named."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from .clock import Clock

#: Seconds until a step is tried again that raised something, as when the database was locked.
RETRY_S: Final = 1.0


class Worker:
    """Does `step` in a thread of its own until it is closed. `step` says when it wants its next turn, None for never.

    What `step` raises goes to `failed`, and the step is tried again: an outbox that nobody serves any more would look
    like a quiet one.
    """

    def __init__(
        self, name: str, step: Callable[[], float | None], clock: Clock, failed: Callable[[Exception], None]
    ) -> None:
        self._step = step
        self._clock = clock
        self._failed = failed
        self._condition = threading.Condition()
        self._is_woken = True
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name=f"fenceproof-{name}")

    def start(self) -> None:
        """Begin, with a first step at once."""
        self._thread.start()

    def wake(self) -> None:
        """There may be something to do."""
        with self._condition:
            self._is_woken = True
            self._condition.notify_all()

    def close(self) -> None:
        """End after the step that is being done, and wait for that. Closing twice, or before the start, is fine."""
        with self._condition:
            self._is_closed = True
            self._condition.notify_all()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        due: float | None = None
        while self._is_next_step_due(due):
            try:
                due = self._step()
            except Exception as error:
                self._failed(error)
                due = self._clock.now() + RETRY_S

    def _is_next_step_due(self, due: float | None) -> bool:
        """Wait for the next step; False where there is none, since the worker is closed."""
        with self._condition:
            while not (self._is_closed or self._is_woken or (due is not None and due <= self._clock.now())):
                self._clock.wait(self._condition, due)
            self._is_woken = False
            return not self._is_closed

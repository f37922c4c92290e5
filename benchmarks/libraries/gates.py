"""Requests that wait for their answer: a planner's thread is held inside its client until an adapter answers.

Nothing sleeps and no clock is asked. An adapter waits until the planner is at its next request or has come to rest.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Final

from .surroundings import Answer

#: How long a planner may take to come to rest, in seconds, before a run is given up.
PATIENCE_S: Final = 20.0


class AbandonedError(BaseException):
    """The run that a request belongs to is over. Not an Exception, so that no retry policy takes it for a failure."""


class Gate:
    """One request, held."""

    def __init__(self, kind: str, epoch: int | None) -> None:
        self.kind = kind
        self.epoch = epoch
        self._opened = threading.Event()
        self._answer: Answer | BaseException | None = None

    def wait(self) -> Answer:
        """Wait to be answered, in the planner's thread."""
        self._opened.wait()
        if isinstance(self._answer, BaseException):
            raise self._answer
        assert self._answer is not None
        return self._answer

    def open(self, answer: Answer | BaseException) -> None:
        """Let the planner go on with an answer, or with an error."""
        self._answer = answer
        self._opened.set()


class Gates:
    """Where a planner stops: at a gate, or at rest, which is None."""

    def __init__(self) -> None:
        self._stops: SimpleQueue[Gate | None] = SimpleQueue()
        self._held: list[Gate] = []

    def hold(self, kind: str) -> Callable[[int, int | None], Answer]:
        """How requests of a kind are answered: by and by."""

        def request(call: int, epoch: int | None) -> Answer:
            gate = Gate(kind, epoch)
            self._held.append(gate)
            self._stops.put(gate)
            return gate.wait()

        return request

    def at_rest(self) -> None:
        """Say that the planner has come to rest, from whichever thread sees it."""
        self._stops.put(None)

    def next_stop(self) -> Gate | None:
        """Wait until the planner is at its next gate, or at rest. TimeoutError if it never is."""
        try:
            return self._stops.get(timeout=PATIENCE_S)
        except Empty:
            raise TimeoutError(f"the planner is neither at a request nor at rest after {PATIENCE_S:g} s") from None

    def abandon(self) -> None:
        """Let go of everything that is held, by an error."""
        for gate in self._held:
            gate.open(AbandonedError())
        self._held.clear()

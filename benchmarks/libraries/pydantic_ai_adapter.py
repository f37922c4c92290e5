"""Drives the planners on Pydantic AI. Tools are held in their requests, each in a thread of its own; the event loop's
clock is turned by hand, so that a tool's time-out fires exactly when an adapter turns it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from importlib import import_module

from fenceproof.specs.reference.messages import Kind

from . import surroundings
from .driving import CALL, LibraryAdapter
from .gates import PATIENCE_S, AbandonedError, Gate, Gates
from .surroundings import Answer


class TurnedLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock stands still until it is turned."""

    now = 0.0

    def time(self) -> float:
        return self.now

    def turn(self, seconds: float) -> None:
        """Turn the clock on; what is due then happens next."""
        self.now += seconds


class PydanticAiAdapter(LibraryAdapter):
    """Pydantic AI with a scripted model. A run lives in memory, so that a crash or a second planner has no counterpart:
    durable execution is another library's part."""

    def __init__(self, *, is_fenced: bool) -> None:
        super().__init__(is_fenced=is_fenced)
        self._planner = import_module(".pydantic_ai_fenced" if is_fenced else ".pydantic_ai_planner", __package__)
        self._loop = TurnedLoop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._run: Future[None] | None = None
        #: The request that the run is in; None once it is over.
        self._live: Gate | None = None

    def has_counterpart(self, action: str, state: Mapping[str, object]) -> bool:
        # Before a tool runs there is nothing whose time could be up.
        return action not in ("crash", "take_over") and (action != "clock_jump" or self.has_sent(state))

    def begin(self) -> None:
        self._gates = gates = Gates()
        surroundings.tool.answered_by = self._gates.hold("tool")
        surroundings.compensator.answered_by = self._gates.hold("compensator")
        #: The requests that a tool waits in, by kind and epoch; an epoch is an attempt.
        self._waiting: dict[tuple[str, int], Gate] = {}
        self._run = asyncio.run_coroutine_threadsafe(self._planner.book(CALL), self._loop)
        self._run.add_done_callback(lambda _: gates.at_rest())
        self._stop()

    def time_out(self, planner: int) -> None:
        if self._live is None:
            return
        self._loop.call_soon_threadsafe(self._loop.turn, surroundings.DEADLINE_S)
        self.opened += 1
        self._stop()

    def take_answer(self, kind: Kind, answer: Answer, *, again: bool, planner: int) -> None:
        self._answer(("tool", 1), answer)

    def take_compensation(self, epoch: int, answer: Answer, *, again: bool, planner: int) -> None:
        self._answer(("compensator", epoch), answer)

    def crash(self, planner: int) -> None:
        raise ValueError("a crash has no counterpart here")

    def take_over(self) -> None:
        raise ValueError("a second planner has no counterpart here")

    def end(self) -> None:
        if self._run is not None:
            self._gates.abandon()
            with suppress(AbandonedError):
                self._run.result(timeout=PATIENCE_S)
            self._run = None

    def close(self) -> None:
        """End the run and the event loop."""
        self.end()
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _answer(self, place: tuple[str, int], answer: Answer) -> None:
        """Answer a request that a tool waits in; one that was answered before has nobody who would read this."""
        gate = self._waiting.pop(place, None)
        if gate is None:
            return
        if gate is not self._live:
            # The run has given this tool up and waits elsewhere; the tool's thread writes what it has to say.
            surroundings.bookings.after_statement = self._gates.at_rest
        gate.open(answer)
        if gate is self._live:
            self._stop()
            return
        again = self._gates.next_stop()
        surroundings.bookings.after_statement = None
        if again is not None:
            self._waiting[place] = again

    def _stop(self) -> None:
        """Wait until the run is in its next request, or over."""
        self._live = self._gates.next_stop()
        if self._live is not None:
            self._waiting[self._live.kind, 1 if self._live.kind == "tool" else self.opened] = self._live

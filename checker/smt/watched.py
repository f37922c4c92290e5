"""A call of z3 that a limit or an interrupt can end.

Python handles no signal while it is inside of z3, and z3's own time limit is not looked at in every phase. So z3 works
in a thread of its own, while this one looks at the clock, at what z3 holds, and at whether somebody wants an end.

Meanwhile Python collects no garbage: a term in a cycle would be given back to z3 in whichever thread the collection
fell into, and z3's context is not to be touched by two at once. Such a call died of a segmentation fault.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from threading import Event, Thread
from typing import Final, TypeVar

from ..held_back import held_back
from ..limits import SEARCH_INTERRUPTED, Stop, Watch
from .backend import new_solver, z3

T = TypeVar("T")
#: Seconds between two looks.
_EVERY: Final = 0.05


class StoppedError(Exception):
    """z3 was stopped before it had an answer, or gave up. What it worked on must not be asked again."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.reason)
        self.stop = stop


class GaveUpError(StoppedError):
    """z3 ended by itself and without an answer, as it does when the time is over that it was given for a question."""

    def __init__(self, why: object) -> None:
        super().__init__(Stop("solver", f"z3 gave up: {why}"))


def watched(work: Callable[[], T], watch: Watch) -> T:
    """What `work`, a call of z3 and nothing else, returns. StoppedError where a limit or an interrupt ends it, of which
    GaveUpError where z3 does."""
    # A limit that was reached in between ends it too, however quick the call would be.
    if (reached := exceeded(watch)) is not None:
        raise StoppedError(reached)
    done = Event()
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # raised again where it was called from
            errors.append(error)
        finally:
            done.set()

    with _no_collection():
        stop = _wait(run, done, watch)
    if stop is not None:
        _hear_no_more()
        raise StoppedError(stop)
    for error in errors:
        if isinstance(error, z3.Z3Exception):
            raise GaveUpError(error) from error
        raise error
    return results[0]


class Worker:
    """The thread in which z3 works: one for all questions, since z3 counts the memory of each thread by itself, and
    what is not yet in its sum is lost with the thread."""

    def __init__(self) -> None:
        self._thread: Thread | None = None
        self._waiting: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def begin(self, work: Callable[[], None]) -> None:
        """Have something done, and do not wait for it."""
        if self._thread is None or not self._thread.is_alive():
            # A process that was forked has no thread of its parent's, but its queue, in whatever state that was.
            self._waiting = SimpleQueue()
            self._thread = Thread(target=self._go_on, args=(self._waiting,), daemon=True)
            self._thread.start()
        self._waiting.put(work)

    @staticmethod
    def _go_on(waiting: SimpleQueue[Callable[[], None]]) -> None:
        while True:
            # Not held on to: what it refers to is given back to z3 by whoever asked.
            waiting.get()()


#: That of this process.
WORKER: Final = Worker()


def _hear_no_more() -> None:
    """An interrupt that z3 did not need stays with it, and from then on it simplifies nothing, until it has answered
    a question."""
    new_solver("QF_FD").check()


@contextmanager
def _no_collection() -> Generator[None]:
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def exceeded(watch: Watch) -> Stop | None:
    """Which limit has been reached; memory is what z3 holds."""
    held, most = allocated(), watch.limits.memory_bytes
    if most is not None and held > most:
        return Stop("memory", f"z3 took more than {most:,} bytes of memory")
    return watch.stop(0, 0)


def allocated() -> int:
    """How many bytes z3 holds."""
    return int(z3.Z3_get_estimated_alloc_size())


def _wait(work: Callable[[], None], done: Event, watch: Watch) -> Stop | None:
    """Begin, and wait for z3's answer; end its work where that is due, and wait for it to notice. Why it was ended, if
    it was."""
    stop: Stop | None = None
    started = False
    while True:
        # An interrupt comes in any line of this; z3 must have ended before anything else is said to it.
        try:
            if stop is not None and not started:
                return stop
            if not started:
                # Or it could run without anybody knowing.
                with held_back():
                    WORKER.begin(work)
                    started = True
            if done.wait(_EVERY):
                return stop
            stop = stop or exceeded(watch)
            if stop is not None:
                # Again at each look: said before z3 has begun, it is not heard. What goes wrong meanwhile in the
                # question that is ended (that it was cancelled) comes out here too, and is told by that question.
                with suppress(z3.Z3Exception):
                    z3.main_ctx().interrupt()
        except KeyboardInterrupt:
            stop = stop or SEARCH_INTERRUPTED

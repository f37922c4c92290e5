"""Calls of somebody else's code in one thread of their own, waited for no longer than a time limit."""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any, Final, NoReturn

from fenceproof.model.errors import Site
from fenceproof.model.source import authors_site

#: How long a Ctrl-C may go unnoticed, in seconds.
_LONGEST_WAIT_S: Final = 0.2


class OverdueError(Exception):
    """A call that has not come back in time: at which line of an author's it is, where it is at one."""

    def __init__(self, site: Site | None) -> None:
        super().__init__(site)
        self.site = site


class InterruptRaisedError(Exception):
    """A call raised KeyboardInterrupt itself, which is not the user's: at which line."""

    def __init__(self, site: Site | None) -> None:
        super().__init__(site)
        self.site = site


@contextmanager
def without_exit() -> Generator[None]:
    """While somebody else's code runs, os._exit of this process is a SystemExit: it would end without a word."""
    owner, ends = os.getpid(), os._exit

    def exit_here(status: int) -> NoReturn:
        if os.getpid() != owner:
            ends(status)
        raise SystemExit(status)

    os._exit = exit_here
    try:
        yield
    finally:
        os._exit = ends


class Worker:
    """A thread that makes one call after the other.

    Databases tie what they open to a thread, so it is the same one for all. It does not keep the process from ending:
    what never comes back ends with it.
    """

    def __init__(self) -> None:
        self._asked: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self._answers: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="fenceproof-adapter", daemon=True)
        self._thread.start()

    def call(self, work: Callable[[], Any], patience_s: float) -> Any:
        """What a call returns, or what it raises; OverdueError for one that takes longer, after which nothing is asked.

        A KeyboardInterrupt of whoever waits leaves the call to itself, as one that is overdue.
        """
        self._asked.put(work)
        answer, error = self._answer(time.monotonic() + patience_s)
        if error is not None:
            raise error
        return answer

    def end(self, patience_s: float) -> None:
        """Let the thread end when it has done what it was asked, and wait for that for a while."""
        self._asked.put(None)
        self._thread.join(patience_s)

    def _answer(self, until: float) -> tuple[Any, BaseException | None]:
        # A signal that comes just before a wait begins is not seen until the wait ends, so none is long.
        while (left := until - time.monotonic()) > 0:
            with suppress(Empty):
                return self._answers.get(timeout=min(left, _LONGEST_WAIT_S))
        raise OverdueError(self._site())

    def _work(self) -> None:
        while (work := self._asked.get()) is not None:
            try:
                self._answers.put((work(), None))
            except KeyboardInterrupt as error:  # a user's goes to the main thread
                self._answers.put((None, InterruptRaisedError(authors_site(traceback.walk_tb(error.__traceback__)))))
            except BaseException as error:  # SystemExit as well: whoever asked is to be told
                self._answers.put((None, error))

    def _site(self) -> Site | None:
        # Documented, underscore and all, for looking at a thread that hangs.
        frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
        frame = frames.get(self._thread.ident or 0)
        return None if frame is None else authors_site(reversed(list(traceback.walk_stack(frame))))

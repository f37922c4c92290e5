"""A child process that runs a function and sends messages back: started, listened to, and ended by its number.

It is forked, not started anew: a lifted system is in memory, and neither pickled nor lifted again. The child shares no
file with its parent but one pipe, and does not outlive it. What comes through the pipe is from our own child.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Final, NoReturn, TypeAlias

from fenceproof.model.errors import UsageError

from ..held_back import held_back

Send: TypeAlias = Callable[[object], None]

#: Bytes that a child may take beyond twice its limit: for libraries that it loads. Twice, since an engine counts the
#: states it keeps and not what it works with; one that counts stops by itself, and says what it found.
ROOM: Final = 1 << 28
_LENGTH: Final = 8
_PARENT_DEATH_SIGNAL: Final = 1


class Child:
    """A child under way. `messages` takes what came through the pipe since it was last asked; `ended` is its exit
    code once it has ended and was reaped, minus the signal where one ended it."""

    def __init__(self, work: Callable[[Send], None], memory_bytes: int | None = None) -> None:
        """Start it. Signals that end a run are to be held back meanwhile, or the child may be lost sight of.

        From the child they are held back until it has settled: it must not raise what a handler of its parent's raises,
        in the midst of what its parent was doing.
        """
        if not hasattr(os, "fork"):
            raise UsageError(
                "Several engines at once need a system whose processes can fork, as Linux and macOS have it. "
                "Run them one by one: --engine explicit, --engine bmc, …"
            )
        self.ended: int | None = None
        self.reading, writing = os.pipe()
        parent = os.getpid()
        # Or the child would have it too. A process may have none of these.
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        try:
            with held_back() as before:
                self.pid = os.fork()
                if self.pid == 0:
                    _run(work, writing, parent, memory_bytes, before)
        except OSError:
            os.close(self.reading)
            os.close(writing)
            raise
        os.close(writing)
        os.set_blocking(self.reading, False)
        self._waiting, self._is_closed = b"", False

    def messages(self, wait_s: float = 0.0) -> list[object]:
        """What the child said meanwhile, or says first in so many seconds. At the end of its pipe it is reaped."""
        if wait_s and not self._is_closed:
            select.select([self.reading], [], [], wait_s)
        found: list[object] = []
        while not self._is_closed:
            try:
                read = os.read(self.reading, 1 << 16)
            except BlockingIOError:
                break
            if not read:
                self._wait(1.0)
                self.end()
            self._waiting += read
        while len(self._waiting) >= _LENGTH:
            length = int.from_bytes(self._waiting[:_LENGTH], "little")
            if len(self._waiting) < _LENGTH + length:
                break
            found.append(pickle.loads(self._waiting[_LENGTH : _LENGTH + length]))
            self._waiting = self._waiting[_LENGTH + length :]
        return found

    def signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.ended is None:
            os.kill(self.pid, number)

    def end(self, grace_s: float = 1.0) -> None:
        """Ask it to terminate, kill it where it does not within so many seconds, and reap it. Does nothing twice."""
        if self._is_closed:
            return
        self._is_closed = True
        if not self._is_reaped():
            os.kill(self.pid, signal.SIGTERM)
            self._wait(grace_s)
            if self.ended is None:
                os.kill(self.pid, signal.SIGKILL)
                self._reap(os.waitpid(self.pid, 0)[1])
        os.close(self.reading)

    def _wait(self, most_s: float) -> None:
        until = time.monotonic() + most_s
        while not self._is_reaped() and time.monotonic() < until:
            time.sleep(0.002)

    def _is_reaped(self) -> bool:
        if self.ended is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._reap(status)
        return self.ended is not None

    def _reap(self, status: int) -> None:
        self.ended = os.waitstatus_to_exitcode(status)


def _run(
    work: Callable[[Send], None], writing: int, parent: int, memory_bytes: int | None, held_back_before: Iterable[int]
) -> NoReturn:
    """What the child does. It never returns into what its parent was doing, nor runs what that does at its end."""
    code = 1
    try:
        _settle(parent, writing)
        signal.pthread_sigmask(signal.SIG_SETMASK, held_back_before)
        _limit_memory(memory_bytes)

        def send(message: object) -> None:
            body = pickle.dumps(message)
            left = memoryview(len(body).to_bytes(_LENGTH, "little") + body)
            while left:
                left = left[os.write(writing, left) :]

        work(send)
        code = 0
    finally:
        # Also of what was raised: the work says what became of it, and a pipe that closes without a word says the rest.
        os._exit(code)


def _settle(parent: int, writing: int) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, _interrupt)
    _die_with(parent)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    os.closerange(3, writing)
    os.closerange(writing + 1, os.sysconf("SC_OPEN_MAX"))
    # Not those of the parent, which may hold text back that would be written twice.
    sys.stdout = sys.stderr = os.fdopen(1, "w", encoding="utf-8")


def _interrupt(*_: object) -> NoReturn:
    """The first interrupt alone counts: by Ctrl-C on a terminal one comes from there, and one from the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _die_with(parent: int) -> None:
    """End when the parent has ended, however it did."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
    else:
        threading.Thread(target=watch_parent, args=(parent,), daemon=True).start()


def watch_parent(parent: int) -> NoReturn:
    """End this process when its parent is another: where the kernel does not do that by itself."""
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)


def _limit_memory(memory_bytes: int | None) -> None:
    try:
        import resource
    except ImportError:
        return
    _lower(resource, resource.RLIMIT_CORE, 0)
    if memory_bytes is not None:
        _lower(resource, resource.RLIMIT_AS, _size() + 2 * memory_bytes + ROOM)


def _lower(resource: Any, which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    resource.setrlimit(which, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _size() -> int:
    """The address space of this process in bytes; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0

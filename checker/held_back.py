"""Signals that end a run: held back while something begins that must not be lost sight of, or heard no more."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

_ENDING: Final = frozenset({signal.SIGINT, signal.SIGTERM})


@contextmanager
def held_back() -> Generator[set[int]]:
    """Hold back what ends a run until the end of the block, and give the signals that were held back before.

    A thread that is begun meanwhile holds them back for good, a child process until it sets those of before. Where a
    system cannot hold signals back, they come.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield set()
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        yield set(before)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def hear_no_more() -> None:
    """How the run went is settled: a request to end it would but spoil what is said of that, and the exit code."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)

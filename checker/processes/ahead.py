"""Work that is begun before its answer is needed, in a process of its own where there can be one.

Nothing depends on that process: where it ends without an answer, however that came about, the work is done here.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, TypeVar, cast

from .child import Child, Send

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the work came to."""

    value: object


class Ahead(Generic[T]):
    """Work under way, within `with`: afterwards its process is gone. Its answer is small, and of values alone."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._child: Child | None = None

    def __enter__(self) -> Ahead[T]:
        if hasattr(os, "fork"):
            self._child = Child(lambda send: _answered(self._work, send))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._child is not None:
            self._child.end()

    def result(self) -> T:
        """The answer, waited for; raises what the work raises."""
        child = self._child
        while child is not None and child.ended is None:
            for message in child.messages(wait_s=0.1):
                if isinstance(message, _Answer):
                    return cast(T, message.value)
        return self._work()


def _answered(work: Callable[[], object], send: Send) -> None:
    try:
        answer = _Answer(work())
    except BaseException:  # it is raised where it can be told of: there the work is done again
        return
    send(answer)

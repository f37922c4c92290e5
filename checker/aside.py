"""A proof beside another one, in a process of its own: of the same model without its bounds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Final

from fenceproof.model.errors import FenceproofError, InternalError
from fenceproof.model.system import TransitionSystem

from .limits import Limits
from .mishap import internal_text
from .processes.carry import Carried, packed, unpacked
from .processes.child import Child, Send
from .processes.running import GRACE_S, Mishap, how_it_ended
from .result import CheckResult

#: Seconds that a proof without bounds may take where the user sets no time.
TIME_S: Final = 120.0
Work = Callable[[Limits], CheckResult]


class Aside:
    """Work under way on a system, within `with`: afterwards its process is gone, whatever happened."""

    def __init__(self, system: TransitionSystem, work: Work, limits: Limits) -> None:
        self._system, self._work = system, work
        self._limits = limits if limits.time_s is not None else replace(limits, time_s=TIME_S)
        self._child: Child | None = None
        self._due = 0.0

    def __enter__(self) -> Aside:
        if hasattr(os, "fork"):
            assert self._limits.time_s is not None, "it is set above"
            self._due = time.monotonic() + self._limits.time_s + GRACE_S
            self._child = Child(self._send, self._limits.memory_bytes)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._child is not None:
            self._child.end()

    def _send(self, send: Send) -> None:
        try:
            send(packed(self._system, self._work(self._limits)))
        except MemoryError:
            send("it needed more memory than it was given")
        except InternalError as error:
            send(Mishap(str(error)))
        except FenceproofError as error:
            send(str(error))
        except BaseException as error:
            send(Mishap(internal_text(error)))

    def result(self) -> CheckResult | str:
        """What came of it, or why nothing did. InternalError for a mistake of our own."""
        child = self._child
        if child is None:
            return self._work(self._limits)
        while child.ended is None:
            for message in child.messages(wait_s=0.1):
                match message:
                    case str():
                        return message
                    case Mishap():
                        raise InternalError(message.text)
                    case Carried():
                        return unpacked(self._system, message)
                    case _:
                        raise AssertionError(f"a child sends no {type(message).__name__}")
            if time.monotonic() > self._due:
                child.end()
                return f"it took more than {self._limits.time_s:.3g} seconds"
        return how_it_ended(child.ended)

"""When a search stops before its end, and why. Memory is counted as the bytes of the arrays that hold states, so
that the same limit stops the same search at the same place on every machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a search ended before it was complete: `kind` is states, memory, time, depth, engine, solver,
    violation or interrupted."""

    kind: str
    reason: str


SEARCH_INTERRUPTED: Final = Stop("interrupted", "the search was interrupted")
PROOF_INTERRUPTED: Final = Stop("interrupted", "the proof was interrupted")


def go_on(stop: Stop | None) -> None:
    """Raise KeyboardInterrupt where a search was interrupted: it returns as one that met a limit does, and whoever runs
    several is to begin no other."""
    if stop is not None and stop.kind == "interrupted":
        raise KeyboardInterrupt


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a search may go; None means no limit. `clock` gives seconds and never goes back.

    Of several searches under one limit, each is told when the first began and how many states came before.
    `depth` is how many steps a bounded search unrolls; an engine that visits everything has no use for it.
    """

    max_states: int | None = None
    memory_bytes: int | None = None
    time_s: float | None = None
    clock: Callable[[], float] = time.monotonic
    began: float | None = None
    states_before: int = 0
    depth: int | None = None


@dataclass(slots=True)
class Watch:
    """Limits with the moment at which a search began."""

    limits: Limits
    began: float

    @classmethod
    def start(cls, limits: Limits) -> Watch:
        """Begin now."""
        return cls(limits, limits.clock() if limits.began is None else limits.began)

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return self.limits.clock() - self.began

    def rest(self, states: int) -> Limits:
        """The same limits for a search that goes on after so many states."""
        return replace(self.limits, began=self.began, states_before=self.limits.states_before + states)

    def stop(self, states: int, memory_bytes: int) -> Stop | None:
        """Whether the search has to stop, having found so many states and holding so many bytes."""
        limits = self.limits
        if limits.max_states is not None and states + limits.states_before > limits.max_states:
            return Stop("states", f"more than {limits.max_states:,} states")
        if limits.memory_bytes is not None and memory_bytes > limits.memory_bytes:
            return Stop("memory", f"states took more than {limits.memory_bytes:,} bytes of memory")
        if limits.time_s is not None and self.seconds > limits.time_s:
            return Stop("time", f"the search took more than {limits.time_s:g} seconds")
        return None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search has come: levels begun, states and transitions found; None where an engine counts neither."""

    depth: int
    distinct: int | None
    generated: int | None
    seconds: float

"""Engines under way in processes of their own, at most so many at once: their answers, as they come.

What befalls a process is its engine's answer, which says nothing: it crashed, ran out of memory or time, gave up. A
mistake of our own (an exception that nobody foresaw, a trace that does not replay) ends the run.
"""

from __future__ import annotations

import os
import selectors
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from types import FrameType, TracebackType
from typing import Any, Final, TypeAlias

from fenceproof.model.errors import FenceproofError, InternalError
from fenceproof.model.system import TransitionSystem

from ..engines import ENGINES
from ..limits import SEARCH_INTERRUPTED, Limits, Progress, Stop, Watch
from ..mishap import internal_text
from ..result import CheckResult
from ..unsaid import nothing_found
from .carry import Carried, packed, unpacked
from .child import Child, Send

#: Seconds that an engine has beyond its time to say what it found; then for each stage of being stopped.
GRACE_S: Final = 1.0
#: Seconds after which it is looked whether somebody asked the run to end.
_LOOK_S: Final = 0.05
_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
Report: TypeAlias = Callable[[Progress], None] | None


def cores() -> int:
    """How many processors there are for us, as far as can be told."""
    return len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else "x")


@dataclass(slots=True)
class _Job:
    """An engine in its process: when its time is up, and how far it was stopped (a place in `_ENDING`)."""

    engine: str
    child: Child
    allowed_s: float | None
    due: float | None
    stage: int = 0
    answer: CheckResult | None = None


class Running:
    """Runs engines on a system, within `with`: afterwards none of their processes is left, whatever happened.

    `limits` are for all together: memory is shared out among those that run at once; one that begins while others wait
    for a place has its part of the time that is left. Signals that end the run are noted meanwhile: the first lets each
    engine say what it has found, the second does not.
    """

    def __init__(
        self,
        system: TransitionSystem,
        engines: Sequence[str],
        properties: Sequence[str] | None,
        limits: Limits,
        progress: Report = None,
        at_once: int | None = None,
    ) -> None:
        self._system, self._properties, self._progress = system, properties, progress
        self._order, self._waiting = list(engines), list(engines)
        self._places = at_once or cores()
        self._watch = Watch.start(limits)
        self._jobs: list[_Job] = []
        self._selector = selectors.DefaultSelector()
        self._asked: list[int] = []
        self._before: dict[int, Any] = {}

    @property
    def is_interrupted(self) -> bool:
        """Whether somebody asked the run to end."""
        return bool(self._asked)

    def __enter__(self) -> Running:
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._note)
            except ValueError:
                break  # Not the main thread, in which alone a signal raises anything.
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        for job in self._jobs:
            job.child.end()
        self._selector.close()
        for number, handler in self._before.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(self._asked):
            if self._before.get(number) is not signal.default_int_handler:
                signal.raise_signal(number)

    def _note(self, number: int, _: FrameType | None) -> None:
        self._asked.append(number)

    def answers(self) -> Iterator[CheckResult]:
        """Each engine's answer, as it comes. InternalError for a mistake of our own."""
        while True:
            self._begin()
            if not self._jobs:
                break
            for key, _ in self._selector.select(_LOOK_S):
                self._listen(key.data)
            for job in [job for job in self._jobs if job.child.ended is not None]:
                self._jobs.remove(job)
                yield self._answer(job)
            self._stop_late_ones()
        for engine in self._waiting:
            yield self._nothing(engine, SEARCH_INTERRUPTED)

    def _begin(self) -> None:
        while self._waiting and len(self._jobs) < self._places and not self._asked:
            limits, clock = self._limits(), self._watch.limits.clock
            engine = self._waiting.pop(0)
            child = Child(partial(self._work, engine, limits), limits.memory_bytes)
            due = None if limits.time_s is None else clock() + limits.time_s + GRACE_S
            job = _Job(engine, child, limits.time_s, due)
            self._jobs.append(job)
            self._selector.register(child.reading, selectors.EVENT_READ, job)

    def _limits(self) -> Limits:
        """What the engine that is next may use."""
        whole = self._watch.limits
        places = min(self._places, len(self._order))
        memory = None if whole.memory_bytes is None else max(1, whole.memory_bytes // places)
        if whole.time_s is None:
            return replace(whole, memory_bytes=memory)
        left = max(0.0, whole.time_s - self._watch.seconds)
        return replace(whole, memory_bytes=memory, time_s=left / ceil(len(self._waiting) / places), began=whole.clock())

    def _work(self, engine: str, limits: Limits, send: Send) -> None:
        """What a child does: run the engine, and send what became of it."""
        told = -1.0

        def tell(progress: Progress) -> None:
            nonlocal told
            if progress.seconds - told > _LOOK_S:
                told = progress.seconds
                send(progress)

        try:
            progress = None if self._progress is None else tell
            found = ENGINES[engine](self._system, properties=self._properties, limits=limits, progress=progress)
            send(packed(self._system, found))
        except MemoryError:
            send(Stop("memory", "the engine needed more memory than it was given"))
        except KeyboardInterrupt:
            send(SEARCH_INTERRUPTED)
        except InternalError as error:
            send(Mishap(str(error)))
        except FenceproofError as error:
            send(Stop("refused", str(error)))
        except BaseException as error:
            if type(error).__module__.split(".")[0] == "z3":
                send(Stop("solver", f"z3 gave up: {error}"))
            else:
                send(Mishap(f"{engine}: {internal_text(error)}"))

    def _listen(self, job: _Job) -> None:
        reading = job.child.reading
        for message in job.child.messages():
            match message:
                case Progress():
                    self._show(job, message)
                case Stop():
                    job.answer = self._nothing(job.engine, message)
                case Mishap():
                    raise InternalError(message.text)
                case Carried():
                    job.answer = unpacked(self._system, message)
                case _:
                    raise AssertionError(f"a child sends no {type(message).__name__}")
        if job.child.ended is not None:
            self._selector.unregister(reading)

    def _show(self, job: _Job, message: Progress) -> None:
        """How far the first one under way has come."""
        if self._progress is None or job is not self._jobs[0]:
            return
        try:
            self._progress(message)
        except KeyboardInterrupt:
            self._asked.append(signal.SIGINT)

    def _stop_late_ones(self) -> None:
        now = self._watch.limits.clock()
        for job in self._jobs:
            if self._asked and job.stage == 0:
                job.due = now
            if len(self._asked) > 1:
                job.stage = len(_ENDING) - 1
                job.due = now
            if job.due is not None and now >= job.due:
                job.child.signal(_ENDING[min(job.stage, len(_ENDING) - 1)])
                job.stage += 1
                job.due = now + GRACE_S

    def _answer(self, job: _Job) -> CheckResult:
        """An engine's answer when its process has ended. One that was stopped says so, with what it found."""
        why = None
        if self._asked and job.stage:
            why = SEARCH_INTERRUPTED
        elif job.stage and job.allowed_s is not None:
            why = Stop("time", f"the search took more than {job.allowed_s:.3g} seconds")
        if job.answer is None:
            return self._nothing(job.engine, why or Stop("crash", how_it_ended(job.child.ended)))
        if why is None or job.answer.stop is None:
            return job.answer
        return replace(job.answer, stop=why)

    def _nothing(self, engine: str, stop: Stop) -> CheckResult:
        return nothing_found(self._system, engine, self._properties, stop, self._watch.seconds)


@dataclass(frozen=True, slots=True)
class Mishap:
    """A mistake of our own that a child met, in words."""

    text: str


def how_it_ended(code: int | None) -> str:
    """How a process ended without an answer, by its exit code."""
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        if -code == signal.SIGKILL:
            return f"its process was killed ({name}), as a system does that runs out of memory"
        return f"its process crashed ({name})"
    return f"its process ended with exit code {code} and without an answer"

"""Asking solvers about obligations, each in a child process of its own, under a limit of time for each obligation."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType
from typing import IO, Final

from ..installation import environment, python
from .obligations import Obligation
from .solvers import INSTALL, READERS, Solver, logic_of

#: Seconds that a solver may take for one obligation, unless the user says otherwise.
TIME_S: Final = 60.0
#: How a child process is started; the solver's name comes last.
CHILD: Final = python("fenceproof.checker.certificate.child")


class Said(StrEnum):
    """What a solver says of a certificate."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    INCONCLUSIVE = "could not say"
    MISSING = "not installed"
    UNREAD = "cannot read integers"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a solver says of all obligations: why not, where it does not accept them, and how many it accepts."""

    solver: str
    version: str | None
    said: Said
    reason: str
    accepted: int
    asked: int
    seconds: float = field(compare=False)


class Child:
    """A child process that asks one solver; it is gone when the `with` block ends, however it ends."""

    def __init__(self, name: str, command: Iterable[str] = CHILD, heard: Callable[[], None] | None = None) -> None:
        """`heard` is called, from a thread, when there is an answer to be had."""
        self._command = [*command, name]
        self._heard = heard
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    _close(pipe)

    def send(self, script: str, time_s: float) -> None:
        """Ask about a script; `answer` waits for what comes of it."""
        try:
            self._send(json.dumps({"script": script, "time_s": time_s}))
        except BrokenPipeError:
            self._lines.put("")
            self._hear()

    def _hear(self) -> None:
        if self._heard is not None:
            self._heard()

    @property
    def has_answer(self) -> bool:
        """Whether `answer` would not have to wait."""
        return not self._lines.empty()

    def answer(self, time_s: float, waited_s: float = 0.0) -> tuple[str, float]:
        """What the solver answers to what was sent last, or why it does not, and the seconds that it took. Of the
        seconds that it has, some may have gone by."""
        try:
            line = self._lines.get(timeout=max(0.0, time_s - waited_s))
        except queue.Empty:
            self.end()
            return f"no answer in {time_s:g} s", time_s
        if line:
            found = json.loads(line)
            return str(found["answer"]), float(found["seconds"])
        process = self._process
        code = process.wait() if process is not None else 0
        self.end()
        return (f"it crashed (signal {-code})" if code < 0 else f"it crashed (exit {code})"), 0.0

    def _send(self, text: str) -> None:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command,
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            self._lines = queue.SimpleQueue()
            assert self._process.stdout is not None, "it is a pipe"
            given = (self._process.stdout, self._lines, self._hear)
            threading.Thread(target=_read, args=given, daemon=True).start()
        assert self._process.stdin is not None, "it is a pipe"
        self._process.stdin.write(text + "\n")
        self._process.stdin.flush()


def _read(pipe: IO[str], lines: queue.SimpleQueue[str], hear: Callable[[], None]) -> None:
    """Hand on each line, and an empty one at the end."""
    try:
        for line in pipe:
            lines.put(line)
            hear()
    finally:
        lines.put("")
        hear()


def _close(pipe: IO[str]) -> None:
    try:
        pipe.close()
    except BrokenPipeError:
        return  # what was not yet read by a process that is gone


class _Round:
    """One solver and all that it is asked about, part after part."""

    def __init__(
        self,
        solver: Solver,
        parts: Sequence[Sequence[Obligation]],
        command: Iterable[str],
        heard: Callable[[], None],
    ) -> None:
        self.solver = solver
        self.child = Child(solver.name, command, heard)
        self._version = solver.version
        self._parts = parts
        self._accepted = [0] * len(parts)
        self._reasons = [""] * len(parts)
        self._refused = [False] * len(parts)
        self._seconds = [0.0] * len(parts)
        self._sent = 0.0
        if self._version is None:
            self._waiting: list[tuple[int, Obligation]] = []
        else:
            read = [i for i, part in enumerate(parts) if reads(solver, part)]
            self._waiting = [(i, obligation) for i in reversed(read) for obligation in reversed(parts[i])]

    def send(self, time_s: float) -> bool:
        """Ask the next one, up to the first of each part that it refuses; False where there is none."""
        while self._waiting and self._refused[self._waiting[-1][0]]:
            self._waiting.pop()
        if self._waiting:
            self._sent = time.monotonic()
            self.child.send(self._waiting[-1][1].script, time_s)
        return bool(self._waiting)

    def take(self, time_s: float) -> bool:
        """Note the answer, if there is one or the time for it is up; False where there is still to wait for it."""
        waited_s = time.monotonic() - self._sent
        if not self.child.has_answer and waited_s < time_s:
            return False
        part, obligation = self._waiting.pop()
        answer, seconds = self.child.answer(time_s, waited_s)
        self._seconds[part] += seconds
        if answer == "sat":
            self._refused[part] = True
            self._reasons[part] = f"{obligation.name} ({obligation.says}) does not hold"
        elif answer == "unsat":
            self._accepted[part] += 1
        else:
            self._reasons[part] = self._reasons[part] or f"{obligation.name}: {answer}"
        return True

    def due_s(self, time_s: float) -> float:
        """Seconds until the time for what was sent last is up."""
        return max(0.0, self._sent + time_s - time.monotonic())

    def answers(self) -> list[Answer]:
        """What the solver says of each part."""
        return [self._answer(i, part) for i, part in enumerate(self._parts)]

    def _answer(self, i: int, part: Sequence[Obligation]) -> Answer:
        name, asked, accepted = self.solver.name, len(part), self._accepted[i]
        if self._version is None:
            return Answer(name, None, Said.MISSING, f"install it: {INSTALL}", 0, asked, 0.0)
        if not reads(self.solver, part):
            return Answer(name, self._version, Said.UNREAD, "it has no integers", 0, asked, 0.0)
        said = Said.REFUSED if self._refused[i] else Said.INCONCLUSIVE
        if accepted == asked and part:
            said = Said.ACCEPTED
        return Answer(name, self._version, said, self._reasons[i], accepted, asked, self._seconds[i])


def reads(solver: Solver, part: Sequence[Obligation]) -> bool:
    """Whether a solver can read a part's obligations."""
    return all(solver.name in READERS[logic_of(obligation.script)] for obligation in part)


def ask_solvers(
    solvers: Iterable[Solver],
    parts: Sequence[Sequence[Obligation]],
    time_s: float,
    *,
    command: Iterable[str] = CHILD,
) -> list[tuple[Answer, ...]]:
    """Ask solvers about the obligations of parts, all at once, each in a process of its own: for each part, what each
    says. `time_s` is the limit for each obligation."""
    given = tuple(command)
    heard: queue.SimpleQueue[None] = queue.SimpleQueue()
    with ExitStack() as stack:
        rounds = [_Round(solver, parts, given, lambda: heard.put(None)) for solver in solvers]
        for each in rounds:
            stack.enter_context(each.child)
        # None waits for another one: each is sent the next as soon as it has answered.
        asked = [each for each in rounds if each.send(time_s)]
        while asked:
            with suppress(queue.Empty):
                heard.get(timeout=min(each.due_s(time_s) for each in asked))
            asked = [each for each in asked if not each.take(time_s) or each.send(time_s)]
        found = [each.answers() for each in rounds]
    return [tuple(answers[i] for answers in found) for i in range(len(parts))]

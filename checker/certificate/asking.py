"""Asking a solver about obligations, in a child process of its own, under a limit of time for each."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType
from typing import IO, Final

from .obligations import Obligation
from .solvers import INSTALL, Solver

#: Seconds that a solver may take for one obligation, unless the user says otherwise.
TIME_S: Final = 60.0
#: How a child process is started; the solver's name comes last.
CHILD: Final = (sys.executable, "-m", "fenceproof.checker.certificate.child")


class Said(StrEnum):
    """What a solver says of a certificate."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    INCONCLUSIVE = "could not say"
    MISSING = "not installed"


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

    def __init__(self, name: str, command: Iterable[str] = CHILD) -> None:
        self._command = [*command, name]
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

    def ask(self, script: str, time_s: float) -> str:
        """What the solver answers, or why it does not."""
        try:
            self._send(json.dumps({"script": script, "time_s": time_s}))
            line = self._lines.get(timeout=time_s)
        except queue.Empty:
            self.end()
            return f"no answer in {time_s:g} s"
        except BrokenPipeError:
            line = ""
        if line:
            return str(json.loads(line)["answer"])
        process = self._process
        code = process.wait() if process is not None else 0
        self.end()
        return f"it crashed (signal {-code})" if code < 0 else f"it crashed (exit {code})"

    def _send(self, text: str) -> None:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
            self._lines = queue.SimpleQueue()
            assert self._process.stdout is not None, "it is a pipe"
            threading.Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True).start()
        assert self._process.stdin is not None, "it is a pipe"
        self._process.stdin.write(text + "\n")
        self._process.stdin.flush()


def _read(pipe: IO[str], lines: queue.SimpleQueue[str]) -> None:
    """Hand on each line, and an empty one at the end."""
    try:
        for line in pipe:
            lines.put(line)
    finally:
        lines.put("")


def _close(pipe: IO[str]) -> None:
    try:
        pipe.close()
    except BrokenPipeError:
        return  # what was not yet read by a process that is gone


def ask_solver(
    solver: Solver,
    obligations: Iterable[Obligation],
    time_s: float,
    *,
    command: Iterable[str] = CHILD,
    clock: Callable[[], float] = time.monotonic,
) -> Answer:
    """Ask a solver about each obligation, up to the first that it refuses. `time_s` is the limit for each."""
    wanted = tuple(obligations)
    version = solver.version
    if version is None:
        return Answer(solver.name, None, Said.MISSING, f"install it: {INSTALL}", 0, len(wanted), 0.0)
    began, accepted, reason = clock(), 0, ""
    with Child(solver.name, command) as child:
        for obligation in wanted:
            answer = child.ask(obligation.script, time_s)
            if answer == "sat":
                why = f"{obligation.name} ({obligation.says}) does not hold"
                return Answer(solver.name, version, Said.REFUSED, why, accepted, len(wanted), clock() - began)
            if answer == "unsat":
                accepted += 1
            else:
                reason = reason or f"{obligation.name}: {answer}"
    said = Said.ACCEPTED if accepted == len(wanted) and wanted else Said.INCONCLUSIVE
    return Answer(solver.name, version, said, reason, accepted, len(wanted), clock() - began)

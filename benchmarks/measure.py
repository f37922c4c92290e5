"""One program, run in a process of its own, and what exactly that process took of the machine.

A process's peak memory counts from before it becomes the program, when it still is a copy of whoever started it. So
this file is run itself between the two, without the site packages: what takes less than its own dozen megabytes is told
as a dozen.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Usage(NamedTuple):
    """What a program that has ended took: of the processors, of the day, of the memory at most."""

    cpu_s: float
    wall_s: float
    peak_bytes: int


class ProgramError(Exception):
    """A program that is measured ended badly; the message has its last words."""


def measure(command: Sequence[str], folder: Path) -> tuple[str, Usage]:
    """Run a program in a folder; what it printed (errors too), and what it took. Raises ProgramError."""
    import subprocess

    figures = folder / "usage.json"
    launcher = [sys.executable, "-I", "-S", __file__, str(figures.resolve()), *command]
    ended = subprocess.run(
        launcher, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if ended.returncode:
        raise ProgramError(f"{' '.join(command)} ended with {ended.returncode}:\n{ended.stdout}")
    return ended.stdout, Usage(**json.loads(figures.read_text()))


def launch(figures: Path, command: Sequence[str]) -> int:
    """Start a program, wait for exactly that process, and write down what the kernel says of it."""
    began = time.perf_counter()
    pid = os.posix_spawnp(command[0], list(command), os.environ)
    _, status, used = os.wait4(pid, 0)
    wall_s = time.perf_counter() - began
    usage = Usage(used.ru_utime + used.ru_stime, wall_s, peak_bytes(used))
    figures.write_text(json.dumps(usage._asdict()))
    return os.waitstatus_to_exitcode(status)


def peak_bytes(used: resource.struct_rusage) -> int:
    """The greatest resident size, which Linux counts in kilobytes and macOS in bytes."""
    return used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    sys.exit(launch(Path(sys.argv[1]), sys.argv[2:]))

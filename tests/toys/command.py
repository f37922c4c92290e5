"""The real command, run as a person runs it: what it prints on each stream, and its exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from forking import forked

FENCEPROOF = [sys.executable, "-m", "fenceproof"]
#: Wide enough that no message is broken into lines.
ENVIRONMENT = {**os.environ, "COLUMNS": "300", "NO_COLOR": "1"}
_MOST_SECONDS = 500


@dataclass(frozen=True)
class Ran:
    """How a run of the command ended."""

    code: int
    out: str
    err: str

    @property
    def message(self) -> str:
        """The message of a run that was refused: exit 2, nothing on standard output, one message, no traceback."""
        assert (self.code, self.out) == (2, ""), self
        assert "Traceback" not in self.err, self.err
        assert sum(line.startswith(("fenceproof: ", "Error: ")) for line in self.err.splitlines()) == 1, self.err
        return self.err


def fenceproof(*arguments: str | Path, environment: dict[str, str] | None = None) -> Ran:
    """Run `fenceproof` with arguments, in the current folder; with an environment of its own, in a new Python."""
    given = [str(argument) for argument in arguments]
    if environment is None:
        done = forked(given, ENVIRONMENT, _MOST_SECONDS)
    else:
        done = subprocess.run(
            [*FENCEPROOF, *given],
            env={**ENVIRONMENT, **environment},
            capture_output=True,
            encoding="utf-8",
            timeout=_MOST_SECONDS,
            check=False,
        )
    return Ran(done.returncode, done.stdout, done.stderr)


#: A model with nothing wrong: two states, and it may rest in either.
RESTS = """
from fenceproof.model import Model, Range, action, terminal


class Rests(Model):
    def __init__(self, most: int = 1) -> None:
        self.n = Range(0, most)

    @action
    def up(self) -> None:
        self.n = 1

    @terminal
    def anywhere(self) -> bool:
        return True
"""


def model_file(text: str, name: str = "mine.py") -> Path:
    """A model file in the current folder."""
    path = Path(name)
    path.write_text(text)
    return path

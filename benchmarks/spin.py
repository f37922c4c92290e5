"""SPIN's side: a verifier is generated from a Promela model, compiled and run; what it prints is read.

The verifier's counts are ours under other names: *states, stored* is distinct, *transitions* is generated, and
*depth reached* is one less than our levels where it searches breadth first.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Final

from golden import Case, Counts
from measure import measure
from sides import Outcome

TOOLS: Final = ("spin", "gcc")


class Order(Enum):
    """In which order SPIN visits states."""

    BREADTH_FIRST = "breadth-first"
    DEPTH_FIRST = "depth-first"

    @property
    def compiler_flags(self) -> tuple[str, ...]:
        """No partial-order reduction, and no search for cycles, in either order."""
        return ("-O2", "-DSAFETY", "-DNOREDUCE", *(["-DBFS"] if self is Order.BREADTH_FIRST else []))

    @property
    def options(self) -> tuple[str, ...]:
        """What the verifier is told: depth first, how deep it may go."""
        return () if self is Order.BREADTH_FIRST else ("-m100000",)


class OutputError(Exception):
    """What a verifier printed cannot be read, or says that its search was not complete."""


def missing_tools() -> list[str]:
    """Which of the programs that are needed cannot be found."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def run(case: Case, order: Order, folder: Path) -> Outcome:
    """Verify a case in a folder, with a hash table that has a slot for each state: more than a user could foretell."""
    macros = {case.family.macro: case.size}
    return verify(case.family.promela, macros, order, folder, hash_bits=(case.golden.distinct - 1).bit_length())


def verify(model: Path, macros: Mapping[str, int], order: Order, folder: Path, *, hash_bits: int = 24) -> Outcome:
    """Generate, compile and run the verifier of a Promela model."""
    defines = [f"-D{name}={value}" for name, value in macros.items()]
    _, generating = measure(["spin", *defines, "-a", str(model)], folder)
    print_all_digits(folder / "pan.c")
    _, compiling = measure(["gcc", "-w", *order.compiler_flags, "-o", "pan", "pan.c"], folder)
    output, searching = measure(["./pan", *order.options, f"-w{hash_bits}"], folder)
    before = {"generate": generating.cpu_s, "compile": compiling.cpu_s}
    return Outcome(parse(output, order), searching.cpu_s, searching.wall_s, before, searching.peak_bytes)


def print_all_digits(verifier: Path) -> None:
    """Have a verifier print its counts in full; it would round them to eight digits. Nothing else of it is changed."""
    verifier.write_text(verifier.read_text().replace('printf("%9.8g ', 'printf("%9.0f '))


def parse(output: str, order: Order) -> Counts:
    """The counts that a verifier printed. Raises OutputError for a search cut short or a rounded count."""
    if "error: max search depth too small" in output:
        raise OutputError("SPIN did not search deep enough; its -m is too small.")
    depth, errors = _find(r"depth reached (\d+), errors: (\d+)", output)
    if errors != "0":
        raise OutputError(f"SPIN stopped at an error of the model:\n{output}")
    (stored,) = _find(r"^ *(\S+) states, stored", output)
    (transitions,) = _find(r"^ *(\S+) transitions \(= stored\+matched\)", output)
    levels = int(depth) + 1 if order is Order.BREADTH_FIRST else None
    return Counts(_whole(stored), _whole(transitions), levels)


def _find(pattern: str, output: str) -> tuple[str, ...]:
    found = re.search(pattern, output, re.MULTILINE)
    if found is None:
        raise OutputError(f"this is not what a verifier of SPIN 6 prints; nothing in it looks like {pattern}\n{output}")
    return found.groups()


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise OutputError(f"{text} is a rounded number. This version of SPIN prints counts in a way we do not know.")
    return int(text)

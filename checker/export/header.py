"""The comment that each file for another tool begins with: what it is, of which model, and how to read it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from fenceproof import __version__
from fenceproof.model.text import as_text

from ..report.claim import bounds, faults
from .machine import Machine


def header(target: str, machine: Machine, what: Sequence[str]) -> str:
    """The comment, a `;` before each line, which begins one in SMT-LIB and in BTOR2."""
    # What an author wrote may hold line breaks, after which it would be no comment.
    lines = [" ".join(line.split()) if line.strip() else "" for line in _lines(target, machine, what)]
    return "".join(f"; {line}".rstrip() + "\n" for line in lines)


def _lines(target: str, machine: Machine, what: Sequence[str]) -> Iterator[str]:
    system = machine.system
    yield from what
    yield ""
    yield f"model: {target} ({system.name})"
    yield f"parameters: {bounds(system)}"
    yield f"faults: {faults(system)}"
    if system.without:
        yield f"taken away: {', '.join(system.without)}"
    yield f"sha256 of what `fenceproof show` prints: {hashlib.sha256(as_text(system).encode()).hexdigest()}"
    yield f"written by fenceproof {__version__}"
    yield ""
    for bad in machine.bads:
        yield f"property {bad.name}: {bad.meaning}"
    if machine.left_out:
        yield f"not asked about, since no bad state decides it: {', '.join(machine.left_out)}"
    yield "a property that is never put to the test is not told apart here from one that holds"
    yield ""
    yield "state (each part is stored as what it is above its least value, unsigned):"
    for variable in system.variables:
        yield f"{variable.name}: {variable.kind}"
    for cell in machine.cells:
        if cell.slot is None:
            yield f"{cell.name}: whether the last step violated it"
    yield "transitions, by the number that an input gives (where it cannot happen, nothing changes):"
    for position, transition in enumerate(system.transitions):
        arguments = ", ".join(f"{name}={value}" for name, value in transition.arguments)
        yield f"{position}: {transition.action}({arguments})"

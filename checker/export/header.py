"""The comment that each file for another tool begins with: what it is, of which model, and how to read it.

Its digest is over everything in the file that is no comment. That has all of the model that the questions are about;
what `fenceproof show` prints has not (it stops after sixteen initial states, for one).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from fenceproof import __version__
from fenceproof.model.system import TransitionSystem

from ..printable import printable
from ..report.claim import bounds, faults
from .machine import Errors, Machine

_ERRORS: Final = {
    Errors.NEVER: "there are none, since nothing in it can",
    Errors.ASKED: "asked about; such a step changes nothing else",
    Errors.LEFT_OUT: "left out; nothing comes after them",
}


def with_header(target: str, machine: Machine, what: Sequence[str], body: Iterable[str]) -> str:
    """A whole file: the comment, a `;` before each line, which begins one in SMT-LIB and in BTOR2, and the body."""
    text = "".join(f"{line}\n" for line in body)
    # What an author wrote may hold line breaks, after which it would be no comment.
    lines = [printable(" ".join(line.split())) for line in _lines(target, machine, what, _digest(text))]
    return "".join(f"; {line}".rstrip() + "\n" for line in lines) + text


def about(what: str, target: str, system: TransitionSystem) -> Iterator[str]:
    """Of which model something is, with which parameters and faults, and who wrote it."""
    yield f"{what}: {target} ({system.name})"
    yield f"parameters: {bounds(system)}"
    yield f"faults: {faults(system)}"
    if system.without:
        yield f"taken away: {', '.join(system.without)}"
    yield f"written by fenceproof {__version__}"


def _digest(text: str) -> str:
    """The SHA-256 of the lines that are no comment."""
    lines = (line for line in text.splitlines(keepends=True) if not line.startswith(";"))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _lines(target: str, machine: Machine, what: Sequence[str], digest: str) -> Iterator[str]:
    system = machine.system
    yield from what
    yield ""
    yield from about("model", target, system)
    yield f"sha256 of what is no comment (`grep -v '^;' FILE | sha256sum`): {digest}"
    yield ""
    for bad in machine.bads:
        yield f"property {bad.name}: {bad.meaning}"
    if machine.not_named:
        yield f"left out, since others were named: {', '.join(machine.not_named)}"
    if machine.left_out:
        yield f"left out, since no bad state decides it: {', '.join(machine.left_out)}"
    yield f"steps in which the model goes wrong: {_ERRORS[machine.errors]}"
    yield "a property that is never put to the test is not told apart here from one that holds"
    yield ""
    yield "state (each part is stored as what it is above its least value, unsigned; x[0] is called x<0>, and what"
    yield "cannot stand in a name is written as %XX):"
    for variable in system.variables:
        yield f"{variable.name}: {variable.kind}"
    for cell in machine.cells:
        if cell.slot is None:
            yield f"{cell.name}: whether the last step violated it"
    yield "transitions, by the number that an input gives (where it cannot happen, nothing changes):"
    for position, transition in enumerate(system.transitions):
        yield f"{position}: {transition.called}"

"""VMT-LIB: an SMT-LIB script whose terms are marked as next states, initial states, transitions and properties.

Of its annotations only `:next`, `:init`, `:trans` and `:invar-property` are used, which every reader of the format
knows. A variable without `:next` is an input; here that is the one that chooses the transition.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..bitvectors import TRUTH
from ..smtlib import Definitions, mangled, sort
from .header import with_header
from .machine import Machine

_CHOICE: Final = "$transition@now"


def write(target: str, machine: Machine, depth: int | None) -> str:
    """The script. It has no depth."""
    assert depth is None, "properties are about any number of steps"
    what = ["VMT-LIB: invariant properties of a transition system; the name of each is at its definition"]
    return with_header(target, machine, what, _script(machine))


def _script(machine: Machine) -> Iterator[str]:
    terms = machine.terms
    later = [terms.variable(f"{cell.name}@next", cell.bits) for cell in machine.cells]
    choice = terms.variable(_CHOICE, machine.choice_bits)
    for term in (*(cell.now for cell in machine.cells), *later, choice):
        yield f"(declare-fun {term.name} () {sort(term.bits)})"
    for cell, after in zip(machine.cells, later, strict=True):
        yield f"(define-fun $cell.{cell.name} () {sort(cell.bits)} (! {cell.now.name} :next {after.name}))"
    initial = machine.is_initial()
    step = terms.conjoin(terms.equal(a, b) for a, b in zip(later, machine.successors(choice), strict=True))
    properties = [terms.negate(bad.term) for bad in machine.bads]
    made = Definitions([initial, step, *properties], lambda number: f"$def.{number}")
    for name, term, text in made.shared:
        yield f"(define-fun {name} () {sort(term.bits)} {text})"
    yield _marked("initial", made.text(initial), "init true")
    yield _marked("step", made.text(step), "trans true")
    for number, (bad, holds) in enumerate(zip(machine.bads, properties, strict=True)):
        yield _marked(f"holds.{mangled(bad.name)}", made.text(holds), f"invar-property {number}")
    yield "(assert true)"


def _marked(name: str, text: str, mark: str) -> str:
    return f"(define-fun {name} () {sort(TRUTH)} (! {text} :{mark}))"

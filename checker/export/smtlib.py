"""A bounded question in SMT-LIB 2: is a property violated within so many steps? sat: yes; unsat: not so soon.

The unrolling of A. Biere et al., "Symbolic Model Checking without BDDs", TACAS 1999, section 3, with the initial
states, the step and each property as functions, so that a step more is a line more. One property is one `check-sat`;
of several each is asked in a scope of its own, after its name is echoed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ..bitvectors import Term
from ..smtlib import applied, junction, mangled, sort, with_let
from .header import with_header
from .machine import Bad, Machine

#: Steps that are asked about where nobody says how many.
DEPTH: Final = 20
_CHOICE: Final = "$transition"


def write(target: str, machine: Machine, depth: int | None) -> str:
    """The script. `depth` steps are asked about, and fewer; 0 asks about the initial states alone."""
    steps = DEPTH if depth is None else depth
    what = [
        f"SMT-LIB 2: is a property violated within {steps} {'step' if steps == 1 else 'steps'}, or fewer?",
        "sat: it is, and NAME@K is the state after K steps; unsat: not within so many, and no more is said",
    ]
    if len(machine.bads) > 1:
        what.append("each property is asked about in a scope of its own, after its name: cvc5 wants --incremental")
    return with_header(target, machine, what, _script(machine, steps))


def _script(machine: Machine, steps: int) -> Iterator[str]:
    yield "(set-logic QF_BV)"
    yield _function("initial", _parameters(machine, "now"), machine.is_initial())
    yield _step(machine)
    for bad in machine.bads:
        yield _function(_named(bad), _parameters(machine, "now"), bad.term)
    for k in range(steps + 1):
        yield from (f"(declare-const {cell.name}@{k} {sort(cell.bits)})" for cell in machine.cells)
    yield from (f"(declare-const {_CHOICE}@{k} {sort(machine.choice_bits)})" for k in range(steps))
    yield f"(assert {applied('initial', _state(machine, 0))})"
    for k in range(steps):
        step = applied("step", [*_state(machine, k), f"{_CHOICE}@{k}", *_state(machine, k + 1)])
        yield f"(assert {step})"
    several = len(machine.bads) > 1
    for bad in machine.bads:
        if several:
            yield "(push 1)"
            yield f'(echo "{mangled(bad.name)}")'
        yield f"(assert {junction('or', [applied(_named(bad), _state(machine, k)) for k in range(steps + 1)])})"
        yield "(check-sat)"
        if several:
            yield "(pop 1)"


def _named(bad: Bad) -> str:
    return f"violates.{mangled(bad.name)}"


def _state(machine: Machine, when: int) -> list[str]:
    return [f"{cell.name}@{when}" for cell in machine.cells]


def _parameters(machine: Machine, when: str) -> list[str]:
    return [f"({cell.name}@{when} {sort(cell.bits)})" for cell in machine.cells]


def _function(name: str, parameters: Sequence[str], body: Term) -> str:
    return f"(define-fun {name} ({' '.join(parameters)}) Bool\n  {with_let([body], lambda texts: texts[0])})"


def _step(machine: Machine) -> str:
    choice = machine.terms.variable(f"{_CHOICE}@now", machine.choice_bits)
    later = [machine.terms.variable(f"{cell.name}@next", cell.bits) for cell in machine.cells]
    pairs = zip(later, machine.successors(choice), strict=True)
    made = [f"({_CHOICE}@now {sort(machine.choice_bits)})"]
    parameters = [*_parameters(machine, "now"), *made, *_parameters(machine, "next")]
    return _function("step", parameters, machine.terms.conjoin(machine.terms.equal(a, b) for a, b in pairs))

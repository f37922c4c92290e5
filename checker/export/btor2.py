"""BTOR2: states, their first values and what they become, and a bad state for each property.

(A. Niemetz et al., "BTOR2, BtorMC and Boolector 3.0", CAV 2018, section 2.) Truth values are bit-vectors of one bit.
Where initial states differ, the states are left open at first and a constraint of the first step holds them to one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..bitvectors import TRUTH, Op, Term, reachable
from ..smtlib import mangled
from .header import with_header
from .machine import Machine

_HEADS: Final = {
    Op.NOT: "not",
    Op.AND: "and",
    Op.OR: "or",
    Op.EQ: "eq",
    Op.SLT: "slt",
    Op.ADD: "add",
    Op.SUB: "sub",
    Op.MUL: "mul",
    Op.SDIV: "sdiv",
    Op.SMOD: "smod",
    Op.ITE: "ite",
}


def write(target: str, machine: Machine, depth: int | None) -> str:
    """The lines. They have no depth."""
    assert depth is None, "properties are about any number of steps"
    what = ["BTOR2: each `bad` is the violation of the property that it is named after"]
    file = _File()
    _states(file, machine)
    varies = machine.varies_initially()
    if varies is not machine.terms.true:
        _only_at_first(file, varies)
    choice = machine.terms.variable("$transition", machine.choice_bits)
    file.lines[choice] = file.add("input", file.sort(choice.bits), "$transition")
    for cell, after in zip(machine.cells, machine.successors(choice), strict=True):
        value = file.line(after)
        file.add("next", file.sort(cell.bits), file.lines[cell.now], value)
    for bad in machine.bads:
        file.add("bad", file.line(bad.term), mangled(bad.name))
    return with_header(target, machine, what, file.written)


class _File:
    """Lines so far, and on which of them a term stands. A line refers to earlier ones alone."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.lines: dict[Term, int] = {}
        self._sorts: dict[int, int] = {}

    def add(self, *parts: object) -> int:
        """A line; its number."""
        number = len(self.written) + 1
        self.written.append(" ".join(map(str, (number, *parts))))
        return number

    def sort(self, bits: int) -> int:
        """The line of a sort."""
        bits = bits or 1
        if bits not in self._sorts:
            self._sorts[bits] = self.add("sort", "bitvec", bits)
        return self._sorts[bits]

    def line(self, root: Term) -> int:
        """The line of a term, which is written now if it was not before."""
        for term in reachable([root]):
            if term not in self.lines:
                self.lines[term] = self._written(term, [self.lines[a] for a in term.args])
        return self.lines[root]

    def _written(self, term: Term, args: Sequence[int]) -> int:
        sort = self.sort(term.bits)
        match term.op:
            case Op.CONST:
                return self.add("const", sort, f"{term.value:0{term.bits or 1}b}")
            case Op.ZEXT | Op.SEXT:
                head = "uext" if term.op is Op.ZEXT else "sext"
                return self.add(head, sort, *args, term.bits - term.args[0].bits)
            case Op.LOW:
                return self.add("slice", sort, *args, term.bits - 1, 0)
            case Op.AND | Op.OR:
                found = args[0]
                for other in args[1:]:
                    found = self.add(_HEADS[term.op], sort, found, other)
                return found
            case _:
                return self.add(_HEADS[term.op], sort, *args)


def _states(file: _File, machine: Machine) -> None:
    firsts = machine.settled()
    # A first value has to stand before its state.
    values = [None if first is None else file.line(first) for first in firsts]
    for cell, value in zip(machine.cells, values, strict=True):
        sort = file.sort(cell.bits)
        file.lines[cell.now] = file.add("state", sort, cell.name)
        if value is not None:
            file.add("init", sort, file.lines[cell.now], value)


def _only_at_first(file: _File, constraint: Term) -> None:
    truth = file.sort(TRUTH)
    no, yes = file.add("zero", truth), file.add("one", truth)
    first = file.add("state", truth, "$first")
    file.add("init", truth, first, yes)
    file.add("next", truth, first, no)
    file.add("constraint", file.add("implies", truth, first, file.line(constraint)))

"""The solvers that check obligations: what each is called, how it is installed, and how it is asked. One row a solver.

An adapter gives a script to a solver and gives back `sat`, `unsat`, or why there is neither. It runs in a child process
(`child.py`), since a solver may crash, run for ever, or take all memory.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

_LOGIC: Final = re.compile(r"^\(set-logic (\w+)\)$", re.MULTILINE)
INSTALL: Final = "pip install 'fenceproof[solvers]'"


@dataclass(frozen=True, slots=True)
class Solver:
    """A solver: its Python module, the package that it comes in, and its adapter."""

    name: str
    module: str
    package: str
    ask: Callable[[str], str]

    @property
    def version(self) -> str | None:
        """The version that is installed, None where none is."""
        if importlib.util.find_spec(self.module) is None:
            return None
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return "of unknown version"


def _module(name: str) -> Any:
    # As Any: two of the three have no types.
    return import_module(name)


def logic_of(script: str) -> str:
    """The logic that a script of ours is in: a line of its own says it, and no name in a comment."""
    found = _LOGIC.search(script)
    assert found is not None, "every script says its logic"
    return found.group(1)


def _z3(script: str) -> str:
    from ..smt.backend import z3

    solver = z3.SolverFor(logic_of(script))
    solver.from_string(script)
    answer = str(solver.check())
    return answer if answer != "unknown" else f"unknown: {solver.reason_unknown()}"


def _cvc5(script: str) -> str:
    cvc5 = _module("cvc5")
    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "obligation")
    symbols = parser.getSymbolManager()
    answer = ""
    while not (command := parser.nextCommand()).isNull():
        answer = str(command.invoke(solver, symbols)).strip() or answer
    return answer


def _bitwuzla(script: str) -> str:
    bitwuzla = _module("bitwuzla")
    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
    parser.parse(script, True, False)
    return str(parser.bitwuzla().check_sat())


SOLVERS: Final = {
    solver.name: solver
    for solver in (
        Solver("z3", "z3", "z3-solver", _z3),
        Solver("cvc5", "cvc5", "cvc5", _cvc5),
        Solver("bitwuzla", "bitwuzla", "bitwuzla", _bitwuzla),
    )
}
#: Which solvers read scripts of a logic.
_INTEGERS: Final = ("z3", "cvc5")
READERS: Final = {"QF_BV": ("z3", "cvc5", "bitwuzla"), "QF_UFLIA": _INTEGERS, "QF_UFNIA": _INTEGERS}

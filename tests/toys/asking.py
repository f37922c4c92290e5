"""Solvers other than z3 that read SMT-LIB text, as functions from a script to answers."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def _module(name: str) -> Any:
    # As Any: neither has types.
    return import_module(name)


def bitwuzla(script: str) -> str:
    """Bitwuzla's answer to a script with one question."""
    module = _module("bitwuzla")
    assert script.count("\n(check-sat)\n") == 1, "one question is asked"
    parser = module.Parser(module.TermManager(), module.Options())
    parser.parse(script, True, False)
    result = parser.bitwuzla().check_sat()
    return {module.Result.SAT: "sat", module.Result.UNSAT: "unsat"}.get(result, str(result))


def cvc5(script: str) -> list[str]:
    """What cvc5 prints for a script, a line for each command that prints one."""
    module = _module("cvc5")
    solver = module.Solver(module.TermManager())
    # As `cvc5 --incremental` does: it takes no scopes otherwise.
    solver.setOption("incremental", "true")
    parser = module.InputParser(solver)
    parser.setStringInput(module.InputLanguage.SMT_LIB_2_6, script, "script")
    symbols = parser.getSymbolManager()
    said: list[str] = []
    while not (command := parser.nextCommand()).isNull():
        said += str(command.invoke(solver, symbols)).splitlines()
    return [line.strip('"') for line in said]

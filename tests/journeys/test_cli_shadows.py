"""Files of the current folder that have the name of a library: none is taken for a solver, or for part of Python."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from certificates import INVARIANT, gate, with_invariant
from command import RESTS, fenceproof, model_file
from fenceproof.checker.certificate.solvers import SOLVERS

#: A solver, by the interface of each, that finds every proof right.
CREDULOUS = {
    "z3": """
class SolverFor:
    def __init__(self, *_): pass
    def from_string(self, *_): pass
    def check(self): return "unsat"
""",
    "bitwuzla": """
class TermManager: pass
class Options: pass
class Parser:
    def __init__(self, *_): pass
    def parse(self, *_): pass
    def bitwuzla(self): return self
    def check_sat(self): return "unsat"
""",
    "cvc5": """
class TermManager: pass
class Solver:
    def __init__(self, *_): pass
class InputLanguage:
    SMT_LIB_2_6 = None
class InputParser:
    def __init__(self, *_): self.asked = [False, True]
    def setStringInput(self, *_): pass
    def getSymbolManager(self): pass
    def nextCommand(self): return self
    def isNull(self): return self.asked.pop()
    def invoke(self, *_): return "unsat"
""",
}


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("path", ["", ":"], ids=["no PYTHONPATH", "an empty name in PYTHONPATH"])
def test_a_solver_in_the_current_folder_is_not_asked(name: str, path: str) -> None:
    Path("cert.json").write_text(json.dumps(with_invariant(gate(), ())))
    Path(f"{name}.py").write_text(CREDULOUS[name])
    ran = fenceproof("recheck", "cert.json", "--solver", name, environment={"PYTHONPATH": path})
    assert (ran.code, "does not hold" in ran.out) == (70, True), ran


def test_neither_we_nor_python_are_looked_for_in_the_current_folder_by_what_asks_solvers() -> None:
    Path("cert.json").write_text(json.dumps(with_invariant(gate(), INVARIANT)))
    Path("fenceproof").mkdir()
    for name in ("fenceproof/__init__.py", "json.py", "click.py", "queue.py"):
        Path(name).write_text("raise SystemExit('this is not the one')\n")
    command = [str(Path(sys.executable).with_name("fenceproof")), "recheck", "cert.json"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.count("accepted, 11 of 11 obligations") == 3


def test_what_python_runs_as_a_module_does_not_look_into_the_current_folder() -> None:
    for name in ("json.py", "click.py", "typing.py", "z3.py", "numpy.py"):
        Path(name).write_text("raise SystemExit('this is not the one')\n")
    ran = fenceproof("prove", model_file(RESTS), "--quiet", "--engine", "pdr")
    assert (ran.code, ran.out, ran.err) == (0, "mine.py: proved\n", "")


@pytest.mark.skipif(sys.platform != "linux", reason="the names of libraries")
@pytest.mark.parametrize(
    "loading",
    [
        "import fenceproof.checker.smt.backend",
        "from fenceproof.checker.certificate.solvers import SOLVERS\n"
        "SOLVERS['z3'].ask('(set-logic QF_BV)\\n(check-sat)')",
    ],
)
def test_z3_does_not_load_a_library_of_the_current_folder(loading: str) -> None:
    # What is no library is a failure, which z3 notes and gets over; a library would be run.
    names = ["libz3.so", f"libz3.so.{'.'.join(str(SOLVERS['z3'].version).split('.')[:2])}"]
    for name in names:
        Path(name).write_bytes(b"no library")
    script = f"{loading}\nimport z3.z3core as core\nprint(core._failures)"
    ran = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == "[]\n"


@pytest.mark.parametrize("name", ["cvc5", "tabnanny", "bitwuzla"])
def test_a_file_beside_a_model_that_it_takes_for_a_library_is_refused(name: str) -> None:
    Path("models").mkdir()
    Path("models", f"{name}.py").write_text("")
    Path("models", "mine.py").write_text(f"import {name}\n{RESTS}")
    ran = fenceproof("check", "models/mine.py", "--engine", "bmc", "--depth", "2")
    assert f"models/{name}.py:1: the model imported this file as {name}" in ran.message
    assert "Give the file another name" in ran.message


def test_a_model_imports_its_neighbours_as_ever() -> None:
    Path("models").mkdir()
    Path("models", "helper.py").write_text("MOST = 1\n")
    Path("models", "z3.py").write_text("raise SystemExit('nobody asked for this')\n")
    Path("models", "mine.py").write_text(f"import helper\n{RESTS.replace('= 1)', '= helper.MOST)')}")
    ran = fenceproof("prove", "models/mine.py", "--engine", "pdr", "--quiet")
    assert (ran.code, ran.out) == (0, "models/mine.py: proved\n")

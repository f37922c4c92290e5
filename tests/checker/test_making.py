"""A certificate is made of what it can prove by plain induction, and of nothing else; solvers stay within limits."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from certificates import INVARIANT, ask_solver, gate, with_invariant
from fenceproof.checker.certificate.asking import Said
from fenceproof.checker.certificate.making import save_certificate
from fenceproof.checker.certificate.obligations import Obligation
from fenceproof.checker.certificate.reading import read
from fenceproof.checker.certificate.solvers import INSTALL, SOLVERS, Solver
from fenceproof.checker.commands.recheck import command
from fenceproof.checker.proof import Proof
from fenceproof.checker.result import CheckResult
from fenceproof.checker.unsaid import nothing_found
from fenceproof.checker.verdict import Verdict
from fenceproof.model.errors import UsageError


def by_induction(name: str, k: int) -> CheckResult:
    """As an engine says it that found a property inductive by itself, with no lemma."""
    found = nothing_found(gate(), "pdr", [name], None, 0.0)
    (one,) = found.properties
    proof = Proof("k-induction", k=k)
    return replace(found, properties=(replace(one, verdict=Verdict.PROVED, proof=proof),))


def test_a_property_that_is_inductive_by_itself_is_part_of_the_invariant() -> None:
    save_certificate(Path("cert.json"), "gate.py", by_induction("done_within_fence", 1), 60.0)
    (part,) = read(Path("cert.json")).parts
    assert part.invariant == ("(done <= fence)",)


def test_looking_back_on_more_than_one_state_gives_a_message_and_no_file() -> None:
    with pytest.raises(UsageError, match=r"done_within_fence \(k=2\) was proved by looking back"):
        save_certificate(Path("cert.json"), "gate.py", by_induction("done_within_fence", 2), 60.0)
    assert not Path("cert.json").exists()


def test_naming_a_solver_that_is_missing_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with_invariant(gate(), INVARIANT)
    monkeypatch.setitem(SOLVERS, "cvc5", Solver("cvc5", "no_such_module", "cvc5", str))
    with pytest.raises(UsageError, match="the solver cvc5 is not installed") as caught:
        command.main(["cert.json", "--solver", "cvc5"], standalone_mode=False)
    assert INSTALL in str(caught.value)


def test_a_solver_that_takes_all_memory_could_not_say() -> None:
    Path("hungry.py").write_text(
        "from fenceproof.checker.certificate import child\n"
        "from fenceproof.checker.certificate.solvers import Solver\n"
        "child.SOLVERS['z3'] = Solver('z3', 'z3', 'z3-solver', lambda script: str(len(bytearray(2**36))))\n"
        "child.main('z3')\n"
    )
    asked = [Obligation("one", "it does", "(set-logic QF_BV)\n(assert false)\n(check-sat)\n")]
    answer = ask_solver(SOLVERS["z3"], asked, 60.0, command=(sys.executable, "hungry.py"))
    assert (answer.said, answer.reason) == (Said.INCONCLUSIVE, "one: out of memory")

"""A certificate of what a run proved: made, checked by every solver that is installed, and only then written."""

from __future__ import annotations

from pathlib import Path

from fenceproof.model.errors import InternalError, UsageError

from ..result import CheckResult
from ..verdict import Verdict
from .asking import Answer, Said, ask_solver
from .document import certificate, signed, write
from .solvers import SOLVERS


def save_certificate(path: Path, target: str, result: CheckResult, time_s: float) -> tuple[Answer, ...]:
    """Write the certificate of the properties that a run proved, and give what the solvers said of it.

    UsageError where nothing was proved by plain induction, or the file cannot be written; InternalError where a solver
    refuses what was proved, or none accepts it within `time_s` seconds for each obligation.
    """
    proved = [p for p in result.properties if p.verdict is Verdict.PROVED and p.proof is not None and p.proof.k == 1]
    if not proved:
        raise UsageError(f"no property was proved by an inductive invariant, so {path} was not written.")
    conjuncts = {c.number: c for p in proved if p.proof is not None for c in p.proof.invariant}
    names = [p.name for p in proved]
    document, wanted = certificate(target, result.system, names, list(conjuncts.values()), result.independence)
    answers = tuple(ask_solver(solver, wanted, time_s) for solver in SOLVERS.values())
    for answer in answers:
        if answer.said is Said.REFUSED:
            raise InternalError(f"{answer.solver} refuses the proof: {answer.reason}. {path} was not written.")
    accepted = [answer for answer in answers if answer.said is Said.ACCEPTED]
    if not accepted:
        reasons = "; ".join(f"{a.solver}: {a.reason}" for a in answers)
        raise InternalError(f"no solver accepts the proof, so {path} was not written: {reasons}.")
    write(path, signed(document, accepted))
    return answers

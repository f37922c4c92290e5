"""A certificate of what a run proved: made, checked by every solver that is installed, and only then written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fenceproof.model.errors import InternalError, UsageError
from fenceproof.model.expressions import Expression

from ..result import CheckResult
from .asking import Answer, Said, ask_solvers
from .document import Proved, certificate, signed, write
from .solvers import SOLVERS


def save_certificate(path: Path, target: str, result: CheckResult, time_s: float) -> tuple[Answer, ...]:
    """Write the certificate of the properties that a run proved, with and without bounds, and give what the solvers
    said of it: of each part, those that can read it.

    UsageError where nothing was proved, or not by plain induction, or the file cannot be written; InternalError where a
    solver refuses what was proved, or none accepts a part within `time_s` seconds for each obligation.
    """
    results = [result] if result.unbounded is None else [result, result.unbounded]
    proved = [found for each in results if (found := _proved(path, each)) is not None]
    if not proved:
        raise UsageError(f"no property was proved by an inductive invariant, so {path} was not written.")
    document, wanted = certificate(target, proved)
    answers = ask_solvers(SOLVERS.values(), wanted, time_s)
    for part in answers:
        for answer in part:
            if answer.said is Said.REFUSED:
                raise InternalError(f"{answer.solver} refuses the proof: {answer.reason}. {path} was not written.")
        if not any(answer.said is Said.ACCEPTED for answer in part):
            reasons = "; ".join(f"{a.solver}: {a.reason}" for a in part)
            raise InternalError(f"no solver accepts the proof, so {path} was not written: {reasons}.")
    accepted = {a.solver: a for part in answers for a in part if a.said is Said.ACCEPTED}
    write(path, signed(document, list(accepted.values())))
    return tuple(answer for part in answers for answer in part if answer.said is not Said.UNREAD)


def _proved(path: Path, result: CheckResult) -> Proved | None:
    """What a run proved of its system; None for nothing."""
    proved = result.proved
    deep = [f"{p.name} (k={p.proof.k})" for p in proved if p.proof is not None and p.proof.k != 1]
    if deep:
        raise UsageError(
            f"a certificate is of plain induction, and {', '.join(deep)} was proved by looking back on more than one "
            f"state, so {path} was not written. Name another engine, or the other properties with --property."
        )
    names = [p.name for p in proved]
    invariant = list(dict.fromkeys(conjuncts_of(result, names)))
    return Proved(result.proved_of, names, invariant, result.independence) if proved else None


def conjuncts_of(result: CheckResult, names: list[str]) -> Iterator[Expression]:
    """The invariant that all proofs rest on: theirs, and what they prove of every state, which they may lean on."""
    for found in result.properties:
        if found.proof is not None and found.name in names:
            yield from found.proof.invariant
            yield from found.proof.unerring
    for invariant in result.proved_of.invariants:
        holds = invariant.judgement.holds
        # An argument by induction over a property has it in no list of lemmas. Over integers it may have a quantifier.
        is_of_states = invariant.name in names and not invariant.quiescent
        if is_of_states and not result.proved_of.is_unbounded and not holds.is_const:
            yield holds

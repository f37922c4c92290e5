"""Whether a certificate is right: its parts put together again from the model and compared, and then the solvers asked.

A certificate never names a file to run. Its system is lifted again from the shipped design of its target's name, or
from the file that the user names; where there is neither, what it holds of the system is trusted, and that is said.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fenceproof.model.constants import as_items, as_mapping
from fenceproof.model.errors import FenceproofError, RefusedError
from fenceproof.model.system import DEADLOCK, TransitionSystem

from .asking import Answer, Said, ask_solver
from .core import core_of
from .document import Identity, assemble, digest, identity_of
from .obligations import Obligation
from .reading import CertificateFile
from .solvers import SOLVERS
from .system import check_core

#: Who made and accepted a certificate: nothing follows from it, and nobody can check it.
_SIGNATURE: Final = frozenset({"fenceproof", "accepted_by", "digest"})


@dataclass(frozen=True, slots=True)
class Rechecked:
    """What came of a certificate: where its system is from (None: the certificate), and what each solver says."""

    origin: str | None
    properties: tuple[str, ...]
    unclaimed: tuple[str, ...]
    obligations: int
    answers: tuple[Answer, ...]

    @property
    def said(self) -> Said:
        """What can be said of it all. One solver that refuses outweighs all that accept."""
        found = {answer.said for answer in self.answers}
        return next((s for s in (Said.REFUSED, Said.ACCEPTED) if s in found), Said.INCONCLUSIVE)


def derived(file: CertificateFile, system: TransitionSystem | None) -> tuple[Obligation, ...]:
    """The obligations of a certificate, put together again: from a lifted system, or else from what it embeds.

    RefusedError, naming the first place, where the certificate is not what comes of that.
    """
    if digest(file.document) != file.document["digest"]:
        raise RefusedError(f"{file.path}: refused: the digest is not that of the certificate, so it was changed.")
    try:
        if system is None:
            core, identity = file.core, file.identity
            _check_header(file)
        else:
            core = core_of(system, file.names)
            check_core("the model", core)
            identity = identity_of(file.identity.target, system, file.identity.independence)
        expected, wanted = assemble(identity, core, file.invariant)
    except RefusedError:
        raise
    except FenceproofError as error:
        raise RefusedError(f"{file.path}: refused: {error}") from error
    found = {key: value for key, value in file.document.items() if key not in _SIGNATURE}
    place = _difference("", json.loads(json.dumps(expected)), found)
    if place is not None:
        origin = "what it says itself" if system is None else "the model"
        raise RefusedError(f"{file.path}: refused: {place} is not what follows from {origin}.")
    return wanted


def _check_header(file: CertificateFile) -> None:
    """That the model's text begins with the name, parameters and faults that the certificate gives, and that the
    system has no other faults."""
    identity = file.identity
    for step in file.core.steps:
        if step.fault is not None and step.fault not in identity.faults:
            raise RefusedError(f"{file.path}: refused: the system has a fault {step.fault!r:.60} that is not named.")
    lines = _header(identity)
    if identity.text.split("\n")[: len(lines)] != lines:
        raise RefusedError(f"{file.path}: refused: the model's text is not of the model and faults that are named.")


def _header(identity: Identity) -> list[str]:
    parameters = ", ".join(f"{n}={v}" for n, v in identity.parameters.items())
    lines = [f"model {identity.model}({parameters})"]
    if identity.faults:
        budgets = (f"{n}={'unlimited' if b is None else b}" for n, b in identity.faults.items())
        lines.append("faults " + ", ".join(budgets))
    if identity.most_faults is not None:
        lines.append(f"at most {identity.most_faults} faults in all")
    if identity.without:
        lines.append("without " + ", ".join(identity.without))
    return [*lines, "", "state"]


def _difference(place: str, expected: object, found: object) -> str | None:
    """Where two JSON values differ first; the order of an object's keys matters where it is the model's."""
    mine, theirs = as_mapping(expected), as_mapping(found)
    if mine is not None and theirs is not None:
        if place in ("parameters", "faults") and list(mine) != list(theirs):
            return f"{place!r}"
        for key in (*mine, *theirs):
            inner = f"{place}.{key}" if place else str(key)
            if key not in mine or key not in theirs:
                return f"{inner!r}"
            if (different := _difference(inner, mine[key], theirs[key])) is not None:
                return different
        return None
    ours, others = as_items(expected), as_items(found)
    if ours is not None and others is not None:
        for number, (a, b) in enumerate(zip(ours, others, strict=False), start=1):
            if (different := _difference(f"{place}, item {number}", a, b)) is not None:
                return different
        return None if len(ours) == len(others) else f"the number of items in {place!r}"
    return None if type(expected) is type(found) and expected == found else f"{place!r}"


def recheck(
    file: CertificateFile,
    system: TransitionSystem | None,
    origin: str | None,
    solvers: Sequence[str],
    time_s: float,
) -> Rechecked:
    """Put a certificate's obligations together again and ask solvers about them. RefusedError where they differ."""
    wanted = derived(file, system)
    answers = tuple(ask_solver(SOLVERS[name], wanted, time_s) for name in solvers)
    unclaimed: tuple[str, ...] = ()
    if system is not None:
        everything = [p.name for p in system.step_properties] + [i.name for i in system.invariants]
        everything += [DEADLOCK, *(p.name for p in system.liveness)]
        unclaimed = tuple(name for name in everything if name not in file.names)
    return Rechecked(origin, tuple(file.names), unclaimed, len(wanted), answers)

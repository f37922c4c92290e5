"""Whether a certificate is right: its parts put together again from the model and compared, and then the solvers asked.

A certificate never names a file to run. Its system is lifted again from the shipped design of its target's name, or
from the file that the user names; where there is neither, what it holds of the system is trusted, and that is said.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from fenceproof.model.constants import as_items, as_mapping
from fenceproof.model.errors import FenceproofError, RefusedError
from fenceproof.model.system import DEADLOCK, TransitionSystem

from ..result import Independence
from .asking import Answer, Said, ask_solvers
from .core import core_of
from .document import Identity, digest, identity_of, part_of, whole
from .obligations import Obligation
from .reading import CertificateFile, Part
from .solvers import SOLVERS
from .system import check_core

#: Who made and accepted a certificate: nothing follows from it, and nobody can check it.
SIGNATURE: Final = frozenset({"fenceproof", "accepted_by", "digest"})
#: Characters of a line that are shown where it differs.
_MOST_SHOWN: Final = 120


@dataclass(frozen=True, slots=True)
class RecheckedPart:
    """What came of a part: how many obligations it has, what each solver says, and what it does not claim."""

    part: Part
    unclaimed: tuple[str, ...]
    obligations: int
    answers: tuple[Answer, ...]

    @property
    def said(self) -> Said:
        """What can be said of it all. One solver that refuses outweighs all that accept."""
        found = {answer.said for answer in self.answers}
        return next((s for s in (Said.REFUSED, Said.ACCEPTED) if s in found), Said.INCONCLUSIVE)


@dataclass(frozen=True, slots=True)
class Rechecked:
    """What came of a certificate: where its systems are from (None: the certificate), and of each part."""

    origin: str | None
    parts: tuple[RecheckedPart, ...]

    @property
    def said(self) -> Said:
        """The gravest of what is said of the parts."""
        found = {part.said for part in self.parts}
        return next(s for s in (Said.REFUSED, Said.INCONCLUSIVE, Said.ACCEPTED) if s in found)


#: The systems that a certificate's parts are of, lifted again; None where what it embeds is trusted.
Systems = Sequence[TransitionSystem] | None


def derived(file: CertificateFile, systems: Systems) -> tuple[tuple[Obligation, ...], ...]:
    """The obligations of each part, put together again: from lifted systems, or else from what it embeds.

    RefusedError, naming the first place, where the certificate is not what comes of that.
    """
    if digest(file.document) != file.document["digest"]:
        raise RefusedError(f"{file.path}: refused: the digest is not that of the certificate, so it was changed.")
    parts: list[dict[str, Any]] = []
    wanted: list[tuple[Obligation, ...]] = []
    try:
        for number, part in enumerate(file.parts):
            core, identity = part.core, part.identity
            if systems is None:
                _check_header(file.path, part)
            else:
                core = core_of(systems[number], part.names)
                check_core("the model", core)
                identity = identity_of(systems[number], part.identity.independence)
            expected, obligations = part_of(identity, core, part.invariant)
            parts.append(expected)
            wanted.append(obligations)
    except RefusedError:
        raise
    except FenceproofError as error:
        raise RefusedError(f"{file.path}: refused: {error}") from error
    model = file.model if systems is None else systems[0].name
    found = {key: value for key, value in file.document.items() if key not in SIGNATURE}
    place = _difference("", json.loads(json.dumps(whole(file.target, model, parts))), found)
    if place is not None:
        if systems is not None and (lines := _changed_line(parts, file.parts)) is not None:
            raise RefusedError(
                f"{file.path}: refused: it is not of this model, be it that the model was changed since or that the "
                f"certificate was. They differ first in\n"
                f"    the model        {lines[0]}\n"
                f"    the certificate  {lines[1]}\n"
                "    For a certificate of the model as it is, prove it again with --out."
            )
        origin = "what it says itself" if systems is None else "the model"
        raise RefusedError(f"{file.path}: refused: {place} is not what follows from {origin}.")
    return tuple(wanted)


def _changed_line(expected: Iterable[Mapping[str, Any]], found: Iterable[Part]) -> tuple[str, str] | None:
    """The first line in which the text of the model differs from that of a certificate; None where none does."""
    for mine, part in zip(expected, found, strict=True):
        lines = zip_longest(mine["text"].split("\n"), part.identity.text.split("\n"), fillvalue="")
        for here, there in lines:
            if here != there:
                return _shown(here), _shown(there)
    return None


def _shown(line: str) -> str:
    line = line.strip()
    return f"{line[:_MOST_SHOWN]}…" if len(line) > _MOST_SHOWN else line or "nothing"


def _check_header(path: Path, part: Part) -> None:
    """That the model's text begins with the name, parameters and faults that the certificate gives, and that the
    system has no other faults."""
    identity = part.identity
    for step in part.core.steps:
        if step.fault is not None and step.fault not in identity.faults:
            raise RefusedError(f"{path}: refused: the system has a fault {step.fault!r:.60} that is not named.")
    if identity.independence is not None and not _may_be_shown(identity, identity.independence):
        raise RefusedError(f"{path}: refused: 'independence' is not of one copy of the system, compared with more.")
    lines = header(identity)
    if identity.text.split("\n")[: len(lines)] != lines:
        raise RefusedError(f"{path}: refused: the model's text is not of the model and faults that are named.")


def _may_be_shown(identity: Identity, said: Independence) -> bool:
    """Whether this can be said at all of a system, which is then the one of one copy."""
    numbers = said.shown_for
    return (
        identity.parameters.get(said.parameter) == 1
        and said.copies >= 1
        and list(numbers) == sorted(set(numbers))
        and min(numbers, default=1) > 1
    )


def header(identity: Identity) -> list[str]:
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
        if place.endswith((".parameters", ".faults")) and list(mine) != list(theirs):
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
    file: CertificateFile, systems: Systems, origin: str | None, solvers: Sequence[str], time_s: float
) -> Rechecked:
    """Put a certificate's obligations together again and ask solvers about them. RefusedError where they differ."""
    wanted = derived(file, systems)
    answers = ask_solvers([SOLVERS[name] for name in solvers], wanted, time_s)
    found: list[RecheckedPart] = []
    for number, (part, obligations, said) in enumerate(zip(file.parts, wanted, answers, strict=True)):
        unclaimed = () if systems is None else tuple(_unclaimed(systems[number], part.names))
        found.append(RecheckedPart(part, unclaimed, len(obligations), said))
    return Rechecked(origin, tuple(found))


def _unclaimed(system: TransitionSystem, names: Sequence[str]) -> Iterator[str]:
    everything = [p.name for p in system.step_properties] + [i.name for i in system.invariants]
    everything += [DEADLOCK, *(p.name for p in system.liveness)]
    return (name for name in everything if name not in names)

"""What came of a certificate, as text and as JSON; the schema of that is `recheck.schema.json` beside this file."""

from __future__ import annotations

import shlex
from typing import Final

from ..certificate.asking import Answer, Said
from ..certificate.reading import CertificateFile, Part
from ..certificate.recheck import Rechecked, RecheckedPart
from ..printable import printable

#: What is taken on the certificate's word where it is not held against a model.
NOT_CHECKED: Final = (
    "whether the system is the model's: its steps, which of them are faults, where it begins",
    "whether the model's text, name, parameters and faults are those of the system",
    "whether the properties are the model's, and mean what they are called",
    "whether copies share nothing, where it says so",
)


def document(file: CertificateFile, result: Rechecked) -> dict[str, object]:
    """A recheck as one JSON document; the same each time, but for `seconds`."""
    parts = [_part_document(found, is_trusted=result.origin is None) for found in result.parts]
    return _document(file, result.origin, result.said, None, parts)


def refused_document(file: CertificateFile, origin: str | None, reason: str) -> dict[str, object]:
    """The document of a certificate that is refused before a solver is asked; the file's name is there already."""
    return _document(file, origin, Said.REFUSED, reason.removeprefix(f"{file.path}: refused: "), [])


def _document(
    file: CertificateFile, origin: str | None, said: Said, reason: str | None, parts: list[dict[str, object]]
) -> dict[str, object]:
    return {
        "format": "fenceproof-recheck",
        "version": 1,
        "certificate": str(file.path),
        "target": file.target,
        "model_from": origin,
        "verdict": str(said),
        "reason": reason,
        "not_checked": list(NOT_CHECKED) if origin is None and reason is None else [],
        "parts": parts,
    }


def _part_document(found: RecheckedPart, *, is_trusted: bool) -> dict[str, object]:
    fields = found.part.fields
    return {
        "name": fields["name"],
        "verdict": str(found.said),
        "properties": found.part.names,
        "not_claimed": list(found.unclaimed),
        "obligations": found.obligations,
        "assumptions": list(fields["assumptions"]),
        "bounds": list(fields["bounds"]),
        "independence": fields["independence"],
        "independence_compared": fields["independence"] is not None and not is_trusted,
        "solvers": [
            {
                "name": a.solver,
                "version": a.version,
                "said": str(a.said),
                "reason": a.reason or None,
                "accepted": a.accepted,
                "seconds": round(a.seconds, 3),
            }
            for a in found.answers
        ],
    }


def text(file: CertificateFile, result: Rechecked) -> str:
    """A recheck in lines for a person."""
    if result.origin is None:
        lines = [
            f"{file.path}: a certificate that says it is of {file.target}",
            "model: trusted as the certificate holds it. Name the file to derive it again: "
            f"--model {shlex.quote(file.target)}",
            *(f"not checked: {each}" for each in NOT_CHECKED),
        ]
    else:
        lines = [
            f"{file.path}: a certificate of {file.target}",
            f"model: derived again from {result.origin}; it is the one that the certificate holds",
        ]
    for found in result.parts:
        lines += ["", *_part(found, is_trusted=result.origin is None)]
    of_what = ", of the system that it holds" if result.origin is None and result.said is Said.ACCEPTED else ""
    lines += ["", f"{file.path}: {result.said}{of_what}"]
    return "\n".join(_in_line(line) for line in lines)


def _in_line(text: str) -> str:
    """Text that ends no line, so that what a file says is never taken for a line of ours."""
    return printable(" ".join(text.splitlines()))


def _part(found: RecheckedPart, *, is_trusted: bool) -> list[str]:
    part = found.part
    names = ", ".join(part.names)
    if is_trusted:
        lines = [f"the system that the certificate holds, every behaviour of it: {names}"]
        lines += [f"    so the certificate says, and it was not compared: {line}" for line in part.fields["bounds"]]
    else:
        lines = [f"{scope(part)}: {names}", *(f"    {line}" for line in part.fields["bounds"])]
    shared = part.identity.independence
    if shared is not None:
        numbers = " and ".join(map(str, shared.shown_for))
        name = shared.parameter
        lines.append(
            f"    so the certificate says, and it was not compared: {name} share nothing"
            if is_trusted
            else f"    {name} share nothing: compared again with {numbers} {name}"
        )
    lines.append(f"    obligations: {found.obligations}, put together again; they are those that the certificate holds")
    lines += [f"    {_line(answer)}" for answer in found.answers]
    if found.unclaimed:
        lines.append(f"    not claimed: {', '.join(found.unclaimed)}")
    return lines


def scope(part: Part) -> str:
    """Of how many of what a part speaks that was held against its model: `any number of calls, epochs=3`."""
    shared, said = part.identity.independence, dict(part.identity.parameters)
    found: list[str] = []
    if shared is not None and shared.any_number:
        found.append(f"any number of {shared.parameter}")
        said.pop(shared.parameter, None)
    is_wide = part.core.nodes.is_wide
    found += [f"any number of {n}" if is_wide and v == "any" else f"{n}={v}" for n, v in said.items()]
    return ", ".join(found) or "every behaviour"


def _line(answer: Answer) -> str:
    name = answer.solver if answer.version is None else f"{answer.solver} {answer.version}"
    counts = f"{answer.accepted} of {answer.asked} obligations"
    reason = f": {answer.reason}" if answer.reason else ""
    if answer.said in (Said.MISSING, Said.UNREAD):
        return f"{name}: {answer.said}{reason}"
    return f"{name}: {answer.said}, {counts}, {answer.seconds:.2f} s{reason}"

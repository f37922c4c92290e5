"""What came of a certificate, as text and as JSON."""

from __future__ import annotations

from ..certificate.asking import Answer
from ..certificate.reading import CertificateFile
from ..certificate.recheck import Rechecked
from ..mishap import printable


def document(file: CertificateFile, result: Rechecked) -> dict[str, object]:
    """A recheck as one JSON document; the same each time, but for `seconds`."""
    return {
        "format": "fenceproof-recheck",
        "version": 1,
        "certificate": str(file.path),
        "target": file.identity.target,
        "model_from": result.origin,
        "verdict": str(result.said),
        "properties": list(result.properties),
        "not_claimed": list(result.unclaimed),
        "obligations": result.obligations,
        "assumptions": list(file.document["assumptions"]),
        "bounds": list(file.document["bounds"]),
        "solvers": [
            {
                "name": a.solver,
                "version": a.version,
                "said": str(a.said),
                "reason": a.reason or None,
                "accepted": a.accepted,
                "seconds": round(a.seconds, 3),
            }
            for a in result.answers
        ],
    }


def text(file: CertificateFile, result: Rechecked) -> str:
    """A recheck in lines for a person."""
    identity = file.identity
    lines = [f"{file.path}: a proof of {', '.join(result.properties)} of {identity.target}"]
    lines += [f"    {line}" for line in file.document["bounds"]]
    if result.origin is None:
        lines.append(
            f"model: trusted as the certificate holds it. Name the file to derive it again: --model {identity.target}"
        )
        if identity.independence is not None:
            lines.append(f"    that {identity.independence.parameter} share nothing is trusted, too")
    else:
        lines.append(f"model: derived again from {result.origin}; it is the one that the certificate holds")
    lines.append(f"obligations: {result.obligations}, put together again; they are those that the certificate holds")
    lines += [_line(answer) for answer in result.answers]
    if result.unclaimed:
        lines.append(f"not claimed: {', '.join(result.unclaimed)}")
    lines.append(f"{file.path}: {result.said}")
    return printable("\n".join(lines))


def _line(answer: Answer) -> str:
    name = answer.solver if answer.version is None else f"{answer.solver} {answer.version}"
    counts = f"{answer.accepted} of {answer.asked} obligations"
    reason = f": {answer.reason}" if answer.reason else ""
    if answer.version is None:
        return f"{name}: {answer.said}; {answer.reason}"
    return f"{name}: {answer.said}, {counts}, {answer.seconds:.2f} s{reason}"

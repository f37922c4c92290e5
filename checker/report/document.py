"""The JSON report of a check; its schema is `report.schema.json` beside this file."""

from __future__ import annotations

from typing import Final

from fenceproof.model.trace import to_json

from ..proof import Cti, Proof
from ..result import CheckResult, Independence, PropertyResult
from .claim import claim, without_values
from .engines import engines_document
from .minimal import minimal_document
from .proof import readable
from .story import story
from .why import why

FORMAT: Final = "fenceproof-report"
VERSION: Final = 1


def document(target: str, result: CheckResult) -> dict[str, object]:
    """A result as one JSON document. The same run gives the same document, but for `seconds`."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": target,
        "model": result.system.name,
        "parameters": dict(result.system.parameters),
        "faults": dict(result.system.faults),
        "most_faults": result.system.most_faults,
        "without": list(result.system.without),
        "engine": result.engine,
        "engines": engines_document(result),
        "verdict": result.said(result.verdict),
        "states": states_document(result),
        "bound": result.bound,
        "stopped": result.stop.reason if result.stop is not None else None,
        "model_error": error_document(target, result),
        "properties": [_property(target, result, p) for p in result.properties],
        "never_enabled": list(result.never_enabled),
        "left_out": without_values(result.system),
        "independence": _independence(result.independence),
        **_unbounded(result),
        "seconds": round(result.seconds, 3),
        "claim": claim(target, result),
    }


def states_document(result: CheckResult) -> dict[str, object]:
    """What was visited, in numbers."""
    return {
        "distinct": result.distinct,
        "generated": result.generated,
        "depth": result.depth,
        "complete": result.complete,
    }


def error_document(target: str, result: CheckResult) -> dict[str, object] | None:
    """How the model itself goes wrong, and the way there; None where it does not."""
    wrong = result.wrong
    if wrong is None:
        return None
    return {
        "message": wrong.mistake.message,
        "site": str(wrong.mistake.site) if wrong.mistake.site is not None else None,
        "trace": to_json(result.system, wrong.trace, target, None),
        "story": story(result.system, wrong.trace, wrong),
        "why": why(result.system, wrong),
    }


def _property(target: str, result: CheckResult, found: PropertyResult) -> dict[str, object]:
    return {
        "name": found.name,
        "kind": found.sort.value,
        "meaning": found.meaning,
        "verdict": result.said_of(found),
        "witnesses": found.witnesses,
        "remark": found.remark or None,
        "trace": to_json(result.system, found.trace, target, found.name) if found.trace is not None else None,
        "story": story(result.system, found.trace, found) if found.trace is not None else None,
        "why": why(result.system, found),
        **({} if found.proof is None else {"invariant": [readable(result.system, c) for c in found.proof.invariant]}),
        **({} if found.proof is None else {"proof": _proof(found.proof)}),
        **({} if found.cti is None else {"cti": _cti(target, result, found.name, found.cti)}),
        **minimal_document(result.system, target, found),
    }


def _proof(proof: Proof) -> dict[str, object]:
    return {"method": proof.method, "k": proof.k, "simple_path": proof.simple_path}


def _cti(target: str, result: CheckResult, name: str, cti: Cti) -> dict[str, object]:
    system = result.system
    return {
        "reach": str(cti.reach),
        "why": cti.why,
        "trace": to_json(system, cti.trace, target, name),
        "way": None if cti.way is None else to_json(system, cti.way, target, None),
        "lemma": None if cti.lemma is None else readable(system, cti.lemma),
    }


def _unbounded(result: CheckResult) -> dict[str, object]:
    """What was proved without bounds, where that was looked into; else why not, where there is a reason."""
    found = result.unbounded
    if found is None:
        return {"unsaid": result.unsaid} if result.unsaid else {}
    return {
        "unbounded": {
            "parameters": dict(found.system.parameters),
            "verdict": found.said(found.verdict),
            "stopped": found.stop.reason if found.stop is not None else None,
            "properties": [
                {
                    "name": p.name,
                    "verdict": found.said(p.verdict),
                    "invariant": None if p.proof is None else [readable(found.system, c) for c in p.proof.invariant],
                }
                for p in found.properties
            ],
            "independence": _independence(found.independence),
            "seconds": round(found.seconds, 3),
        }
    }


def _independence(shown: Independence | None) -> dict[str, object] | None:
    if shown is None:
        return None
    return {
        "parameter": shown.parameter,
        "copies": shown.copies,
        "shown_for": list(shown.shown_for),
        "any_number": shown.any_number,
        "statement": shown.statement,
    }

"""Reading a certificate: untrusted data. Its form is checked here, field by field; whether it is right, elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from fenceproof.model.errors import FormatError

from ..result import Independence
from .core import SORTS, Core
from .document import FORMAT, MOST_PARTS, VERSION, Identity
from .fields import Types, check, check_name, items, objects, read_document
from .integers import LOGIC as INTEGER_LOGIC
from .obligations import LOGIC
from .solvers import SOLVERS
from .system import MOST_PROPERTIES, MOST_STEPS, from_json

#: At most so many of each are read.
MOST_CONJUNCTS: Final = 2**16
MOST_NAMES: Final = 1024
MOST_OBLIGATIONS: Final = 2**17

_OPTIONAL_NUMBER: Final[Types] = (int, type(None))
_FIELDS: Final[dict[str, Types]] = {
    "format": (str,),
    "version": (int,),
    "target": (str,),
    "model": (str,),
    "parts": (list,),
    "fenceproof": (str,),
    "accepted_by": (list,),
    "digest": (str,),
}
_PROPERTY: Final[dict[str, Types]] = {"name": (str,), "sort": (str,), "meaning": (str,), "text": (list,)}
_PART: Final[dict[str, Types]] = {
    "name": (str,),
    "logic": (str,),
    "solvers": (list,),
    "parameters": (dict,),
    "faults": (dict,),
    "most_faults": _OPTIONAL_NUMBER,
    "without": (list,),
    "text": (str,),
    "text_sha256": (str,),
    "properties": (list,),
    "independence": (dict, type(None)),
    "assumptions": (list,),
    "bounds": (list,),
    "system": (dict,),
    "invariant": (list,),
    "obligations": (list,),
}
_OBLIGATION: Final[dict[str, Types]] = {"name": (str,), "says": (str,), "script": (str,)}
_ACCEPTED: Final[dict[str, Types]] = {"solver": (str,), "version": (str,)}
_INDEPENDENCE: Final[dict[str, Types]] = {"parameter": (str,), "copies": (int,), "shown_for": (list,)}
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_VERSION: Final = re.compile(r"\d+(\.\w+){0,4}([+-][\w.]+)?")


@dataclass(frozen=True, slots=True)
class Part:
    """What one part of a certificate says, well formed and no more."""

    fields: Mapping[str, Any]
    identity: Identity
    core: Core
    invariant: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """The properties that are claimed."""
        return [p.name for p in self.core.properties]


@dataclass(frozen=True, slots=True)
class CertificateFile:
    """What a certificate says, well formed and no more."""

    path: Path
    document: Mapping[str, Any]
    target: str
    model: str
    parts: tuple[Part, ...]


def read(path: Path) -> CertificateFile:
    """Read a certificate. Raises FormatError, with the field, for anything that is not one."""
    document = read_document(path)
    if document.get("format") != FORMAT:
        kind = document.get("format")
        raise FormatError(f"{path}: this is not a certificate: its format is {kind!r:.60}, not {FORMAT!r}.")
    if type(document.get("version")) is not int or document["version"] != VERSION:
        found = document.get("version")
        raise FormatError(f"{path}: this certificate has version {found!r:.60}, and this program reads {VERSION}.")
    fields = check(f"{path}: the certificate", document, _FIELDS)
    for key in ("target", "model"):
        check_name(f"{path}: the {key}", fields[key])
    _check_signature(str(path), fields)
    parts = [
        _part(place, fields["model"], part)
        for place, part in objects(f"{path}: 'parts'", fields["parts"], _PART, MOST_PARTS)
    ]
    if not parts:
        raise FormatError(f"{path}: 'parts' is empty, so nothing is claimed.")
    if len({part.core.nodes.is_wide for part in parts}) != len(parts):
        raise FormatError(f"{path}: 'parts' has two of one sort, so it is not clear which is meant.")
    return CertificateFile(path, fields, fields["target"], fields["model"], tuple(parts))


def _part(where: str, model: str, part: dict[str, Any]) -> Part:
    if part["logic"] not in (LOGIC, INTEGER_LOGIC):
        known = f"{LOGIC} and {INTEGER_LOGIC}"
        raise FormatError(f"{where} has the logic {part['logic']!r:.60}, and this program reads {known}.")
    for solver in items(f"{where} 'solvers'", part["solvers"], str, MOST_NAMES):
        _check_solver(f"{where} 'solvers'", solver)
    _check_texts(where, part)
    for place, prop in objects(f"{where} 'properties'", part["properties"], _PROPERTY, MOST_PROPERTIES):
        if prop["sort"] not in SORTS:
            raise FormatError(f"{place} has the sort {prop['sort']!r:.60}, which is not one of {', '.join(SORTS)}.")
        items(f"{place} 'text'", prop["text"], str, MOST_STEPS)
    items(f"{where} 'invariant'", part["invariant"], str, MOST_CONJUNCTS)
    for _ in objects(f"{where} 'obligations'", part["obligations"], _OBLIGATION, MOST_OBLIGATIONS):
        pass
    identity = Identity(
        model,
        part["parameters"],
        part["faults"],
        part["most_faults"],
        tuple(part["without"]),
        part["text"],
        _independence(where, part["independence"]),
    )
    core = from_json(f"{where} the system", part["system"], is_wide=part["logic"] == INTEGER_LOGIC)
    return Part(part, identity, core, tuple(part["invariant"]))


def _check_sha256(where: str, key: str, fields: Mapping[str, Any]) -> None:
    if not _SHA256.fullmatch(fields[key]):
        raise FormatError(f"{where}: {key!r} is {fields[key]!r:.60}, which is no SHA-256 in hexadecimal digits.")


def _check_texts(where: str, fields: Mapping[str, Any]) -> None:
    _check_sha256(where, "text_sha256", fields)
    for key in ("without", "assumptions", "bounds"):
        items(f"{where}: {key!r}", fields[key], str, MOST_NAMES)
    for key in ("parameters", "faults", "without"):
        for name in cast("dict[str, object] | list[str]", fields[key]):
            check_name(f"{where}: one of {key!r}", name)
    for name, value in cast("dict[str, object]", fields["parameters"]).items():
        if type(value) not in (int, bool, str, type(None)):
            raise FormatError(f"{where}: the parameter {name!r:.60} is {value!r:.60}, which it cannot be.")
    budgets = {**cast("dict[str, object]", fields["faults"]), "faults in all": fields["most_faults"]}
    for name, budget in budgets.items():
        if budget is not None and (not isinstance(budget, int) or isinstance(budget, bool) or budget < 0):
            raise FormatError(f"{where}: the budget of {name!r:.60} is {budget!r:.60}, and not a number or null.")


def _check_signature(where: str, fields: Mapping[str, Any]) -> None:
    """That who made and accepted it is said; whether it is so nobody can tell from a file."""
    _check_sha256(where, "digest", fields)
    if not _VERSION.fullmatch(fields["fenceproof"]):
        raise FormatError(f"{where}: 'fenceproof' is {fields['fenceproof']!r:.60}, which is no version.")
    accepted = [item for _, item in objects(f"{where}: 'accepted_by'", fields["accepted_by"], _ACCEPTED, MOST_NAMES)]
    if not accepted:
        raise FormatError(f"{where}: 'accepted_by' is empty, and a certificate is written when a solver accepted it.")
    for item in accepted:
        _check_solver(f"{where}: 'accepted_by'", item["solver"])
        if not _VERSION.fullmatch(item["version"]):
            raise FormatError(f"{where}: 'accepted_by' has {item['version']!r:.60}, which is no version.")
    if len({item["solver"] for item in accepted}) != len(accepted):
        raise FormatError(f"{where}: 'accepted_by' names a solver twice.")


def _check_solver(where: str, name: str) -> None:
    if name not in SOLVERS:
        raise FormatError(f"{where} names {name!r:.60}, which is none of {', '.join(SOLVERS)}.")


def _independence(where: str, value: object) -> Independence | None:
    if value is None:
        return None
    fields = check(f"{where}: 'independence'", value, _INDEPENDENCE)
    shown_for = items(f"{where}: 'independence', 'shown_for'", fields["shown_for"], int, MOST_NAMES)
    check_name(f"{where}: what 'independence' counts", fields["parameter"])
    return Independence(fields["parameter"], fields["copies"], tuple(shown_for))

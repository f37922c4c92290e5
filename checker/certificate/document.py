"""A certificate as a JSON document: what it holds, how it is made, its digest, and how it is written to a file.

Everything but who made it and who accepted it follows from the model, the properties and the invariant, so that a
reader can put the same document together again and compare.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from fenceproof import __version__
from fenceproof.model.expressions import UNBOUNDED, Expression
from fenceproof.model.system import TransitionSystem
from fenceproof.model.text import as_text

from ..result import Independence
from ..writing import write_whole
from . import integers
from .asking import Answer
from .core import STEP, Core, Property, core_of
from .nodes import Nodes
from .obligations import LOGIC, Obligation, obligations
from .solvers import READERS
from .system import check_core, to_json
from .words import Reader, shown

FORMAT: Final = "fenceproof-certificate"
VERSION: Final = 1
#: The sorts of parts: numbers within bounds, as bit-vectors; and numbers without, as integers.
WHOLE: Final = "every behaviour of the system, of any length"
INTEGERS: Final = "every behaviour of the system without bounds, of any length"
#: At most one of each.
MOST_PARTS: Final = 2


@dataclass(frozen=True, slots=True)
class Identity:
    """Which system a part is about: how it was made of the model, and the text that `fenceproof show` prints of it."""

    model: str
    parameters: Mapping[str, Any]
    faults: Mapping[str, int | None]
    most_faults: int | None
    without: tuple[str, ...]
    text: str
    independence: Independence | None = None


def identity_of(system: TransitionSystem, independence: Independence | None = None) -> Identity:
    """The identity of a lifted system."""
    return Identity(
        system.name,
        dict(system.parameters),
        dict(system.faults),
        system.most_faults,
        system.without,
        as_text(_without_sites(system)),
        independence,
    )


def _without_sites(system: TransitionSystem) -> TransitionSystem:
    """The same system, without the lines that its mistakes were found in: a file that was moved, renamed or commented
    is the same model."""
    return replace(
        system,
        transitions=tuple(
            replace(t, mistakes=tuple(replace(mistake, site=None) for mistake in t.mistakes))
            for t in system.transitions
        ),
    )


@dataclass(frozen=True, slots=True)
class Proved:
    """What one part of a certificate is of: a lifted system, its properties by name, and the invariant's conjuncts."""

    system: TransitionSystem
    properties: Sequence[str]
    invariant: Sequence[Expression]
    independence: Independence | None = None


def certificate(target: str, proved: Sequence[Proved]) -> tuple[dict[str, Any], tuple[tuple[Obligation, ...], ...]]:
    """The certificate that invariants prove safety properties of systems, not yet signed, and each part's obligations.

    Nobody has checked it then. UsageError for a name that is no safety property.
    """
    parts: list[dict[str, Any]] = []
    wanted: list[tuple[Obligation, ...]] = []
    for each in proved:
        core = core_of(each.system, each.properties)
        check_core(target, core)
        separate = Nodes(each.system.slots, is_wide=core.nodes.is_wide)
        texts = list(dict.fromkeys(shown(separate, separate.graft(conjunct)) for conjunct in each.invariant))
        part, obligations_of_it = part_of(identity_of(each.system, each.independence), core, texts)
        parts.append(part)
        wanted.append(obligations_of_it)
    return whole(target, proved[0].system.name, parts), tuple(wanted)


def whole(target: str, model: str, parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A certificate of its parts, but for who made and accepted it."""
    return {"format": FORMAT, "version": VERSION, "target": target, "model": model, "parts": list(parts)}


def part_of(identity: Identity, core: Core, invariant: Sequence[str]) -> tuple[dict[str, Any], tuple[Obligation, ...]]:
    """Everything in a part that follows from the model, the properties in `core`, and the invariant."""
    system = to_json(core)
    properties = [_property(core, p) for p in core.properties]
    reader = Reader(core.nodes)
    conjuncts = [reader.read(text) for text in invariant]
    is_wide = core.nodes.is_wide
    logic = integers.LOGIC if is_wide else LOGIC
    wanted = integers.obligations(core, conjuncts, identity.faults) if is_wide else obligations(core, conjuncts)
    shared = identity.independence
    part = {
        "name": INTEGERS if is_wide else WHOLE,
        "logic": logic,
        "solvers": list(READERS[logic]),
        "parameters": dict(identity.parameters),
        "faults": dict(identity.faults),
        "most_faults": identity.most_faults,
        "without": list(identity.without),
        "text": identity.text,
        "text_sha256": hashlib.sha256(identity.text.encode()).hexdigest(),
        "properties": properties,
        "independence": None
        if shared is None
        else {"parameter": shared.parameter, "copies": shared.copies, "shown_for": list(shared.shown_for)},
        "assumptions": _assumptions(shared),
        "bounds": _unbounded(identity, core) if is_wide else _bounds(identity),
        "system": system,
        "invariant": list(invariant),
        "obligations": [{"name": o.name, "says": o.says, "script": o.script} for o in wanted],
    }
    return part, wanted


def _property(core: Core, prop: Property) -> dict[str, Any]:
    def text(root: int) -> str:
        return shown(core.nodes, root)

    if prop.sort == STEP:
        lines = [f"{s.name}: {text(j.holds)}" for s, j in zip(core.steps, prop.judgements, strict=True)]
    else:
        lines = [text(prop.judgements[0].holds)]
    return {"name": prop.name, "sort": prop.sort, "meaning": prop.meaning, "text": lines}


def _assumptions(independence: Independence | None) -> list[str]:
    found = [
        "The system in the parts is what the model means: fenceproof lifted it, and the obligations speak of it alone.",
        "A solver that calls an obligation unsatisfiable is right.",
        "Only the properties that are listed are claimed; that something happens at last is never among them.",
    ]
    return found if independence is None else [*found, f"{independence.statement}."]


def _bounds(identity: Identity) -> list[str]:
    parameters = ", ".join(f"{name}={value}" for name, value in identity.parameters.items()) or "none"
    faults = ", ".join(f"{name} {_most(budget)}" for name, budget in identity.faults.items()) or "none"
    found = [
        "Behaviours of any length; every variable within the range that the model's text gives.",
        f"Parameters: {parameters}.",
        f"Faults: {faults}.",
    ]
    if identity.most_faults is not None:
        found.append(f"At most {identity.most_faults} faults in all.")
    if identity.without:
        found.append(f"Without the safeguards {', '.join(identity.without)}.")
    return found


def _unbounded(identity: Identity, core: Core) -> list[str]:
    endless = ", ".join(slot.name for slot in core.slots if slot.hi >= UNBOUNDED) or "none"
    parameters = ", ".join(f"{name}={value}" for name, value in identity.parameters.items()) or "none"
    faults = ", ".join(name for name, budget in identity.faults.items() if budget != 0)
    found = [
        f"Behaviours of any length; without a bound: {endless}.",
        f"Parameters: {parameters}.",
        f"Faults: {faults}, each any number of times, whatever its budget." if faults else "Faults: none.",
    ]
    if identity.without:
        found.append(f"Without the safeguards {', '.join(identity.without)}.")
    return found


def _most(budget: int | None) -> str:
    return "any number of times" if budget is None else f"at most {budget}"


def signed(document: Mapping[str, Any], answers: Sequence[Answer]) -> dict[str, Any]:
    """A certificate with who made it, which solvers accepted it, and the digest over all of that."""
    accepted = [{"solver": a.solver, "version": a.version} for a in answers]
    made = {**document, "fenceproof": __version__, "accepted_by": accepted}
    return {**made, "digest": digest(made)}


def digest(document: Mapping[str, Any]) -> str:
    """The SHA-256 of a certificate without its digest, as JSON with sorted keys and no spaces."""
    rest = {key: value for key, value in document.items() if key != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def write(path: Path, document: Mapping[str, Any]) -> None:
    """Write a certificate to a file. UsageError where that cannot be done."""
    write_whole(path, json.dumps(document, indent=1, ensure_ascii=True) + "\n")

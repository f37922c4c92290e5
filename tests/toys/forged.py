"""Certificates written by hand: consistent in themselves, whatever their systems are and whatever they say of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from certificates import as_accepted
from fenceproof.checker.certificate.document import Identity, part_of
from fenceproof.checker.certificate.recheck import header
from fenceproof.checker.certificate.system import from_json
from fenceproof.checker.result import Independence

ALWAYS: Final = 0
NOTHING_WRONG: Final = 1
#: The two nodes that every forged system begins with: a guard that is always true, and the code of no mistake.
FIRST: Final = [["truth", 1], ["const", 0]]


def number(name: str, hi: int | None = None) -> dict[str, object]:
    """A slot for a number from 0 on."""
    return {"name": name, "sort": "number", "lo": 0, "hi": hi}


def numbers(name: str) -> dict[str, object]:
    """A slot for a set of numbers."""
    return {"name": name, "sort": "set of numbers", "lo": 0, "hi": None}


def step(
    updates: Sequence[Sequence[int]] = (),
    name: str = "go()",
    guard: int = ALWAYS,
    fault: str | None = None,
    outcome: int = NOTHING_WRONG,
) -> dict[str, object]:
    return {
        "name": name,
        "fault": fault,
        "guard": guard,
        "updates": [list(update) for update in updates],
        "outcome": outcome,
        "mistake": NOTHING_WRONG,
        "params": [],
    }


def always(holds: int, name: str = "claimed") -> dict[str, object]:
    """The claim that a node is true of every state."""
    return {"name": name, "sort": "invariant", "meaning": "", "judgements": [[holds, NOTHING_WRONG]]}


@dataclass(frozen=True)
class Forged:
    """What a certificate says: its system, as JSON has it, and who it says that it is."""

    slots: Sequence[Mapping[str, object]]
    initial: Sequence[Sequence[int]]
    nodes: Sequence[Sequence[object]]
    steps: Sequence[Mapping[str, object]]
    properties: Sequence[Mapping[str, object]]
    is_wide: bool = True
    invariant: Sequence[str] = ()
    model: str = "Forged"
    target: str = "forged.py"
    parameters: Mapping[str, object] | None = None
    faults: Mapping[str, int | None] | None = None
    independence: Independence | None = None

    def document(self) -> Any:
        """The certificate, with the obligations and the texts that follow from it, as if a solver had accepted it."""
        system = {
            "slots": self.slots,
            "initial": self.initial,
            "nodes": [*FIRST, *self.nodes],
            "steps": self.steps,
            "properties": self.properties,
        }
        core = from_json("forged", json.loads(json.dumps(system)), is_wide=self.is_wide)
        identity = Identity(self.model, self.parameters or {}, self.faults or {}, None, (), "", self.independence)
        part, _ = part_of(replace(identity, text="\n".join(header(identity))), core, self.invariant)
        return as_accepted(self.target, self.model, part)

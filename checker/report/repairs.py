"""The nearest models that hold, as a person reads them and as a JSON document."""

from __future__ import annotations

from typing import Final

from rich.console import Console

from ..repair import Change, Repair, Repairs
from ..verdict import Verdict
from .claim import bounds, faults
from .plain import Text
from .summary import counted

FORMAT: Final = "fenceproof-repairs"
VERSION: Final = 1


def print_repairs(console: Console, target: str, found: Repairs) -> None:
    """What was found."""
    console.print(Text.assemble((target, "bold"), f": {_headline(found)}"))
    for repair in found.repairs:
        console.print(Text(f"  {_named(repair.changes)}", style="green"))
        console.print(Text(f"    {_checked(repair)}"))
    for changes in found.undecided:
        console.print(Text(f"  {_named(changes)}: not decided, a limit was reached", style="yellow"))
    for text in found.unfit:
        console.print(Text(f"  makes no model: {text}", style="yellow"))
    if found.repairs:
        system = found.repairs[0].result.system
        console.print(Text(f"bounds: {bounds(system)}; faults: {faults(system)}"))


def _headline(found: Repairs) -> str:
    tried = f"{counted(found.tried, 'model')} checked"
    if found.stop is not None:
        return f"not all was searched, because {found.stop.reason}; {tried}"
    if not found.repairs and found.undecided:
        return f"no change of up to {counted(found.distance, 'knob')} is known to mend it; {tried}"
    if not found.repairs:
        if not found.knobs:
            return "it falls, and has no knob to turn: no attribute or parameter that is a bool, a Literal or an Enum"
        return f"no change of up to {counted(found.distance, 'knob')} mends it; {tried}"
    if not found.distance:
        return "nothing falls, so there is nothing to mend"
    nearer = ", and none nearer does" if not found.undecided else ""
    return f"with {counted(found.distance, 'knob')} changed nothing falls{nearer}; {tried}"


def _named(changes: tuple[Change, ...]) -> str:
    return ", ".join(map(str, changes)) or "as it is"


def _checked(repair: Repair) -> str:
    untested = [p.name for p in repair.result.properties if p.verdict is Verdict.VACUOUS]
    said = f"vacuous, not put to the test: {', '.join(untested)}" if untested else str(repair.result.verdict)
    return f"{said}; {counted(repair.result.visited, 'state')}"


def repairs_document(target: str, found: Repairs) -> dict[str, object]:
    """The whole as one JSON document."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": target,
        "complete": found.complete,
        "stopped": None if found.stop is None else found.stop.reason,
        "distance": found.distance,
        "tried": found.tried,
        "repairs": [
            {
                "changes": [_change(change) for change in repair.changes],
                "verdict": str(repair.result.verdict),
                "vacuous": [p.name for p in repair.result.properties if p.verdict is Verdict.VACUOUS],
                "states": repair.result.distinct,
            }
            for repair in found.repairs
        ],
        "undecided": [[_change(change) for change in changes] for changes in found.undecided],
        "unfit": list(found.unfit),
    }


def _change(change: Change) -> dict[str, object]:
    return {"kind": change.where, "name": change.name, "before": _value(change.before), "after": _value(change.after)}


def _value(value: object) -> object:
    return value if isinstance(value, str | int | bool | None) else str(value)

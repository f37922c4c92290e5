"""A search of all combinations of safeguards, as a person reads it and as a JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from fenceproof.model.trace import Trace, to_json
from rich.console import Console
from rich.table import Table

from ..findings import Fall, Findings, Sufficient
from ..result import CheckResult
from ..space import Space
from .claim import bounds, faults
from .plain import Text
from .summary import counted
from .text import sheet

FORMAT: Final = "fenceproof-space"
VERSION: Final = 1


def print_space(console: Console, target: str, space: Space, found: Findings) -> None:
    """Everything that was found."""
    combinations = f"{len(space.fallen):,} combinations of {counted(len(space.safeguards), 'safeguard')}"
    sets = f"{space.fallen.shape[1]:,} sets of {counted(len(space.faults), 'fault')}" if space.faults else "no faults"
    console.print(Text.assemble((target, "bold"), f": {combinations}, under {sets}"))
    for sufficient in found.sufficient:
        console.print()
        _print_sufficient(console, sufficient)
    console.print()
    _print_cuts(console, found.cuts, complete=space.complete)
    if found.never_needed and found.sufficient:
        console.print()
        named = ", ".join(found.never_needed)
        it = "it" if len(found.never_needed) == 1 else "them"
        console.print(Text(f"Can go: {named}. No property of the model needs {it} under these faults."))
    if space.idle:
        console.print()
        console.print(
            Text(
                f"Without effect: {', '.join(space.idle)}. Nothing calls it, or it never says no, so taking it away "
                "shows nothing.",
                style="yellow",
            )
        )
    if found.sufficient and not found.is_monotone:
        console.print()
        console.print(Text("Taking one more safeguard away can mend what taking others away has broken."))
    if found.by_faults and len(found.by_faults) > 1:
        console.print()
        _print_by_faults(console, found)
    console.print()
    console.print(sheet(sheet_of(target, space, found), f"{space.seconds:.2f} s of searching"))


def _print_sufficient(console: Console, sufficient: Sufficient) -> None:
    names = ", ".join(sufficient.safeguards) or "no safeguard at all"
    console.print(Text.assemble(("Suffices: ", "bold green"), names))
    console.print(Text(f"  checked on its own: nothing falls, in {counted(sufficient.result.visited, 'state')}"))
    for name, fall in sufficient.without_one:
        if fall is None:
            console.print(Text(f"  take {name} away too: nothing falls either"))
        elif len(fall.without) > 1:
            console.print(Text(f"  take {name} away too: {_by(fall)}"))


def _print_cuts(console: Console, cuts: Sequence[Fall], *, complete: bool) -> None:
    if not cuts:
        console.print("No combination falls." if complete else "No combination was seen to fall.")
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("without", "falls", "under"):
        table.add_column(heading, overflow="fold")
    for fall in cuts:
        table.add_row(Text(", ".join(fall.without) or "(nothing)", style="bold"), _by(fall), _sets(fall.minimal_faults))
    console.print(table)
    for fall in cuts:
        console.print()
        taken = f"Without {', '.join(fall.without)}" if fall.without else "With every safeguard in place"
        console.print(Text(f"{taken}, {_by(fall)}, under {_set(fall.faults)}:"))
        console.print(Text("  " + steps(fall.result, fall.trace)))


def _print_by_faults(console: Console, found: Findings) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("faults", no_wrap=True)
    table.add_column("what suffices", overflow="fold")
    for chosen, sufficient in found.by_faults:
        text = " | ".join(", ".join(names) or "no safeguard at all" for names in sufficient)
        table.add_row(_set(chosen), Text(text or "no combination"))
    console.print(table)


def _by(fall: Fall) -> str:
    steps = counted(len(fall.trace) + (fall.trace.mistake is not None), "step")
    return f"the model goes wrong in {steps}" if fall.by is None else f"{fall.by} in {steps}"


def _set(names: Iterable[str]) -> str:
    return " + ".join(names) or "no fault"


def _sets(sets: Iterable[Sequence[str]]) -> str:
    return "; ".join(map(_set, sets))


def steps(result: CheckResult, trace: Trace) -> str:
    """A trace in one line: its actions."""
    actions = [result.system.transitions[position].called for position in trace.transitions]
    if trace.mistake is not None:
        actions.append(result.system.transitions[trace.mistake].called)
    loop = "" if trace.loop is None else f" and from step {trace.loop + 1} on for ever"
    return " → ".join(actions) + loop


def sheet_of(target: str, space: Space, found: Findings) -> list[tuple[str, str]]:
    """What the search says, and what not."""
    seen = f"{space.distinct:,} distinct, {space.generated:,} generated"
    if space.stop is None:
        covered = f"every combination of {target}, every reachable state but what follows a fall: {seen}"
    else:
        covered = f"only a part, because {space.stop.reason}: {seen}; what suffices is not known"
    said = [
        ("checked", covered),
        ("safeguards", ", ".join(space.safeguards)),
        ("bounds", bounds(space.system)),
        ("faults", faults(space.system)),
    ]
    if found.sufficient:
        said.append(("monotone", "yes, checked" if found.is_monotone else "no"))
    unsaid = (
        "other bounds; other faults, or more of them; properties that the model does not have; whether your code does "
        "what the model does"
    )
    return [*said, ("not checked", unsaid)]


def space_document(target: str, space: Space, found: Findings) -> dict[str, object]:
    """The whole as one JSON document."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": target,
        "safeguards": list(space.safeguards),
        "faults": list(space.faults),
        "parameters": dict(space.system.parameters),
        "budgets": {name: space.system.faults[name] for name in space.faults},
        "most_faults": space.settings.most_faults,
        "combinations": len(space.fallen),
        "complete": space.complete,
        "stopped": None if space.stop is None else space.stop.reason,
        "states": {"distinct": space.distinct, "generated": space.generated},
        "monotone": found.is_monotone if space.complete else None,
        "sufficient": [_sufficient(target, s) for s in found.sufficient],
        "cuts": [_fall(target, fall) for fall in found.cuts],
        "never_needed": list(found.never_needed),
        "idle": list(space.idle),
        "by_faults": [
            {"faults": list(chosen), "sufficient": [list(names) for names in sets]} for chosen, sets in found.by_faults
        ],
        "seconds": round(space.seconds, 3),
        "claim": " ".join(f"{label.capitalize()}: {text}." for label, text in sheet_of(target, space, found)),
    }


def _sufficient(target: str, found: Sufficient) -> dict[str, object]:
    return {
        "safeguards": list(found.safeguards),
        "verdict": str(found.result.verdict),
        "states": found.result.distinct,
        "without_one": [
            {"safeguard": name, "fall": None if fall is None else _fall(target, fall)}
            for name, fall in found.without_one
        ],
    }


def _fall(target: str, fall: Fall) -> dict[str, object]:
    return {
        "without": list(fall.without),
        "minimal_faults": [list(names) for names in fall.minimal_faults],
        "faults": list(fall.faults),
        "property": fall.by,
        "steps": len(fall.trace) + (fall.trace.mistake is not None),
        "trace": trace_document(target, fall),
    }


def trace_document(target: str, fall: Fall) -> dict[str, object]:
    """The trace of a fall, as it is saved."""
    return to_json(fall.result.system, fall.trace, target, fall.by)

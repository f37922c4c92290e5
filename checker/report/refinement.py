"""What came of holding a durable model against an abstract one, as text and as JSON.

The schema of the JSON is `refinement.schema.json` beside this file.
"""

from __future__ import annotations

from typing import Final

from fenceproof.model.system import State
from fenceproof.model.trace import Trace, to_json
from rich.console import Console
from rich.table import Table

from ..refinement import INITIAL, STEPS, Allowed, Refinement
from ..result import PropertyResult
from ..verdict import Verdict
from .changes import changes, shown
from .claim import bounds, claim_sheet
from .document import error_document, states_document
from .plain import Text
from .steps import print_trace
from .styles import STYLES
from .summary import counted
from .text import sheet

#: Steps of the abstract model that are listed where none of them is the one that was made.
MOST_ALLOWED: Final = 10
_KEPT: Final = ("checked", "bounds", "faults", "taken away", "left out", "never enabled")


def headline(durable: str, abstract: str, found: Refinement) -> str:
    """The verdict in one line, with what it is about."""
    result = found.result
    match result.verdict:
        case Verdict.HOLDS:
            return f"{durable} refines {abstract}: every step of it is a step there, or changes nothing there"
        case Verdict.VIOLATED:
            bad = " and ".join(_violated(p) for p in result.properties if p.verdict is Verdict.VIOLATED)
            return f"{durable} does not refine {abstract}: {bad}"
        case Verdict.MODEL_ERROR if result.wrong is not None:
            return f"model error: {result.wrong.text}"
        case Verdict.VACUOUS:
            reasons = [p.remark for p in result.properties if p.verdict is Verdict.VACUOUS]
            if result.missing:
                reasons.append(f"no state enables {', '.join(result.missing)}")
            return f"vacuous: that {durable} refines {abstract} was not put to the test: {', and '.join(reasons)}"
        case _:
            why = result.stop.reason if result.stop is not None else "the search ended"
            return f"inconclusive: whether {durable} refines {abstract} is open: {why}"


def _violated(prop: PropertyResult) -> str:
    if prop.name == INITIAL:
        return f"{counted(prop.witnesses or 0, 'initial state')} of it stands for none there"
    return f"its step {len(prop.trace) if prop.trace is not None else 0} is no step there"


def print_refinement(console: Console, durable: str, abstract: str, found: Refinement) -> None:
    """Everything that was found."""
    result = found.result
    console.print(Text(f"{headline(durable, abstract, found)}.", style=STYLES[result.verdict]))
    if result.wrong is not None:
        print_trace(console, result.system, result.wrong.trace)
    for prop in result.properties:
        if prop.trace is not None:
            console.print()
            _print_violation(console, abstract, found, prop, prop.trace)
    console.print()
    console.print(sheet(_sheet(durable, abstract, found), f"{result.seconds:.2f} s of checking"))


def _print_violation(console: Console, abstract: str, found: Refinement, prop: PropertyResult, trace: Trace) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    if prop.name == INITIAL:
        console.print(Text(f"An initial state stands for what is no initial state of {abstract}:"))
        table.add_row("it", Text(_state(found, trace.states[-1])))
        for state in found.abstract.initial[:MOST_ALLOWED]:
            table.add_row("allowed", Text(_text(found.abstract.decode(state))))
    else:
        print_trace(console, found.result.system, trace)
        before, after = trace.states[-2:]
        console.print(Text(f"What the last step does in {abstract}:"))
        table.add_row("before", Text(_state(found, before)))
        table.add_row("after", Text(_state(found, after)))
        for label, text in _allowed(found, before):
            table.add_row(label, Text(text))
    console.print(table)


def _allowed(found: Refinement, before: State) -> list[tuple[str, str]]:
    steps = found.allowed(before)
    origin = found.abstract_state(before)
    rows = [("allowed", _step(found, origin, step)) for step in steps[:MOST_ALLOWED]]
    if len(steps) > MOST_ALLOWED:
        rows.append(("", f"and {counted(len(steps) - MOST_ALLOWED, 'other step')}"))
    return rows or [("allowed", "nothing, but to stay as it is")]


def _step(found: Refinement, origin: State, step: Allowed) -> str:
    changed = "; ".join(changes(found.abstract, origin, step.after)) or "nothing changes"
    return f"{found.abstract.transitions[step.transition].called}: {changed}"


def _state(found: Refinement, state: State) -> str:
    return _text(found.abstract.decode(found.abstract_state(state)))


def _text(values: dict[str, object]) -> str:
    return ", ".join(f"{name}: {shown(value)}" for name, value in values.items())


def _sheet(durable: str, abstract: str, found: Refinement) -> list[tuple[str, str]]:
    rows = [row for row in claim_sheet(durable, found.result) if row[0] in _KEPT]
    unlimited = [name for name, budget in found.abstract.faults.items() if budget is None]
    faults = f"; its faults without limit: {', '.join(unlimited)}" if unlimited else ""
    where = f", {found.mapping.site}" if found.mapping.site is not None else ""
    counts = ", ".join(f"{name} {count:,}" for name, count in found.matched.items() if count)
    rows += [
        ("abstract", f"{abstract} ({bounds(found.abstract)}){faults}"),
        ("mapping", f"{found.mapping.name}{where}"),
        ("steps", f"{counts or 'none'}; {found.stutters:,} change nothing there"),
    ]
    if found.unmatched:
        rows.append(("no step is", ", ".join(found.unmatched)))
    return [*rows, ("not checked", _unsaid(found))]


def _unsaid(found: Refinement) -> str:
    system = found.result.system
    parts = ["other bounds"] if system.parameters else []
    if system.faults:
        parts.append("other faults, or more of them")
    parts += ["outcomes", "whether anything eventually happens (liveness)"]
    return "; ".join([*parts, "whether your code does what the model does"])


def document(durable: str, abstract: str, found: Refinement) -> dict[str, object]:
    """The result as one JSON document. The same run gives the same document, but for `seconds`."""
    result, system = found.result, found.result.system
    initial, steps = result.properties
    return {
        "format": "fenceproof-refinement",
        "version": 1,
        "durable": {
            "target": durable,
            "model": system.name,
            "parameters": dict(system.parameters),
            "faults": dict(system.faults),
            "most_faults": system.most_faults,
            "without": list(system.without),
        },
        "abstract": {
            "target": abstract,
            "model": found.abstract.name,
            "parameters": dict(found.abstract.parameters),
            "faults": dict(found.abstract.faults),
        },
        "mapping": {"name": found.mapping.name, "site": str(found.mapping.site) if found.mapping.site else None},
        "engine": result.engine,
        "verdict": str(result.verdict),
        "states": states_document(result),
        "stopped": result.stop.reason if result.stop is not None else None,
        "model_error": error_document(durable, result),
        INITIAL: {
            "verdict": str(initial.verdict),
            "witnesses": initial.witnesses,
            "state": None if initial.trace is None else system.decode(initial.trace.states[0]),
            "abstract": None if initial.trace is None else _decoded(found, initial.trace.states[0]),
        },
        STEPS: {
            "verdict": str(steps.verdict),
            "witnesses": steps.witnesses,
            "remark": steps.remark or None,
            "trace": None if steps.trace is None else to_json(system, steps.trace, durable, None),
            "before": None if steps.trace is None else _decoded(found, steps.trace.states[-2]),
            "after": None if steps.trace is None else _decoded(found, steps.trace.states[-1]),
            "allowed": [] if steps.trace is None else _allowed_json(found, steps.trace.states[-2]),
        },
        "matched": dict(found.matched),
        "stutters": found.stutters,
        "unmatched": list(found.unmatched),
        "never_enabled": list(result.never_enabled),
        "seconds": round(result.seconds, 3),
        "claim": f"{headline(durable, abstract, found)}. "
        + " ".join(f"{label.capitalize()}: {text}." for label, text in _sheet(durable, abstract, found)),
    }


def _decoded(found: Refinement, state: State) -> dict[str, object]:
    return found.abstract.decode(found.abstract_state(state))


def _allowed_json(found: Refinement, before: State) -> list[dict[str, object]]:
    return [
        {
            "action": found.abstract.transitions[step.transition].action,
            "args": found.abstract.transitions[step.transition].args,
            "state": found.abstract.decode(step.after),
        }
        for step in found.allowed(before)
    ]

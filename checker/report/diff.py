"""Two systems compared, as a person reads it and as a JSON document; its schema is `diff.schema.json` beside this."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fenceproof.model.trace import to_json
from rich.console import Console

from ..difference import Comparison, Difference
from ..events import Event, Side
from .claim import bounds, faults
from .plain import Text
from .steps import print_trace
from .summary import counted
from .text import sheet

FORMAT: Final = "fenceproof-diff"
VERSION: Final = 1
_STYLES: Final = {"equivalent": "bold green", "different": "bold red", "inconclusive": "bold yellow"}


def print_comparison(console: Console, found: Comparison) -> None:
    """Everything that a comparison found."""
    one, other = (side.target for side in found.sides)
    console.print(Text.assemble((one, "bold"), " and ", (other, "bold"), ": ", (found.verdict, _STYLES[found.verdict])))
    console.print()
    if found.difference is not None:
        _print_difference(console, found, found.difference)
        console.print()
    console.print(sheet(diff_sheet(found), f"{found.seconds:.2f} s of comparing"))


def _print_difference(console: Console, found: Comparison, parted: Difference) -> None:
    able, other = found.sides[parted.can], found.sides[1 - parted.can]
    console.print(Text(f"{_after(parted)} {able.target} can do {_event(found, parted)}:"))
    print_trace(console, able.system, parted.traces[parted.can])
    console.print()
    if parted.instead:
        outcomes = ", or ".join(_outcome(outcome) for outcome in parted.instead)
        console.print(Text(f"There {_call(found, parted)} has {outcomes} in {other.target}."))
        print_trace(console, other.system, parted.traces[1 - parted.can])
        return
    console.print(Text(f"There {other.target} cannot do {_call(found, parted)}:"))
    for reason in parted.why:
        console.print(Text(f"  {reason}"))


def _after(parted: Difference) -> str:
    if not parted.events:
        return "At the beginning"
    return f"After {counted(len(parted.events), 'event')} that both can do,"


def _call(found: Comparison, parted: Difference) -> str:
    """The action in which they part, as its author would call it: the last step of the side that can do it."""
    return found.sides[parted.can].system.transitions[parted.traces[parted.can].transitions[-1]].called


def _event(found: Comparison, parted: Difference) -> str:
    outcome = parted.event.outcome
    return _call(found, parted) if outcome is None else f"{_call(found, parted)} with the outcome {outcome}"


def _outcome(outcome: str | None) -> str:
    return "no outcome" if outcome is None else f"the outcome {outcome}"


def one_line(found: Comparison) -> str:
    """The verdict, and in a few words where they part or why it is not known."""
    text = f"{found.sides[0].target}, {found.sides[1].target}: {found.verdict}"
    if found.difference is not None:
        who = found.sides[found.difference.can].target
        events = counted(len(found.difference.events), "event")
        return f"{text}: after {events} only {who} can do {_event(found, found.difference)}"
    if found.stop is not None:
        return f"{text}: {found.stop.reason}"
    return text


def diff_sheet(found: Comparison) -> list[tuple[str, str]]:
    """What a comparison says, a label and a text for each point, and what it does not say."""
    rows = [("compared", _compared(found)), ("known by", _how(found))]
    rows += _of_both("bounds", found, lambda side: bounds(side.system))
    rows += _of_both("faults", found, lambda side: faults(side.system))
    if any(side.system.without for side in found.sides):
        rows += _of_both("taken away", found, lambda side: ", ".join(side.system.without) or "nothing")
    if found.seen.hidden:
        rows.append(("hidden", ", ".join(sorted(found.seen.hidden))))
    unsaid = ["other bounds", "other faults, or more of them"] if found.difference is None else []
    if found.method == "same":
        unsaid.append("whether the model goes wrong, as both then do")
    if found.method == "sets":
        unsaid.append("what may be refused, or go on unseen, after the same events")
    unsaid.append("properties, which each may have for itself")
    return [*rows, ("not checked", "; ".join([*unsaid, "whether your code does what the models do"]))]


def _of_both(label: str, found: Comparison, text: Callable[[Side], str]) -> list[tuple[str, str]]:
    one, other = found.sides
    if text(one) == text(other):
        return [(label, text(one))]
    return [(label, f"{one.target}: {text(one)}"), ("", f"{other.target}: {text(other)}")]


def _compared(found: Comparison) -> str:
    of = "actions and arguments" if found.seen.ignore_outcomes else "actions, arguments and outcomes"
    return f"the sequences of events that are possible, by their {of}, faults among them"


def _how(found: Comparison) -> str:
    if found.method == "same":
        return "the two transition systems are the same, word for word; no state had to be explored"
    if found.method == "product":
        seen = f"{counted(found.pairs, 'pair')} of states, {counted(found.depth, 'level')}"
    else:
        ours, theirs = found.states or (0, 0)
        seen = (
            f"{counted(found.pairs, 'pair')} of sets of states, {counted(found.depth, 'level')}; "
            f"{ours:,} and {theirs:,} states in them"
        )
    if found.difference is not None:
        return f"breadth first, so no shorter sequence tells them apart: {seen}"
    if found.stop is not None:
        return f"only a part, because {found.stop.reason}: {seen}"
    return f"every reachable pair, in each of which both can do the same: {seen}"


def diff_document(found: Comparison) -> dict[str, object]:
    """A comparison as one JSON document. The same run gives the same document, but for `seconds`."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "verdict": found.verdict,
        "sides": [_side(side) for side in found.sides],
        "hidden": sorted(found.seen.hidden),
        "ignore_outcomes": found.seen.ignore_outcomes,
        "method": found.method,
        "pairs": found.pairs,
        "levels": found.depth,
        "states": None if found.states is None else list(found.states),
        "complete": found.verdict == "equivalent",
        "stopped": found.stop.reason if found.stop is not None else None,
        "difference": None if found.difference is None else _difference(found, found.difference),
        "seconds": round(found.seconds, 3),
        "claim": " ".join(f"{label.capitalize()}: {text}." for label, text in diff_sheet(found) if label),
    }


def _side(side: Side) -> dict[str, object]:
    return {
        "target": side.target,
        "model": side.system.name,
        "parameters": dict(side.system.parameters),
        "faults": dict(side.system.faults),
        "most_faults": side.system.most_faults,
        "without": list(side.system.without),
    }


def _difference(found: Comparison, parted: Difference) -> dict[str, object]:
    return {
        "events": [_event_document(event) for event in parted.events],
        "event": _event_document(parted.event),
        "can": parted.can,
        "instead": list(parted.instead),
        "why": list(parted.why),
        "traces": [
            to_json(side.system, trace, side.target, None)
            for side, trace in zip(found.sides, parted.traces, strict=True)
        ],
    }


def _event_document(event: Event) -> dict[str, object]:
    return {"action": event.action, "args": event.args, "outcome": event.outcome}


def traces_to_save(found: Comparison) -> list[tuple[str, tuple[str, ...], dict[str, object]]]:
    """The run of each side that does the action in which they part, with a title and the parts of its file's name."""
    parted = found.difference
    if parted is None:
        return []
    shown = [parted.can] if not parted.instead else [0, 1]
    traces: list[tuple[str, tuple[str, ...], dict[str, object]]] = []
    for number in shown:
        side, other = found.sides[number], found.sides[1 - number]
        document = to_json(side.system, parted.traces[number], side.target, None)
        traces.append((side.target, (side.target, "beside", other.target), document))
    return traces

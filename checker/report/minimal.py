"""The shortest counterexamples of a property, and which faults they need, for a terminal and as a document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from fenceproof.model.step import take
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace, to_json
from rich.console import Console
from rich.padding import Padding

from ..minimal import ONE_STORY, Necessity, Need, Stories, Without
from ..result import PropertyResult
from .beginning import beginning
from .plain import Text
from .summary import counted

#: Stories that are told in a terminal; a document has more.
_MOST_TOLD: Final = 5


def print_minimal(console: Console, system: TransitionSystem, found: PropertyResult) -> None:
    """What there is to say below a counterexample."""
    if found.necessity is not None:
        for line in necessity_lines(found.name, found.necessity):
            console.print(Text(line))
    if found.stories is not None and found.trace is not None:
        for indent, line in _stories_lines(system, len(found.trace), found.stories):
            console.print(Padding(Text(line), (0, 0, 0, indent)))


def necessity_lines(name: str, necessity: Necessity) -> Iterator[str]:
    """Which faults are needed, which are not, and of which it was not found out; each is one line, whatever lines the
    names in it break into."""
    return (" ".join(line.split()) for line in _necessity(name, necessity))


def _necessity(name: str, necessity: Necessity) -> Iterator[str]:
    of = {need: [w for w in necessity.faults if w.need is need] for need in Need}
    needed = [w.fault for w in of[Need.NEEDED] if w.fault is not None]
    if needed:
        each = "it" if len(needed) == 1 else "any one of them"
        others = "whatever other faults happen within these bounds"
        yield f"faults needed: {', '.join(needed)} (without {each} {name} is not violated, {others})"
    for without in of[Need.NOT_NEEDED]:
        yield f"not needed: {without.fault} (without it {name} is still violated, {_how(without)})"
    for without in of[Need.UNKNOWN]:
        yield f"needed or not: {without.fault}, which was not found out, because {without.reason}"
    none = necessity.none
    if none is None:
        return
    match none.need:
        case Need.NEEDED:
            yield f"some fault is needed: without any {name} is not violated within these bounds"
        case Need.NOT_NEEDED:
            yield f"no fault is needed: without any {name} is still violated, {_how(none)}"
        case Need.UNKNOWN:
            yield f"whether any fault is needed was not found out, because {none.reason}"


def _how(without: Without) -> str:
    by = f" with {', '.join(without.faults)}" if without.faults else ""
    return f"in {counted(without.steps or 0, 'step')}{by}"


def _stories_lines(system: TransitionSystem, steps: int, stories: Stories) -> Iterator[tuple[int, str]]:
    """Lines, each with how far it stands in; the steps of the first story were shown above."""
    some = "" if stories.is_exact else "at least "
    told = f"{stories.classes:,} {'story' if stories.classes == 1 else 'stories'}"
    least = "" if stories.are_all else "at least "
    yield 0, f"shortest counterexamples: {some}{stories.count:,} of {counted(steps, 'step')}; {least}{told}"
    for number, story in enumerate(stories.told[:_MOST_TOLD], start=1):
        above = ", the one above" if number == 1 else ""
        yield 2, f"story {number}{above}: {least}{counted(story.count, 'counterexample')}"
        if number > 1:
            yield from ((4, line) for line in _steps(system, story.trace))
    left = stories.classes - min(_MOST_TOLD, len(stories.told))
    if left:
        kept = len(stories.told) - _MOST_TOLD
        where = f"; --json has {'them' if kept == left else f'{kept} of them'}" if kept > 0 else ""
        yield 2, f"and {least}{left:,} more{where}"


def _steps(system: TransitionSystem, trace: Trace) -> Iterator[str]:
    begun = beginning(system, trace.states[0])
    if begun and trace.transitions:
        yield " ".join(f"0. initial state: {', '.join(begun)}".split())
    for number, (before, position) in enumerate(zip(trace.states, trace.transitions, strict=False), start=1):
        transition = system.transitions[position]
        outcome = take(transition, before).outcome
        fault = "" if transition.fault is None else f" [fault: {transition.fault}]"
        # A step is one line, whatever lines names and outcomes break into.
        yield " ".join(f"{number}. {transition.called}{fault}{'' if outcome is None else f': {outcome}'}".split())
    if not trace.transitions:
        yield f"the initial state {json.dumps(system.decode(trace.states[0]), ensure_ascii=False)}"


def minimal_document(system: TransitionSystem, target: str, found: PropertyResult) -> dict[str, object]:
    """The same for a report in JSON; empty where nothing was asked."""
    told = found.stories
    return {
        **({} if found.necessity is None else {"needed": necessity_document(found.necessity)}),
        **(
            {}
            if told is None
            else {
                "shortest": {
                    "count": told.count,
                    "exact": told.is_exact,
                    "stories": told.classes,
                    "all_stories": told.are_all,
                    "definition": ONE_STORY,
                    "told": [
                        {"count": story.count, "trace": to_json(system, story.trace, target, found.name)}
                        for story in told.told
                    ],
                }
            }
        ),
    }


def needed_document(system: TransitionSystem, target: str, name: str, trace: Trace, found: Necessity | None) -> str:
    """The trace of a violation of a property with which of its faults are needed, as one JSON document; the schema is
    `needed.schema.json` beside this."""
    document = {
        "format": "fenceproof-needed",
        "version": 1,
        "property": name,
        "needed": None if found is None else necessity_document(found),
        "trace": to_json(system, trace, target, name),
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


_SAID: Final = {Need.NEEDED: "needed", Need.NOT_NEEDED: "not needed", Need.UNKNOWN: "unknown"}


def necessity_document(necessity: Necessity) -> dict[str, object]:
    """Which faults are needed, as JSON."""
    return {
        "faults": [{"fault": w.fault, **_without(w)} for w in necessity.faults],
        "any": None if necessity.none is None else _without(necessity.none),
    }


def _without(without: Without) -> dict[str, object]:
    return {
        "said": _SAID[without.need],
        "steps": without.steps,
        "with": list(without.faults),
        "reason": without.reason or None,
    }

"""What a page knows, as one JSON document: states by columns, steps by rows, each value and each clause once.

The script beside this reads it; its shape is between the two and no promise to anybody else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fenceproof.model.budgets import SPENT
from fenceproof.model.step import take
from fenceproof.model.system import State, Transition, TransitionSystem, Variable

from ..report.claim import bounds, faults
from ..report.lanes import Cast
from .beside import Reply, replies, start_like
from .guards import Clause, distinct_clauses, falses, place, with_place
from .leaves import leaves, leaves_of
from .region import WRONG, Region, region, truths_of
from .subject import Beside, Subject, Told


def payload(subject: Subject) -> dict[str, Any]:
    """The document of a page. Raises UsageError for a model with numbers that have no bound."""
    system = subject.system
    roots = [state for told in subject.told for state in told.trace.states]
    found = region(system, [*roots, *system.initial], max(subject.most_states, len(dict.fromkeys(roots))))
    position = {state: number for number, state in enumerate(found.states)}
    cast = Cast.of(system)
    nodes, shown, of_each = distinct_clauses(system)
    truths = [truth.tolist() for truth in truths_of(system, nodes, found.states)]
    return {
        "target": subject.target,
        "model": system.name,
        "meaning": system.meaning,
        "bounds": bounds(system),
        "faults": faults(system),
        "without": list(system.without),
        "searched": subject.searched,
        "covers": _covers(found, system),
        "complete": found.open == 0 and all(state in position for state in system.initial),
        "verdicts": [{"name": s.name, "verdict": s.verdict, "meaning": s.meaning} for s in subject.said],
        "variables": [_variable(variable, found.states) for variable in system.variables],
        "transitions": [
            {
                "called": transition.called,
                "fault": transition.fault,
                "site": place(transition.site),
                "outcomes": list(transition.outcomes),
                "clauses": of_each[number],
                "hops": [_hops(cast, transition, outcome) for outcome in transition.outcomes],
            }
            for number, transition in enumerate(system.transitions)
        ],
        "lanes": list(cast.names),
        "clauses": [_clause(clause) for clause in shown],
        "falses": falses(truths, len(found.states)),
        "starts": [position[state] for state in system.initial if state in position],
        "steps": {
            "counts": [len(steps) for steps in found.steps],
            "by": [step.transition for steps in found.steps for step in steps],
            "to": [step.to for steps in found.steps for step in steps],
            "outcome": [step.outcome for steps in found.steps for step in steps],
        },
        "wrong": _wrong(system, found),
        "bad": {
            name: {
                "states": found.bad_states.get(name, []),
                "steps": [list(at) for at in found.bad_steps.get(name, [])],
            }
            for name in (*found.bad_steps, *found.bad_states)
        },
        "traces": [_trace(told, position) for told in subject.told],
        "beside": None if subject.beside is None else _beside(subject, subject.beside),
    }


def _covers(found: Region, system: TransitionSystem) -> str:
    count = len(found.states)
    if not found.open and len(system.initial) <= count:
        return f"all {count:,} reachable states"
    return f"the {count:,} states nearest to the traces and the beginning; {found.open:,} of them have steps out of it"


def _variable(variable: Variable, states: Sequence[State]) -> dict[str, Any]:
    """A variable's distinct values, and which of them each state has; one number where all have the same."""
    part = slice(variable.first, variable.first + variable.kind.width)
    numbers: dict[State, int] = {}
    column = [numbers.setdefault(state[part], len(numbers)) for state in states]
    return {
        "name": variable.name.removeprefix(SPENT),
        "is_spent": variable.name.startswith(SPENT),
        "values": [list(leaves(variable.kind, variable.name.removeprefix(SPENT), value)) for value in numbers],
        "column": column if len(numbers) > 1 else [0],
    }


def _hops(cast: Cast, transition: Transition, outcome: str | None) -> list[list[int | bool]]:
    """Each hop as two positions in `lanes`, and whether it is the first and the last on its way."""
    number = cast.names.index
    return [[number(h.sender), number(h.receiver), h.is_first, h.is_last] for h in cast.hops(transition, outcome)]


def _clause(clause: Clause) -> dict[str, str]:
    return {"text": clause.text, "site": clause.site}


def _wrong(system: TransitionSystem, found: Region) -> dict[str, str]:
    """What goes wrong in the model itself, by "state transition"."""
    said: dict[str, str] = {}
    for number, steps in enumerate(found.steps):
        for step in steps:
            if step.to == WRONG:
                mistake = take(system.transitions[step.transition], found.states[number]).mistake
                assert mistake is not None, "the engine says that it goes wrong"
                said[f"{number} {step.transition}"] = with_place(mistake)
    return said


def _trace(told: Told, position: Mapping[State, int]) -> dict[str, Any]:
    trace = told.trace
    return {
        "violated": told.violated,
        "meaning": told.meaning,
        "story": told.story,
        "why": list(told.why),
        "start": position[trace.states[0]],
        "steps": list(trace.transitions),
        "loop": trace.loop,
        "mistake": trace.mistake,
    }


def _beside(subject: Subject, other: Beside) -> dict[str, Any]:
    """What both models do with the events of each trace: of the page's own, or else of the other one's."""
    theirs = not subject.told
    mine = subject.system
    source, told = (other.system, other.told) if theirs else (mine, subject.told)
    comparisons: list[dict[str, Any]] = []
    for each in told:
        events = [source.transitions[number] for number in each.trace.transitions]
        sides: list[dict[str, Any]] = []
        for system in (mine, other.system):
            start = each.trace.states[0] if system is source else start_like(system, source, each.trace)
            sides.append(
                {"start": leaves_of(system, start), "replies": [_reply(r) for r in replies(system, events, start)]}
            )
        comparisons.append(
            {
                "violated": each.violated,
                "of": other.target if theirs else subject.target,
                "events": [{"called": event.called, "fault": event.fault} for event in events],
                "sides": sides,
            }
        )
    return {"target": other.target, "bounds": bounds(other.system), "comparisons": comparisons}


def _reply(reply: Reply) -> dict[str, Any]:
    return {
        "outcome": reply.outcome,
        "refusal": reply.refusal,
        "clauses": [_clause(clause) for clause in reply.clauses],
        "ways": reply.ways,
        "state": reply.state,
    }

"""Why a state or a step violates a property: its expression with the values there, down to the decisive clauses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from fenceproof.model.expressions import Expression, Op, evaluate, slots_read
from fenceproof.model.rendering import render
from fenceproof.model.system import Judgement, State, TransitionSystem
from fenceproof.model.trace import Trace

from ..result import PropertyResult, Sort

#: Clauses that are listed; the rest is counted.
MOST_CLAUSES: Final = 12


def why(system: TransitionSystem, found: PropertyResult) -> list[str]:
    """The decisive clauses of a violated invariant or step property in its trace, a line each; [] for other sorts."""
    trace = found.trace
    if trace is None:
        return []
    judgement = _judgement(system, found, trace)
    if judgement is None:
        return []
    before, outcome = trace.states[-1], 0
    after: State = ()
    if found.sort is Sort.STEP:
        before, after = trace.states[-2], trace.states[-1]
        outcome = evaluate([system.transitions[trace.transitions[-1]].outcome], before)[0]
    if evaluate([judgement.mistake], before, after, outcome)[0]:
        return []
    clauses = list(dict.fromkeys(_decisive(judgement.holds, before, after, outcome)))
    lines = [_line(system, clause, before, after, outcome) for clause in clauses[:MOST_CLAUSES]]
    if len(clauses) > MOST_CLAUSES:
        lines.append(f"and {len(clauses) - MOST_CLAUSES} clauses more")
    return lines


def _judgement(system: TransitionSystem, found: PropertyResult, trace: Trace) -> Judgement | None:
    if found.sort is Sort.INVARIANT:
        return next((i.judgement for i in system.invariants if i.name == found.name), None)
    if found.sort is Sort.STEP and trace.transitions:
        prop = next((p for p in system.step_properties if p.name == found.name), None)
        return None if prop is None else prop.judgements[trace.transitions[-1]]
    return None


def _decisive(node: Expression, before: State, after: State, outcome: int) -> Iterator[Expression]:
    """The parts that make a truth value what it is: of a false conjunction what is false, of a true one all."""
    value = evaluate([node], before, after, outcome)[0]
    match node.op:
        case Op.NOT:
            parts = node.args
        case Op.AND | Op.OR:
            settled = int(node.op is Op.OR)
            parts = node.args
            if value == settled:
                given = evaluate(parts, before, after, outcome)
                parts = tuple(p for p, v in zip(parts, given, strict=True) if v == settled)
                parts = parts[:1] if settled else parts
        case Op.ITE:
            chosen = 1 if evaluate([node.args[0]], before, after, outcome)[0] else 2
            parts = (node.args[0], node.args[chosen])
        case Op.CONST:
            return
        case _:
            yield node
            return
    for part in parts:
        yield from _decisive(part, before, after, outcome)


def _line(system: TransitionSystem, clause: Expression, before: State, after: State, outcome: int) -> str:
    """A clause with its truth, the values in it (primed: after the step), and the line it was written on."""

    def name(position: int, primed: bool) -> str:
        return f"{system.slots[position].name}{chr(39) if primed else ''}"

    value = bool(evaluate([clause], before, after, outcome)[0])
    values: list[str] = []
    for position in slots_read(clause):
        values.append(f"{name(position, False)} = {before[position]}")
        if after and after[position] != before[position]:
            values.append(f"{name(position, True)} = {after[position]}")
    where = f" ({clause.site})" if clause.site is not None else ""
    here = f"; here {', '.join(values)}" if values else ""
    return f"{render(clause, name)} is {str(value).lower()}{here}{where}"

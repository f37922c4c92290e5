"""What a module of TLA+ says of a model's behaviour: its first states, its actions, and what comes next."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from fenceproof.model.system import Transition

from .tla_expressions import Written
from .tla_names import comment
from .tla_shapes import Members, changed, literal, values_of
from .tla_subject import Subject, bare, definition


def behaviour(m: Subject) -> Iterator[str]:
    """From `vars` to `Quiet`, which says that nothing but faults is left to happen."""
    yield f"vars == <<{', '.join(m.variables)}>>"
    yield ""
    pairs = zip(m.variables, m.shapes, strict=True)
    yield from definition("TypeOK", [f"{name} \\in {values_of(shape)}" for name, shape in pairs])
    yield ""
    yield from _first(m)
    yield ""
    for position, transition in enumerate(m.system.transitions):
        yield from _transition(m, position, transition)
        yield ""
    for action, name in m.actions.items():
        parts = [m.transitions[i] for i in m.of_action(action)]
        if parts != [name]:
            yield from definition(name, parts, "\\/")
            yield ""
    yield from definition("Next", m.actions.values(), "\\/")
    yield ""
    yield "Spec == Init /\\ [][Next]_vars"
    yield ""
    yield "\\* Nothing but faults is left to happen."
    yield from definition("Quiet", [f"~{m.can[i]}" for i, t in enumerate(m.system.transitions) if t.fault is None])


def _first(m: Subject) -> Iterator[str]:
    states = m.system.initial
    columns = [[literal(shape, state, m.bound) for state in states] for shape in m.shapes]
    options = [list(dict.fromkeys(column)) for column in columns]
    clauses = [f"{name} = {o[0]}" for name, o in zip(m.variables, options, strict=True) if len(o) == 1]
    differ = [i for i, o in enumerate(options) if len(o) > 1]
    if prod(map(len, options)) == len(states):
        # Each value of one variable goes with each of the others.
        clauses += [f"{m.variables[i]} \\in {{{', '.join(options[i])}}}" for i in differ]
    else:
        rows = [[f"{m.variables[i]} = {columns[i][number]}" for i in differ] for number in range(len(states))]
        joined = [" /\\ ".join(row) for row in rows]
        clauses.append("\n     ".join(f"\\/ ({row})" for row in joined))
    return definition("Init", clauses)


def _transition(m: Subject, position: int, t: Transition) -> Iterator[str]:
    told = f"{t.called}{f', fault {t.fault}' if t.fault is not None else ''}"
    yield f"\\* {comment(told)}"
    guard = m.written([t.guard])
    yield from definition(m.can[position], guard.clauses(t.guard), let=guard)
    clauses = [m.can[position]]
    wrong = m.questions.wrong(t.mistake)
    if wrong is not m.system.expressions.false:
        said = m.written([wrong])
        yield from definition(m.wrong[position], [said.truth(wrong)], let=said)
        clauses.append(f"~{m.wrong[position]}")
    writing = m.written([value for _, value in t.updates])
    yield from definition(m.transitions[position], [*clauses, *_becomes(m, writing, t)], let=writing)


def _becomes(m: Subject, writing: Written, t: Transition) -> Iterator[str]:
    """What every variable is after a step."""
    updates = dict(t.updates)
    values = {n: writing.coded(value, m.places[n].code) for n, value in updates.items()}

    def members(shape: Members, path: str) -> str:
        return writing.members(shape, path, updates)

    touched = {m.places[n].variable for n in updates}
    for name, shape in zip(m.variables, m.shapes, strict=True):
        if name in touched:
            yield f"{name}' = {bare(changed(name, shape, members, values))}"
    same = [name for name in m.variables if name not in touched]
    if same:
        yield f"UNCHANGED <<{', '.join(same)}>>" if touched else "UNCHANGED vars"

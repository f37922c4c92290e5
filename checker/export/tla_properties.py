"""What a module of TLA+ says of a model's properties: invariants, formulas of steps, formulas of whole behaviours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fenceproof.model.system import DEADLOCK, Judgement, LivenessProperty, StepProperty

from .build import safety_names
from .machine import Errors
from .tla_names import comment
from .tla_subject import Subject, definition

#: FALSE, of a state: TLC refuses to check an invariant that speaks of none.
_FALSE = "(vars # vars)"
_AT_REST = "Quiet => "


def properties(m: Subject) -> Iterator[str]:
    """The definitions of what is asked about."""
    for prop in m.step_properties:
        yield from _of_steps(m, prop)
    for invariant in m.system.invariants:
        if invariant.name in m.meanings:
            yield from _of_states(m, invariant.name, invariant.judgement, invariant.quiescent)
    if DEADLOCK in m.meanings:
        yield from _of_states(m, DEADLOCK, m.system.terminal, True)
    if m.machine.errors is Errors.ASKED:
        yield from _never_wrong(m)
    for lively in m.machine.liveness:
        yield from _of_behaviours(m, lively)


def _of_state(clauses: Iterable[str]) -> list[str]:
    return [_FALSE if c == "FALSE" else _AT_REST + _FALSE if c == f"{_AT_REST}FALSE" else c for c in clauses]


def _of_states(m: Subject, name: str, judgement: Judgement, quiescent: bool) -> Iterator[str]:
    fine = m.questions.fine(judgement)
    said = m.written([fine])
    yield ""
    yield f"\\* {comment(name)}"
    clauses = [_AT_REST + said.truth(fine)] if quiescent else said.clauses(fine)
    yield from definition(m.properties[name], _of_state(clauses), let=said)


def _of_steps(m: Subject, prop: StepProperty) -> Iterator[str]:
    asked = [(i, m.questions.after(prop, i)) for i in range(len(m.system.transitions))]
    asked = [(i, fine) for i, fine in asked if fine is not m.system.expressions.true]
    said = m.written([fine for _, fine in asked])
    yield ""
    yield f"\\* {comment(prop.name)}"
    clauses = [f"{m.transitions[i]} => {said.truth(fine)}" for i, fine in asked]
    yield from definition(m.steps[prop.name], clauses, let=said)
    yield f"{m.properties[prop.name]} == [][{m.steps[prop.name]}]_vars"
    still = m.still[prop.name]
    if still:
        said = m.written(still)
        yield "\\* The same of steps that change nothing."
        yield from definition(m.standing[prop.name], _of_state(map(said.truth, still)), let=said)


def _never_wrong(m: Subject) -> Iterator[str]:
    (name,) = (bad.name for bad in m.machine.bads if bad.name not in safety_names(m.system))
    steps = list(m.questions.steps_go_well())
    states = list(m.questions.states_go_well())
    said = m.written([*steps, *(well for _, well in states)])
    yield ""
    yield f"\\* {comment(name)}: it never goes wrong, in a step or in judging what is said of states and steps"
    clauses = [*map(said.truth, steps), *(f"{_AT_REST if q else ''}{said.truth(well)}" for q, well in states)]
    yield from definition(m.properties[name], _of_state(clauses), let=said)


def _of_behaviours(m: Subject, prop: LivenessProperty) -> Iterator[str]:
    """A formula about whole behaviours. Where judging goes wrong, the goal is as good as reached."""
    goal = m.questions.fine(prop.goal)
    roots = [goal] if prop.trigger is None else [goal, m.questions.holds(prop.trigger)]
    said = m.written(roots)
    reached, *begins = map(said.truth, roots)
    then = f"({begins[0]} ~> {reached})" if begins else f"<>{reached}"
    fair = [f"{'SF' if f.is_strong else 'WF'}_vars({m.taken(f)})" for f in prop.fairness]
    yield ""
    yield f"\\* {comment(prop.name)}"
    if not fair:
        yield from definition(m.properties[prop.name], [then], let=said)
        return
    yield from definition(m.fairness[prop.name], fair)
    yield from definition(m.properties[prop.name], [f"{m.fairness[prop.name]} => {then}"], let=said)

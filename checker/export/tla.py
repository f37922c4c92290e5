"""TLA+, for TLC and Apalache: the variables as their author declared them, an operator for each action and property.

(L. Lamport, "Specifying Systems", Addison-Wesley 2002; the types in comments are Apalache's.) The states of the module
are exactly those of the system, and a step of `Next` is a step of it or of nothing.

TLC's own search for deadlocks is not used: a state from which only faults lead on is stuck as well, and TLC cannot
know what a fault is; so `no-deadlock` is an invariant like the others. A formula of TLA+ says nothing of steps that
change nothing; what is said of steps gets an invariant beside it where the model has such steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from fenceproof.model.expressions import Expression, reachable
from fenceproof.model.system import LivenessProperty

from .header import about
from .machine import Errors, Machine
from .tla_actions import behaviour
from .tla_names import comment
from .tla_properties import properties
from .tla_shapes import type_of
from .tla_subject import Subject

#: The numbers that TLC computes with have 32 bits; it stops with an error where they do not do.
_LARGEST_OF_TLC: Final = 2**31 - 1
#: With 12 strongly fair actions TLC took 5 s for 13 states, with 20 of them 49 s for 21.
_MOST_STRONG: Final = 12
_WRONG: Final[Mapping[Errors, str]] = {
    Errors.NEVER: "there are none",
    Errors.ASKED: "an invariant",
    Errors.LEFT_OUT: "left out, and nothing comes after them",
}


def write(target: str, machine: Machine, depth: int | None) -> str:
    """The file: the module, and after its end what TLC is to check."""
    assert depth is None, "what is asked is about any number of steps"
    return "".join(f"{line}\n" for line in _lines(target, Subject(machine)))


def _lines(target: str, m: Subject) -> Iterator[str]:
    body = [*behaviour(m), *properties(m)]
    yield f"---- MODULE {m.name} ----"
    yield from (f"\\* {comment(line)}".rstrip() for line in _header(target, m))
    yield ""
    yield "EXTENDS Integers"
    yield ""
    yield from _declarations(m)
    yield ""
    helpers = list(m.helpers.lines(m.bound[0], m.bound[1], "\n".join(body)))
    if helpers:
        yield from helpers
        yield ""
    yield from body
    yield ""
    yield "===="
    yield ""
    yield from _configuration(m)


def _configuration(m: Subject) -> Iterator[str]:
    yield f"---- CONFIG {m.name} ----"
    yield "SPECIFICATION Spec"
    yield "CHECK_DEADLOCK FALSE"
    yield from _listed("INVARIANTS", ["TypeOK", *m.invariants])
    over_steps = [m.properties[p.name] for p in m.step_properties]
    lively = [m.properties[p.name] for p in m.machine.liveness if not _is_too_fair(p)]
    yield from _listed("PROPERTIES", [*over_steps, *lively])
    for prop in m.machine.liveness:
        if _is_too_fair(prop):
            yield f"\\* PROPERTY {m.properties[prop.name]}"
    yield "===="


def _header(target: str, m: Subject) -> Iterator[str]:
    machine, system = m.machine, m.system
    yield from about("TLA+", target, system)
    yield ""
    yield f"Save it as {m.name}.tla; what TLC is to check is at its end."
    yield f"java -cp tla2tools.jar tlc2.TLC -config {m.name}.tla {m.name}.tla    # shortest counterexample"
    yield "TLC with -continue as well: every state, past violations"
    for name in m.invariants[:1]:
        yield f"apalache-mc check --inv={name} --length=10 {m.name}.tla"
    yield ""
    yield "The distinct states that TLC finds are the states of the model. TLC's own deadlocks are not used: it"
    yield "cannot know that what a fault does does not count as going on."
    yield ""
    for name, meaning in m.meanings.items():
        yield f"property {name}, here {m.properties[name]}: {meaning}"
    for prop in machine.liveness:
        if _is_too_fair(prop):
            yield f"TLC is not told to check {prop.name}: it needs 2^n times as long for n strongly fair actions"
    if machine.not_named:
        yield f"left out, since others were named: {', '.join(machine.not_named)}"
    yield f"steps in which the model goes wrong: {_WRONG[machine.errors]}"
    if any(max(node.hi, -node.lo) > _LARGEST_OF_TLC for node in reachable(_numbers(m))):
        yield "numbers may become larger than the 32 bits that TLC computes with; it stops there with an error"


def _numbers(m: Subject) -> Iterator[Expression]:
    """Everything that is computed."""
    system = m.system
    for t in system.transitions:
        yield from (t.guard, t.mistake, *(value for _, value in t.updates))
    judged = [i.judgement for i in system.invariants] + [j for p in system.step_properties for j in p.judgements]
    for judgement in (system.terminal, *judged):
        yield from (judgement.holds, judgement.mistake)


def _declarations(m: Subject) -> Iterator[str]:
    if not m.variables:
        return
    yield "VARIABLES"
    last = len(m.variables) - 1
    for number, (name, shape) in enumerate(zip(m.variables, m.shapes, strict=True)):
        declared = m.system.variables[number]
        yield f"    \\* {comment(f'{declared.name}: {declared.kind}')}"
        yield f"    \\* @type: {type_of(shape)};"
        yield f"    {name}{',' if number < last else ''}"


def _is_too_fair(prop: LivenessProperty) -> bool:
    """Whether TLC, which looks at every combination of strongly fair actions, would not come back."""
    return sum(f.is_strong for f in prop.fairness) > _MOST_STRONG


def _listed(title: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        yield title
        yield from (f"    {name}" for name in names)

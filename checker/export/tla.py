"""TLA+, for TLC and Apalache: the variables as their author declared them, an operator for each action and property.

(L. Lamport, "Specifying Systems", Addison-Wesley 2002; the types in comments are Apalache's.) The states of the module
are exactly those of the system, and a step of `Next` is a step of it or of nothing.

TLC's own search for deadlocks is not used: a state from which only faults lead on is stuck as well, and TLC cannot
know what a fault is; so `no-deadlock` is an invariant like the others. A formula of TLA+ says nothing of steps that
change nothing; what is said of steps gets an invariant beside it where the model has such steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import prod

from fenceproof import __version__
from fenceproof.model.expressions import Expression, reachable
from fenceproof.model.system import DEADLOCK, Judgement, StepProperty, Transition, TransitionSystem

from ..report.claim import bounds, faults
from .build import safety_names
from .machine import Errors, Machine
from .tla_expressions import Helpers, Written
from .tla_names import comment, locals_beside, reserved, word
from .tla_questions import Questions
from .tla_shapes import Members, Place, changed, literal, places, shape_of, type_of, values_of

#: The numbers that TLC computes with have 32 bits; it stops with an error where they do not do.
_LARGEST_OF_TLC = 2**31 - 1


def write(target: str, machine: Machine, depth: int | None) -> str:
    """The file."""
    assert depth is None, "what is asked is about any number of steps"
    return "".join(f"{line}\n" for line in _Module(target, machine).lines())


class _Module:
    def __init__(self, target: str, machine: Machine) -> None:
        self.target = target
        self.machine = machine
        self.system: TransitionSystem = machine.system
        self.questions = Questions(self.system)
        self.chosen = {bad.name for bad in machine.bads}
        taken = reserved()
        self.name = word(self.system.name, taken)
        self.shapes = [shape_of(v.kind, v.first) for v in self.system.variables]
        self.variables = [word(v.name, taken) for v in self.system.variables]
        self.properties = {bad.name: word(bad.name, taken) for bad in machine.bads}
        asked = [p for p in self.system.step_properties if p.name in self.chosen]
        self.steps = {p.name: word(f"{p.name} step", taken) for p in asked}
        self.still = {p.name: list(self.questions.standing(p)) for p in asked}
        self.standing = {p.name: word(f"{p.name} standing", taken) for p in asked if self.still[p.name]}
        self.actions = {t.action: word(t.action, taken) for t in self.system.transitions}
        self.transitions = self._transition_names(taken)
        self.can = [word(name, taken, "can_") for name in self.transitions]
        self.wrong = [word(name, taken, "wrong_") for name in self.transitions]
        self.helpers = Helpers(taken)
        self.bound = [name for name, _ in zip(locals_beside(taken, "k"), range(64), strict=False)]
        found: dict[int, Place] = {}
        for name, shape in zip(self.variables, self.shapes, strict=True):
            found.update(places(name, shape))
        self.places = [found[n] for n in range(len(self.system.slots))]

    def _transition_names(self, taken: set[str]) -> list[str]:
        """Of a transition: the name of its action where it is the only one and has no arguments."""
        count = [t.action for t in self.system.transitions]
        return [
            self.actions[t.action] if count.count(t.action) == 1 and not t.arguments else word(t.called, taken)
            for t in self.system.transitions
        ]

    def lines(self) -> Iterator[str]:
        body = list(self._body())
        yield f"---- MODULE {self.name} ----"
        for line in self._header():
            yield f"\\* {comment(line)}".rstrip()
        yield ""
        yield "EXTENDS Integers"
        yield ""
        yield from self._declarations()
        yield ""
        helpers = list(self.helpers.lines(self.bound[0], self.bound[1], "\n".join(body)))
        if helpers:
            yield from helpers
            yield ""
        yield from body
        yield ""
        yield "===="
        yield ""
        yield f"---- CONFIG {self.name} ----"
        yield "SPECIFICATION Spec"
        yield "CHECK_DEADLOCK FALSE"
        yield from _listed("INVARIANTS", ["TypeOK", *self._invariants])
        yield from _listed("PROPERTIES", [self.properties[p.name] for p in self._step_properties])
        yield "===="

    def _header(self) -> Iterator[str]:
        machine, system = self.machine, self.system
        wrong: Mapping[Errors, str] = {
            Errors.NEVER: "there are none",
            Errors.ASKED: "an invariant",
            Errors.LEFT_OUT: "left out, and nothing comes after them",
        }
        left_out = [name for name in safety_names(system) if name in machine.not_named]
        yield f"TLA+: {self.target} ({system.name})"
        yield f"parameters: {bounds(system)}"
        yield f"faults: {faults(system)}"
        if system.without:
            yield f"taken away: {', '.join(system.without)}"
        yield f"written by fenceproof {__version__}"
        yield ""
        yield f"Save it as {self.name}.tla; what TLC is to check is at its end."
        yield f"java -cp tla2tools.jar tlc2.TLC -config {self.name}.tla {self.name}.tla    shortest counterexample"
        yield "TLC with -continue as well: every state, past violations"
        for name in self._invariants[:1]:
            yield f"apalache-mc check --inv={name} --length=10 {self.name}.tla"
        yield ""
        yield "The distinct states that TLC finds are the states of the model. TLC's own deadlocks are not used: it"
        yield "cannot know that what a fault does does not count as going on."
        yield ""
        for bad in machine.bads:
            yield f"property {bad.name}, here {self.properties[bad.name]}: {bad.meaning}"
        if left_out:
            yield f"left out, since others were named: {', '.join(left_out)}"
        if machine.left_out:
            yield f"left out, since no bad state decides it: {', '.join(machine.left_out)}"
        yield f"steps in which the model goes wrong: {wrong[machine.errors]}"
        if any(max(node.hi, -node.lo) > _LARGEST_OF_TLC for node in reachable(self._roots())):
            yield "numbers may become larger than the 32 bits that TLC computes with; it stops there with an error"

    @cached_property
    def _step_properties(self) -> list[StepProperty]:
        return [p for p in self.system.step_properties if p.name in self.chosen]

    @cached_property
    def _invariants(self) -> list[str]:
        """What is to be true of every state: properties of states, and of steps that change nothing."""
        about_steps = {p.name for p in self._step_properties}
        states = [name for prop, name in self.properties.items() if prop not in about_steps]
        return [*states, *self.standing.values()]

    def _roots(self) -> Iterator[Expression]:
        for t in self.system.transitions:
            yield from (t.guard, t.mistake, *(value for _, value in t.updates))
        for judgement in (self.system.terminal, *(i.judgement for i in self.system.invariants)):
            yield from (judgement.holds, judgement.mistake)

    def _declarations(self) -> Iterator[str]:
        if not self.variables:
            return
        yield "VARIABLES"
        last = len(self.variables) - 1
        for number, (name, shape) in enumerate(zip(self.variables, self.shapes, strict=True)):
            declared = self.system.variables[number]
            yield f"    \\* {comment(f'{declared.name}: {declared.kind}')}"
            yield f"    \\* @type: {type_of(shape)};"
            yield f"    {name}{',' if number < last else ''}"

    def _body(self) -> Iterator[str]:
        yield f"vars == <<{', '.join(self.variables)}>>"
        yield ""
        pairs = zip(self.variables, self.shapes, strict=True)
        yield from definition("TypeOK", [f"{name} \\in {values_of(shape)}" for name, shape in pairs])
        yield ""
        yield from self._init()
        yield ""
        for position, transition in enumerate(self.system.transitions):
            yield from self._transition(position, transition)
            yield ""
        for action, name in self.actions.items():
            parts = [self.transitions[i] for i, t in enumerate(self.system.transitions) if t.action == action]
            if parts != [name]:
                yield from definition(name, parts, "\\/")
                yield ""
        yield from definition("Next", list(self.actions.values()) or ["FALSE"], "\\/")
        yield ""
        yield "Spec == Init /\\ [][Next]_vars"
        yield ""
        yield "\\* Nothing but faults is left to happen."
        quiet = [f"~{self.can[i]}" for i, t in enumerate(self.system.transitions) if t.fault is None]
        yield from definition("Quiet", quiet or ["TRUE"])
        yield from self._properties()

    def _init(self) -> Iterator[str]:
        states = self.system.initial
        columns = [[literal(shape, state, self.bound) for state in states] for shape in self.shapes]
        options = [list(dict.fromkeys(column)) for column in columns]
        clauses = [f"{name} = {o[0]}" for name, o in zip(self.variables, options, strict=True) if len(o) == 1]
        differ = [i for i, o in enumerate(options) if len(o) > 1]
        if prod(map(len, options)) == len(states):
            # Each value of one variable goes with each of the others.
            clauses += [f"{self.variables[i]} \\in {{{', '.join(options[i])}}}" for i in differ]
        else:
            rows = [[f"{self.variables[i]} = {columns[i][number]}" for i in differ] for number in range(len(states))]
            joined = [" /\\ ".join(row) for row in rows]
            clauses.append("\n     ".join(f"\\/ ({row})" for row in joined))
        return definition("Init", clauses)

    def _transition(self, position: int, t: Transition) -> Iterator[str]:
        told = f"{t.called}{f', fault {t.fault}' if t.fault is not None else ''}"
        yield f"\\* {comment(told)}"
        guard = self._written([t.guard])
        yield from definition(self.can[position], guard.clauses(t.guard), let=guard)
        clauses = [self.can[position]]
        wrong = self.questions.wrong(t.mistake)
        if wrong is not self.system.expressions.false:
            said = self._written([wrong])
            yield from definition(self.wrong[position], [said.truth(wrong)], let=said)
            clauses.append(f"~{self.wrong[position]}")
        writing = self._written([value for _, value in t.updates])
        yield from definition(self.transitions[position], [*clauses, *self._becomes(writing, t)], let=writing)

    def _becomes(self, writing: Written, t: Transition) -> Iterator[str]:
        """What every variable is after a step."""
        updates = dict(t.updates)
        values = {n: writing.coded(value, self.places[n].code) for n, value in updates.items()}

        def members(shape: Members, path: str) -> str:
            return writing.members(shape, path, updates)

        touched = {self.places[n].variable for n in updates}
        for name, shape in zip(self.variables, self.shapes, strict=True):
            if name in touched:
                yield f"{name}' = {changed(name, shape, members, values)}"
        same = [name for name in self.variables if name not in touched]
        if same:
            yield f"UNCHANGED <<{', '.join(same)}>>" if touched else "UNCHANGED vars"

    def _properties(self) -> Iterator[str]:
        for prop in self._step_properties:
            yield from self._judged_steps(prop)
        for invariant in self.system.invariants:
            if invariant.name in self.chosen:
                yield from self._judged_states(invariant.name, invariant.judgement, invariant.quiescent)
        if DEADLOCK in self.chosen:
            yield from self._judged_states(DEADLOCK, self.system.terminal, True)
        if self.machine.errors is Errors.ASKED:
            yield from self._never_wrong()

    def _judged_states(self, name: str, judgement: Judgement, quiescent: bool) -> Iterator[str]:
        fine = self.questions.fine(judgement)
        said = self._written([fine])
        yield ""
        yield f"\\* {comment(name)}"
        clauses = [f"Quiet => {said.truth(fine)}"] if quiescent else said.clauses(fine)
        yield from definition(self.properties[name], clauses, let=said)

    def _judged_steps(self, prop: StepProperty) -> Iterator[str]:
        asked = [(i, self.questions.after(prop, i)) for i in range(len(self.system.transitions))]
        asked = [(i, fine) for i, fine in asked if fine is not self.system.expressions.true]
        said = self._written([fine for _, fine in asked])
        yield ""
        yield f"\\* {comment(prop.name)}"
        clauses = [f"{self.transitions[i]} => {said.truth(fine)}" for i, fine in asked]
        yield from definition(self.steps[prop.name], clauses, let=said)
        yield f"{self.properties[prop.name]} == [][{self.steps[prop.name]}]_vars"
        still = self.still[prop.name]
        if still:
            said = self._written(still)
            yield "\\* The same of steps that change nothing."
            yield from definition(self.standing[prop.name], map(said.truth, still), let=said)

    def _never_wrong(self) -> Iterator[str]:
        (name,) = (bad.name for bad in self.machine.bads if bad.name not in safety_names(self.system))
        steps = list(self.questions.steps_go_well())
        states = list(self.questions.states_go_well())
        said = self._written([*steps, *(well for _, well in states)])
        yield ""
        yield f"\\* {comment(name)}: it never goes wrong, in a step or in judging what is said of states and steps"
        clauses = [*map(said.truth, steps), *(f"{'Quiet => ' if q else ''}{said.truth(well)}" for q, well in states)]
        yield from definition(self.properties[name], clauses, let=said)

    def _written(self, roots: Sequence[Expression]) -> Written:
        return Written(roots, self.places, self.helpers)


def definition(name: str, clauses: Iterable[str], sign: str = "/\\", let: Written | None = None) -> Iterator[str]:
    """An operator that says all of the clauses (or one of them, with the other sign), a line for each."""
    parts = list(clauses) or ["TRUE" if sign == "/\\" else "FALSE"]
    shared = [] if let is None else let.let(parts)
    if not shared and len(parts) == 1 and "\n" not in parts[0]:
        yield f"{name} == {parts[0]}"
        return
    yield f"{name} =="
    for number, line in enumerate(shared):
        yield f"  {'LET' if not number else '   '} {line}"
    if shared:
        yield "  IN"
    for part in parts:
        yield f"  {sign} {part}"


def _listed(title: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        yield title
        yield from (f"    {name}" for name in names)

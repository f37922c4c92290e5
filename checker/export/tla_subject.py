"""A machine as a module of TLA+ sees it: the names of everything in it, and where each slot lies in its variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from fenceproof.model.expressions import Expression
from fenceproof.model.system import Fairness, StepProperty, TransitionSystem

from .machine import Machine
from .plain_names import locals_beside
from .questions import Questions
from .tla_expressions import Helpers, Written
from .tla_names import reserved, word
from .tla_shapes import Place, places, shape_of

#: How deep functions lie in one another at most.
_NESTED = 64


class Subject:
    """What a module is about. Variables are named first, then properties, actions, and what belongs to these."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.system: TransitionSystem = machine.system
        self.questions = Questions(self.system)
        taken = reserved()
        self.name = word(self.system.name, taken)
        self.shapes = [shape_of(v.kind, v.first) for v in self.system.variables]
        self.variables = [word(v.name, taken) for v in self.system.variables]
        #: By the name of a property that is asked about: what its author says it means, and its operator.
        self.meanings = {bad.name: bad.meaning for bad in machine.bads}
        self.meanings.update((p.name, p.meaning) for p in machine.liveness)
        self.properties = {name: word(name, taken) for name in self.meanings}
        asked = self.step_properties
        self.steps = {p.name: word(f"{p.name} step", taken) for p in asked}
        self.still = {p.name: list(self.questions.standing(p)) for p in asked}
        self.standing = {p.name: word(f"{p.name} standing", taken) for p in asked if self.still[p.name]}
        self.fairness = {p.name: word(f"{p.name} fairness", taken) for p in machine.liveness}
        self.actions = {action: word(action, taken) for action in self._by_action}
        self.transitions = self._transitions(taken)
        self.can = [word(name, taken, "can_") for name in self.transitions]
        self.wrong = [word(name, taken, "wrong_") for name in self.transitions]
        self.helpers = Helpers(taken)
        self.bound = list(islice(locals_beside(taken, "k"), _NESTED))
        found: dict[int, Place] = {}
        for name, shape in zip(self.variables, self.shapes, strict=True):
            found.update(places(name, shape))
        self.places = [found[n] for n in range(len(self.system.slots))]

    def _transitions(self, taken: set[str]) -> list[str]:
        """Of a transition: the name of its action where it is the only one and has no arguments."""
        return [
            self.actions[t.action] if len(self.of_action(t.action)) == 1 and not t.arguments else word(t.called, taken)
            for t in self.system.transitions
        ]

    def of_action(self, action: str) -> list[int]:
        """The transitions of an action."""
        return self._by_action[action]

    @cached_property
    def _by_action(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for position, t in enumerate(self.system.transitions):
            found.setdefault(t.action, []).append(position)
        return found

    @cached_property
    def step_properties(self) -> list[StepProperty]:
        """Those of steps that are asked about."""
        return [p for p in self.system.step_properties if p.name in self.meanings]

    @cached_property
    def invariants(self) -> list[str]:
        """What is to be true of every state: properties of states, and of steps that change nothing."""
        others = {*(p.name for p in self.step_properties), *(p.name for p in self.machine.liveness)}
        states = [name for prop, name in self.properties.items() if prop not in others]
        return [*states, *self.standing.values()]

    def taken(self, fairness: Fairness) -> str:
        """The steps of an action, or of those that fairness speaks of."""
        positions = list(fairness.transitions)
        action = self.system.transitions[positions[0]].action
        if positions == self.of_action(action):
            return self.actions[action]
        return " \\/ ".join(self.transitions[i] for i in positions)

    def written(self, roots: Sequence[Expression]) -> Written:
        """The texts of what one definition is made of."""
        return Written(roots, self.places, self.helpers)


def bare(text: str) -> str:
    """A text without parentheses around the whole of it."""
    inside = text[1:-1]
    if not text.startswith("(") or not text.endswith(")"):
        return text
    depth = 0
    # What is in a string opens and closes nothing.
    for sign in re.sub(r'"(?:\\.|[^"\\])*"', "", inside):
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return text
    return inside


def definition(name: str, clauses: Iterable[str], sign: str = "/\\", let: Written | None = None) -> Iterator[str]:
    """An operator that says all of the clauses (or one of them, with the other sign), a line for each."""
    parts = [bare(text) for text in clauses] or ["TRUE" if sign == "/\\" else "FALSE"]
    shared = [] if let is None else let.let(parts)
    is_one = len(parts) == 1 and "\n" not in parts[0]
    if is_one and not shared:
        yield f"{name} == {parts[0]}"
        return
    yield f"{name} =="
    for number, line in enumerate(shared):
        yield f"  {'LET' if not number else '   '} {line}"
    if is_one:
        yield f"  IN {parts[0]}"
        return
    if shared:
        yield "  IN"
    for part in parts:
        yield f"  {sign} {part}"

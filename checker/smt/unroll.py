"""A system's behaviours of up to so many steps as one growing z3 problem.

Each step has a number that says which transition it takes; the solver for finite domains (`QF_FD`, propositional
clauses under the hood) keeps what it has learned from one depth to the next. A question is asked under a literal of its
own, which is taken back afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace

from .backend import Term, z3
from .encode import Encoder, equals, in_range, is_state, value_of, variables


class GaveUpError(Exception):
    """z3 did not decide a question, for the reason that it gives."""


class Unrolling:
    """The states and steps of a behaviour, as far as it was unrolled.

    It begins in an initial state; with `initial=False` in any state within the slots' ranges, reachable or not, and a
    trace of it is then a row of steps rather than a behaviour.
    """

    def __init__(self, system: TransitionSystem, *, initial: bool = True) -> None:
        self.system = system
        self.solver = z3.SolverFor("QF_FD")
        self.states: list[list[Term]] = []
        self.choices: list[Term] = []
        self.encoders: list[Encoder] = []
        self._bits = max(1, (len(system.transitions) - 1).bit_length())
        self._enter()
        if initial:
            first = self.states[0]
            self.solver.add(z3.Or([is_state(system.slots, first, state) for state in system.initial]))

    @property
    def depth(self) -> int:
        """How many steps there are."""
        return len(self.choices)

    def _enter(self) -> None:
        slots = self.system.slots
        state = variables(slots, f"@{len(self.states)}")
        self.solver.add(in_range(slots, state))
        self.states.append(state)
        self.encoders.append(Encoder(slots, state))

    def extend(self) -> list[Encoder]:
        """Add a step; an encoder for each transition, for what is said of a step that takes it."""
        before, encoder = self.states[-1], self.encoders[-1]
        self._enter()
        after = self.states[-1]
        choice = z3.BitVec(f"transition@{self.depth}", self._bits)
        self.choices.append(choice)
        count = len(self.system.transitions)
        if count < 1 << self._bits:
            self.solver.add(z3.ULT(choice, z3.BitVecVal(count, self._bits)))
        found: list[Encoder] = []
        for position, transition in enumerate(self.system.transitions):
            updates = dict(transition.updates)
            picked = self.picked(self.depth - 1, position)
            self.solver.add(z3.Implies(picked, encoder.term(transition.guard)))
            if transition.mistakes:
                self.solver.add(z3.Implies(picked, z3.Not(_is_mistake(encoder.term(transition.mistake)))))
            for number, slot in enumerate(self.system.slots):
                value = encoder.slot(slot, updates[number]) if number in updates else before[number]
                self.solver.add(z3.Implies(picked, equals(after[number], value)))
            found.append(encoder.over_step(after, encoder.term(transition.outcome)))
        return found

    def picked(self, step: int, transition: int) -> Term:
        """That a step takes a transition."""
        return self.choices[step] == z3.BitVecVal(transition, self._bits)

    def ask(self, question: Term) -> Any | None:
        """A behaviour in which something is true (a z3 model), or None where there is none.

        Raises GaveUpError where z3 gives up.
        """
        literal = z3.FreshBool("question")
        self.solver.add(z3.Implies(literal, question))
        answer = self.solver.check(literal)
        if answer == z3.unknown:
            raise GaveUpError(str(self.solver.reason_unknown()))
        model = self.solver.model() if answer == z3.sat else None
        self.solver.add(z3.Not(literal))
        return model

    def never(self, question: Term) -> None:
        """Take what was found to be impossible as known."""
        self.solver.add(z3.Not(question))

    def trace(self, model: Any, steps: int) -> Trace:
        """The behaviour that a z3 model describes, up to a number of steps."""
        states = tuple(self._state(model, state) for state in self.states[: steps + 1])
        choices = [model.eval(choice, model_completion=True).as_long() for choice in self.choices[:steps]]
        return Trace(states, tuple(choices))

    def _state(self, model: Any, terms: Sequence[Term]) -> State:
        return tuple(value_of(model, slot, term) for slot, term in zip(self.system.slots, terms, strict=True))


def _is_mistake(code: Term) -> Term:
    return code != z3.BitVecVal(0, code.size())

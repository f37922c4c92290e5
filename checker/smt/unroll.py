"""A system's behaviours of up to so many steps as one growing z3 problem.

The solver for finite domains (`QF_FD`, propositional clauses under the hood) keeps what it has learned from one depth
to the next; it was 7 times faster here than z3's default. What is asked of it has a literal of its own, which is
assumed for that one question (N. Eén, N. Sörensson, "Temporal Induction by Incremental SAT Solving", BMC 2003).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fenceproof.model.expressions import Expression
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace

from ..limits import Limits, Watch
from .backend import Term, new_solver, z3
from .encode import is_state, value_of, variables
from .relation import Relation
from .watched import GaveUpError, watched


class Unrolling:
    """The states and steps of a behaviour, as far as it was unrolled.

    It begins in an initial state; with `initial=False` in any state within the slots' ranges, reachable or not, and a
    trace of it is then a row of steps rather than a behaviour.
    """

    def __init__(self, system: TransitionSystem, *, initial: bool = True, watch: Watch | None = None) -> None:
        self.system = system
        self.relation = Relation(system)
        self.states: list[list[Term]] = []
        self._numbers: list[Term] = []
        self._choices: list[list[Term]] = []
        self._watch = watch or Watch.start(Limits())
        self._literals = 0
        self._solver = new_solver("QF_FD")
        self._enter()
        if initial:
            self.add(z3.Or([is_state(system.slots, self.states[0], state) for state in system.initial]))

    @property
    def depth(self) -> int:
        """How many steps there are."""
        return len(self._numbers)

    def extend(self) -> None:
        """Add a step, which takes a transition that is enabled and does not go wrong."""
        step, relation = self.depth, self.relation
        self._numbers.append(z3.BitVec(f"@transition@{step}", relation.number.size()))
        self._choices.append([z3.Bool(f"{picked}@{step}") for picked in relation.picked])
        self._enter()
        self.add(self.of_step(relation.step, step))

    def _enter(self) -> None:
        self.states.append(variables(self.system.slots, f"@{len(self.states)}"))
        if not z3.is_true(self.relation.within):
            self.add(self.of_state(self.relation.within, len(self.states) - 1))

    # Terms

    def of_state(self, term: Term, depth: int) -> Term:
        """What is said of `relation.before`, said of the state after so many steps."""
        return z3.substitute(term, *_replacing(self.relation.before, self.states[depth]))

    def of_step(self, term: Term, step: int) -> Term:
        """What is said of any step of the relation, said of a certain one; the first is 0."""
        relation = self.relation
        return z3.substitute(
            term,
            *_replacing(relation.before, self.states[step]),
            *_replacing(relation.after, self.states[step + 1]),
            *_replacing(relation.picked, self._choices[step]),
            (relation.number, self._numbers[step]),
        )

    def term(self, expression: Expression, depth: int) -> Term:
        """An expression over a state, of the state after so many steps."""
        return self.of_state(self.relation.encoder.term(expression), depth)

    # Questions

    def add(self, fact: Term) -> None:
        """Take something for granted from now on."""
        self._solver.add(fact)

    def literal(self, term: Term) -> Term:
        """A literal that is true exactly where a term is: something to ask, and to take for impossible afterwards."""
        self._literals += 1
        literal = z3.Bool(f"@literal@{self._literals}")
        self.add(literal == term)
        return literal

    def any_of(self, literals: Sequence[Term]) -> Term:
        """A literal for any of several."""
        return literals[0] if len(literals) == 1 else self.literal(z3.Or(literals))

    def never(self, literal: Term) -> None:
        """Take for granted that what was found to be impossible is: it makes later questions easier."""
        self.add(z3.Not(literal))

    def ask(self, *literals: Term) -> Any | None:
        """A behaviour in which literals, or their negations, are true (a z3 model), or None where there is none.

        Raises StoppedError where z3 gives up, a limit is reached, or somebody interrupts; ask nothing more then.
        """
        answer = watched(lambda: self._solver.check(*literals), self._watch)
        if answer == z3.unknown:
            raise GaveUpError(self._solver.reason_unknown())
        return self._solver.model() if answer == z3.sat else None

    def core(self) -> frozenset[int]:
        """The ids of literals of the last question that are enough to answer it with no, as it was."""
        return frozenset(literal.get_id() for literal in self._solver.unsat_core())

    def trace(self, model: Any, steps: int) -> Trace:
        """The behaviour that a z3 model describes, up to a number of steps."""
        states = tuple(self._state(model, state) for state in self.states[: steps + 1])
        taken = [model.eval(number, model_completion=True).as_long() for number in self._numbers[:steps]]
        return Trace(states, tuple(taken))

    def _state(self, model: Any, terms: Sequence[Term]) -> State:
        return tuple(value_of(model, slot, term) for slot, term in zip(self.system.slots, terms, strict=True))


def _replacing(general: Sequence[Term], certain: Sequence[Term]) -> list[tuple[Term, Term]]:
    # A slot with one value has no variable.
    return [(old, new) for old, new in zip(general, certain, strict=True) if old is not None]

"""A system as Horn clauses, decided by z3's Spacer: property-directed reachability (A. Komuravelli, A. Gurfinkel,
S. Chaki, "SMT-Based Model Checking for Recursive Programs", CAV 2014; A. Bradley, VMCAI 2011).

One relation over the slots, a rule for each initial state and for each transition; what is asked is whether a bad
state is in every relation that the rules admit. The answer is z3's: whoever gets an invariant has to check it.

Slots are bit-vectors and truth values. Measured on the fenced planner, with each bit as a truth value of its own, each
value as one, or each bound as one, single-commit took 30 to 100 times, or twice, as long; and all properties in one
query were not decided in 30 seconds, though most take a tenth of one by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final

from fenceproof.model.expressions import Expression
from fenceproof.model.system import TransitionSystem

from ..limits import Watch
from ..obligations import taken
from .backend import Term, new_spacer, z3
from .decode import Decoder, UnreadableError
from .encode import Encoder, constant, variables
from .induction import UndecidedError
from .watched import GaveUpError, watched

#: What would change the relation, so that the invariant that comes back is not over all slots as they are.
_AS_WRITTEN: Final = {
    "xform.slice": False,
    "xform.inline_eager": False,
    "xform.inline_linear": False,
}


class Answer(Enum):
    """What Spacer says, other than by an invariant."""

    REACHABLE = "a bad state can be reached"


def ask_spacer(
    system: TransitionSystem, bad: Expression, lemmas: Sequence[Expression], seconds: float, watch: Watch
) -> list[Expression] | Answer:
    """An invariant that, with the lemmas, is to exclude a bad state; or that one can be reached.

    The lemmas are taken for granted. Raises UndecidedError where z3 gives up or these seconds are over, and
    StoppedError where a limit of `watch` or an interrupt ends it.
    """
    rules = _Rules(system, lemmas, max(1, int(1000 * seconds)))
    goal = rules.goal(bad)
    try:
        answer = watched(lambda: rules.query(goal), watch)
    except GaveUpError as error:
        # At the end of its seconds it raises that it was cancelled.
        raise UndecidedError(f"Spacer gave up: {error}") from error
    if answer == z3.sat:
        return Answer.REACHABLE
    if answer == z3.unknown:
        raise UndecidedError(f"Spacer gave up: {rules.reason()}")
    try:
        return rules.invariant()
    except UnreadableError as error:
        raise UndecidedError(f"the invariant that Spacer found cannot be read: {error}") from error


class _Rules:
    def __init__(self, system: TransitionSystem, lemmas: Sequence[Expression], milliseconds: int) -> None:
        self._system = system
        self._fixedpoint = new_spacer(timeout=milliseconds, **_AS_WRITTEN)
        self._state = variables(system.slots, "")
        self._live = [term for term in self._state if term is not None]
        self._relation = z3.Function("reached", *[term.sort() for term in self._live], z3.BoolSort())
        self._fixedpoint.register_relation(self._relation)
        for term in self._live:
            self._fixedpoint.declare_var(term)
        self._encoder = Encoder(system.slots, self._state)
        self._known = [self._encoder.term(lemma) for lemma in lemmas]
        for state in system.initial:
            values = [constant(slot, value) for slot, value in zip(system.slots, state, strict=True)]
            self._fixedpoint.add_rule(self._reached(values))
        for transition in system.transitions:
            updates = dict(transition.updates)
            after = [
                self._encoder.slot(slot, updates[number]) if number in updates else self._state[number]
                for number, slot in enumerate(system.slots)
            ]
            here = self._encoder.term(taken(system.expressions, transition))
            self._fixedpoint.add_rule(self._reached(after), [self._reached(self._state), *self._known, here])

    def _reached(self, state: Sequence[Term]) -> Term:
        return self._relation(*[term for term in state if term is not None])

    def goal(self, bad: Expression) -> Term:
        """A fact that is derived where a bad state can be reached."""
        goal = z3.Bool("bad")
        self._fixedpoint.register_relation(goal.decl())
        self._fixedpoint.add_rule(goal, [self._reached(self._state), *self._known, self._encoder.term(bad)])
        return goal

    def query(self, goal: Term) -> Any:
        """Whether it can be derived, as z3 says it."""
        return self._fixedpoint.query(goal)

    def reason(self) -> str:
        """Why z3 gave up."""
        return str(self._fixedpoint.reason_unknown())

    def invariant(self) -> list[Expression]:
        """What excludes a bad state. Raises UnreadableError."""
        # Of level -1 is what Spacer found to hold for ever; its variables are the arguments' positions.
        found = self._fixedpoint.get_cover_delta(-1, self._relation)
        term = z3.simplify(z3.substitute_vars(found, *self._live))
        return Decoder(self._system, self._state).conjuncts(term)

"""What is to be proved, each as a truth of every reachable state: no property is violated, and nothing goes wrong.

What is said of a step is said of the state before it, as `obligations.py` has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fenceproof.model.expressions import Expression
from fenceproof.model.system import TransitionSystem

from ..obligations import Claim, goes_wrong


@dataclass(frozen=True, slots=True)
class Goal:
    """Something that is true of every reachable state, if it is proved."""

    name: str
    holds: Expression = field(repr=False)


def not_violated(system: TransitionSystem, claim: Claim) -> Goal:
    """That a property is not violated; where judging it goes wrong it says nothing (see `nothing_wrong`)."""
    return Goal(claim.name, system.expressions.negate(claim.bad))


def never_tested(system: TransitionSystem, claim: Claim) -> Goal:
    """That a property is nowhere put to the test."""
    return Goal(f"untested {claim.name}", system.expressions.negate(claim.tested))


def nothing_wrong(system: TransitionSystem, names: Sequence[str]) -> list[Goal]:
    """That no step goes wrong, and judging none of some properties does; empty where nothing can."""
    wrong = goes_wrong(system, names)
    return [] if wrong is system.expressions.false else [Goal("nothing goes wrong", system.expressions.negate(wrong))]


def never_enabled(system: TransitionSystem, action: str) -> Goal:
    """That an action is enabled nowhere."""
    x = system.expressions
    return Goal(f"never {action}", x.negate(x.disjoin(t.guard for t in system.transitions if t.action == action)))

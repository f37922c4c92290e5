"""Whether two systems are the same, word for word: then nothing has to be searched to say that they do the same."""

from __future__ import annotations

from collections import Counter

from fenceproof.model.expressions import Expressions
from fenceproof.model.system import TransitionSystem

from .events import name_of
from .product import Moved, moved


def are_the_same(left: TransitionSystem, right: TransitionSystem) -> bool:
    """Whether two systems have the same slots, initial states and transitions, whatever their variables are called.

    Both are rebuilt in one table, which holds each expression once: equal expressions are then the same node. What is
    not found the same here may still behave the same.
    """
    if [(s.lo, s.hi, s.is_bool) for s in left.slots] != [(s.lo, s.hi, s.is_bool) for s in right.slots]:
        return False
    if set(left.initial) != set(right.initial):
        return False
    x = Expressions()
    return Counter(map(_words, moved(x, left, 0))) == Counter(map(_words, moved(x, right, 0)))


def _words(m: Moved) -> tuple[object, ...]:
    """A transition by the numbers of its nodes; which mistake it makes is of no account, but where it makes one is."""
    updates = tuple((position, node.number) for position, node in m.updates)
    numbers = (m.guard.number, m.outcome.number, m.mistake.number)
    return (name_of(m.origin), m.origin.outcomes, numbers, updates)

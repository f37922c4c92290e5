"""Rebuilt in another table, an expression has the value that it had before."""

from __future__ import annotations

from fenceproof.model.expressions import Expressions, evaluate
from fenceproof.model.lift import lift
from fenceproof.model.substitution import substitute
from random_models import random_model


def test_guards_and_updates_mean_the_same_with_their_slots_moved_on() -> None:
    for seed in range(20):
        system = lift(random_model(seed))
        roots = [e for t in system.transitions for e in (t.guard, t.mistake, t.outcome, *(u for _, u in t.updates))]
        x = Expressions()
        moved = [x.slot(i + 3, s.lo, s.hi, is_bool=s.is_bool) for i, s in enumerate(system.slots)]
        rebuilt = substitute(x, roots, moved)
        for state in system.initial:
            assert evaluate(rebuilt, (0, 0, 0, *state)) == evaluate(roots, state)

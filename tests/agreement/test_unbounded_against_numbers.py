"""The system without an end of epochs, held to some number of them, is the system that is lifted for that number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pytest
from fenceproof.checker.engines.explicit import check, explore
from fenceproof.checker.limits import Limits, Watch
from fenceproof.checker.parametric.held import hold
from fenceproof.model.budgets import Settings
from fenceproof.model.expressions import PREDICATE, UNBOUNDED
from fenceproof.model.lift import lift
from fenceproof.model.step import is_enabled, take
from fenceproof.model.system import State, TransitionSystem
from fenceproof.specs.variants import VARIANTS

MOST_STATES = 60
FAULTS = Settings(budgets={"delay": None, "loss": None, "duplicate": None, "clock-jump": None, "comp-loss": None})

#: A step as both systems show it: action, arguments, outcome, and the state that it leads to.
Shown = tuple[str, str, str | None, str]


def largest(system: TransitionSystem, state: State) -> int:
    """The largest number without a bound in a state, or in a set of it."""
    found = [0]
    for slot, value in zip(system.slots, state, strict=True):
        if slot.hi >= UNBOUNDED:
            found.append(value.bit_length() - 1 if slot.hi == PREDICATE else value)
    return max(found)


def shown_state(system: TransitionSystem, state: State) -> str:
    """A state as its author would write it, elements of sets in one order."""
    return repr(_ordered(system.decode(state)))


def _ordered(value: object) -> object:
    if isinstance(value, dict):
        return {key: _ordered(inner) for key, inner in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        items = [_ordered(inner) for inner in cast("list[object]", value)]
        return sorted(items, key=repr) if items and isinstance(items[0], dict) and "kind" in items[0] else items
    return value


def steps(system: TransitionSystem, state: State, epochs: int) -> Iterator[tuple[Shown, State]]:
    """The steps from a state that stay within a number of epochs."""
    for t in system.transitions:
        ranges = [range(p.lo, epochs + 1) for _, p in t.params]
        assert len(ranges) <= 1, "the protocol has one epoch in an action"
        for params in [(n,) for n in ranges[0]] if ranges else [()]:
            if not is_enabled(t, state, params):
                continue
            after = take(t, state, params)
            assert after.state is not None, after.mistake
            if largest(system, after.state) > epochs:
                continue
            arguments = {**t.args, **{name: n for (name, _), n in zip(t.params, params, strict=True)}}
            yield (t.action, repr(arguments), after.outcome, shown_state(system, after.state)), after.state


@pytest.mark.parametrize("epochs", [2, 3])
@pytest.mark.parametrize("variant", ["fenced", "replay", "epoch-keyed-compensator", "two-planners", "folded-retry"])
def test_any_number_of_epochs_held_to_a_number_is_that_number(variant: str, epochs: int) -> None:
    endless = lift(VARIANTS[variant].model(calls=1, epochs="any"), FAULTS)
    counted = lift(VARIANTS[variant].model(calls=1, epochs=epochs), FAULTS)
    queue = [(endless.initial[0], counted.initial[0])]
    seen = {counted.initial[0]}

    for mine, theirs in queue:
        left, right = dict(steps(endless, mine, epochs)), dict(steps(counted, theirs, epochs))
        assert set(left) == set(right)
        for step, after in right.items():
            if after not in seen and len(seen) < MOST_STATES:
                seen.add(after)
                queue.append((left[step], after))
    assert len(seen) == MOST_STATES


@pytest.mark.parametrize("epochs", [1, 2])
@pytest.mark.parametrize("variant", ["fenced", "replay", "late-bump", "bump-after-commit"])
def test_held_to_a_number_of_epochs_it_has_all_states_and_steps_of_the_counted_system(
    variant: str, epochs: int
) -> None:
    few = Settings(most_faults=3)
    held = hold(lift(VARIANTS[variant].model(calls=1, epochs="any"), few), epochs).system
    search, _ = explore(held, [], Watch.start(Limits()), None)

    counted = check(lift(VARIANTS[variant].model(calls=1, epochs=epochs), few), properties=[])

    assert counted.complete
    assert (search.distinct, search.generated, len(search.levels)) == (
        counted.distinct,
        counted.generated,
        counted.depth,
    )

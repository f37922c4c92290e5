"""Two random systems beside each other: what is said of them, against sets of states made the plainest way.

Of each seed several pairs: the system and itself in other words, itself without a safeguard or with fewer faults, and
with two of its actions under one name; with events hidden or outcomes ignored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from beside import mirrored, renamed, told_apart
from fenceproof.checker.difference import Comparison, compare
from fenceproof.checker.events import Seen, Side, follow
from fenceproof.checker.limits import Limits
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import ModelError
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import replay
from random_models import random_model

SEEDS = range(16)
MORE = range(16, 40)


def pairs(seed: int) -> Iterator[tuple[TransitionSystem, TransitionSystem, Seen]]:
    r = Random(seed)
    whole = lift(random_model(seed))
    weaker = lift(random_model(seed), Settings(without=frozenset(whole.safeguards[:1])))
    calmer = lift(random_model(seed), Settings(only=frozenset(list(whole.faults)[:1])))
    actions = sorted({t.action for t in whole.transitions})
    hidden = Seen(frozenset(r.sample(actions, r.randint(1, 2))))
    one = dict.fromkeys(r.sample(actions, 2), "same")
    two = replace(whole, initial=(*whole.initial, tuple(s.hi for s in whole.slots)))
    for seen in (Seen(), Seen(ignore_outcomes=True), hidden):
        yield whole, mirrored(whole), seen
        yield whole, weaker, seen
        yield mirrored(calmer), whole, seen
        yield renamed(whole, one), renamed(weaker, one), seen
    yield renamed(whole, one), mirrored(renamed(whole, one)), Seen()
    yield two, mirrored(two), hidden
    yield two, whole, Seen()


def check_pair(left: TransitionSystem, right: TransitionSystem, seen: Seen) -> str:
    """Hold one pair against the plain way, and the other way round; what came of it."""
    parts, wrong, count = told_apart(left, right, seen)
    one, other = Side("left", left), Side("right", right)
    try:
        found, back = compare(one, other, seen, Limits()), compare(other, one, seen, Limits())
    except ModelError:
        assert wrong is not None
        return "wrong"
    if found.method == "same":
        assert parts is None
        return "same"
    assert (found.verdict, found.method) == (back.verdict, back.method)
    if parts is None:
        assert wrong is None
        assert (found.verdict, found.pairs, back.pairs) == ("equivalent", count, count)
        return f"equivalent by {found.method}"
    check_difference(found, parts)
    check_difference(back, parts)
    return f"different by {found.method}"


def check_difference(found: Comparison, parts: int) -> None:
    difference = found.difference
    assert difference is not None
    assert len(difference.events) == parts
    able, other = found.sides[difference.can], found.sides[1 - difference.can]
    word = (*difference.events, difference.event)
    assert follow(able, found.seen, word, beyond=False).last
    assert not follow(other, found.seen, word, beyond=False).last
    assert follow(other, found.seen, difference.events).last
    for side, trace in zip(found.sides, difference.traces, strict=True):
        assert replay(side.system, trace) is None


def check_seeds(seeds: range) -> Counter[str]:
    return Counter(check_pair(*pair) for seed in seeds for pair in pairs(seed))


def test_what_tells_two_systems_apart_is_what_the_plain_way_says() -> None:
    came = check_seeds(SEEDS)
    for what in ("same", "wrong", "equivalent by product", "different by product", "equivalent by sets"):
        assert came[what] >= 3, came
    assert came["different by sets"] >= 3, came


@pytest.mark.slow
def test_what_tells_more_systems_apart_is_what_the_plain_way_says() -> None:
    assert sum(check_seeds(MORE).values()) == 15 * len(MORE)

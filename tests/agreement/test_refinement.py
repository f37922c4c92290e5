"""Refinement against a search that takes every step the plain way, on random models.

The abstract model of each is drawn from what the plain search finds: it has a step for each change that the durable
model makes to the abstract state, or for all but one of them. So in half of the draws the answer is a violation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from fenceproof.checker.limits import Limits
from fenceproof.checker.refinement import INITIAL, STEPS, Refinement, refine
from fenceproof.checker.verdict import Verdict
from fenceproof.model import Model, Range, abstraction, action, choose, require
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import replay
from random_models import random_model

MODELS = 120
_SEEN: Counter[str] = Counter()


@dataclass
class Drawn:
    """A mapping to one number: a weighted sum of the numbers and flags of a random model, up to `most`."""

    weights: dict[str, int]
    most: int

    def of(self, values: Mapping[str, Any]) -> int:
        """What a state as JSON is mapped to, by Python alone."""
        return sum(weight * int(values[name]) for name, weight in self.weights.items())

    def method(self) -> Callable[[Any], Mapping[str, object]]:
        def abstract(this: Any) -> Mapping[str, object]:
            total = 0
            for name, weight in self.weights.items():
                value = getattr(this, name)
                total += weight * (value if name.startswith("n") else (1 if value else 0))
            return {"total": total}

        return abstract


@dataclass
class Plain:
    """What the plain search finds: pairs of numbers before and after each step, by depth; where something goes wrong.

    `wrong` is the least number of steps after which a mapping is out of its range or the model goes wrong.
    """

    initial: set[int] = field(default_factory=set[int])
    pairs: Counter[tuple[int, int]] = field(default_factory=Counter[tuple[int, int]])
    first: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    wrong: int | None = None


def search(system: TransitionSystem, drawn: Drawn) -> Plain:
    found = Plain()
    frontier = list(dict.fromkeys(system.initial))
    seen, depth = set(frontier), 0
    while frontier:
        following: list[State] = []
        for state in frontier:
            before = drawn.of(system.decode(state))
            if depth == 0:
                found.initial.add(before)
            if before > drawn.most and (found.wrong is None or depth < found.wrong):
                found.wrong = depth
            for position in enabled(system, state):
                after = take(system.transitions[position], state).state
                if after is None:
                    found.wrong = depth + 1 if found.wrong is None else min(found.wrong, depth + 1)
                    continue
                pair = before, drawn.of(system.decode(after))
                found.pairs[pair] += 1
                found.first.setdefault(pair, depth + 1)
                if after not in seen:
                    seen.add(after)
                    following.append(after)
        frontier, depth = following, depth + 1
        if found.wrong is not None and depth > found.wrong:
            break
    return found


def abstract_of(pairs: list[tuple[int, int]], initial: list[int], most: int) -> Model:
    """The model that begins at these numbers and steps along these pairs; from 0 to 0 in any case, so that it acts."""

    class Steps(Model):
        def __init__(self) -> None:
            self.total = Range(0, most, start=choose(initial))

        @action(pair=[*pairs, (0, 0)])
        def step(self, pair: tuple[int, int]) -> None:
            require(self.total == pair[0])
            self.total = pair[1]

    return Steps()


def durable_of(seed: int, r: Random) -> tuple[Model, Drawn]:
    base = type(random_model(seed))
    names = [v.name for v in lift(random_model(seed)).variables if v.name[0] in "nb" and v.name[1:].isdigit()]
    drawn = Drawn({name: r.randint(1, 2) for name in r.sample(names, r.randint(1, len(names)))}, 0)
    tops = {v.name: v.kind.slots("")[0].hi for v in lift(random_model(seed)).variables if v.name in drawn.weights}
    drawn.most = sum(weight * tops[name] for name, weight in drawn.weights.items())
    if r.random() < 0.2:
        drawn.most = max(1, drawn.most - 1)
    made: type[Model] = type(base.__name__, (base,), {"abstract": abstraction(drawn.method())})
    return made(), drawn


@pytest.mark.parametrize("seed", range(MODELS))
def test_refinement_is_what_a_plain_search_finds(seed: int) -> None:
    r = Random(seed)
    model, drawn = durable_of(seed, r)
    system = lift(model)
    plain = search(system, drawn)
    fitting = [p for p in sorted(plain.pairs) if p[0] != p[1] and max(p) <= drawn.most]
    kept = [p for p in fitting if p != (r.choice(fitting) if r.random() < 0.5 else None)] if fitting else []
    starts = sorted(n for n in plain.initial if n <= drawn.most) or [0]
    begin = starts[1:] if len(starts) > 1 and r.random() < 0.3 else starts
    found = refine(model, system, lift(abstract_of(kept, begin, drawn.most)), limits=Limits())
    _compare(system, plain, drawn, set(kept), set(begin), found)


def _compare(
    system: TransitionSystem,
    plain: Plain,
    drawn: Drawn,
    kept: set[tuple[int, int]],
    begin: set[int],
    found: Refinement,
) -> None:
    initial, steps = found.result.properties
    bad = [depth for p, depth in plain.first.items() if p[0] != p[1] and p not in kept and max(p) <= drawn.most]
    if plain.wrong is not None and (not bad or plain.wrong <= min(bad)):
        assert found.result.verdict is Verdict.MODEL_ERROR
        assert found.result.wrong is not None
        assert len(found.result.wrong.trace) + (found.result.wrong.trace.mistake is not None) == plain.wrong
        _SEEN["wrong"] += 1
        return
    outside = {n for n in plain.initial if n not in begin}
    assert (initial.verdict is Verdict.VIOLATED) == bool(outside)
    if bad:
        assert steps.verdict is Verdict.VIOLATED
        trace = found.result.trace(STEPS)
        assert trace is not None and len(trace) == min(bad) and replay(system, trace) is None
        before, after = (drawn.of(system.decode(s)) for s in trace.states[-2:])
        assert before != after and (before, after) not in kept
        _SEEN["violated"] += 1
        return
    changing = sum(count for p, count in plain.pairs.items() if p[0] != p[1])
    assert steps.verdict is (Verdict.HOLDS if changing else Verdict.VACUOUS)
    assert dict(found.matched) == {"step": changing}
    assert found.stutters == sum(plain.pairs.values()) - changing
    _SEEN["holds" if changing else "vacuous"] += 1
    if outside:
        trace = found.result.trace(INITIAL)
        assert trace is not None and drawn.of(system.decode(trace.states[0])) in outside
        _SEEN["begins elsewhere"] += 1


def test_every_outcome_is_met_often_enough() -> None:
    assert sum(_SEEN[k] for k in ("wrong", "violated", "holds", "vacuous")) == MODELS
    assert _SEEN["violated"] >= 20 and _SEEN["holds"] >= 20 and _SEEN["wrong"] >= 10 and _SEEN["vacuous"] >= 3

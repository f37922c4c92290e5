"""The explicit engine against the one-step interpreter on a plain breadth-first search, on random systems."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from fenceproof.checker.engines import expand, explicit, shortest, words
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.result import CheckResult
from fenceproof.checker.verdict import Verdict
from fenceproof.checker.violation import violates
from fenceproof.model.errors import InternalError
from fenceproof.model.expressions import Expression, Expressions
from fenceproof.model.kinds import BoolKind, Kind, RangeKind
from fenceproof.model.step import enabled, is_stuck, judge_state, judge_step, take
from fenceproof.model.system import DEADLOCK, Judgement, Mistake, State, TransitionSystem
from fenceproof.model.trace import Trace, replay
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from toys import Builder, graph

SYSTEMS = 400
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]


@dataclass
class Plain:
    """What the plain search finds: levels, counts, violations with the depth of the shortest, coverage."""

    depth_of: dict[State, int] = field(default_factory=dict[State, int])
    generated: int = 0
    witnesses: dict[str, int] = field(default_factory=dict[str, int])
    shortest: dict[str, int] = field(default_factory=dict[str, int])
    exercised: set[str] = field(default_factory=set[str])
    taken: dict[int, int] = field(default_factory=dict[int, int])
    wrong: int | None = None

    def violate(self, name: str, length: int) -> None:
        self.witnesses[name] = self.witnesses.get(name, 0) + 1
        self.shortest.setdefault(name, length)


def search(system: TransitionSystem) -> Plain:
    """Plain breadth-first search, a level at a time; ends with the level at which the model goes wrong."""
    found = Plain()
    frontier = list(dict.fromkeys(system.initial))
    found.depth_of = dict.fromkeys(frontier, 1)
    found.generated = len(system.initial)
    depth = 1
    while frontier and found.wrong is None:
        following: list[State] = []
        for state in frontier:
            _visit(system, found, state, depth, following)
        if found.wrong is not None:
            break
        frontier, depth = following, depth + 1
    return found


def _visit(system: TransitionSystem, found: Plain, state: State, depth: int, following: list[State]) -> None:
    for invariant in system.invariants:
        judged = judge_state(invariant.judgement, state)
        if judged.mistake is not None:
            found.wrong = depth - 1 if found.wrong is None else min(found.wrong, depth - 1)
        if violates(judged):
            found.violate(invariant.name, depth - 1)
        if judged.exercised:
            found.exercised.add(invariant.name)
    if is_stuck(system, state):
        found.violate(DEADLOCK, depth - 1)
    for position in enabled(system, state):
        transition = system.transitions[position]
        successor = take(transition, state)
        if successor.state is None:
            found.wrong = depth if found.wrong is None else min(found.wrong, depth)
            continue
        found.generated += 1
        found.taken[position] = found.taken.get(position, 0) + 1
        for prop in system.step_properties:
            judgement = prop.judgements[position]
            judged = judge_step(judgement, transition, state, successor.state)
            if judged.mistake is not None:
                found.wrong = depth if found.wrong is None else min(found.wrong, depth)
            if violates(judged):
                found.violate(prop.name, depth)
            # Where only some transitions have an antecedent, the others do not put the property to the test.
            if judgement.exercised is not None and judged.exercised:
                found.exercised.add(prop.name)
        if successor.state not in found.depth_of:
            found.depth_of[successor.state] = depth + 1
            following.append(successor.state)


class Drawn:
    """Draws random expressions over a builder's slots."""

    def __init__(self, draw: Callable[[Any], Any], b: Builder) -> None:
        self.draw, self.b, self.x = draw, b, b.x

    def leaf(self, *, of_step: bool) -> Expression:
        position = self.draw(st.integers(0, len(self.b.slots) - 1))
        primed = of_step and self.draw(st.booleans())
        return self.b.next(position) if primed else self.b.slot(position)

    def number(self, depth: int = 2, *, of_step: bool = False) -> Expression:
        x = self.x
        if depth == 0 or self.draw(st.integers(0, 2)) == 0:
            if self.draw(st.booleans()):
                return x.const(self.draw(st.integers(-9, 300)))
            return x.number(self.leaf(of_step=of_step))
        a, b = self.number(depth - 1, of_step=of_step), self.number(depth - 1, of_step=of_step)
        match self.draw(st.integers(0, 5)):
            case 0:
                return x.add(a, b)
            case 1:
                return x.subtract(a, b)
            case 2 if max(abs(a.lo), abs(a.hi)) * max(abs(b.lo), abs(b.hi)) < 2**61:
                return x.multiply(a, b)
            case 3:
                return x.divide(a, x.const(self.draw(st.sampled_from([-3, -1, 2, 7]))))
            case 4:
                return x.modulo(a, x.const(self.draw(st.sampled_from([-5, -2, 3, 4]))))
            case _:
                return x.choose(self.truth(depth - 1, of_step=of_step), a, b)

    def truth(self, depth: int = 2, *, of_step: bool = False) -> Expression:
        x = self.x
        if depth == 0:
            return x.less(self.number(1, of_step=of_step), x.const(self.draw(st.integers(-3, 3))))
        match self.draw(st.integers(0, 5)):
            case 0:
                return x.less(self.number(depth - 1, of_step=of_step), self.number(depth - 1, of_step=of_step))
            case 1:
                return x.equal(self.number(depth - 1, of_step=of_step), self.number(depth - 1, of_step=of_step))
            case 2:
                return x.negate(self.truth(depth - 1, of_step=of_step))
            case 3:
                return x.conjoin([self.truth(depth - 1, of_step=of_step), self.truth(depth - 1, of_step=of_step)])
            case 4:
                return x.disjoin([self.truth(depth - 1, of_step=of_step), self.truth(depth - 1, of_step=of_step)])
            case _:
                return x.truth(self.draw(st.booleans()))

    def value_of(self, position: int) -> Expression:
        """An expression that stays within a slot."""
        slot, x = self.b.slots[position], self.x
        if slot.is_bool:
            return self.truth()
        if self.draw(st.booleans()):
            return x.const(self.draw(st.integers(slot.lo, slot.hi)))
        grown = x.add(self.b.slot(position), x.const(1))
        if self.draw(st.booleans()):
            return x.choose(x.less(x.const(slot.hi), grown), x.const(slot.lo), grown)
        return x.add(x.modulo(self.number(), x.const(slot.hi - slot.lo + 1)), x.const(slot.lo))

    def judgement(self, *, of_step: bool) -> Judgement:
        exercised = self.truth(of_step=of_step) if self.draw(st.booleans()) else None
        # Most properties cannot go wrong; one that can does so where a random expression is true.
        if self.draw(st.integers(0, 9)) == 0:
            mistake = self.x.number(self.x.conjoin([self.truth(of_step=of_step), self.truth(of_step=of_step)]))
            return Judgement(self.truth(of_step=of_step), exercised, mistake, (Mistake("judging", None),))
        return Judgement(self.truth(of_step=of_step), exercised, self.x.const(0), ())


KINDS = st.one_of(
    st.just(BoolKind()),
    st.tuples(st.integers(-3, 2), st.integers(0, 4)).map(lambda r: RangeKind(r[0], r[0] + r[1])),
    # Wide but mostly unused, so that states need several words though there are few of them.
    st.just(RangeKind(-(2**33), 2**33)),
)


@st.composite
def systems(draw: Any) -> TransitionSystem:
    """A random small system."""
    kinds: dict[str, Kind] = {f"v{i}": kind for i, kind in enumerate(draw(st.lists(KINDS, min_size=1, max_size=6)))}
    b = Builder(kinds, Expressions())
    d = Drawn(draw, b)
    wide = {i for i, s in enumerate(b.slots) if s.hi > 1000}
    for number in range(draw(st.integers(1, 5))):
        changed = draw(st.lists(st.integers(0, len(b.slots) - 1), unique=True, max_size=3))
        updates = {i: b.x.const(draw(st.integers(-2, 2)) * 2**30) if i in wide else d.value_of(i) for i in changed}
        b.act(
            f"a{number // 2}",
            d.truth(),
            updates,
            fault=draw(st.sampled_from([None, None, "f"])),
            outcome=b.x.number(d.truth()),
            outcomes=("yes", "no"),
            mistake=b.x.number(b.x.conjoin([d.truth(), d.truth()])) if draw(st.integers(0, 7)) == 0 else None,
        )
    for number in range(draw(st.integers(0, 2))):
        judgement = d.judgement(of_step=False)
        b.always(f"inv{number}", judgement.holds, judgement.exercised)
    for number in range(draw(st.integers(0, 2))):
        b.on_steps(f"step{number}", lambda _: d.judgement(of_step=True))
    b.terminal = b.judge(d.truth())
    initial = [
        tuple(draw(st.integers(s.lo, min(s.hi, s.lo + 2))) for s in b.slots) for _ in range(draw(st.integers(1, 3)))
    ]
    return b.build(list(dict.fromkeys(initial)))


def check_agrees(system: TransitionSystem) -> None:
    """The engine finds what the plain search finds."""
    plain, result = search(system), check(system)
    if plain.wrong is not None:
        assert result.wrong is not None
        assert len(result.wrong.trace) + (result.wrong.trace.mistake is not None) == plain.wrong
        return
    assert result.wrong is None
    assert (result.distinct, result.generated) == (len(plain.depth_of), plain.generated)
    assert result.depth == max(plain.depth_of.values())
    assert result.coverage.taken == tuple(plain.taken.get(i, 0) for i in range(len(system.transitions)))
    for found in result.properties:
        _check_property(system, plain, result, found.name)


def _check_property(system: TransitionSystem, plain: Plain, result: CheckResult, name: str) -> None:
    found = next(p for p in result.properties if p.name == name)
    assert found.witnesses == plain.witnesses.get(name, 0), name
    if found.witnesses:
        assert found.verdict is Verdict.VIOLATED
        assert found.trace is not None
        assert len(found.trace) == plain.shortest[name]
        assert replay(system, found.trace) is None
    else:
        tested = name == DEADLOCK or name in plain.exercised or _has_no_antecedent(system, name)
        assert found.verdict is (Verdict.HOLDS if tested else Verdict.VACUOUS), name


def _has_no_antecedent(system: TransitionSystem, name: str) -> bool:
    for prop in system.step_properties:
        if prop.name == name:
            return all(j.exercised is None for j in prop.judgements)
    return any(i.name == name and i.judgement.exercised is None for i in system.invariants)


@settings(max_examples=SYSTEMS, deadline=None, suppress_health_check=SLOW, derandomize=True)
@given(systems())
def test_the_engine_and_the_plain_search_agree(system: TransitionSystem) -> None:
    check_agrees(system)


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW, derandomize=True)
@given(systems())
def test_they_agree_when_levels_are_cut_into_small_chunks(system: TransitionSystem) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explicit, "CHUNK", 2)
        patch.setattr(explicit, "GATHER", 3)
        check_agrees(system)


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW, derandomize=True)
@given(systems())
def test_they_agree_when_all_states_have_the_same_mix(system: TransitionSystem) -> None:
    with pytest.MonkeyPatch.context() as patch:
        real = words.mix

        def same(batch: words.Batch) -> words.Words:
            return real(batch) if len(batch) == 1 else real(batch) * np.uint64(0)

        for module in (words, shortest):
            patch.setattr(module, "mix", same)
        check_agrees(system)


def _best(system: TransitionSystem, bad: Collection[State]) -> list[Trace]:
    """Every shortest trace to a bad state, the preferred one first."""
    layers: list[list[Trace]] = [[Trace((state,), ()) for state in system.initial]]
    while not any(trace.states[-1] in bad for trace in layers[-1]):
        layers.append(
            [
                Trace((*trace.states, after), (*trace.transitions, i))
                for trace in layers[-1]
                for i in enabled(system, trace.states[-1])
                if (after := take(system.transitions[i], trace.states[-1]).state) is not None
            ]
        )

    def cost(trace: Trace) -> tuple[int, int, tuple[int, ...]]:
        faults = sum(1 for t in trace.transitions if system.transitions[t].fault is not None)
        pairs = zip(trace.states, trace.states[1:], strict=False)
        changed = sum(a != b for before, after in pairs for a, b in zip(before, after, strict=True))
        return faults, changed, trace.transitions

    return sorted((t for t in layers[-1] if t.states[-1] in bad), key=cost)


@settings(max_examples=150, deadline=None, suppress_health_check=SLOW, derandomize=True)
@given(st.data())
def test_the_trace_is_the_preferred_one_of_all_shortest(data: st.DataObject) -> None:
    edges = data.draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=14, unique=True))
    faults = data.draw(st.lists(st.sampled_from(edges), unique=True, max_size=5))
    detour = data.draw(st.lists(st.sampled_from(edges), unique=True, max_size=5))
    system = graph(edges, faults=faults, detour=detour, bad=[5])
    found = check(system, properties=["fine"]).properties[0].trace
    if found is not None:
        bad: list[State] = [(5, 0), (5, 1)]
        assert found.transitions == _best(system, bad)[0].transitions


def test_an_injected_error_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = expand.Expander._insert  # pyright: ignore[reportPrivateUsage]

    def skewed(self: Any, plan: Any, batch: Any, rows: Any, values: Any) -> Any:
        after = real(self, plan, batch, rows, values)
        return (after[0] & ~(after[0] & 1), *after[1:]) if plan.computed else after

    def disagrees(system: TransitionSystem) -> bool:
        try:
            check_agrees(system)
        except (AssertionError, InternalError):
            return True
        return False

    monkeypatch.setattr(expand.Expander, "_insert", skewed)
    unshrunk = settings(phases=[Phase.generate], max_examples=SYSTEMS, deadline=None, derandomize=True)
    assert find(systems(), disagrees, settings=unshrunk) is not None

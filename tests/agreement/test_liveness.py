"""Liveness against a plain reference: every set of states in which a fair behaviour may stay for ever, one by one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import networkx
import pytest
from fenceproof.checker.engines import components, liveness
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.verdict import Verdict
from fenceproof.model.lasso import refutes
from fenceproof.model.system import Fairness, Judgement, LivenessProperty, TransitionSystem
from fenceproof.model.trace import Trace, replay
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st
from toys import graph

SYSTEMS = 400
NODES = 6


def among(system: TransitionSystem, nodes: Sequence[int]) -> Judgement:
    """Whether the node is one of some."""
    x, slot = system.expressions, system.slots[0]
    node = x.slot(0, slot.lo, slot.hi, is_bool=False)
    return Judgement(x.disjoin(x.equal(node, x.const(n)) for n in nodes), None, x.const(0), ())


@st.composite
def systems(draw: st.DrawFn) -> tuple[TransitionSystem, list[tuple[int, int]]]:
    pairs = st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1))
    edges = draw(st.lists(pairs, min_size=1, max_size=12, unique=True))
    system = graph(edges, initial=draw(st.lists(st.integers(0, 2), min_size=1, max_size=2, unique=True)))
    owned = draw(st.lists(st.integers(0, 3), min_size=len(edges), max_size=len(edges)))
    fairness = tuple(
        Fairness(f"group {group}", tuple(i for i, owner in enumerate(owned) if owner == group), draw(st.booleans()))
        for group in range(3)
        if group in owned
    )
    nodes = st.lists(st.integers(0, NODES - 1), unique=True, max_size=3)
    trigger = among(system, draw(nodes)) if draw(st.booleans()) else None
    prop = LivenessProperty("settles", trigger, among(system, draw(nodes)), fairness, "It settles.", None)
    return replace(system, liveness=(prop,)), edges


def may_stay(system: TransitionSystem, edges: Sequence[tuple[int, int]], nodes: frozenset[int]) -> bool:
    """Whether a fair behaviour can be at exactly these nodes, again and again, for ever."""
    inside = [(i, a, b) for i, (a, b) in enumerate(edges) if a in nodes and b in nodes and a != b]
    drawn: networkx.DiGraph[int] = networkx.DiGraph()
    drawn.add_nodes_from(nodes)
    drawn.add_edges_from((a, b) for _, a, b in inside)
    if not networkx.is_strongly_connected(drawn):
        return False
    for fairness in system.liveness[0].fairness:
        taken = any(i in fairness.transitions for i, _, _ in inside)
        enabled = [any(edges[i][0] == n and edges[i][1] != n for i in fairness.transitions) for n in nodes]
        if not taken and (any(enabled) if fairness.is_strong else all(enabled)):
            return False
    return True


def shortest_stem(system: TransitionSystem, edges: Sequence[tuple[int, int]]) -> int | None:
    """How many steps lead to a place where a fair behaviour can do without the goal for ever; None if none does."""
    prop = system.liveness[0]
    drawn: networkx.DiGraph[int] = networkx.DiGraph()
    drawn.add_nodes_from(range(NODES))
    drawn.add_edges_from(edges)
    goal = {n for n in range(NODES) if holds(system, prop.goal, n)}
    left = [n for n in range(NODES) if n not in goal]
    inner = drawn.subgraph(left)
    ends: set[int] = set()
    for size in range(1, len(left) + 1):
        for nodes in itertools.combinations(left, size):
            if may_stay(system, edges, frozenset(nodes)):
                ends.update(nodes)
    initial = [state[0] for state in system.initial]
    best: list[int] = []
    for begin in left:
        if prop.trigger is None:
            before = 0 if begin in initial else None
        elif holds(system, prop.trigger, begin):
            lengths = [networkx.single_source_shortest_path_length(drawn, i).get(begin) for i in initial]
            before = min((length for length in lengths if length is not None), default=None)
        else:
            before = None
        if before is not None:
            away = networkx.single_source_shortest_path_length(inner, begin)
            best += [before + steps for end, steps in away.items() if end in ends]
    return min(best, default=None)


def holds(system: TransitionSystem, judgement: Judgement, node: int) -> bool:
    from fenceproof.model.step import judge_state

    return judge_state(judgement, (node, 0)).holds


def check_agrees(system: TransitionSystem, edges: Sequence[tuple[int, int]]) -> None:
    expected = shortest_stem(system, edges)
    found = next(p for p in check(system).properties if p.name == "settles")
    if expected is None:
        assert found.verdict in (Verdict.HOLDS, Verdict.VACUOUS)
        return
    assert found.verdict is Verdict.VIOLATED
    assert found.trace is not None
    assert found.trace.loop == expected
    assert replay(system, found.trace) is None
    assert refutes(system, system.liveness[0], found.trace) is None


@settings(max_examples=SYSTEMS, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(systems())
def test_the_engine_and_the_plain_reference_agree_on_what_fair_behaviours_may_avoid(
    drawn: tuple[TransitionSystem, list[tuple[int, int]]],
) -> None:
    check_agrees(*drawn)


@pytest.mark.slow
def test_an_injected_error_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = components.fair_components

    def careless(
        edges: components.Edges, inside: components.Mask, demands: Sequence[components.Demand]
    ) -> components.Ints:
        return real(edges, inside, [replace(demand, is_strong=False) for demand in demands])

    def disagrees(drawn: tuple[TransitionSystem, list[tuple[int, int]]]) -> bool:
        try:
            check_agrees(*drawn)
        except Exception:
            return True
        return False

    monkeypatch.setattr(liveness, "fair_components", careless)
    assert (
        find(systems(), disagrees, settings=settings(max_examples=SYSTEMS, deadline=None, derandomize=True)) is not None
    )


def lasso(system: TransitionSystem, nodes: Sequence[int], loop: int) -> Trace:
    names = [t.action for t in system.transitions]
    steps = itertools.pairwise(nodes)
    return Trace(tuple((n, 0) for n in nodes), tuple(names.index(f"{a}-{b}") for a, b in steps), loop)


def test_a_lasso_that_is_none_is_told_from_one() -> None:
    system = graph([(0, 1), (1, 2), (2, 1), (1, 3)])
    out = Fairness("out", (3,), is_strong=True)
    weak = replace(out, is_strong=False)

    def refuted(fairness: Fairness, trace: Trace, trigger: Judgement | None = None, goal: int = 3) -> str | None:
        prop = LivenessProperty("p", trigger, among(system, [goal]), (fairness,), "", None)
        return refutes(system, prop, trace)

    round_and_round = lasso(system, [0, 1, 2, 1], 1)
    assert refuted(weak, round_and_round) is None
    assert refuted(out, round_and_round) == "its loop is unfair to out."
    assert refuted(weak, lasso(system, [0, 1], 1)) == "its loop is unfair to out."
    assert refuted(weak, round_and_round, goal=2) == "the goal is reached on it."
    assert refuted(weak, round_and_round, among(system, [3])) == "nothing in it is left without what it leads to."
    assert refuted(weak, replace(round_and_round, loop=None)) == "it does not loop."

"""The explicit engine on every toy: what is true of each stands beside it, and is met exactly.

That it agrees with a plain search on random systems is tested in `tests/agreement/`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.verdict import Verdict
from fenceproof.model.kinds import RangeKind
from fenceproof.model.system import Judgement, Mistake, Transition, TransitionSystem
from fenceproof.model.trace import Trace
from toys import Builder, clock, counter, graph

HOLDS, VIOLATED, VACUOUS = Verdict.HOLDS, Verdict.VIOLATED, Verdict.VACUOUS
INCONCLUSIVE, MODEL_ERROR = Verdict.INCONCLUSIVE, Verdict.MODEL_ERROR


def climber() -> Builder:
    """Climbs from 0 to 4 and jumps back to 0; a jump from 2 is a fault."""
    b = Builder({"n": RangeKind(0, 4)})
    n = b.slot(0)
    b.act("up", b.x.less(n, b.x.const(4)), {0: b.x.add(n, b.x.const(1))})
    b.act("fall", b.x.equal(n, b.x.const(2)), {0: b.x.const(0)}, fault="slip")
    b.act("down", b.x.equal(n, b.x.const(4)), {0: b.x.const(0)})
    return b


def never_falls() -> TransitionSystem:
    """A step property that two transitions violate, the nearer one after three steps."""
    b = climber()
    b.on_steps("never-falls", lambda _: b.judge(b.x.negate(b.x.less(b.next(0), b.slot(0)))))
    return b.build([(0,)])


def several_fall() -> TransitionSystem:
    """Two invariants and a step property that fall, each at a depth of its own, and one that holds."""
    b = climber()
    n = b.slot(0)
    b.always("below-3", b.x.less(n, b.x.const(3)))
    b.always("not-1", b.x.negate(b.x.equal(n, b.x.const(1))))
    b.always("below-5", b.x.negate(b.x.less(b.x.const(4), n)))
    b.on_steps("stays-low", lambda _: b.judge(b.x.less(b.next(0), b.x.const(3))))
    return b.build([(0,)])


def untested() -> TransitionSystem:
    """Properties whose antecedents are never true, beside ones whose are."""
    b = climber()
    n, nxt = b.slot(0), b.next(0)
    b.always("never", b.x.true, exercised=b.x.less(b.x.const(4), b.x.add(n, b.x.const(0))))
    b.always("at-4", b.x.true, exercised=b.x.equal(n, b.x.const(4)))
    b.on_steps("step-never", lambda _: Judgement(b.x.true, b.x.false, b.x.const(0), ()))
    b.on_steps("step-to-4", lambda _: Judgement(b.x.true, b.x.equal(nxt, b.x.const(4)), b.x.const(0), ()))
    return b.build([(0,)])


def rests(at: int) -> TransitionSystem:
    """Goes 0, 1, 2 and may rest in one node."""
    system = graph([(0, 1), (1, 2)])
    x = system.expressions
    node = system.slots[0]
    is_end = x.equal(x.slot(0, node.lo, node.hi, is_bool=False), x.const(at))
    return replace(system, terminal=Judgement(is_end, None, x.const(0), ()))


def judging_goes_wrong(*, of_step: bool) -> TransitionSystem:
    """A property whose own evaluation goes wrong at 2, or on the step to 2."""
    b = climber()
    value = b.next(0) if of_step else b.slot(0)
    judgement = Judgement(
        b.x.true, None, b.x.number(b.x.equal(value, b.x.const(2))), (Mistake("judging goes wrong", None),)
    )
    if of_step:
        b.on_steps("odd", lambda _: judgement)
        return b.build([(0,)])
    b.always("odd", b.x.true)
    return replace(b.build([(0,)]), invariants=(replace(b.invariants[0], judgement=judgement),))


class Case(NamedTuple):
    """A system and what is true of it: `steps` are the shortest trace's actions, None where there is none."""

    system: TransitionSystem
    verdict: Verdict
    counts: tuple[int, int, int]
    properties: dict[str, tuple[Verdict, int, list[str] | None]]


ALL_RIGHT: tuple[Verdict, int, list[str] | None] = (HOLDS, 0, None)
SAID_NOTHING: tuple[Verdict, int, list[str] | None] = (INCONCLUSIVE, 0, None)
UP = ["up"]
CASES = {
    "a clock": Case(clock(), HOLDS, (2, 3, 2), {"no-deadlock": ALL_RIGHT}),
    "a self-loop": Case(graph([(0, 0)]), HOLDS, (1, 2, 1), {"fine": ALL_RIGHT, "no-deadlock": ALL_RIGHT}),
    "a counter that ends stuck": Case(
        counter(3), VIOLATED, (4, 4, 4), {"small": (VIOLATED, 1, UP * 3), "no-deadlock": (VIOLATED, 1, UP * 3)}
    ),
    "a deadlock": Case(
        graph([(0, 1)]), VIOLATED, (2, 2, 2), {"fine": ALL_RIGHT, "no-deadlock": (VIOLATED, 1, ["0-1"])}
    ),
    "only a fault left to happen": Case(
        graph([(0, 1), (1, 0)], faults=[(1, 0)]),
        VIOLATED,
        (2, 3, 2),
        {"fine": ALL_RIGHT, "no-deadlock": (VIOLATED, 1, ["0-1"])},
    ),
    "a rest at the end": Case(rests(2), HOLDS, (3, 3, 3), {"fine": ALL_RIGHT, "no-deadlock": ALL_RIGHT}),
    "a rest elsewhere than at the end": Case(
        rests(1), VIOLATED, (3, 3, 3), {"fine": ALL_RIGHT, "no-deadlock": (VIOLATED, 1, ["0-1", "1-2"])}
    ),
    "a bad initial state": Case(
        graph([(0, 1), (1, 0)], bad=[0]), VIOLATED, (2, 3, 2), {"fine": (VIOLATED, 1, []), "no-deadlock": ALL_RIGHT}
    ),
    "several initial states": Case(
        graph([(0, 0), (1, 2), (2, 2)], initial=(0, 1), bad=[2]),
        VIOLATED,
        (3, 5, 2),
        {"fine": (VIOLATED, 1, ["1-2"]), "no-deadlock": ALL_RIGHT},
    ),
    "an action that is never enabled": Case(
        graph([(0, 0), (1, 0)]), VACUOUS, (1, 2, 1), {"fine": ALL_RIGHT, "no-deadlock": ALL_RIGHT}
    ),
    "a shorter way round": Case(
        graph([(0, 1), (1, 2), (2, 3), (0, 3), (3, 0)], bad=[3]),
        VIOLATED,
        (4, 6, 3),
        {"fine": (VIOLATED, 1, ["0-3"]), "no-deadlock": ALL_RIGHT},
    ),
    "two ways, one with a fault": Case(
        graph([(0, 1), (1, 3), (0, 2), (2, 3), (3, 0)], faults=[(0, 1)], bad=[3]),
        VIOLATED,
        (4, 6, 3),
        {"fine": (VIOLATED, 1, ["0-2", "2-3"]), "no-deadlock": ALL_RIGHT},
    ),
    "two ways, one with a detour": Case(
        graph([(0, 1), (1, 3), (0, 2), (2, 3), (3, 3)], detour=[(0, 1)], bad=[3]),
        VIOLATED,
        (5, 7, 3),
        {"fine": (VIOLATED, 2, ["0-2", "2-3"]), "no-deadlock": ALL_RIGHT},
    ),
    "a step property": Case(
        never_falls(),
        VIOLATED,
        (5, 7, 5),
        {"never-falls": (VIOLATED, 2, ["up", "up", "fall"]), "no-deadlock": ALL_RIGHT},
    ),
    "several violated properties": Case(
        several_fall(),
        VIOLATED,
        (5, 7, 5),
        {
            "stays-low": (VIOLATED, 2, UP * 3),
            "below-3": (VIOLATED, 2, UP * 3),
            "not-1": (VIOLATED, 1, UP),
            "below-5": ALL_RIGHT,
            "no-deadlock": ALL_RIGHT,
        },
    ),
    "vacuous properties": Case(
        untested(),
        VACUOUS,
        (5, 7, 5),
        {
            "step-never": (VACUOUS, 0, None),
            "step-to-4": ALL_RIGHT,
            "never": (VACUOUS, 0, None),
            "at-4": ALL_RIGHT,
            "no-deadlock": ALL_RIGHT,
        },
    ),
    "a model that goes wrong": Case(
        counter(3, wrong_at=2), MODEL_ERROR, (3, 3, 3), {"small": SAID_NOTHING, "no-deadlock": SAID_NOTHING}
    ),
    "an invariant that goes wrong": Case(
        judging_goes_wrong(of_step=False), MODEL_ERROR, (3, 3, 3), {"odd": SAID_NOTHING, "no-deadlock": SAID_NOTHING}
    ),
    "a step property that goes wrong": Case(
        judging_goes_wrong(of_step=True), MODEL_ERROR, (3, 3, 3), {"odd": SAID_NOTHING, "no-deadlock": SAID_NOTHING}
    ),
}


def actions(system: TransitionSystem, trace: Trace | None) -> list[str] | None:
    return None if trace is None else [system.transitions[t].action for t in trace.transitions]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_toy_is_found_to_be_what_it_is(case: Case) -> None:
    result = check(case.system)
    assert {p.name: (p.verdict, p.witnesses, actions(case.system, p.trace)) for p in result.properties} == (
        case.properties
    )
    assert (result.distinct, result.generated, result.depth) == case.counts
    assert result.verdict is case.verdict


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_same_toy_gives_the_same_result_every_time(case: Case) -> None:
    assert check(case.system) == check(case.system)


@pytest.mark.parametrize(
    ("system", "message", "steps", "last"),
    [
        (counter(3, wrong_at=2), "up goes wrong", ["up", "up"], "up"),
        (judging_goes_wrong(of_step=False), "judging goes wrong", ["up", "up"], None),
        (judging_goes_wrong(of_step=True), "judging goes wrong", ["up", "up"], None),
        (counter(3, wrong_at=0), "up goes wrong", [], "up"),
    ],
)
def test_how_a_model_goes_wrong_is_shown_by_a_shortest_trace(
    system: TransitionSystem, message: str, steps: list[str], last: str | None
) -> None:
    wrong = check(system).wrong
    assert wrong is not None
    assert (wrong.mistake.message, actions(system, wrong.trace)) == (message, steps)
    assert wrong.trace.mistake == (None if last is None else 0)


def test_a_violation_before_the_model_goes_wrong_is_still_reported() -> None:
    b = Builder({"n": RangeKind(0, 4)})
    n = b.slot(0)
    b.act("up", b.x.true, {0: b.x.add(n, b.x.const(1))}, mistake=b.x.number(b.x.equal(n, b.x.const(3))))
    b.always("not-1", b.x.negate(b.x.equal(n, b.x.const(1))))
    result = check(b.build([(0,)]))
    assert result.verdict is MODEL_ERROR
    assert [(p.name, p.verdict) for p in result.properties] == [("not-1", VIOLATED), ("no-deadlock", INCONCLUSIVE)]


def test_properties_that_were_not_chosen_are_not_reported() -> None:
    result = check(several_fall(), properties=["below-5", "no-deadlock"])
    assert [p.name for p in result.properties] == ["below-5", "no-deadlock"]
    assert result.verdict is HOLDS


def test_what_was_never_enabled_is_named() -> None:
    assert check(graph([(0, 0), (1, 0)])).never_enabled == ("1-0",)


def test_coverage_counts_each_transition_and_its_first_level() -> None:
    result = check(never_falls())
    assert (result.coverage.taken, result.coverage.first_depth) == ((4, 1, 1), (1, 3, 5))


def test_a_transition_and_its_judgement_are_those_of_the_same_position() -> None:
    b = climber()

    def only_of_down(transition: Transition) -> Any:
        return b.judge(b.x.false if transition.action == "down" else b.x.true)

    b.on_steps("no-down", only_of_down)
    (found, _) = check(b.build([(0,)])).properties
    assert actions(b.build([(0,)]), found.trace) == ["up", "up", "up", "up", "down"]

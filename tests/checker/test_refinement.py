"""Refinement on models with known answers, and the planner's designs against the atomic fence."""

from __future__ import annotations

import pytest
from fenceproof.checker import refinement
from fenceproof.checker.limits import Limits
from fenceproof.checker.refinement import INITIAL, STEPS, Refinement, refine
from fenceproof.checker.verdict import Verdict
from fenceproof.model import Model
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import InternalError
from fenceproof.model.lift import lift
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import replay
from fenceproof.specs import Planner
from fenceproof.specs.abstract import AtomicFence
from fenceproof.specs.variants import VARIANTS
from refining import (
    BeginsLater,
    Constant,
    Count,
    Durable,
    Glitches,
    GoesWrong,
    Idle,
    InMemory,
    Leaves,
    LeavesAtOnce,
)


def refined(
    durable: Model, abstract: Model, settings: Settings | None = None, limits: Limits | None = None, **faults: None
) -> Refinement:
    return refine(durable, lift(durable, settings), lift(abstract, Settings(faults)), limits=limits)


def length(found: Refinement) -> int:
    """Of the trace to a step without a counterpart, which is a behaviour of the durable model."""
    trace = found.result.trace(STEPS)
    assert trace is not None and replay(found.result.system, trace) is None
    return len(trace)


def test_a_counter_that_writes_each_count_refines_the_atomic_one() -> None:
    found = refined(Durable(), Count())
    assert found.result.verdict is Verdict.HOLDS
    assert [(p.name, str(p.verdict)) for p in found.result.properties] == [(INITIAL, "holds"), (STEPS, "holds")]
    # 3 crashes spent or not, 4 numbers on disk, one more in memory or not: 21 states; 9 of them can write.
    assert (found.result.distinct, dict(found.matched)) == (21, {"up": 9})
    assert found.stutters + 9 == sum(found.result.coverage.taken)
    assert found.unmatched == ()


def test_one_that_writes_two_counts_at_once_does_not() -> None:
    found = refined(Durable(ahead=2), Count())
    assert found.result.verdict is Verdict.VIOLATED
    assert length(found) == 3  # count, count, write
    before, after = (found.abstract_state(s) for s in found.result.properties[1].trace.states[-2:])  # type: ignore[union-attr]
    assert (before, after) == ((0,), (2,))
    assert [step.after for step in found.allowed(found.result.properties[1].trace.states[-2])] == [(1,)]  # type: ignore[union-attr]


def test_nothing_is_searched_below_the_level_of_a_step_without_a_counterpart() -> None:
    result = refined(Durable(most=100, ahead=2), Count(most=100)).result
    assert result.stop is not None and result.stop.kind == "violated"
    assert (result.depth, result.complete) == (4, False)


def test_what_a_crash_takes_away_is_a_step_back() -> None:
    assert length(refined(InMemory(), Count())) == 2
    assert refined(InMemory(), Count(), Settings(only=frozenset())).result.verdict is Verdict.HOLDS


def test_a_fault_of_the_abstract_model_may_happen_without_limit() -> None:
    assert refined(InMemory(), Glitches(), glitch=None).result.verdict is Verdict.HOLDS
    assert refined(InMemory(ahead=2), Glitches(), glitch=None).result.verdict is Verdict.VIOLATED


def test_a_mapping_to_one_state_puts_nothing_to_the_test() -> None:
    found = refined(Constant(), Count())
    assert found.result.verdict is Verdict.VACUOUS and found.result.verdict.exit_code == 4
    assert found.result.properties[1].remark == "every step stutters: none changes the state of Count"
    assert found.unmatched == ("up",)


def test_an_initial_state_that_stands_for_none_is_named_and_is_a_trace_without_steps() -> None:
    found = refined(BeginsLater(), Count())
    trace = found.result.trace(INITIAL)
    assert found.result.verdict is Verdict.VIOLATED
    assert trace is not None and (len(trace), replay(found.result.system, trace)) == (0, None)
    assert found.abstract_state(trace.states[0]) == (1,)


@pytest.mark.parametrize(
    ("durable", "steps", "said"),
    [
        (Leaves(), 4, "the abstract n becomes greater than 3, which is outside Range(0, 3)"),
        (LeavesAtOnce(), 0, "the abstract n becomes less than 0, which is outside Range(0, 3)"),
    ],
)
def test_a_value_outside_its_kind_is_a_mistake_with_its_line(durable: Model, steps: int, said: str) -> None:
    found = refined(durable, Count())
    assert found.result.verdict is Verdict.MODEL_ERROR
    assert found.result.wrong is not None
    assert (len(found.result.wrong.trace), found.result.wrong.mistake.message) == (steps, said)
    assert "refining.py:" in str(found.result.wrong.mistake.site)
    assert found.result.properties[1].verdict is Verdict.INCONCLUSIVE


def test_a_step_at_which_the_abstract_model_goes_wrong_is_no_counterpart() -> None:
    found = refined(Durable(), GoesWrong())
    assert length(found) == 4  # to 1, and then to 2


def test_a_step_that_changes_nothing_is_counted_as_no_action_and_one_that_is_two_as_both() -> None:
    found = refined(Durable(), Idle())
    assert dict(found.matched) == {"up": 9, "idle": 0}
    assert found.unmatched == ("idle",)


def test_an_action_of_the_durable_model_that_is_never_enabled_is_no_pass() -> None:
    result = refined(Durable(ahead=0), Count()).result
    assert result.verdict is Verdict.VACUOUS
    assert result.missing == ("count_up", "write")


def test_a_limit_leaves_it_open() -> None:
    found = refined(Durable(most=50), Idle(most=50), limits=Limits(max_states=40))
    result = found.result
    assert (found.matched["idle"], found.unmatched) == (0, ())  # it may come later
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.stop is not None and result.stop.reason == "more than 40 states"


def test_a_step_that_has_a_counterpart_after_all_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_of_them(abstract: TransitionSystem, state: State) -> list[refinement.Allowed]:
        return [refinement.Allowed(0, (n,)) for n in range(4)]

    monkeypatch.setattr(refinement, "_steps", all_of_them)
    with pytest.raises(InternalError, match="has one"):
        refined(Durable(ahead=2), Count())


#: What a planner may lose and still look, from outside, like an atomic fence: it is not about the durable record.
HIDDEN = {
    "apply-once",
    "compensate-once",
    "effect-matches-record",
    "malformed-rejected",
    "no-deadlock",
    "no-ghost",
    "settles",
    "stale-rejected",
    "write-ahead",
}
#: The fence that is bumped and committed at in one step skips an epoch, and keeps every property of the record.
SKIPS = {"late-bump"}


@pytest.mark.parametrize("name", VARIANTS)
def test_a_design_refines_the_atomic_fence_if_it_loses_nothing_of_the_record(name: str) -> None:
    found = refined(VARIANTS[name].model(), AtomicFence(), Settings(most_faults=1))
    keeps = set(VARIANTS[name].loses) <= HIDDEN and name not in SKIPS
    assert found.result.verdict is (Verdict.HOLDS if keeps else Verdict.VIOLATED)


def test_the_fenced_planner_refines_the_atomic_fence_under_all_faults() -> None:
    found = refined(Planner(), AtomicFence())
    assert found.result.verdict is Verdict.HOLDS
    assert (found.result.distinct, found.result.generated) == (489_452, 4_621_292)
    assert dict(found.matched) == {"open": 47_910, "commit": 183_168}


def test_a_planner_without_deadlines_never_opens_an_epoch() -> None:
    assert refined(VARIANTS["wait"].model(), AtomicFence(), Settings(most_faults=1)).unmatched == ("open",)


def test_two_calls_are_mapped_one_by_one() -> None:
    found = refined(
        Planner(calls=2, epochs=2), AtomicFence(calls=2, epochs=2), Settings({"delay": 1}, frozenset({"delay"}))
    )
    assert found.result.verdict is Verdict.HOLDS and found.unmatched == ()

"""What k-induction proves with, and that it ends without a verdict where it is stopped."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest
from fenceproof.checker.agreement import merged, said
from fenceproof.checker.engines import kinduction, reach
from fenceproof.checker.engines.kinduction import Proving
from fenceproof.checker.engines.sample import Sample
from fenceproof.checker.limits import Limits, Stop, Watch
from fenceproof.checker.proof import Cti, Reach
from fenceproof.checker.smt.houdini import Houdini
from fenceproof.checker.verdict import Verdict
from fenceproof.model.lift import lift
from fenceproof.model.trace import Trace
from parity import HalfTested, Late
from toys import counter, graph


def test_candidates_that_no_proof_may_use_die() -> None:
    system = graph([(0, 1), (1, 0), (2, 3)], bad=[3])
    x, slot = system.expressions, system.slots[0]
    node = x.slot(0, slot.lo, slot.hi, is_bool=False)
    false_at_first, false_later = x.equal(node, x.const(1)), x.less(node, x.const(1))
    # True of every reachable state, and yet not kept: 2 leads to 3.
    not_inductive, inductive = x.less(node, x.const(3)), x.less(node, x.const(2))
    houdini = Houdini(system, Watch.start(Limits()))
    assert houdini.inductive([not_inductive]) == []
    found = houdini.inductive([false_at_first, false_later, not_inductive, inductive])
    assert found == [not_inductive, inductive]
    assert set(houdini.support([not_inductive], found)) == {not_inductive, inductive}


def test_no_state_twice_proves_what_one_step_does_not() -> None:
    # 2 leads to itself and to the bad 3; nothing else leads to 2, so no simple row of three states ends in 3.
    found = kinduction.check(graph([(0, 1), (1, 0), (2, 2), (2, 3)], bad=[3]), find_lemmas=False)
    fine = next(p for p in found.properties if p.name == "fine")
    assert fine.verdict is Verdict.PROVED
    assert fine.proof is not None
    assert fine.proof.k > 1
    assert fine.proof.simple_path


def test_a_model_that_goes_wrong_proves_nothing() -> None:
    found = kinduction.check(counter(3, wrong_at=2))
    assert found.verdict is Verdict.MODEL_ERROR
    assert found.wrong is not None
    assert len(found.wrong.trace) == 2
    assert not any(p.verdict is Verdict.PROVED for p in found.properties)


def test_a_model_that_may_go_wrong_beyond_the_depth_proves_nothing() -> None:
    found = kinduction.check(counter(3, wrong_at=2), limits=Limits(depth=1))
    assert found.wrong is None
    assert {p.verdict for p in found.properties} <= {Verdict.BOUNDED, Verdict.VIOLATED}


def test_a_time_limit_leaves_everything_inconclusive() -> None:
    ticks = count()
    found = kinduction.check(counter(3), limits=Limits(time_s=1, clock=lambda: float(next(ticks))))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.stop is not None
    assert found.stop.kind == "time"


def test_an_interrupt_leaves_everything_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Proving, "_prove", interrupted)
    found = kinduction.check(graph([(0, 1), (1, 0), (2, 2), (2, 3)], bad=[3]), find_lemmas=False)
    assert found.stop is not None
    assert found.stop.kind == "interrupted"
    assert found.verdict is not Verdict.PROVED


def test_what_too_few_states_show_is_found_by_unrolling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "MOST", 1)
    system = counter(3)
    watch = Watch.start(Limits())
    few = Sample(system, (), Limits(max_states=1), width=None)
    state = (3, *system.initial[0][1:])
    found = reach.Reachability(system, few, watch).label(Cti(Trace((state,), ()), Reach.UNKNOWN, ""))
    assert found.reach is Reach.REACHABLE
    assert found.way is not None
    assert (len(found.way), found.way.states[-1]) == (3, state)
    assert found.why == "it is reached in 3 steps"
    first = Cti(Trace(((1, *system.initial[0][1:]),), ()), Reach.UNKNOWN, "")
    assert reach.Reachability(system, few, watch).label(first).why == "it is reached in 1 step"


def test_what_is_not_found_in_few_steps_may_be_reachable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "MOST", 1)
    monkeypatch.setattr(reach, "STEPS", 2)
    system = counter(3)
    few = Sample(system, (), Limits(max_states=1), width=None)
    state = (3, *system.initial[0][1:])
    found = reach.Reachability(system, few, Watch.start(Limits())).label(Cti(Trace((state,), ()), Reach.UNKNOWN, ""))
    assert found.reach is Reach.UNKNOWN
    assert "nor is it reached in up to 2 steps" in found.why


def test_a_vacuity_that_is_proved_has_no_bound() -> None:
    result = kinduction.check(lift(HalfTested()), limits=Limits(depth=2), find_lemmas=False)
    by_name = {p.name: p for p in result.properties}
    idle, open_ = by_name["idle"], by_name["never-seven"]
    assert (idle.verdict, result.said_of(idle)) == (Verdict.VACUOUS, "vacuous")
    assert said(result, idle).bound is None
    assert result.said_of(open_) == "holds up to 2"
    assert said(result, open_).bound == 2


def test_what_is_not_known_to_be_enabled_keeps_the_whole_open(monkeypatch: pytest.MonkeyPatch) -> None:
    # Too few states are seen for `rest` to be enabled in one.
    monkeypatch.setattr(kinduction, "BUDGET", 0)
    found = kinduction.check(lift(Late()), properties=["no-deadlock"])
    assert found.properties[0].verdict is Verdict.PROVED
    assert found.unsure == ("rest",)
    assert found.verdict is Verdict.INCONCLUSIVE
    together = merged("all", [replace(found, engine="explicit", unsure=(), stop=Stop("time", "over")), found])
    assert together.verdict is Verdict.INCONCLUSIVE

"""What k-induction proves with, and that it ends without a verdict where it is stopped."""

from __future__ import annotations

from itertools import count

import pytest
from fenceproof.checker.engines import kinduction
from fenceproof.checker.engines.kinduction import Proving
from fenceproof.checker.limits import Limits, Watch
from fenceproof.checker.smt.houdini import Houdini
from fenceproof.checker.verdict import Verdict
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

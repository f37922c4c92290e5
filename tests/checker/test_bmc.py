"""Bounded model checking by itself: what it says of each sort of property, and how it ends early."""

from __future__ import annotations

from itertools import count

import pytest
from fenceproof.checker import check
from fenceproof.checker.engines import bmc, explicit
from fenceproof.checker.limits import Limits
from fenceproof.checker.smt.backend import z3
from fenceproof.checker.smt.unroll import Unrolling
from fenceproof.checker.verdict import Verdict
from fenceproof.model.errors import UsageError
from fenceproof.model.kinds import BoolKind
from quota_lease import QuotaLease
from toys import Builder, clock, counter, graph


def test_a_violation_one_step_beyond_the_depth_is_not_seen_and_not_denied() -> None:
    system = counter(5)
    short, enough = (bmc.check(system, limits=Limits(depth=depth)) for depth in (4, 5))
    assert [p.verdict for p in short.properties] == [Verdict.BOUNDED, Verdict.BOUNDED]
    assert (short.verdict, short.said(short.verdict), short.bound) == (Verdict.BOUNDED, "holds up to 4", 4)
    assert [len(p.trace) for p in enough.properties if p.trace is not None] == [5, 5]


def test_nothing_is_counted() -> None:
    result = bmc.check(counter(3), limits=Limits(depth=5))
    assert (result.distinct, result.generated, result.complete) == (None, None, False)
    assert {p.witnesses for p in result.properties} == {None}


def test_an_unrolling_from_any_state_reaches_what_no_behaviour_does() -> None:
    system = graph([(0, 1), (2, 3)], bad=[3])
    for initial, reaches in ((True, False), (False, True)):
        unrolling = Unrolling(system, initial=initial)
        unrolling.extend()
        fine = unrolling.literal(unrolling.term(system.invariants[0].judgement.holds, 1))
        model = unrolling.ask(z3.Not(fine))
        assert (model is not None) == reaches
        if model is not None:
            assert [state[0] for state in unrolling.trace(model, 1).states] == [2, 3]


def test_what_is_learned_to_be_impossible_is_impossible_from_then_on() -> None:
    unrolling = Unrolling(clock())
    literal = unrolling.literal(z3.BoolVal(True))
    assert unrolling.ask(literal) is not None
    unrolling.never(literal)
    assert unrolling.ask(literal) is None


def test_a_depth_that_is_no_number_of_steps_is_refused_from_python_too() -> None:
    with pytest.raises(UsageError, match="1 or more"):
        check(QuotaLease, engine="bmc", limits=Limits(depth=0))
    with pytest.raises(UsageError, match="--engine bmc --depth 3"):
        check(QuotaLease, limits=Limits(depth=3))
    with pytest.raises(UsageError, match="bmc"):
        check(QuotaLease, engine="bmcc")
    assert check(QuotaLease, engine="bmc", limits=Limits(depth=3)).bound == 3


def test_a_limit_keeps_what_was_found_before_it() -> None:
    ticks = count()
    result = bmc.check(counter(5), limits=Limits(depth=50, time_s=3, clock=lambda: float(next(ticks))))
    assert result.stop is not None
    assert (result.stop.kind, result.verdict) == ("time", Verdict.BOUNDED)
    assert result.bound is not None
    assert 0 < result.bound < 5


def test_a_step_without_an_antecedent_does_not_test_a_property_that_has_one_elsewhere() -> None:
    b = Builder({"on": BoolKind()})
    b.act("switch", b.x.negate(b.slot(0)), {0: b.x.true})
    b.act("stay", b.slot(0), {})
    b.on_steps("tried", lambda t: b.judge(b.x.true, b.x.false if t.action == "stay" else None))
    system = b.build([(0,)])
    for result in (explicit.check(system), bmc.check(system, limits=Limits(depth=3))):
        assert [p.verdict for p in result.properties if p.name == "tried"] == [Verdict.VACUOUS]

"""Proofs by an inductive invariant: the verdicts are those of the exploration, and the interpreter accepts them too."""

from __future__ import annotations

import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pytest
from fenceproof.checker.engines import kinduction, pdr
from fenceproof.checker.engines.explicit import check as explicit
from fenceproof.checker.limits import Limits, Watch
from fenceproof.checker.obligations import claims, goes_wrong
from fenceproof.checker.prove import prove
from fenceproof.checker.result import CheckResult, Sort
from fenceproof.checker.smt import horn
from fenceproof.checker.smt.backend import z3
from fenceproof.checker.smt.decode import Decoder
from fenceproof.checker.smt.encode import constant, variables
from fenceproof.checker.smt.induction import Induction, UndecidedError, inductive_part, is_proof
from fenceproof.checker.verdict import Verdict
from fenceproof.model.expressions import Expression, evaluate
from fenceproof.model.kinds import BoolKind, RangeKind
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take
from fenceproof.model.system import State, TransitionSystem
from random_models import random_model
from toys import Builder, clock, counter, graph

Prover = Callable[..., CheckResult]
MOST_STATES = 3_000


def random_system(seed: int) -> TransitionSystem:
    return lift(random_model(seed))


SYSTEMS: dict[str, Callable[[], TransitionSystem]] = {
    "clock": clock,
    "counter": lambda: counter(5),
    "counter that goes wrong": lambda: counter(5, wrong_at=2),
    "one that goes wrong out of reach": lambda: graph([(0, 1), (1, 0), (2, 3)], bad=[3]),
    "graph": lambda: graph([(0, 1), (1, 2), (2, 0), (3, 4)], bad=[4]),
    "bad graph": lambda: graph([(0, 1), (1, 2)], bad=[2]),
    "fault": lambda: graph([(0, 1), (1, 0), (1, 2)], faults=[(1, 2)]),
    "detour": lambda: graph([(0, 1), (1, 0)], detour=[(0, 1)], bad=[1]),
    **{f"random {seed}": partial(random_system, seed) for seed in range(30)},
}
PROVERS = [pytest.param(prove, id="prove"), pytest.param(pdr.check, id="pdr")]


def all_states(system: TransitionSystem) -> Iterator[State]:
    return itertools.product(*(range(s.lo, s.hi + 1) for s in system.slots))


def is_inductive(system: TransitionSystem, invariant: Sequence[Expression], bad: Expression) -> bool:
    """By the interpreter, state by state: true at first, kept by every step, and free of what is bad."""

    def inside(state: State) -> bool:
        return all(evaluate(invariant, state))

    if not all(map(inside, system.initial)):
        return False
    for state in filter(inside, all_states(system)):
        if evaluate([bad], state)[0]:
            return False
        for position in enabled(system, state):
            after = take(system.transitions[position], state).state
            if after is not None and not inside(after):
                return False
    return True


def said(result: CheckResult) -> dict[str, tuple[str, int | None]]:
    """Each safety property's verdict and the length of its trace, whether it holds by proof or by exploration."""
    return {
        p.name: ("holds" if p.verdict is Verdict.PROVED else str(p.verdict), None if p.trace is None else len(p.trace))
        for p in result.properties
        if p.sort is not Sort.LIVENESS
    }


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("prover", PROVERS)
def test_a_proof_says_what_the_exploration_says(prover: Prover, name: str) -> None:
    system = SYSTEMS[name]()
    # What may go wrong in judging whole behaviours is not asked about in a proof.
    safety = [claim.name for claim in claims(system, None)]
    expected, found = explicit(system, properties=safety), prover(system, properties=safety)
    assert said(found) == said(expected)
    assert (found.wrong is None) == (expected.wrong is None)
    assert found.missing == expected.missing


def is_small(system: TransitionSystem) -> bool:
    return sum(1 for _ in itertools.islice(all_states(system), MOST_STATES + 1)) <= MOST_STATES


@pytest.mark.parametrize("name", [name for name, made in SYSTEMS.items() if is_small(made())])
@pytest.mark.parametrize("prover", PROVERS)
def test_the_interpreter_accepts_each_invariant(prover: Prover, name: str) -> None:
    system = SYSTEMS[name]()
    bad = {claim.name: claim.bad for claim in claims(system, None)}
    wrong = goes_wrong(system, None)
    for found in prover(system).properties:
        if found.verdict is Verdict.PROVED:
            assert found.proof is not None
            assert is_inductive(system, found.proof.invariant, system.expressions.disjoin((bad[found.name], wrong)))


def ring() -> TransitionSystem:
    """Goes round 0, 1, 2; from 3, which is out of reach, to 4, which is bad."""
    return graph([(0, 1), (1, 2), (2, 0), (3, 4)], bad=[4])


def test_what_is_needed_of_an_invariant_is_found_and_nothing_else() -> None:
    system = ring()
    x, node = system.expressions, system.expressions.slot(0, 0, 4, is_bool=False)
    low, idle = x.less(node, x.const(3)), x.negate(x.equal(node, x.const(3)))
    assert inductive_part(Induction(system), [idle, low], claims(system, ["fine"])[0].bad) == (low,)


@pytest.mark.parametrize("weak", [(), (4,), (1,), (4, 1)])
def test_a_weak_invariant_is_refused(weak: tuple[int, ...]) -> None:
    system = ring()
    x, node = system.expressions, system.expressions.slot(0, 0, 4, is_bool=False)
    bad = claims(system, ["fine"])[0].bad
    invariant = [x.negate(x.equal(node, x.const(n))) for n in weak]
    assert not is_proof(system, invariant, bad)
    assert inductive_part(Induction(system), invariant, bad) is None
    assert is_proof(system, [x.less(node, x.const(3))], bad)


def test_an_invariant_that_is_false_at_first_is_refused() -> None:
    system = ring()
    x, node = system.expressions, system.expressions.slot(0, 0, 4, is_bool=False)
    elsewhere = x.equal(node, x.const(3))
    bad = claims(system, ["fine"])[0].bad
    assert not is_proof(system, [elsewhere, x.false], bad)
    assert inductive_part(Induction(system), [x.false], bad) is None


def test_what_spacer_finds_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdr, "LAST_S", pdr.FIRST_S)

    def nothing(system: TransitionSystem, *_: object) -> list[Expression]:
        return [system.expressions.true]

    monkeypatch.setattr(pdr, "ask_spacer", nothing)
    result = pdr.check(ring(), properties=["fine"])
    assert [p.verdict for p in result.properties] == [Verdict.INCONCLUSIVE]
    assert result.stop is not None and result.stop.kind == "solver"


def test_a_state_that_spacer_says_is_reached_is_no_violation_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdr, "LAST_S", pdr.FIRST_S)

    def reachable(*_: object) -> horn.Answer:
        return horn.Answer.REACHABLE

    monkeypatch.setattr(pdr, "ask_spacer", reachable)
    result = pdr.check(ring(), properties=["fine"])
    assert [p.verdict for p in result.properties] == [Verdict.INCONCLUSIVE]


def test_nothing_is_proved_while_the_model_may_go_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    b = Builder({"n": RangeKind(0, 4)})
    n = b.slot(0)
    onward = b.x.choose(b.x.less(n, b.x.const(2)), b.x.add(n, b.x.const(1)), b.x.const(0))
    b.act("round", b.x.true, {0: onward}, mistake=b.x.number(b.x.equal(n, b.x.const(4))))
    b.always("low", b.x.less(n, b.x.const(3)))
    system = b.build([(0,)])
    assert pdr.check(system).verdict is Verdict.PROVED
    wrong, ask = goes_wrong(system, None), horn.ask_spacer

    def gives_up(
        system: TransitionSystem, bad: Expression, lemmas: Sequence[Expression], seconds: float, watch: Watch
    ) -> object:
        if bad is wrong:
            raise UndecidedError
        return ask(system, bad, lemmas, seconds, watch)

    monkeypatch.setattr(pdr, "LAST_S", pdr.FIRST_S)
    monkeypatch.setattr(pdr, "ask_spacer", gives_up)
    assert {p.verdict for p in pdr.check(system).properties} == {Verdict.INCONCLUSIVE}


def test_pdr_finds_what_lies_deeper_than_its_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdr, "PROBE", 1)
    result = pdr.check(counter(12))
    assert [(p.verdict, p.trace and len(p.trace)) for p in result.properties] == [(Verdict.VIOLATED, 12)] * 2


def test_pdr_proves_without_a_complete_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdr, "PROBE", 1)
    found = pdr.check(ring())
    assert found.verdict is Verdict.VACUOUS
    assert [p.verdict for p in found.properties] == [Verdict.PROVED] * 2
    assert found.missing == ("3-4",)


@pytest.mark.parametrize("prover", PROVERS)
def test_a_property_that_is_never_tested_is_vacuous(prover: Prover, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdr, "PROBE", 1)
    b = Builder({"n": RangeKind(0, 4)})
    n = b.slot(0)
    b.act("round", b.x.true, {0: b.x.choose(b.x.less(n, b.x.const(2)), b.x.add(n, b.x.const(1)), b.x.const(0))})
    b.always("seldom", b.x.true, exercised=b.x.equal(n, b.x.const(3)))
    b.always("late", b.x.true, exercised=b.x.equal(n, b.x.const(2)))
    found = {p.name: p.verdict for p in prover(b.build([(0,)])).properties}
    assert found["seldom"] is Verdict.VACUOUS
    assert found["late"] is Verdict.PROVED


def test_an_interrupt_leaves_what_is_open_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        threading.main_thread().join(0.5)

    monkeypatch.setattr(z3.Fixedpoint, "query", interrupted)
    result = pdr.check(ring())
    assert result.stop is not None and result.stop.kind == "interrupted"
    assert {p.verdict for p in result.properties} == {Verdict.INCONCLUSIVE}


def test_when_the_memory_is_over_the_proof_is() -> None:
    for engine in (pdr.check, kinduction.check):
        result = engine(ring(), limits=Limits(memory_bytes=1))
        assert {p.verdict for p in result.properties} == {Verdict.INCONCLUSIVE}
        assert result.stop is not None and result.stop.kind == "memory"


@pytest.mark.parametrize("prover", PROVERS)
def test_when_the_time_is_over_nothing_is_proved(prover: Prover) -> None:
    ticks = itertools.count(0, 10)
    result = prover(ring(), limits=Limits(time_s=5, clock=lambda: float(next(ticks))))
    assert {p.verdict for p in result.properties} == {Verdict.INCONCLUSIVE}
    assert result.stop is not None and result.stop.kind == "time"


def test_what_is_too_large_to_be_explored_is_for_spacer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fenceproof.checker.engines.enclose.MOST_STATES", 1)
    result = prove(ring(), properties=["fine"])
    by_engine = {each.engine: [p.verdict for p in each.properties] for each in result.engines}
    assert by_engine["pdr"] == [Verdict.PROVED] and by_engine.get("enclose") in (None, [Verdict.INCONCLUSIVE])
    assert [p.verdict for p in result.properties] == [Verdict.PROVED]


def test_terms_are_read_back_as_they_are_meant() -> None:
    b = Builder({"a": RangeKind(-1, 5), "b": RangeKind(1, 3), "on": BoolKind()})
    system = b.build([(0, 1, 0)])
    terms = variables(system.slots, "")
    p, q, on = terms
    wide = z3.ZeroExt(1, q)
    number = z3.BitVecVal
    conditions = [
        z3.And(z3.UGT(p, wide), z3.Not(z3.Or(on, q == 1))),
        z3.Or(p < wide, z3.Extract(1, 1, p) == number(1, 1)),
        z3.ULE(p + wide, number(3, 3)),
        z3.SignExt(2, p) >= number(-2, 5),
        z3.Concat(q, p) == number(9, 5),
        z3.If(on, p, ~p) == number(2, 3),
        z3.UGE(-p, 3 * wide),
        (p & wide) == number(1, 3),
        z3.Xor(on, z3.ULT(p - wide, number(2, 3))),
        z3.Distinct(p, wide),
        z3.Implies(on, p <= number(1, 3)),
        z3.URem(p, number(3, 3)) == number(1, 3),
    ]
    decoder = Decoder(system, terms)
    for condition in conditions:
        read = decoder.conjuncts(condition)
        for state in all_states(system):
            given = [(t, constant(s, v)) for t, s, v in zip(terms, system.slots, state, strict=True)]
            meant = z3.is_true(z3.simplify(z3.substitute(condition, *given)))
            assert all(evaluate(read, state)) == meant, (condition, state)


def test_a_term_that_is_gone_lends_its_meaning_to_no_other() -> None:
    system = Builder({"n": RangeKind(0, 7)}).build([(0,)])
    terms = variables(system.slots, "")
    decoder = Decoder(system, terms)
    for number in range(8):
        # z3 may give this term the number of the one before, which is gone by now.
        read = decoder.conjuncts(terms[0] == z3.BitVecVal(number, 3))
        assert [n for n in range(8) if all(evaluate(read, (n,)))] == [number]

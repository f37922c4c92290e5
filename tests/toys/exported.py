"""The systems that every export is tried on, and what is true of each: after how many steps a property falls."""

from __future__ import annotations

import functools
import runpy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from depths import MODEL_ERROR, Explored, explore
from fenceproof.checker.api import property_names
from fenceproof.checker.engines import explicit
from fenceproof.model.budgets import Settings
from fenceproof.model.kinds import BoolKind, RangeKind
from fenceproof.model.lift import lift
from fenceproof.model.system import DEADLOCK, Invariant, Judgement, Mistake, TransitionSystem
from fenceproof.specs.variants import VARIANTS
from random_models import random_model
from toys import Builder, clock, counter, graph

EXAMPLES: Final = Path(__file__).resolve().parents[2] / "docs" / "examples"
#: Beside the first ones a few whose models go wrong, are stuck, or fall where nothing but faults is left.
SEEDS: Final = (*range(24), 27, 30, 36, 45, 96, 97)


def sums() -> TransitionSystem:
    """Every operation at the ends of its ranges: quotients, remainders, products of negative numbers."""
    b = Builder({"a": RangeKind(-15, 3), "b": RangeKind(-14, 14), "to": RangeKind(-45, 60), "one": RangeKind(7, 7)})
    x, (a, c, to, one) = b.x, (b.slot(i) for i in range(4))
    b.act("up", x.less(a, x.const(-13)), {0: x.add(a, x.const(1))})
    b.act("turn", x.negate(x.equal(c, x.const(0))), {1: x.subtract(x.const(0), c)})
    b.act("divide", x.true, {2: x.divide(a, c)})
    b.act("rest", x.true, {2: x.modulo(a, c)})
    b.act("times", x.true, {2: x.choose(x.less(a, x.const(-4)), x.subtract(a, one), x.multiply(a, x.const(-3)))})
    for value in (-2, -1, 1, 13, -13, -22, 12, -9, 5):
        b.always(f"to is not {value}", x.negate(x.equal(to, x.const(value))))
    b.always("steady", x.negate(x.equal(x.add(to, one), x.const(-15))))
    return b.build([(-15, 14, 60, 7), (-15, 4, 60, 7), (2, 5, 60, 7), (3, 0, 60, 7)], name="sums")


def named() -> TransitionSystem:
    """Names that are words of the formats, or no symbols of theirs, or differ in what a symbol cannot hold."""
    names = ["let", "next", "reachable", "step", "a b", "a%20b", "é", "0", ".x", "|", '"', "x@1", "$first", "n;", "_"]
    b = Builder({name: BoolKind() for name in names})
    x = b.x
    for number in range(len(names)):
        before = b.slot(number - 1) if number else x.true
        b.act(names[number] + "\n(check-sat)", before, {number: x.true})
    b.always("all\n1 bad", x.negate(x.conjoin(b.slot(i) for i in range(len(names)))))
    b.on_steps("$first", lambda t: b.judge(x.negate(x.conjoin([b.slot(3), b.next(4)]))))
    b.terminal = b.judge(x.true)
    return b.build([(0,) * len(names)], name="named\n(exit)")


def judged() -> TransitionSystem:
    """Counts; judging goes wrong at 4 for an invariant and for steps to 3; what is said at rest falls at 5."""
    b = Builder({"n": RangeKind(0, 5)})
    x, n, after = b.x, b.slot(0), b.next(0)
    b.act("up", x.less(n, x.const(5)), {0: x.add(n, x.const(1))})
    b.act("drop", x.equal(n, x.const(5)), {0: x.const(1)}, fault="drop")

    def wrong_at(where: int) -> Judgement:
        code = x.number(x.equal(n, x.const(where)))
        return Judgement(x.negate(x.equal(n, x.const(where))), None, code, (Mistake("wrong", None),))

    b.invariants.append(Invariant("wrong at 4", wrong_at(4), "it", None))
    b.invariants.append(Invariant("rests at 4", b.judge(x.equal(n, x.const(4))), "it", None, quiescent=True))
    b.invariants.append(Invariant("wrong at rest", wrong_at(0), "it", None, quiescent=True))
    b.on_steps(
        "never from 3 to 4",
        lambda t: b.judge(x.negate(x.conjoin([x.equal(n, x.const(3)), x.equal(after, x.const(4))]))),
    )
    b.on_steps("wrong from 2", lambda t: wrong_at(2))
    return b.build([(0,), (1,)], name="judged")


def stops() -> TransitionSystem:
    """Counts to 3 and is then left with a fault; whether it may rest cannot be judged there, nor at 1, on its way."""
    b = Builder({"n": RangeKind(0, 3)})
    x, n = b.x, b.slot(0)
    b.act("up", x.less(n, x.const(3)), {0: x.add(n, x.const(1))})
    b.act("drop", x.equal(n, x.const(3)), {0: x.const(2)}, fault="drop")
    code = x.number(x.disjoin([x.equal(n, x.const(3)), x.equal(n, x.const(1))]))
    b.terminal = Judgement(x.false, None, code, (Mistake("wrong", None),))
    return b.build([(0,)], name="stops")


_TOYS: Final[dict[str, Callable[[], TransitionSystem]]] = {
    "counter": lambda: counter(5),
    "counter that goes wrong": lambda: counter(5, wrong_at=3),
    "counter to a power of two": lambda: counter(8),
    "clock": clock,
    "graph": lambda: graph([(0, 1), (1, 2), (2, 0), (1, 3)], faults=[(1, 3)], bad=[3]),
    "graph without a bad node": lambda: graph([(0, 1), (1, 2), (2, 0)]),
    "graph with nowhere to go": lambda: graph([(0, 1), (1, 2)]),
    "graph begun in three nodes": lambda: graph([(0, 1), (1, 2), (2, 3), (3, 4), (6, 6)], bad=[4], initial=(6, 2, 0)),
    "graph begun in a bad node": lambda: graph([(0, 1), (1, 0)], bad=[0]),
    "sums": sums,
    "named": named,
    "judged": judged,
    "stops": stops,
    "lease": lambda: lease(True),
    "lease without a fence": lambda: lease(False),
}
TOYS: Final = tuple(_TOYS)
RANDOM: Final = tuple(f"random {seed}" for seed in SEEDS)
SMALL: Final = (*TOYS, *RANDOM)


def lease(fenced: bool) -> TransitionSystem:
    return lift(runpy.run_path(str(EXAMPLES / "lease.py"))["Lease"](fenced=fenced))


@functools.cache
def system_of(name: str) -> TransitionSystem:
    """A system by its name."""
    if name in _TOYS:
        return _TOYS[name]()
    sort, _, which = name.partition(" ")
    if sort == "random":
        system = lift(random_model(int(which)))
        # Each third begins in several states.
        return replace(system, initial=tuple(explore(system).states)[:12:5]) if int(which) % 3 == 0 else system
    return lift(VARIANTS[which].model(epochs=2), Settings(most_faults=1))


@functools.cache
def truth_of(name: str) -> Explored:
    """What is true of a small system; the plain search and the explicit engine agree on it."""
    system = system_of(name)
    found = explore(system)
    lively = {p.name for p in system.liveness}
    engine = explicit.check(system, properties=[n for n in property_names(system) if n not in lively])
    fell = {p.name: len(p.trace) for p in engine.properties if p.trace is not None}
    if engine.wrong is None:
        assert fell == found.falls, name
        assert engine.visited == len(found.states), name
    else:
        # It stops there, and says what fell before.
        assert len(engine.wrong.trace) + (engine.wrong.trace.mistake is not None) == found.falls[MODEL_ERROR]
        assert fell.items() <= found.falls.items(), name
    return found


def depths_of_variant(name: str) -> dict[str, int]:
    """The lengths of the explicit engine's counterexamples, for a system that is too large for a plain search."""
    system = system_of(name)
    lively = {p.name for p in system.liveness}
    engine = explicit.check(system, properties=[n for n in property_names(system) if n not in lively])
    assert engine.wrong is None
    return {p.name: len(p.trace) for p in engine.properties if p.trace is not None}


def asked(name: str) -> list[str]:
    """Every question that an export of a system has, in its order."""
    system = system_of(name)
    found = [*(p.name for p in system.step_properties), *(i.name for i in system.invariants), DEADLOCK]
    codes = [t.mistake for t in system.transitions]
    codes += [j.mistake for p in system.step_properties for j in p.judgements]
    codes += [i.judgement.mistake for i in system.invariants]
    may_go_wrong = any(not c.is_const or c.value for c in [*codes, system.terminal.mistake])
    return [*found, MODEL_ERROR] if may_go_wrong else found

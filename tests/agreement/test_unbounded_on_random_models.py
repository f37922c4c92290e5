"""What is proved of every number, on random models, against the states that are met with few; and what is violated,
replayed with the numbers of its trace; and the proofs, put to solvers as a certificate holds them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from _pytest.mark import ParameterSet
from fenceproof.checker.certificate.asking import Said, ask_solvers
from fenceproof.checker.certificate.document import Proved, certificate
from fenceproof.checker.certificate.making import conjuncts_of
from fenceproof.checker.certificate.solvers import SOLVERS
from fenceproof.checker.engines import explicit, unbounded
from fenceproof.checker.limits import Limits
from fenceproof.checker.parametric import prover
from fenceproof.checker.result import CheckResult
from fenceproof.checker.verdict import Verdict
from fenceproof.checker.violation import ends_in_violation
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import ModelError
from fenceproof.model.expressions import PREDICATE, UNBOUNDED
from fenceproof.model.lift import lift
from fenceproof.model.step import is_enabled, judge_state, judge_step, take
from fenceproof.model.system import DEADLOCK, State, Transition, TransitionSystem
from fenceproof.model.trace import Trace, replay
from random_naturals import random_naturals

#: Numbers up to this one are put in, and no state with a larger one is followed.
FEW = 4
#: A number that is this much larger than all others stands for every number that is.
BEYOND = 6
MOST_STATES = 250
#: Seconds that Spacer has for a question; what it does not find by then is inconclusive, and compared with nothing.
SPACER_S = 1.0
#: Of every state and step; what is of quiescent ones is another matter where numbers end.
EVERYWHERE = ("safe", "implied", "stepping", "growing")


def groups(some: int, most: int) -> list[ParameterSet]:
    """Some of the groups of seeds in every longer run, and the rest where time does not count."""
    return [pytest.param(n, marks=pytest.mark.slow if n < some else pytest.mark.long) for n in range(most)]


@pytest.fixture(autouse=True)
def little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover, "SPACER_S", SPACER_S)


@dataclass
class Met:
    """What was met in some states: properties that are violated and that are put to the test, and a mistake."""

    violated: set[str] = field(default_factory=set[str])
    tested: set[str] = field(default_factory=set[str])
    is_wrong: bool = False


def numbers(t: Transition, most: int) -> Iterator[tuple[int, ...]]:
    """The arguments of a transition, up to a number."""
    return itertools.product(*(range(parameter.lo, most + 1) for _, parameter in t.params))


def largest(system: TransitionSystem, state: State) -> int:
    """The largest number in a state, or in a set of it."""
    pairs = zip(system.slots, state, strict=True)
    return max(v.bit_length() - 1 if s.hi == PREDICATE else v for s, v in pairs if s.hi >= UNBOUNDED)


def is_quiescent(system: TransitionSystem, state: State) -> bool:
    most = largest(system, state) + BEYOND
    return not any(
        is_enabled(t, state, params) for t in system.transitions if t.fault is None for params in numbers(t, most)
    )


def met(system: TransitionSystem) -> Met:
    """What is met in the states with few numbers, one by one, by the meaning of a step."""
    found = Met()
    waiting = list(system.initial)
    seen = set(waiting)
    for state in waiting:
        quiet = is_quiescent(system, state)
        if quiet and not judge_state(system.terminal, state).holds:
            found.violated.add(DEADLOCK)
        for invariant in system.invariants:
            if quiet or not invariant.quiescent:
                judged = judge_state(invariant.judgement, state)
                found.violated |= set() if judged.holds else {invariant.name}
                found.tested |= {invariant.name} if judged.exercised else set()
        for position, t in enumerate(system.transitions):
            for params in numbers(t, FEW):
                if not is_enabled(t, state, params):
                    continue
                after = take(t, state, params).state
                if after is None:
                    found.is_wrong = True
                    continue
                for prop in system.step_properties:
                    if not judge_step(prop.judgements[position], t, state, after, params).holds:
                        found.violated.add(prop.name)
                if after not in seen and len(seen) < MOST_STATES and largest(system, after) <= FEW:
                    seen.add(after)
                    waiting.append(after)
    return found


def is_behaviour(system: TransitionSystem, whole: TransitionSystem, trace: Trace) -> bool:
    """Whether a trace, whose steps are of the system with numbers written out, is one of the system itself."""
    for before, after, position in zip(trace.states, trace.states[1:], trace.transitions, strict=False):
        step = whole.transitions[position]
        if not any(_leads(t, step, before, after) for t in system.transitions if t.action == step.action):
            return False
    return trace.states[0] in system.initial and len(trace.states) == len(trace.transitions) + 1


def _leads(t: Transition, step: Transition, before: State, after: State) -> bool:
    values = tuple(step.args[name] for name, _ in t.params)
    params = [value for value in values if isinstance(value, int)]
    fits = all(value >= parameter.lo for value, (_, parameter) in zip(params, t.params, strict=True))
    return fits and is_enabled(t, before, params) and take(t, before, params).state == after


def violated_with_few(seed: int) -> set[str]:
    """What the explicit engine finds violated of a model with few numbers; nothing where no action is left to it."""
    try:
        few = lift(random_naturals(seed, FEW))
    except ModelError:
        return set()
    counted = explicit.check(few, limits=Limits(max_states=5_000))
    return {p.name for p in counted.properties if p.verdict is Verdict.VIOLATED and p.name in EVERYWHERE}


def compared(seeds: Sequence[int]) -> set[Verdict]:
    """The verdicts that were seen, none of which is contradicted."""
    seen = set[Verdict]()
    for seed in seeds:
        model = random_naturals(seed)
        system = lift(model)
        found = unbounded.check(system)
        assert found.proved_of is system
        # A proof is one whatever the budgets are.
        few = met(lift(model, Settings(budgets=dict.fromkeys(system.faults))))
        bounded = violated_with_few(seed)
        for p in found.properties:
            seen.add(p.verdict)
            if p.verdict is Verdict.VIOLATED:
                trace = found.trace(p.name)
                assert trace is not None
                assert replay(found.system, trace) is None
                assert ends_in_violation(found.system, p.name, trace), (seed, p.name)
                assert is_behaviour(system, found.system, trace), (seed, p.name)
            elif p.verdict is not Verdict.INCONCLUSIVE:
                assert p.verdict in (Verdict.PROVED, Verdict.VACUOUS), (seed, p.name, p.verdict)
                assert p.name not in few.violated | bounded, (seed, p.name)
                assert not few.is_wrong, (seed, p.name)
                assert p.verdict is Verdict.PROVED or p.name not in few.tested, (seed, p.name)
    return seen


def certified(found: CheckResult) -> int:
    """How many properties were proved, each of which solvers accept as a certificate asks them."""
    names = [p.name for p in found.proved]
    if names:
        conjuncts = list(dict.fromkeys(conjuncts_of(found, names)))
        _, wanted = certificate("random.py", [Proved(found.proved_of, names, conjuncts)])
        (answers,) = ask_solvers([SOLVERS["z3"], SOLVERS["cvc5"]], wanted, 60.0)
        assert [answer.said for answer in answers] == [Said.ACCEPTED, Said.ACCEPTED], answers
    return len(names)


def test_what_is_proved_of_every_number_is_not_violated_by_a_few() -> None:
    assert compared(range(24)) == {Verdict.PROVED, Verdict.VIOLATED, Verdict.VACUOUS, Verdict.INCONCLUSIVE}


@pytest.mark.parametrize("group", groups(3, 20))
def test_what_is_proved_of_more_models_is_not_violated_by_a_few_numbers(group: int) -> None:
    assert Verdict.PROVED in compared(range(100 + 50 * group, 150 + 50 * group))


def test_what_is_proved_of_every_number_is_accepted_by_other_solvers() -> None:
    assert sum(certified(unbounded.check(lift(random_naturals(seed)))) for seed in range(6)) > 10


@pytest.mark.parametrize("group", groups(1, 10))
def test_what_is_proved_of_more_models_is_accepted_by_other_solvers(group: int) -> None:
    seeds = range(100 + 20 * group, 120 + 20 * group)
    assert sum(certified(unbounded.check(lift(random_naturals(seed)))) for seed in seeds) > 20

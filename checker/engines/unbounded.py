"""The engine for numbers without a bound: an invariant over the integers, true of every number, for each property.

It proves, or says nothing: what it fails to prove may hold all the same, and it gives no counterexamples. Liveness is
not its business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from fenceproof.model.system import DEADLOCK, TransitionSystem

from ..limits import Limits, Progress, Stop, Watch
from ..parametric.prover import Prover
from ..proof import Proof
from ..result import CheckResult, Coverage, PropertyResult, Sort
from ..unsaid import nothing_found
from ..verdict import Verdict

METHOD = "induction over the integers, for every number at once"


def check(
    system: TransitionSystem,
    *,
    properties: Sequence[str] | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> CheckResult:
    """Try to prove each property of a system, whose numbers may have no bound."""
    watch = Watch.start(limits or Limits())
    prover = Prover(system, watch)
    nothing = nothing_found(system, "pdr", properties, None, 0.0)
    asked = [p for p in nothing.properties if p.sort is not Sort.LIVENESS]
    found: dict[str, PropertyResult] = {}
    stop: Stop | None = None
    try:
        unerring = prover.show(prover.parametric.mistakes())
        # What is about quiescent states takes longest, and is helped most by what was found before.
        for question in sorted(asked, key=lambda q: _is_quiescent(system, q.name)):
            verdict, proof = _prove(prover, question.name) if unerring is not None else (Verdict.INCONCLUSIVE, None)
            if proof is not None and unerring is not None:
                proof = replace(proof, unerring=unerring.invariant)
            found[question.name] = replace(question, verdict=verdict, proof=proof)
            if progress is not None:
                progress(Progress(len(found), 0, 0, watch.seconds))
        coverage = _coverage(prover, system)
    except KeyboardInterrupt:
        stop = Stop("interrupted", "the proof was interrupted")
        coverage = Coverage((), ())
    results = [found.get(p.name, p) for p in nothing.properties]
    return CheckResult(
        system=system,
        engine="pdr",
        properties=tuple(results),
        distinct=0,
        generated=0,
        depth=0,
        stop=stop or watch.stop(0, 0),
        wrong=None,
        coverage=coverage,
        seconds=watch.seconds,
    )


def _is_quiescent(system: TransitionSystem, name: str) -> bool:
    return name == DEADLOCK or any(i.quiescent for i in system.invariants if i.name == name)


def _prove(prover: Prover, name: str) -> tuple[Verdict, Proof | None]:
    p = prover.parametric
    shown = None if prover.is_over() else prover.show(p.violations(name), p.without_quiescence(name))
    if shown is None:
        return Verdict.INCONCLUSIVE, None
    if name not in prover.samples.tested:
        never = p.tests(name)
        if never is not None and prover.is_never(never):
            return Verdict.VACUOUS, None
    return Verdict.PROVED, Proof(METHOD, shown.invariant)


def _coverage(prover: Prover, system: TransitionSystem) -> Coverage:
    """Which transitions can be taken: those that a walk took, and those not shown to be impossible."""
    walked = {system.transitions[i].action for i in prover.samples.taken}
    others = dict.fromkeys(t.action for t in system.transitions if t.action not in walked)
    never = {action for action in others if prover.is_never(prover.parametric.enabled(action))}
    taken = tuple(int(t.action not in never) for t in system.transitions)
    return Coverage(taken, tuple(0 for _ in taken))

"""The engine for numbers without a bound: an invariant over the integers, true of every number, for each property.

What is violated with few numbers is found by visiting those states, and replayed without the bound. For the rest it
proves, or says nothing: what it fails to prove may hold all the same. Liveness is not its business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from fenceproof.model.errors import ModelError
from fenceproof.model.system import DEADLOCK, TransitionSystem
from fenceproof.model.trace import Trace

from ..limits import PROOF_INTERRUPTED, Limits, Progress, Stop, Watch
from ..parametric.prover import Prover, Shown
from ..parametric.reached import Reached, reach
from ..proof import Proof
from ..result import CheckResult, Coverage, PropertyResult, Sort
from ..smt.watched import StoppedError, exceeded
from ..unsaid import liveness_unsaid, nothing_found
from ..verdict import Verdict

#: What is said of a property that is never violated, where it is not known whether that says anything.
UNTESTED = "it is never violated, but whether it is ever put to the test was not found out"
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
    nothing = nothing_found(system, "pdr", properties, None, 0.0)
    asked = [p for p in nothing.properties if p.sort is not Sort.LIVENESS]
    found: dict[str, PropertyResult] = {}
    reached = Reached(system)
    never: frozenset[str] = frozenset()
    stop: Stop | None = None
    try:
        reached = reach(system, [p.name for p in asked], watch)
        found = {p.name: _violated(p, reached.violated[p.name]) for p in asked if p.name in reached.violated}
        if reached.wrong is None:
            prover = Prover(system, watch)
            unerring = prover.show(prover.parametric.mistakes())
            # What is about quiescent states takes longest, and is helped most by what was found before.
            for question in sorted(asked, key=lambda q: _is_quiescent(system, q.name)):
                if question.name not in found:
                    found[question.name] = _proved(prover, reached, question, unerring)
                if progress is not None:
                    progress(Progress(len(found), 0, 0, watch.seconds))
            never = _never_enabled(prover, reached, system)
    except StoppedError as error:
        stop = error.stop
    except KeyboardInterrupt:
        stop = PROOF_INTERRUPTED
    except ModelError as error:
        # Without a bound nothing is too large; with few numbers the states that are visited have words of 64 bits.
        stop = Stop("engine", str(error).splitlines()[0])
    # A trace needs a name for each step, and there is none for an action with any number.
    shown = reached.whole if reached.violated or reached.wrong is not None else system
    return CheckResult(
        system=shown,
        engine="pdr",
        properties=(*(found.get(p.name, p) for p in asked), *liveness_unsaid(system, properties, "pdr")),
        distinct=None,
        generated=None,
        depth=0,
        stop=stop or exceeded(watch),
        wrong=reached.wrong,
        coverage=Coverage(tuple(int(t.action not in never) for t in shown.transitions), (0,) * len(shown.transitions)),
        seconds=watch.seconds,
        lifted=None if shown is system else system,
    )


def _violated(question: PropertyResult, trace: Trace) -> PropertyResult:
    return replace(question, verdict=Verdict.VIOLATED, trace=trace, witnesses=None)


def _is_quiescent(system: TransitionSystem, name: str) -> bool:
    return name == DEADLOCK or any(i.quiescent for i in system.invariants if i.name == name)


def _proved(prover: Prover, reached: Reached, question: PropertyResult, unerring: Shown | None) -> PropertyResult:
    """A property as far as it is proved, of a model that was shown not to go wrong (None: it was not)."""
    p, name = prover.parametric, question.name
    shown = None if unerring is None else prover.show(p.violations(name))
    if shown is None or unerring is None:
        return question
    if name not in reached.tested:
        never = p.tests(name)
        if never is not None and prover.show(never) is not None:
            return replace(question, verdict=Verdict.VACUOUS)
        if never is not None:
            return replace(question, remark=UNTESTED)
    return replace(question, verdict=Verdict.PROVED, proof=Proof(METHOD, shown.invariant, unerring=unerring.invariant))


def _never_enabled(prover: Prover, reached: Reached, system: TransitionSystem) -> frozenset[str]:
    """The actions that are shown to be impossible."""
    others = dict.fromkeys(t.action for t in system.transitions if t.action not in reached.taken)
    return frozenset(a for a in others if prover.show(prover.parametric.enabled(a)) is not None)

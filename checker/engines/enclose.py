"""Proof by enclosing: a system of up to some million states is explored, which takes a second, and an inductive
invariant is put around what was reached.

That is more robust than property-directed reachability, where it can be done: on the fenced planner it proves all
twelve safety properties in half a second after the exploration, where Spacer does not decide one of them in half a
minute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from fenceproof.model.expressions import Expression
from fenceproof.model.system import TransitionSystem

from ..limits import PROOF_INTERRUPTED, Limits, Progress, Watch, go_on
from ..obligations import Claim, claims, goes_wrong
from ..proof import Proof
from ..result import CheckResult, Coverage, PropertyResult
from ..smt.induction import Induction, UndecidedError, inductive_part, is_proof
from ..smt.watched import StoppedError
from ..unsaid import liveness_unsaid
from ..verdict import Verdict
from .enclosure import Enclosure, Reached
from .explicit import Search, explore, judged
from .finite import refuse_unbounded
from .shortest import Backwards

#: More states than this are not explored.
MOST_STATES: Final = 2_000_000


def check(
    system: TransitionSystem,
    *,
    properties: Sequence[str] | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> CheckResult:
    """Prove or refute safety properties (by name; None: all of them), for any length of a behaviour.

    A property that is `proved` has an inductive invariant, checked. Liveness is left inconclusive.
    """
    refuse_unbounded(system, "enclose")
    watch = Watch.start(limits or Limits())
    asked = claims(system, properties)
    names = [claim.name for claim in asked]
    search, tallies = explore(system, names, Watch.start(_first(watch)), progress)
    backwards = Backwards(system, search.layout, search.levels)
    wrong = backwards.wrong(search.accidents) if search.accidents else None
    results = [judged(tally, search, backwards) for tally in tallies]
    stop = search.stop
    if stop is None and wrong is None:
        try:
            results = _enclosed(system, asked, search, results, watch)
        except KeyboardInterrupt:
            stop = PROOF_INTERRUPTED
            results = [_open(r) for r in results]
    return CheckResult(
        system=system,
        engine="enclose",
        properties=(*results, *liveness_unsaid(system, properties, "enclose")),
        distinct=search.distinct,
        generated=search.generated,
        depth=len(search.levels),
        stop=stop,
        wrong=wrong,
        coverage=Coverage(tuple(search.taken), tuple(search.first_depth)),
        seconds=watch.seconds,
    )


def _first(watch: Watch) -> Limits:
    most = watch.limits.max_states
    return replace(watch.rest(0), max_states=MOST_STATES if most is None else min(most, MOST_STATES))


@dataclass(frozen=True, slots=True)
class _Prover:
    system: TransitionSystem
    induction: Induction
    enclosure: Enclosure
    wrong: Expression
    watch: Watch

    def proof(self, claim: Claim) -> Proof | None:
        """An argument that neither the property is violated nor the model goes wrong; None where z3 gives up."""
        bad = self.system.expressions.disjoin((claim.bad, self.wrong))
        try:
            self.enclosure.exclude(bad)
            needed = inductive_part(self.induction, self.enclosure.clauses, bad)
            if needed is None or not is_proof(self.system, needed, bad, self.watch):
                return None
        except UndecidedError:
            return None
        return Proof("enclose", needed)


def _enclosed(
    system: TransitionSystem, asked: Sequence[Claim], search: Search, results: Sequence[PropertyResult], watch: Watch
) -> list[PropertyResult]:
    """What holds, with a proof. After a complete exploration it holds in any case, so a limit only ends the proofs."""
    induction = Induction(system, watch)
    enclosure = Enclosure(system, induction, Reached(system, search.levels))
    prover = _Prover(system, induction, enclosure, goes_wrong(system, [claim.name for claim in asked]), watch)
    by_name = {claim.name: claim for claim in asked}
    found = list(results)
    try:
        for place, result in enumerate(results):
            proof = prover.proof(by_name[result.name]) if result.verdict is Verdict.HOLDS else None
            if proof is not None:
                found[place] = replace(result, verdict=Verdict.PROVED, proof=proof)
    except StoppedError as error:
        go_on(error.stop)
    return found


def _open(result: PropertyResult) -> PropertyResult:
    return replace(result, verdict=Verdict.INCONCLUSIVE) if result.verdict is Verdict.HOLDS else result

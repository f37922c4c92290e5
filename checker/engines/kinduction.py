"""k-induction: a property that so many states in a row pass on to the next holds for ever, if it does at the beginning
(M. Sheeran, S. Singh and G. Stålmarck, "Checking Safety Properties Using Induction and a SAT-Solver", FMCAD 2000).

The base case, from the initial states, is bounded model checking, so what is violated comes with a shortest trace. The
step is helped by lemmas: what the model's author marks as such and what is found (`templates.py`, `houdini.py`). A
lemma is used only once it is proved. What is neither proved nor violated holds up to a number of steps, and comes with
what the argument failed on, a counterexample to induction, which need not be reachable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from fenceproof.model.errors import InternalError
from fenceproof.model.expressions import Expression
from fenceproof.model.step import enabled, judge_step, take
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace

from ..limits import SEARCH_INTERRUPTED, Limits, Progress, Stop, Watch
from ..obligations import Claim, claims
from ..proof import Cti, Proof, Reach
from ..result import CheckResult, Coverage, PropertyResult, Sort
from ..smt.goals import Goal, never_enabled, never_tested, not_violated, nothing_wrong
from ..smt.houdini import Houdini
from ..smt.induction import Induction, UndecidedError, inductive_part
from ..smt.rows import Argument, Rows
from ..smt.templates import Table, table
from ..smt.watched import StoppedError
from ..unsaid import liveness_unsaid, not_liveness
from ..verdict import Verdict
from .bmc import Run
from .finite import refuse_unbounded
from .reach import Reachability
from .sample import BUDGET, WIDTH, Sample

DEFAULT_DEPTH: Final = 8
#: How often a lemma is looked for that excludes what the argument for one goal failed on.
ROUNDS: Final = 24
METHOD: Final = "k-induction"


def check(
    system: TransitionSystem,
    *,
    properties: Sequence[str] | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
    find_lemmas: bool = True,
) -> CheckResult:
    """Prove or refute properties, looking back on `limits.depth` states at most.

    Without `find_lemmas` no lemma is looked for, and only the properties themselves and the model's own are used.
    """
    refuse_unbounded(system, "kinduction")
    watch = Watch.start(limits or Limits())
    run = Proving(system, properties, watch, progress, find_lemmas=find_lemmas)
    run.search(watch.limits.depth)
    return run.report([*run.results(), *liveness_unsaid(system, properties, METHOD)])


class Proving:
    """A run: what is open, what was proved, and with which lemmas."""

    def __init__(
        self,
        system: TransitionSystem,
        properties: Sequence[str] | None,
        watch: Watch,
        progress: Callable[[Progress], None] | None,
        *,
        find_lemmas: bool,
    ) -> None:
        self._system, self._watch = system, watch
        self._find_lemmas = find_lemmas
        self._base = Run(system, properties, watch, progress)
        self._claims = {claim.name: claim for claim in claims(system, properties)}
        self._right = nothing_wrong(system, list(self._claims))
        self._open = [*self._right, *(not_violated(system, claim) for claim in self._claims.values())]
        self._houdini = Houdini(system, watch)
        self._induction = Induction(system, watch)
        self._proofs: dict[str, Proof] = {}
        self._broken: dict[str, Cti] = {}
        self._lemmas: list[Expression] = []
        self._stop: Stop | None = None
        self._sample: Sample | None = None
        self._table: Table | None = None
        self._never: set[str] = set()
        self._vacuous: set[str] = set()

    def search(self, depth: int | None) -> None:
        """Go on until everything is proved or violated, or a limit is reached."""
        try:
            sample = self._look_around()
            self._prove(sample, depth)
            self._look_for_what_is_vacuous(sample)
            self._label(sample, depth)
        except KeyboardInterrupt:
            self._stop = SEARCH_INTERRUPTED
        except StoppedError as error:
            self._stop = error.stop
        except UndecidedError as error:
            self._stop = Stop("solver", f"z3 gave up: {error}")

    # Proving

    def _look_around(self) -> Sample:
        names = list(self._claims)
        rest = replace(self._watch.rest(0), max_states=BUDGET)
        sample = self._sample = Sample(self._system, names, rest, width=WIDTH)
        if sample.is_interrupted:
            raise KeyboardInterrupt
        self._base.tested |= {name for name in names if sample.tally(name).exercised}
        return sample

    def _prove(self, sample: Sample, depth: int | None) -> None:
        most = DEFAULT_DEPTH if depth is None else depth
        if depth is None:
            # What was seen to be violated is found by the base case, however deep.
            seen = [sample.tally(name) for name in self._claims]
            most = max([most, *(tally.first[0].level + 1 for tally in seen if tally.first)])
        self._strengthen([])
        if self._find_lemmas and self._open:
            self._table = table(self._system, sample.columns())
            self._strengthen(self._table.single())
        if self._table is not None and self._open:
            self._strengthen(self._table.candidates())
        self._induct_over_more(most)

    def _strengthen(self, candidates: Sequence[Expression]) -> None:
        """Find which of candidates, lemmas so far, the author's own, and what is open, are inductive together; then
        look for what excludes the steps on which the rest fails."""
        own = [i.judgement.holds for i in self._system.invariants if i.is_lemma and not i.judgement.mistakes]
        self._settle_those_of([*self._lemmas, *own, *candidates])
        if self._base_case(1):
            for found in list(self._open):
                self._exclude_what_breaks(found)

    def _settle_those_of(self, candidates: Sequence[Expression]) -> None:
        """Take for lemmas what of candidates, and of what is open, is inductive together."""
        self._lemmas = self._houdini.inductive([*candidates, *(goal.holds for goal in self._open)])
        proved = set(self._lemmas)
        for found in [goal for goal in self._open if goal.holds in proved]:
            self._settle(found, Proof(METHOD, self._confirmed(found)))

    def _confirmed(self, found: Goal) -> tuple[Expression, ...]:
        """Why a goal is inductive with lemmas, asked of another solver with another account of what a step is; the
        goal itself is left out where it follows from the rest."""
        bad = self._system.expressions.negate(found.holds)
        support = self._houdini.support([found.holds], self._lemmas)
        for parts in ([part for part in support if part is not found.holds], support):
            invariant = inductive_part(self._induction, parts, bad)
            if invariant is not None:
                return invariant
        raise InternalError(f"two solvers disagree about the proof of {found.name}. Please report this.")

    def _base_case(self, steps: int) -> bool:
        """Look at all behaviours of so many steps; whether anything is left to be proved."""
        self._base.search(steps)
        if self._base.stop is not None:
            raise StoppedError(self._base.stop)
        violated = self._base.violated
        self._open = [goal for goal in self._open if goal.name not in violated]
        # Where nothing but a mistake is left to be found the base case does not go on, and then nor does the step.
        return bool(self._open) and self._base.wrong is None and self._base.covered >= steps

    def _settle(self, found: Goal, proof: Proof) -> None:
        self._proofs[found.name] = proof
        self._open.remove(found)
        self._broken.pop(found.name, None)

    def _exclude_what_breaks(self, found: Goal) -> None:
        for _ in range(ROUNDS):
            if found not in self._open:
                return
            trace = self._houdini.breaks(found.holds, self._lemmas)
            if trace is None:
                # It is false at first: a violation, which the base case has found, or a mistake.
                return
            self._broken[found.name] = Cti(self._to_the_end(found, trace), Reach.UNKNOWN, "")
            if not self._exclude(trace):
                return

    def _exclude(self, trace: Trace) -> bool:
        """Find a lemma that one of some states breaks, and with it perhaps more."""
        for state in trace.states if self._table is not None else ():
            assert self._table is not None
            clause = self._table.excluding(state)
            if clause is not None and clause not in self._lemmas:
                self._settle_those_of([*self._lemmas, clause])
                if clause in self._lemmas:
                    return True
        return False

    def _induct_over_more(self, most: int) -> None:
        rows: Rows | None = None
        for length in range(2, most + 1):
            # What is said of a step is said of the state before it, so there is a step more.
            if not self._base_case(length):
                return
            if rows is None:
                rows = Rows(self._system, self._lemmas, self._watch)
                rows.extend()
            rows.extend()
            for found in list(self._open):
                answer = rows.breaks(found.holds)
                if isinstance(answer, Argument):
                    lemmas = self._houdini.support(answer.lemmas, self._lemmas)
                    self._settle(found, Proof(METHOD, lemmas, length, answer.simple_path))
                else:
                    self._broken[found.name] = Cti(self._to_the_end(found, answer), Reach.UNKNOWN, "")

    def _to_the_end(self, found: Goal, trace: Trace) -> Trace:
        """A row to where a goal is false, with the step that violates the property where it is one of steps."""
        prop = next((p for p in self._system.step_properties if p.name == found.name), None)
        last = trace.states[-1]
        for position in enabled(self._system, last) if prop is not None else ():
            assert prop is not None
            transition = self._system.transitions[position]
            after = take(transition, last).state
            if after is None:
                continue
            judged = judge_step(prop.judgements[position], transition, last, after)
            if judged.mistake is None and not judged.holds:
                return Trace((*trace.states, after), (*trace.transitions, position))
        return trace

    # What else is said

    def _look_for_what_is_vacuous(self, sample: Sample) -> None:
        """Whether what was not seen to be tested, or enabled, never is: shown by induction like anything else."""
        for name, claim in self._claims.items():
            untested = name in self._proofs and name not in self._base.tested
            if untested and self._is_proved(never_tested(self._system, claim), sample):
                self._vacuous.add(name)
        for action in Coverage(sample.taken, sample.first_depth).never_enabled(self._system):
            if self._is_proved(never_enabled(self._system, action), sample):
                self._never.add(action)

    def _is_proved(self, found: Goal, sample: Sample) -> bool:
        return sample.is_complete or found.holds in self._houdini.inductive([*self._lemmas, found.holds])

    def _label(self, sample: Sample, depth: int | None) -> None:
        """Say of what the argument failed on whether it is reachable; if so, and no depth was asked for, look as far as
        the violation to which that leads."""
        reachability = Reachability(self._system, sample, self._watch)
        for name, cti in list(self._broken.items()):
            found = self._broken[name] = reachability.label(cti)
            if found.way is not None:
                if depth is None:
                    self._base_case(len(found.way) + len(found.trace))
                continue
            if self._table is None:
                self._table = table(self._system, sample.columns())
            self._broken[name] = replace(found, lemma=self._table.excluding(cti.trace.states[0]))

    def results(self) -> list[PropertyResult]:
        """What was found of each property."""
        may_go_wrong = [goal.name for goal in self._right if goal.name not in self._proofs]
        why = next((self._broken[name] for name in may_go_wrong if name in self._broken), None)
        return [
            self._result(found, self._claims[found.name], is_right=not may_go_wrong, why=why)
            for found in map(self._base.result, self._base.asked)
        ]

    def _result(self, found: PropertyResult, claim: Claim, *, is_right: bool, why: Cti | None) -> PropertyResult:
        """What is said of a property, given what the base case says. While the model may go wrong nothing is proved."""
        proof = self._proofs.get(claim.name)
        if found.verdict is Verdict.VIOLATED or self._base.wrong is not None:
            return found
        if proof is None or not is_right:
            return replace(found, cti=self._broken.get(claim.name, why))
        if claim.name in self._vacuous:
            return replace(found, verdict=Verdict.VACUOUS, proof=proof)
        tested = claim.name in self._base.tested
        return replace(found, verdict=Verdict.PROVED if tested else Verdict.INCONCLUSIVE, proof=proof)

    def report(self, found: Sequence[PropertyResult]) -> CheckResult:
        """The whole of what was found."""
        sample, system, covered = self._sample, self._system, self._base.covered
        taken = sample.taken if sample is not None else (0,) * len(system.transitions)
        coverage = Coverage(taken, sample.first_depth if sample is not None else taken)
        unsure = tuple(action for action in coverage.never_enabled(system) if action not in self._never)
        bounded = any(p.proof is None and p.verdict in (Verdict.BOUNDED, Verdict.VACUOUS) for p in found)
        return CheckResult(
            system=system,
            engine="kinduction",
            properties=tuple(found),
            distinct=None,
            generated=None,
            depth=covered + 1,
            stop=self._stop or self._base.stop or self._end(found, unsure, bounded=bounded),
            wrong=self._base.wrong,
            coverage=coverage,
            seconds=self._watch.seconds,
            bound=covered if bounded else None,
            unsure=unsure,
        )

    def _end(self, found: Sequence[PropertyResult], unsure: Sequence[str], *, bounded: bool) -> Stop | None:
        """Why a search that met no limit does not say more; None where everything was decided."""
        if bounded:
            steps = f"{self._base.covered} step{'' if self._base.covered == 1 else 's'}"
            return Stop("depth", f"behaviours of more than {steps} were not looked at")
        if self._base.wrong is not None:
            return None
        if any(p.sort is not Sort.LIVENESS and p.verdict is Verdict.INCONCLUSIVE for p in found):
            return Stop("engine", "it was not found out whether a property is ever put to the test")
        if unsure:
            return Stop("engine", f"it was not found out whether {', '.join(unsure)} is ever enabled")
        if any(p.sort is Sort.LIVENESS for p in found):
            return Stop("engine", not_liveness(METHOD))
        return None

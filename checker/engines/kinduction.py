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

from fenceproof.model.expressions import Expression
from fenceproof.model.system import TransitionSystem

from ..limits import Limits, Progress, Stop, Watch
from ..proof import Cti, Proof, Reach
from ..result import CheckResult, Coverage, PropertyResult, Sort
from ..smt.goals import StateGoal, StepGoal, goal, never_enabled, never_tested, nothing_wrong
from ..smt.houdini import Houdini
from ..smt.questions import Question, questions
from ..smt.rows import Argument, Rows
from ..smt.solve import Budget, OutOfTimeError
from ..smt.templates import Table, table
from ..smt.unroll import GaveUpError
from ..verdict import Verdict
from .bmc import Run
from .reach import label
from .sample import BUDGET, WIDTH, Sample

DEFAULT_DEPTH: Final = 8
#: How often a lemma is looked for that excludes what the argument for one goal failed on.
ROUNDS: Final = 24
METHOD: Final = "k-induction"

Goal = StateGoal | StepGoal


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
    watch = Watch.start(limits or Limits())
    asked = questions(system, properties)
    induction = Induction(system, asked, watch, progress, find_lemmas=find_lemmas)
    induction.run(watch.limits.depth)
    found = [induction.result(question) for question in asked]
    for prop in system.liveness:
        if properties is None or prop.name in properties:
            found.append(PropertyResult(prop.name, Sort.LIVENESS, prop.meaning, Verdict.INCONCLUSIVE, 0, None))
    return induction.report(found)


class Induction:
    """A run: what is open, what was proved, and with which lemmas."""

    def __init__(
        self,
        system: TransitionSystem,
        asked: Sequence[Question],
        watch: Watch,
        progress: Callable[[Progress], None] | None,
        *,
        find_lemmas: bool,
    ) -> None:
        self._system, self._asked, self._watch = system, asked, watch
        self._find_lemmas = find_lemmas
        self._budget = Budget(watch)
        self._base = Run(system, list(asked), watch, progress)
        self._goals = {question.name: goal(system, question) for question in asked}
        self._right = nothing_wrong(system, asked)
        self._open: list[Goal] = [*self._right, *self._goals.values()]
        self._proofs: dict[str, Proof] = {}
        self._broken: dict[str, Cti] = {}
        self._lemmas: list[Expression] = []
        self._stop: Stop | None = None
        self._sample: Sample | None = None
        self._table: Table | None = None
        self._houdini: Houdini | None = None
        self._never: set[str] = set()
        self._vacuous: set[str] = set()

    def run(self, depth: int | None) -> None:
        """Go on until everything is proved or violated, or a limit is reached."""
        try:
            self._prove(depth)
            self._look_for_what_is_vacuous()
            self._label()
        except KeyboardInterrupt:
            self._stop = Stop("interrupted", "the search was interrupted")
        except OutOfTimeError as error:
            self._stop = error.stop
        except GaveUpError as error:
            self._stop = Stop("solver", f"z3 gave up: {error}")

    # Proving

    def _prove(self, depth: int | None) -> None:
        sample = self._look_around()
        most = DEFAULT_DEPTH if depth is None else depth
        if depth is None:
            # What was seen to be violated is found by the base case, however deep.
            seen = [sample.tally(q.name) for q in self._asked]
            most = max([most, *(tally.first[0].level + 1 for tally in seen if tally.first)])
        houdini = self._houdini = Houdini(self._system, self._budget)
        self._strengthen(houdini, [])
        if self._find_lemmas and self._open:
            self._table = table(self._system, sample.columns())
            self._strengthen(houdini, self._table.single())
        if self._table is not None and self._open:
            self._strengthen(houdini, self._table.candidates())
        self._induct_over_more(most)

    def _strengthen(self, houdini: Houdini, candidates: Sequence[Expression]) -> None:
        """Find which of candidates, lemmas so far, the author's own, and what is open, are inductive together; then
        try what is open on one step."""
        own = [i.judgement.holds for i in self._system.invariants if i.is_lemma and not i.judgement.mistakes]
        states = [g.holds for g in self._open if isinstance(g, StateGoal)]
        self._lemmas = houdini.inductive([*self._lemmas, *own, *states, *candidates])
        for found in list(self._open):
            if isinstance(found, StateGoal) and found.holds in self._lemmas:
                self._settle(found, Proof(METHOD, houdini.support([found.holds], self._lemmas)))
        if self._base_case(0):
            self._induct_over_one_step(houdini)

    def _look_around(self) -> Sample:
        limits = self._watch.limits
        budget = BUDGET if limits.max_states is None else min(BUDGET, limits.max_states)
        names = [q.name for q in self._asked]
        rest = replace(self._watch.rest(0), max_states=budget)
        self._sample = Sample(self._system, names, rest, width=WIDTH)
        if self._sample.is_interrupted:
            raise KeyboardInterrupt
        for question in self._asked:
            question.tested = question.tested or self._sample.tally(question.name).exercised
        return self._sample

    def _base_case(self, steps: int) -> bool:
        """Look at all behaviours of so many steps; whether anything is left to be proved."""
        self._base.search(steps)
        if self._base.stop is not None and self._base.stop.kind == "interrupted":
            raise KeyboardInterrupt
        if self._base.stop is not None:
            raise OutOfTimeError(self._base.stop)
        violated = self._base.violated
        self._open = [g for g in self._open if g.name not in violated]
        # Where nothing but a mistake is left to be found the base case does not go on, and then nor does the step.
        return bool(self._open) and self._base.wrong is None and self._base.covered >= steps

    def _settle(self, found: Goal, proof: Proof) -> None:
        self._proofs[found.name] = proof
        self._open.remove(found)
        self._broken.pop(found.name, None)

    def _induct_over_one_step(self, houdini: Houdini) -> None:
        for found in list(self._open):
            for _ in range(ROUNDS):
                trace = houdini.breaks(found, self._lemmas)
                if trace is None:
                    lemmas = houdini.support([u for u in houdini.used() if u in self._lemmas], self._lemmas)
                    self._settle(found, Proof(METHOD, lemmas))
                    break
                self._broken[found.name] = Cti(trace, Reach.UNKNOWN, "")
                if not self._exclude(houdini, trace.states):
                    break

    def _exclude(self, houdini: Houdini, states: Sequence[tuple[int, ...]]) -> bool:
        """Find a lemma that one of some states breaks, and with it perhaps more."""
        if self._table is None:
            return False
        before = set(self._lemmas)
        for state in states:
            clause = self._table.excluding(state)
            if clause is None or clause in before:
                continue
            states_open = [g.holds for g in self._open if isinstance(g, StateGoal)]
            kept = houdini.inductive([*self._lemmas, *states_open, clause])
            if clause in kept:
                self._lemmas = kept
                return True
        return False

    def _induct_over_more(self, most: int) -> None:
        rows: Rows | None = None
        for length in range(2, most + 1):
            if not self._base_case(length - 1):
                return
            if rows is None:
                rows = Rows(self._system, self._lemmas, self._budget)
                rows.extend()
            rows.extend()
            for found in list(self._open):
                answer = rows.breaks(found)
                if isinstance(answer, Argument):
                    assert self._houdini is not None, "lemmas come before longer rows"
                    lemmas = self._houdini.support(answer.lemmas, self._lemmas)
                    self._settle(found, Proof(METHOD, lemmas, length, answer.simple_path))
                else:
                    self._broken[found.name] = Cti(answer, Reach.UNKNOWN, "")
        if self._open:
            self._base_case(most)

    # What else is said

    def _look_for_what_is_vacuous(self) -> None:
        """Whether what was not seen to be tested, or enabled, never is: shown by induction like anything else."""
        houdini, sample = self._houdini, self._sample
        assert houdini is not None and sample is not None, "they come first"
        for question in self._asked:
            if (
                question.name in self._proofs
                and not question.tested
                and self._is_proved(never_tested(self._system, question), houdini, sample)
            ):
                self._vacuous.add(question.name)
        for action in Coverage(sample.taken, sample.first_depth).never_enabled(self._system):
            if self._is_proved(never_enabled(self._system, action), houdini, sample):
                self._never.add(action)

    def _is_proved(self, found: Goal, houdini: Houdini, sample: Sample) -> bool:
        if sample.is_complete:
            return True
        if isinstance(found, StateGoal):
            return found.holds in houdini.inductive([*self._lemmas, found.holds])
        return houdini.breaks(found, self._lemmas) is None

    def _label(self) -> None:
        """Say of what the argument failed on whether it is reachable."""
        assert self._sample is not None, "it comes first"
        for name, cti in self._broken.items():
            self._broken[name] = label(self._system, cti, self._sample, self._watch)
            if self._table is None:
                self._table = table(self._system, self._sample.columns())
            if self._broken[name].reach is not Reach.REACHABLE:
                lemma = self._table.excluding(cti.trace.states[0])
                self._broken[name] = replace(self._broken[name], lemma=lemma)

    def result(self, question: Question) -> PropertyResult:
        """What was found of a property."""
        found = self._base.result(question)
        if found.verdict is Verdict.VIOLATED:
            return found
        proof, cti = self._proofs.get(question.name), self._broken.get(question.name)
        may_go_wrong = [g.name for g in self._right if g.name not in self._proofs]
        if self._base.wrong is not None or (self._base.covered < 0 and (proof is None or may_go_wrong)):
            return replace(found, verdict=Verdict.INCONCLUSIVE)
        if proof is None or may_go_wrong:
            cti = cti or next((self._broken[name] for name in may_go_wrong if name in self._broken), None)
            return replace(found, verdict=Verdict.BOUNDED, cti=cti)
        if question.name in self._vacuous:
            return replace(found, verdict=Verdict.VACUOUS, proof=proof)
        return replace(found, verdict=Verdict.PROVED if question.tested else Verdict.INCONCLUSIVE, proof=proof)

    def report(self, found: Sequence[PropertyResult]) -> CheckResult:
        """The whole of what was found."""
        sample, system = self._sample, self._system
        taken = sample.taken if sample is not None else (0,) * len(system.transitions)
        first = sample.first_depth if sample is not None else taken
        unsure = tuple(a for a in Coverage(taken, first).never_enabled(system) if a not in self._never)
        stop, covered = self._stop or self._base.stop, self._base.covered
        bounded = any(p.verdict is Verdict.BOUNDED for p in found)
        if stop is None and bounded:
            stop = Stop("depth", f"what is not proved was looked at in behaviours of up to {covered} steps")
        unsaid = any(p.sort is not Sort.LIVENESS and p.verdict is Verdict.INCONCLUSIVE for p in found)
        if stop is None and unsaid and self._base.wrong is None:
            stop = Stop("coverage", "it was not found out whether a property is ever put to the test")
        if stop is None and unsure:
            stop = Stop("coverage", f"it was not found out whether {', '.join(unsure)} is ever enabled")
        if stop is None and any(p.sort is Sort.LIVENESS for p in found):
            stop = Stop("liveness", "k-induction does not judge liveness")
        return CheckResult(
            system=system,
            engine="kinduction",
            properties=tuple(found),
            distinct=0,
            generated=0,
            depth=max(covered, 0) + 1,
            stop=stop,
            wrong=self._base.wrong,
            coverage=Coverage(taken, first),
            seconds=self._watch.seconds,
            bound=max(covered, 0) if bounded else None,
            unsure=unsure,
        )

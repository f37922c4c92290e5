"""Bounded model checking: is a property violated within so many steps? (A. Biere et al., "Symbolic Model Checking
without BDDs", TACAS 1999, section 3.) Depth by depth, so that what is found is shortest; all properties at once.

It never says that a property holds: what is not violated up to a depth is said to hold up to that depth. It does not
judge liveness, which takes a behaviour without end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from fenceproof.model.errors import InternalError
from fenceproof.model.step import enabled, judge_state, judge_step, take
from fenceproof.model.system import Mistake, TransitionSystem
from fenceproof.model.trace import Trace, replay

from ..limits import SEARCH_INTERRUPTED, Limits, Progress, Stop, Watch
from ..result import CheckResult, Coverage, PropertyResult, Wrong
from ..smt.backend import Term, z3
from ..smt.questions import Question, questions
from ..smt.unroll import Unrolling
from ..smt.watched import StoppedError
from ..unsaid import liveness_unsaid, not_liveness
from ..verdict import Verdict
from ..violation import ends_in_violation
from .finite import refuse_unbounded

DEFAULT_DEPTH: Final = 20


def check(
    system: TransitionSystem,
    *,
    properties: Sequence[str] | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> CheckResult:
    """Look for violations in up to `limits.depth` steps. Each comes with a shortest trace, replayed."""
    refuse_unbounded(system, "bmc")
    watch = Watch.start(limits or Limits())
    most = watch.limits.depth if watch.limits.depth is not None else DEFAULT_DEPTH
    run = Run(system, properties, watch, progress)
    run.search(most)
    found = [run.result(question) for question in run.asked]
    found += liveness_unsaid(system, properties, "bmc")
    return CheckResult(
        system=system,
        engine="bmc",
        properties=tuple(found),
        distinct=None,
        generated=None,
        depth=run.covered + 1,
        stop=run.stop or run.end(),
        wrong=run.wrong,
        coverage=Coverage((), ()),
        seconds=watch.seconds,
        bound=max(run.covered, 0),
    )


class Run:
    """A search under way: `covered` is the number of steps up to which everything was asked, -1 for none. `stop` says
    which limit ended it before the depth it was to reach; then it is over."""

    def __init__(
        self,
        system: TransitionSystem,
        properties: Sequence[str] | None,
        watch: Watch,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.covered = -1
        self.stop: Stop | None = None
        self.wrong: Wrong | None = None
        self._system, self._unrolling = system, Unrolling(system, watch=watch)
        self._watch, self._progress = watch, progress
        self.asked = questions(self._unrolling.relation, properties)
        self._traces: dict[str, Trace] = {}
        #: The names of the properties that are known to be put to the test.
        self.tested = {q.name for q in self.asked if z3.is_true(q.tested)}

    @property
    def violated(self) -> frozenset[str]:
        """The names of the properties that were found to be violated."""
        return frozenset(self._traces)

    def search(self, most: int) -> None:
        """Go on until everything is violated, the model goes wrong, or a limit is reached."""
        try:
            while self.covered < most and self.wrong is None and self.stop is None and self._is_open():
                self._next_depth()
        except KeyboardInterrupt:
            self.stop = SEARCH_INTERRUPTED
        except StoppedError as stopped:
            self.stop = stopped.stop

    def result(self, question: Question) -> PropertyResult:
        """What was found of a property."""
        trace = self._traces.get(question.name)
        verdict = Verdict.BOUNDED
        if trace is not None:
            verdict = Verdict.VIOLATED
        elif self.wrong is not None or self.covered < 0:
            verdict = Verdict.INCONCLUSIVE
        elif question.name not in self.tested:
            verdict = Verdict.VACUOUS
        return PropertyResult(question.name, question.sort, question.meaning, verdict, None, trace)

    def end(self) -> Stop:
        """Why a search that met no limit says no more than it does."""
        if not self.asked:
            return Stop("engine", not_liveness("bmc"))
        steps = f"{self.covered} step{'' if self.covered == 1 else 's'}"
        return Stop("depth", f"behaviours of more than {steps} were not looked at")

    def _is_open(self) -> bool:
        """Whether anything may still be found: a violation, or that the model goes wrong."""
        terms = [self._unrolling.relation.wrong, *(question.wrong for question in self.asked)]
        may_go_wrong = bool(self.asked) and not all(z3.is_false(term) for term in terms)
        return may_go_wrong or any(question.name not in self._traces for question in self.asked)

    def _next_depth(self) -> None:
        depth, unrolling = self.covered + 1, self._unrolling
        if depth:
            # Before the step is added: it is one that does not go wrong, and there may be none.
            self._look_for_steps_that_go_wrong(depth - 1)
            unrolling.extend()
        asked = [q for q in self.asked if depth or not q.of_steps]
        self._look_for_violations([q for q in asked if q.name not in self._traces], depth)
        if self.wrong is None:
            self._look_for_judgements_that_go_wrong(asked, depth)
        self._look_for_tests([q for q in asked if q.name not in self._traces and q.name not in self.tested], depth)
        self.covered = depth
        if self._progress is not None:
            self._progress(Progress(depth, None, None, self._watch.seconds))

    def _literals(self, asked: Sequence[Question], term: Callable[[Question], Term], depth: int) -> dict[str, Term]:
        """A literal for a term of each question, by the question's name, but for what can never be."""
        return {
            q.name: self._unrolling.literal(q.at(self._unrolling, term(q), depth))
            for q in asked
            if not z3.is_false(term(q))
        }

    def _ask_any(self, literals: dict[str, Term]) -> Any | None:
        """A behaviour in which one of several literals is true; where there is none, that is learned."""
        unrolling, waiting = self._unrolling, list(literals.values())
        if not waiting:
            return None
        model = unrolling.ask(unrolling.any_of(waiting))
        if model is None:
            for literal in waiting:
                unrolling.never(literal)
        return model

    def _look_for_violations(self, asked: Sequence[Question], depth: int) -> None:
        """Ask of all properties whether one is violated; then, but for those that are, again."""
        literals = self._literals(asked, lambda q: q.violated, depth)
        while (model := self._ask_any(literals)) is not None:
            trace = self._unrolling.trace(model, depth)
            hit = [name for name in literals if ends_in_violation(self._system, name, trace)]
            if not hit:
                raise InternalError("z3 found a behaviour that violates nothing it was asked of. Please report this.")
            self._replay(trace)
            for name in hit:
                self._traces[name] = trace
                del literals[name]

    def _look_for_tests(self, asked: Sequence[Question], depth: int) -> None:
        """Ask whether a property is put to the test; once is enough, so it is not asked again of one that was."""
        literals = self._literals(asked, lambda q: q.tested, depth)
        while (model := self._ask_any(literals)) is not None:
            for name in [name for name, literal in literals.items() if z3.is_true(model.eval(literal))]:
                self.tested.add(name)
                del literals[name]

    def _look_for_steps_that_go_wrong(self, depth: int) -> None:
        """Whether a transition that is enabled after so many steps goes wrong."""
        wrong = self._unrolling.relation.wrong
        if z3.is_false(wrong):
            return
        model = self._ask_any({"": self._unrolling.literal(self._unrolling.of_state(wrong, depth))})
        if model is None:
            return
        trace = self._unrolling.trace(model, depth)
        for position in enabled(self._system, trace.states[-1]):
            mistake = take(self._system.transitions[position], trace.states[-1]).mistake
            if mistake is not None:
                self._goes_wrong(mistake, replace(trace, mistake=position))
                return
        raise InternalError("z3 and the interpreter disagree about a mistake of the model. Please report this.")

    def _look_for_judgements_that_go_wrong(self, asked: Sequence[Question], depth: int) -> None:
        literals = self._literals(asked, lambda q: q.wrong, depth)
        model = self._ask_any(literals)
        if model is None:
            return
        trace = self._unrolling.trace(model, depth)
        # Some are judged in certain states only, and go wrong in no others.
        for question in (q for q in asked if q.name in literals and z3.is_true(model.eval(literals[q.name]))):
            mistake = self._mistake(question, trace)
            if mistake is not None:
                self._goes_wrong(mistake, trace)
                return
        raise InternalError("z3 and the interpreter disagree about a mistake of the model. Please report this.")

    def _mistake(self, question: Question, trace: Trace) -> Mistake | None:
        """How judging the last state of a trace, or its last step, goes wrong."""
        if not question.of_steps:
            return judge_state(question.judgements[0], trace.states[-1]).mistake
        position = trace.transitions[-1]
        transition = self._system.transitions[position]
        return judge_step(question.judgements[position], transition, *trace.states[-2:]).mistake

    def _goes_wrong(self, mistake: Mistake, trace: Trace) -> None:
        self._replay(trace)
        self.wrong = Wrong(mistake, trace)

    def _replay(self, trace: Trace) -> None:
        problem = replay(self._system, trace)
        if problem is not None:
            raise InternalError(f"a behaviour that z3 found does not replay: {problem} Please report this.")

"""Bounded model checking: is a property violated within so many steps? (A. Biere et al., "Symbolic Model Checking
without BDDs", TACAS 1999, section 3.) Depth by depth, so that what is found is shortest; all properties at once.

It never says that a property holds: what is not violated up to a depth is said to hold up to that depth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from fenceproof.model.errors import InternalError
from fenceproof.model.step import judge_state, judge_step, take
from fenceproof.model.system import Mistake, Transition, TransitionSystem
from fenceproof.model.trace import Trace, replay

from ..limits import Limits, Progress, Stop, Watch
from ..result import CheckResult, Coverage, PropertyResult, Sort, Wrong
from ..smt.backend import Term, z3
from ..smt.questions import Asked, Question, StateQuestion, StepQuestion, goes_wrong, questions
from ..smt.unroll import GaveUpError, Unrolling
from ..verdict import Verdict
from ..violation import ends_in_violation

DEFAULT_DEPTH: Final = 20


def check(
    system: TransitionSystem,
    *,
    properties: Sequence[str] | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> CheckResult:
    """Look for violations in up to `limits.depth` steps. Each comes with a shortest trace, replayed."""
    watch = Watch.start(limits or Limits())
    most = watch.limits.depth if watch.limits.depth is not None else DEFAULT_DEPTH
    run = Run(system, questions(system, properties), watch, progress)
    run.search(most)
    found = [run.result(question) for question in run.asked]
    for prop in system.liveness:
        if properties is None or prop.name in properties:
            found.append(PropertyResult(prop.name, Sort.LIVENESS, prop.meaning, Verdict.INCONCLUSIVE, 0, None))
    return CheckResult(
        system=system,
        engine="bmc",
        properties=tuple(found),
        distinct=0,
        generated=0,
        depth=run.covered + 1,
        stop=run.stop or Stop("depth", f"behaviours of more than {run.covered} steps were not looked at"),
        wrong=run.wrong,
        coverage=Coverage((), ()),
        seconds=watch.seconds,
        bound=run.covered,
    )


#: Given a behaviour in which the model goes wrong: how, and the part of it that leads there.
Wrongly: TypeAlias = Callable[[Trace], tuple[Mistake | None, Trace]]


class Run:
    """A search under way: `covered` is the number of steps up to which everything was asked, -1 for none."""

    def __init__(
        self,
        system: TransitionSystem,
        asked: Sequence[Question],
        watch: Watch,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.asked = asked
        self.covered = -1
        self.stop: Stop | None = None
        self.wrong: Wrong | None = None
        self._unrolling = Unrolling(system)
        self._watch, self._progress = watch, progress
        self._traces: dict[str, Trace] = {}

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
            self.stop = Stop("interrupted", "the search was interrupted")
        except GaveUpError as error:
            self.stop = Stop("solver", f"z3 gave up: {error}")

    def result(self, question: Question) -> PropertyResult:
        """What was found of a property."""
        trace = self._traces.get(question.name)
        verdict = Verdict.BOUNDED
        if trace is not None:
            verdict = Verdict.VIOLATED
        elif self.wrong is not None or self.covered < 0:
            verdict = Verdict.INCONCLUSIVE
        elif not question.tested:
            verdict = Verdict.VACUOUS
        return PropertyResult(question.name, question.sort, question.meaning, verdict, int(trace is not None), trace)

    def _is_open(self) -> bool:
        return any(question.name not in self._traces for question in self.asked)

    def _next_depth(self) -> None:
        unrolling = self._unrolling
        depth = self.covered + 1
        self.stop = self._watch.stop(0, 0)
        if self.stop is not None:
            return
        asked: list[tuple[Question, Asked]] = []
        if depth:
            # Before the step is added: it is one that does not go wrong, and there may be none.
            self._ask_whether_it_goes_wrong(self._steps_that_go_wrong(depth - 1), depth - 1)
            encoders = unrolling.extend()
            asked += [(q, q.of_last(unrolling, encoders)) for q in self.asked if isinstance(q, StepQuestion)]
        asked += [(q, q.at(unrolling, depth)) for q in self.asked if isinstance(q, StateQuestion)]
        self._ask([(q, terms) for q, terms in asked if q.name not in self._traces], depth)
        if self.wrong is None:
            self._ask_whether_it_goes_wrong([(terms.wrong, self._judging(q)) for q, terms in asked], depth)
        self.covered = depth
        if self._progress is not None:
            self._progress(Progress(depth, 0, 0, self._watch.seconds))

    def _ask(self, asked: Sequence[tuple[Question, Asked]], depth: int) -> None:
        """Ask of all properties whether one is violated; then, but for those that are, again."""
        waiting = list(asked)
        while waiting:
            model = self._unrolling.ask(z3.Or([terms.violated for _, terms in waiting]))
            if model is None:
                break
            trace = self._unrolling.trace(model, depth)
            hit = [q.name for q, _ in waiting if ends_in_violation(self._unrolling.system, q.name, trace)]
            if not hit:
                raise InternalError("z3 found a behaviour that violates nothing it was asked of. Please report this.")
            self._replay(trace)
            self._traces.update(dict.fromkeys(hit, trace))
            waiting = [entry for entry in waiting if entry[0].name not in hit]
        for question, terms in waiting:
            if not question.tested:
                question.tested = self._unrolling.ask(terms.tested) is not None

    def _steps_that_go_wrong(self, depth: int) -> list[tuple[Term, Wrongly]]:
        """For each transition that may go wrong, that it does so from the last state."""
        encoder = self._unrolling.encoders[depth]

        def taking(position: int, transition: Transition) -> Wrongly:
            def wrongly(trace: Trace) -> tuple[Mistake | None, Trace]:
                return take(transition, trace.states[-1]).mistake, replace(trace, mistake=position)

            return wrongly

        return [
            (z3.And(encoder.term(t.guard), goes_wrong(encoder, t.mistake)), taking(position, t))
            for position, t in enumerate(self._unrolling.system.transitions)
            if t.mistakes
        ]

    def _judging(self, question: Question) -> Wrongly:
        def wrongly(trace: Trace) -> tuple[Mistake | None, Trace]:
            if isinstance(question, StateQuestion):
                return judge_state(question.judgement, trace.states[-1]).mistake, trace
            assert isinstance(question, StepQuestion), "a question is of states or of steps"
            position = trace.transitions[-1]
            transition = self._unrolling.system.transitions[position]
            return judge_step(question.judgements[position], transition, *trace.states[-2:]).mistake, trace

        return wrongly

    def _ask_whether_it_goes_wrong(self, ways: Sequence[tuple[Term, Wrongly]], depth: int) -> None:
        for term, wrongly in ways:
            model = self._unrolling.ask(term)
            if model is None:
                continue
            mistake, trace = wrongly(self._unrolling.trace(model, depth))
            if mistake is None:
                raise InternalError("z3 and the interpreter disagree about a mistake of the model. Please report this.")
            self._replay(trace)
            self.wrong = Wrong(mistake, trace)
            return

    def _replay(self, trace: Trace) -> None:
        problem = replay(self._unrolling.system, trace)
        if problem is not None:
            raise InternalError(f"a behaviour that z3 found does not replay: {problem} Please report this.")

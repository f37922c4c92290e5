"""Bounded model checking: is a property violated within so many steps (A. Biere et al., "Symbolic Model Checking without
BDDs", TACAS 1999, section 3)? Depth by depth, so that what is found is shortest; all properties are asked of at once.

It never says that a property holds: what is not violated up to a depth is said to hold up to that depth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from fenceproof.model.errors import InternalError
from fenceproof.model.step import take
from fenceproof.model.system import Mistake, TransitionSystem
from fenceproof.model.trace import Trace, replay

from ..limits import Limits, Progress, Stop, Watch
from ..result import CheckResult, Coverage, PropertyResult, Sort, Wrong
from ..smt.backend import Term, z3
from ..smt.questions import Question, StateQuestion, StepQuestion, goes_wrong, questions
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

    def search(self, most: int) -> None:
        """Go on until everything is violated, the model goes wrong, or a limit is reached."""
        try:
            while self.covered < most and self.wrong is None and self.stop is None and self._open():
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

    def _open(self) -> list[Question]:
        return [question for question in self.asked if question.name not in self._traces]

    def _next_depth(self) -> None:
        unrolling = self._unrolling
        depth = self.covered + 1
        self.stop = self._watch.stop(0, 0)
        if self.stop is not None:
            return
        asked: list[tuple[Question, Term, Term]] = []
        if depth:
            if self._goes_wrong(depth - 1):
                return
            encoders = unrolling.extend()
            asked += [(q, *q.of_step(unrolling, encoders)) for q in self._open() if isinstance(q, StepQuestion)]
            if self._step_goes_wrong(encoders, depth):
                return
        asked += [(q, *q.of_state(unrolling, depth)) for q in self._open() if isinstance(q, StateQuestion)]
        self._ask(asked, depth)
        self.covered = depth
        if self._progress is not None:
            self._progress(Progress(depth, 0, 0, self._watch.seconds))

    def _ask(self, asked: Sequence[tuple[Question, Term, Term]], depth: int) -> None:
        """Ask of all properties whether one is violated; of those that one model violates, and again of the others."""
        waiting = list(asked)
        while waiting:
            model = self._unrolling.ask(z3.Or([violated for _, violated, _ in waiting]))
            if model is None:
                break
            trace = self._unrolling.trace(model, depth)
            hit = [q for q, violated, _ in waiting if z3.is_true(model.eval(violated, model_completion=True))]
            if not hit:
                raise InternalError("z3's answer violates none of the properties that it was asked of. Please report this.")
            for question in hit:
                self._confirm(question.name, trace)
                self._traces[question.name] = trace
            waiting = [entry for entry in waiting if entry[0] not in hit]
        for question, _, tested in asked:
            if not question.tested and question.name not in self._traces:
                question.tested = self._unrolling.ask(tested) is not None

    def _goes_wrong(self, depth: int) -> bool:
        """Whether the model can go wrong in a state, or in the step that leaves it."""
        system, encoder = self._unrolling.system, self._unrolling.encoders[depth]
        steps = [
            z3.And(encoder.term(t.guard), goes_wrong(encoder, t.mistake)) if t.mistakes else z3.BoolVal(False)
            for t in system.transitions
        ]
        model = self._unrolling.ask(z3.Or(steps))
        if model is None:
            return False
        trace = self._unrolling.trace(model, depth)
        position = next(i for i, term in enumerate(steps) if z3.is_true(model.eval(term, model_completion=True)))
        mistake = take(system.transitions[position], trace.states[-1]).mistake
        self._wrong(mistake, Trace(trace.states, trace.transitions, mistake=position))
        return True

    def _step_goes_wrong(self, encoders: Sequence[object], depth: int) -> bool:
        del encoders, depth
        return False

    def _wrong(self, mistake: Mistake | None, trace: Trace) -> None:
        problem = replay(self._unrolling.system, trace)
        if mistake is None or problem is not None:
            raise InternalError(f"a behaviour that z3 found does not replay: {problem}. Please report this.")
        self.wrong = Wrong(mistake, trace)

    def _confirm(self, name: str, trace: Trace) -> None:
        problem = replay(self._unrolling.system, trace)
        if problem is not None:
            raise InternalError(f"a counterexample does not replay: {problem} Please report this.")
        if not ends_in_violation(self._unrolling.system, name, trace):
            raise InternalError(f"the trace found for {name} does not violate it. Please report this.")

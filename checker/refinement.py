"""Whether a durable model refines an abstract one: every reachable step of it is a step there, or changes nothing.

The conditions become a step property of the durable system, which the explicit engine checks over every reachable
step, or until one has no counterpart; the initial states are looked at one by one. A step that has no counterpart is
confirmed by trying every transition of the abstract system, the plain way. Where every step stutters nothing was put to
the test: vacuous.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from fenceproof.model.errors import InternalError
from fenceproof.model.expressions import Expression
from fenceproof.model.language import Model
from fenceproof.model.layout import Layout
from fenceproof.model.refinement import Abstraction, Counterparts, counterparts, lift_abstraction
from fenceproof.model.step import enabled, take
from fenceproof.model.system import Invariant, Judgement, Mistake, State, StepProperty, TransitionSystem
from fenceproof.model.trace import Trace

from .engines.expand import Expander
from .engines.explicit import Search, judged
from .engines.shortest import Backwards
from .engines.tally import StateChecks, StepChecks
from .limits import Limits, Progress, Stop, Watch
from .result import CheckResult, Coverage, PropertyResult, Sort
from .verdict import Verdict

INITIAL: Final = "initial-states"
STEPS: Final = "steps"
_MAPPED: Final = "mapped"
_STUTTERS: Final = "stutters"
_MEANING: Final = {
    INITIAL: "Every initial state stands for an initial state of the abstract model.",
    STEPS: "Every step is a step of the abstract model, or changes nothing there.",
}


@dataclass(frozen=True, slots=True)
class Allowed:
    """A step that the abstract model makes: the position of its transition, and the state it leads to."""

    transition: int
    after: State


@dataclass(frozen=True, slots=True)
class Refinement:
    """What was found. `result` is the run on the durable system, with one property for the initial states and one for
    the steps. `matched` counts, for each abstract action, the durable steps that are one and change the abstract state;
    a step that is two actions counts for both. `stutters` counts the steps that change nothing there.
    """

    result: CheckResult
    abstract: TransitionSystem
    mapping: Abstraction
    matched: Mapping[str, int]
    stutters: int

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The abstract actions that no step is, where every step was looked at."""
        return tuple(name for name, count in self.matched.items() if not count) if self.result.complete else ()

    def abstract_state(self, state: State) -> State:
        """The abstract state that a state of a trace stands for."""
        found = self.mapping.of(state)
        assert not isinstance(found, Mistake), "a state of a violation is mapped"
        return found

    def allowed(self, state: State) -> list[Allowed]:
        """The steps that the abstract model makes from the abstract state of a state, each once."""
        return list(_steps(self.abstract, self.abstract_state(state)))


def refine(
    model: Model,
    system: TransitionSystem,
    abstract: TransitionSystem,
    *,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Refinement:
    """Check that `system`, lifted from the model, refines the abstract system by the model's mapping.

    Raises ModelError where the model has no mapping, or one that does not fit. A limit that is reached, or an
    interrupt, leaves what is not violated inconclusive.
    """
    watch = Watch.start(limits or Limits())
    mapping = lift_abstraction(model, system, abstract)
    actions = list(dict.fromkeys(t.action for t in abstract.transitions))
    asked = _asked(system, mapping, counterparts(system, abstract, mapping), actions)
    search = _search(asked, watch, progress)
    of = {tally.name: tally for tally in search.steps.tallies}
    backwards = Backwards(asked, search.layout, search.levels)
    wrong = backwards.wrong(search.accidents) if search.accidents else None
    steps = judged(of[STEPS], search, backwards)
    result = CheckResult(
        system=system,
        engine="explicit",
        properties=(_initial(system, abstract, mapping), replace(steps, remark=_remark(steps, abstract))),
        distinct=search.distinct,
        generated=search.generated,
        depth=len(search.levels),
        stop=search.stop,
        wrong=wrong,
        coverage=Coverage(tuple(search.taken), tuple(search.first_depth)),
        seconds=watch.seconds,
    )
    matched = {action: of[_is(action)].count for action in actions}
    found = Refinement(result, abstract, mapping, matched, of[_STUTTERS].count)
    _confirm(found)
    return found


class _UntilViolated(Search):
    """A search that ends with the level on which a step without a counterpart is found: more of them say no more."""

    def _expand_level(self) -> None:
        super()._expand_level()
        if self.stop is None and any(tally.name == STEPS and tally.count for tally in self.steps.tallies):
            self.stop = Stop("violated", "a step that is none in the abstract model was found")


def _search(asked: TransitionSystem, watch: Watch, progress: Callable[[Progress], None] | None) -> Search:
    layout = Layout.of(asked.slots)
    steps = StepChecks(asked, asked.step_properties)
    states = StateChecks(asked, asked.invariants, deadlock=False)
    search = _UntilViolated(asked, layout, Expander(asked, layout, steps.roots), states, steps, watch, progress)
    search.run()
    return search


def _is(action: str) -> str:
    return f"is {action}"


def _asked(
    system: TransitionSystem, mapping: Abstraction, steps: Sequence[Counterparts], actions: Sequence[str]
) -> TransitionSystem:
    """The durable system with what is asked of it: that each state is mapped, that each step has a counterpart.

    What is to be counted is asked as a property that is false there.
    """
    x = system.expressions
    fine = x.const(0)

    def sound(step: Counterparts) -> Judgement:
        holds = x.disjoin((step.stutters, *step.steps.values()))
        return Judgement(holds, x.negate(step.stutters), step.mistake, mapping.mistakes)

    def never(counted: Sequence[Expression]) -> tuple[Judgement, ...]:
        return tuple(Judgement(x.negate(node), None, fine, ()) for node in counted)

    properties = [
        StepProperty(STEPS, tuple(map(sound, steps)), _MEANING[STEPS], mapping.site),
        StepProperty(_STUTTERS, never([s.stutters for s in steps]), "", None),
    ]
    for action in actions:
        moves = [x.conjoin((x.negate(s.stutters), s.steps[action])) for s in steps]
        properties.append(StepProperty(_is(action), never(moves), "", None))
    mapped = Invariant(_MAPPED, Judgement(x.true, None, mapping.mistake, mapping.mistakes), "", mapping.site)
    return replace(system, invariants=(mapped,), step_properties=tuple(properties), liveness=())


def _initial(system: TransitionSystem, abstract: TransitionSystem, mapping: Abstraction) -> PropertyResult:
    known = set(abstract.initial)
    found = [(state, mapping.of(state)) for state in system.initial]
    bad = [state for state, stands_for in found if not isinstance(stands_for, Mistake) and stands_for not in known]
    verdict, trace = Verdict.HOLDS, None
    if bad:
        verdict, trace = Verdict.VIOLATED, Trace((bad[0],), ())
    elif any(isinstance(stands_for, Mistake) for _, stands_for in found):
        verdict = Verdict.INCONCLUSIVE
    return PropertyResult(INITIAL, Sort.INVARIANT, _MEANING[INITIAL], verdict, len(bad), trace)


def _remark(steps: PropertyResult, abstract: TransitionSystem) -> str:
    if steps.verdict is Verdict.VACUOUS:
        return f"every step stutters: none changes the state of {abstract.name}"
    return ""


def _confirm(found: Refinement) -> None:
    """Raise InternalError where the step that is said to have no counterpart has one."""
    trace = found.result.trace(STEPS)
    if trace is None:
        return
    before, after = map(found.abstract_state, trace.states[-2:])
    if before == after or any(step.after == after for step in _steps(found.abstract, before)):
        raise InternalError("the step that was found to have no counterpart has one. Please report this.")


def _steps(abstract: TransitionSystem, state: State) -> Iterator[Allowed]:
    for position in enabled(abstract, state):
        after = take(abstract.transitions[position], state).state
        if after is not None:
            yield Allowed(position, after)

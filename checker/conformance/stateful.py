"""A Hypothesis state machine made from a model: random walks through it, taken by an implementation too.

A walk that diverges is shrunk by Hypothesis to a short one that names the events. This file needs Hypothesis, which is
in the extra `conform`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from fenceproof.model.errors import AdapterError, DivergenceError, UsageError
from fenceproof.model.language import Model
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace

from ..adapters import Adapter
from ..api import lifted
from ..driven import driven
from ..engines.finite import refuse_unbounded
from ..limits import Limits, Stop, Watch
from ..quoting import quoted
from ..replay import Divergence, begin, follow
from .running import RUN_INTERRUPTED, Opening, Ran, Tally, only_initial, reproduced
from .steps import Step, Steps

try:
    from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
    from hypothesis.errors import Flaky
    from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test
    from hypothesis.strategies import runner, sampled_from
except ModuleNotFoundError as error:
    raise UsageError("random walks need Hypothesis. Install it: pip install 'fenceproof[conform]'") from error

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

#: Steps of a walk, at most.
MOST_STEPS: Final = 50


def machine(
    model: Model | type[Model],
    adapter: Callable[[], Adapter],
    *,
    parameters: Mapping[str, object] | None = None,
    faults: Mapping[str, int | None] | str | None = None,
    most_faults: int | None = None,
    without: Sequence[str] | str = (),
) -> type[RuleBasedStateMachine]:
    """A state machine whose walks are behaviours of a model that an adapter is to take too.

    `TestPlanner = machine(Planner(), MyAdapter).TestCase` is a test for pytest or unittest. `adapter` makes an adapter
    for each walk, which is closed after it if it has a method `close`. `parameters` are what it is reset with, those of
    the model if left out; the rest is as in `check`. Raises what `check` raises; a walk that diverges raises
    DivergenceError, and an adapter that is none, or that
    keeps something across reset, AdapterError.
    """
    system = lifted(model, faults, most_faults, without)[2]
    given = dict(system.parameters) if parameters is None else dict(parameters)
    return machine_of(system, lambda: driven(name_of(adapter), adapter), given, Record())


def name_of(make: Callable[[], Adapter]) -> str:
    """What messages call an adapter: the name of its class, or of the function that makes it."""
    return getattr(make, "__name__", None) or type(make).__name__


class _OverError(BaseException):
    """A limit is reached. Hypothesis takes an Exception for a failure of the test, and would shrink it."""


@dataclass(slots=True)
class Record:
    """What walks came to until one diverged: how much was taken, and the divergence of the last one that did."""

    tally: Tally = field(default_factory=Tally)
    watch: Watch = field(default_factory=lambda: Watch.start(Limits()))
    found: tuple[Divergence, Trace] | None = None
    stop: Stop | None = None
    broken: AdapterError | None = None

    @contextmanager
    def noticing(self) -> Generator[None]:
        """Keep the first error of an adapter: Hypothesis repeats a walk, and may tell something else in the end."""
        try:
            yield
        except AdapterError as error:
            self.broken = self.broken or error
            raise

    def check_time(self) -> None:
        """End everything where there is no time left."""
        if self.found is None:
            self.stop = self.stop or self.watch.stop(0, 0)
            if self.stop is not None:
                raise _OverError

    def add(self, walk: Trace) -> None:
        """Count a walk that agreed, unless it is one by which a divergence is shrunk."""
        if self.found is None:
            self.tally.add(walk)


class Event:
    """A step as it is shown in a walk. Not a dataclass: Hypothesis would print its fields."""

    def __init__(self, text: str, step: Step) -> None:
        self.text, self.step = text, step

    def __repr__(self) -> str:
        return self.text


def machine_of(
    system: TransitionSystem, opening: Opening, parameters: Mapping[str, object], record: Record
) -> type[RuleBasedStateMachine]:
    """The machine of a system, each walk on an implementation opened anew; what it does is told to `record`.

    Raises UsageError for a system with several initial states, among which nobody tells the implementation to choose.
    """
    refuse_unbounded(system, "a random walk")
    initial = only_initial(system)
    steps = Steps(system)

    @cache
    def possible_after(state: State) -> list[Event]:
        return [Event(system.transitions[step.position].called, step) for step in steps.after(state)]

    class Walk(RuleBasedStateMachine):
        """A walk from the initial state; `possible` is what can happen next."""

        def __init__(self) -> None:
            super().__init__()
            record.check_time()
            self._open = ExitStack()
            try:
                with record.noticing():
                    self._adapter = self._open.enter_context(opening())
                self._start()
            except BaseException:
                self._open.close()
                raise

        def _start(self) -> None:
            self._states: list[State] = [initial]
            self._transitions: list[int] = []
            with record.noticing():
                found = begin(system, initial, self._adapter, parameters)
            self._judge(found)

        @property
        def possible(self) -> list[Event]:
            """The steps that the model can take now."""
            return possible_after(self._states[-1])

        @precondition(lambda self: bool(self.possible))
        @rule(event=_possible())
        def step(self, event: Event) -> None:
            """Let the implementation take a step of the model."""
            record.check_time()
            step, before = event.step, self._states[-1]
            self._states.append(step.state)
            self._transitions.append(step.position)
            number = len(self._transitions)
            with record.noticing():
                found = follow(system, before, step.position, step.state, self._adapter, number)
            self._judge(found)

        @precondition(lambda self: not self.possible)
        @rule()
        def reset(self) -> None:
            """Begin anew where nothing can happen any more: nothing may be left of what was before."""
            record.add(self._walk())
            self._start()

        def _walk(self) -> Trace:
            return Trace(tuple(self._states), tuple(self._transitions))

        def _judge(self, found: Divergence | None) -> None:
            if found is not None:
                record.found = found, self._walk()
                where = "after reset" if found.step == 0 else f"at step {found.step}, {found.event}"
                raise DivergenceError(
                    f"the implementation diverges from the model {where}:\n"
                    f"    {found.field}: expected {quoted(found.expected)}, got {quoted(found.got)}"
                )

        def teardown(self) -> None:
            """Close the implementation."""
            with record.noticing():
                self._open.close()
            record.add(self._walk())

    Walk.__name__ = Walk.__qualname__ = system.name
    return Walk


def _possible() -> SearchStrategy[Event]:
    return runner().flatmap(lambda walk: sampled_from(walk.possible))


def run_walks(
    system: TransitionSystem,
    opening: Opening,
    parameters: Mapping[str, object],
    walks: int,
    *,
    seeded: int = 0,
    limits: Limits | None = None,
    shrinks: bool = True,
) -> Ran:
    """Take so many random walks, fewer only where there are no more or a limit is reached; the same for the same seed.

    A divergence is reported by the shortest walk that Hypothesis finds to it, or, which is much faster, by the walk
    that came upon it where not `shrinks`.
    """
    record = Record(watch=Watch.start(limits or Limits()))
    made = seed(seeded)(machine_of(system, opening, parameters, record))
    quiet = settings(
        max_examples=walks,
        stateful_step_count=MOST_STEPS,
        phases=[Phase.generate, Phase.shrink] if shrinks else [Phase.generate],
        database=None,
        deadline=None,
        verbosity=Verbosity.quiet,
        report_multiple_bugs=False,
        print_blob=False,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
    try:
        run_state_machine_as_test(made, settings=quiet)
    except KeyboardInterrupt:
        return Ran(record.tally, None, RUN_INTERRUPTED)
    except (AdapterError, DivergenceError, Flaky, _OverError) as error:
        # Hypothesis takes it for flaky where a walk that it repeats ends sooner.
        if record.broken is not None:
            raise record.broken from error
        if record.stop is not None:
            return Ran(record.tally, None, record.stop)
        if record.found is None:
            raise
        found, trace = record.found
        return Ran(record.tally, reproduced(system, found, trace, trace, opening, parameters), None)
    return Ran(record.tally, None, None)

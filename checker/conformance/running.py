"""Running tests on an implementation: each a trace of the model, compared step by step, and how much was covered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final

from fenceproof.model.errors import UsageError
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace

from ..adapters import Adapter
from ..limits import Limits, Stop, Watch
from ..replay import Divergence, begin, replay_against
from .cover import Edge, transitions_of

RUN_INTERRUPTED: Final = Stop("interrupted", "the run was interrupted")
#: Opens an implementation anew, and closes it in the end.
Opening = Callable[[], AbstractContextManager[Adapter]]


@dataclass(slots=True)
class Tally:
    """What has been run and agreed so far: tests, steps, the longest test, and which transitions were taken."""

    tests: int = 0
    steps: int = 0
    longest: int = 0
    taken: set[Edge] = field(default_factory=set[Edge])

    def add(self, trace: Trace) -> None:
        """Count a test that was run."""
        self.tests += 1
        self.steps += len(trace)
        self.longest = max(self.longest, len(trace))
        self.taken.update(transitions_of(trace))


@dataclass(frozen=True, slots=True)
class Finding:
    """A divergence and a trace that ends in it. `is_alone` says that the trace alone shows it, on an implementation
    that was opened anew; otherwise it came after other tests only."""

    divergence: Divergence
    trace: Trace
    is_alone: bool


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run of tests came to. `stop` says why not all of them were run, or is None."""

    tally: Tally
    finding: Finding | None
    stop: Stop | None


def only_initial(system: TransitionSystem) -> State:
    """The initial state. UsageError where there are several."""
    first, *others = system.initial
    if others:
        raise UsageError(
            f"{system.name} has {len(system.initial):,} initial states, and reset does not tell an implementation "
            "which to begin in.\n    Give the model a parameter that decides, or an action that chooses."
        )
    return first


def run_tests(
    system: TransitionSystem,
    tests: Iterable[Trace],
    opening: Opening,
    parameters: Mapping[str, object],
    *,
    most_tests: int | None = None,
    limits: Limits | None = None,
    ways: Callable[[Trace], Trace] | None = None,
) -> Ran:
    """Run tests until one diverges, a limit is reached, or the user interrupts.

    `ways` gives for a trace that ends in a divergence a shorter one to the same transition, if there is one; it is
    reported instead where it diverges too.
    """
    tally, watch = Tally(), Watch.start(limits or Limits())
    try:
        with opening() as adapter:
            found = _first_divergence(system, tests, adapter, parameters, tally, watch, most_tests)
    except KeyboardInterrupt:
        return Ran(tally, None, RUN_INTERRUPTED)
    if found is None or isinstance(found, Stop):
        return Ran(tally, None, found)
    divergence, prefix = found
    shorter = prefix if ways is None else ways(prefix)
    return Ran(tally, reproduced(system, divergence, prefix, shorter, opening, parameters), None)


def _first_divergence(
    system: TransitionSystem,
    tests: Iterable[Trace],
    adapter: Adapter,
    parameters: Mapping[str, object],
    tally: Tally,
    watch: Watch,
    most_tests: int | None,
) -> tuple[Divergence, Trace] | Stop | None:
    """The first divergence with the steps up to it; None where there is none, and a Stop where not all was run."""
    for test in tests:
        stop = watch.stop(0, 0)
        if stop is not None:
            return stop
        if most_tests is not None and tally.tests == most_tests:
            return Stop("tests", f"more than {most_tests:,} tests")
        found = replay_against(system, test, adapter, parameters)
        if found is not None:
            return found, Trace(test.states[: found.step + 1], test.transitions[: found.step])
        tally.add(test)
    # Once more, to see that nothing of the last one is left.
    initial = only_initial(system)
    left = begin(system, initial, adapter, parameters)
    return None if left is None else (left, Trace((initial,), ()))


def reproduced(
    system: TransitionSystem,
    found: Divergence,
    prefix: Trace,
    shorter: Trace,
    opening: Opening,
    parameters: Mapping[str, object],
) -> Finding:
    """A divergence with the shorter of two traces that shows it on an implementation that was opened anew."""
    for trace in (shorter, prefix):
        with opening() as adapter:
            again = replay_against(system, trace, adapter, parameters)
        if again is not None:
            cut = Trace(trace.states[: again.step + 1], trace.transitions[: again.step])
            return Finding(again, cut, is_alone=True)
    return Finding(found, prefix, is_alone=False)

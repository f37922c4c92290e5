"""How many mistakes the tests of `conform` catch: each is made in the reference, and the tests are run on it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Final

from fenceproof.model.errors import UsageError
from fenceproof.model.trace import Trace
from fenceproof.specs.mutants.catalogue import MUTANTS
from fenceproof.specs.mutants.loading import Mutant, adapter_of, mutated

from ..adapters import Adapter
from ..conformance.cover import edge_cover
from ..conformance.running import Opening, Ran, only_initial, run_tests
from ..driven import driven
from ..graph import explore
from ..limits import Stop
from ..report.mutation import Fate, print_fates
from ..report.summary import counted
from ..telling import tell
from .conform_tests import MOST_STATES, Asked
from .options import INTERRUPTED

IMPLEMENTATION: Final = "memory"


def held_against_mutants(asked: Asked, walks: int | None, seeded: int) -> int:
    """Run the tests that take every transition, and so many random walks, on every mutant; 1 where one survives that
    is not said to be equivalent."""
    if asked.name != IMPLEMENTATION:
        raise UsageError(f"the mutants are of the reference in memory. Write --against {IMPLEMENTATION}")
    initial = only_initial(asked.system)
    explored = explore(asked.system, replace(asked.limits, max_states=asked.limits.max_states or MOST_STATES))
    if explored.wrong is not None or explored.stop is not None:
        raise UsageError(
            "the model has too many states for its tests to be made. Write smaller bounds: --most-faults 1"
        )
    tests = list(edge_cover(explored.graph, initial))
    fates: list[Fate] = []
    for mutant in MUTANTS:
        fate = _fate(asked, mutant, tests, walks, seeded)
        if fate is None:
            done = f"{len(fates)} of {counted(len(MUTANTS), 'mutant')}"
            tell(f"interrupted; {done} were looked at.")
            return INTERRUPTED
        fates.append(fate)
    print_fates(asked.system, tests, walks, fates, quiet=asked.quiet, no_color=asked.no_color)
    return 0 if all(fate.is_expected for fate in fates) else 1


def _fate(asked: Asked, mutant: Mutant, tests: list[Trace], walks: int | None, seeded: int) -> Fate | None:
    """What became of a mutant; None where the user interrupted."""
    with mutated(mutant) as package:
        make = adapter_of(package, IMPLEMENTATION)

        def opening() -> AbstractContextManager[Adapter]:
            return driven(mutant.name, make)

        limits = replace(asked.limits, max_states=None)
        ran = run_tests(asked.system, tests, opening, asked.parameters, limits=limits)
        walked = None if walks is None else _walked(asked, opening, walks, seeded)
    for each in (ran, walked):
        if each is not None and each.stop is not None:
            if each.stop.kind == "interrupted":
                return None
            raise _StoppedError(each.stop)
    found = None if walked is None else walked.finding
    return Fate(mutant.name, mutant.mistake, mutant.equivalent, ran.finding, found, walks is not None)


class _StoppedError(UsageError):
    """The time was over before every mutant was looked at."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(f"{stop.reason}, before every mutant was looked at. Leave --time away, or write more.")


def _walked(asked: Asked, opening: Opening, walks: int, seeded: int) -> Ran:
    from ..conformance.stateful import run_walks

    limits = replace(asked.limits, max_states=None)
    return run_walks(asked.system, opening, asked.parameters, walks, seeded=seeded, limits=limits, shrinks=False)

"""Several engines on one system, each in a process of its own: all of them compared, or a race for the first answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import ceil
from typing import Final

from fenceproof.model.errors import UsageError
from fenceproof.model.system import TransitionSystem

from ..agreement import CONCLUSIVE, merged
from ..engines import ENGINES, Engine, engine_named
from ..limits import SEARCH_INTERRUPTED, Limits
from ..result import CheckResult
from .running import Report, Running, cores

#: The name by which a user asks for all engines.
ALL: Final = "all"
RACE: Final = "race"
#: Seconds that each engine has where a user sets no time: what one cannot decide, another mostly has.
EACH_S: Final = 60.0
#: What a user may name as an engine.
NAMES: Final = (*ENGINES, ALL)


def engine_of(name: str, limits: Limits) -> Engine:
    """An engine by its name, if it can work within the limits; all of them together are one as well. UsageError."""
    return compare if name == ALL else engine_named(name, limits)


def compare(
    system: TransitionSystem,
    *,
    properties: Sequence[str] | None = None,
    limits: Limits | None = None,
    progress: Report = None,
    engines: Iterable[str] | None = None,
) -> CheckResult:
    """Ask every engine (or those that are named), and compare what they say. Raises DisagreementError.

    A verdict is the strongest that any of them gives, and `engines` of the result is what each one said.
    """
    names = tuple(ENGINES if engines is None else engines)
    limits = limits or Limits()
    if limits.time_s is None:
        limits = replace(limits, time_s=EACH_S * ceil(len(names) / cores()))
    return _together(ALL, system, properties, limits, progress, names)


def race(
    system: TransitionSystem,
    *,
    properties: Sequence[str] | None = None,
    limits: Limits | None = None,
    progress: Report = None,
    engines: Iterable[str] | None = None,
) -> CheckResult:
    """Ask several engines at once, and stop the others when all that was asked for is decided by what has been said.

    Decided is what is violated, proved, or held by every reachable state. What was said by then is compared as well.
    """
    return _together(RACE, system, properties, limits, progress, tuple(ENGINES if engines is None else engines))


def _together(
    how: str,
    system: TransitionSystem,
    properties: Sequence[str] | None,
    limits: Limits | None,
    progress: Report,
    names: tuple[str, ...],
) -> CheckResult:
    results: list[CheckResult] = []
    at_once = len(names) if how == RACE else None
    with Running(system, names, properties, limits or Limits(), progress, at_once) as running:
        for result in running.answers():
            results.append(result)
            if how == RACE and _is_decided(results):
                break
    results.sort(key=lambda result: names.index(result.engine))
    refused = [r.stop.reason for r in results if r.stop is not None and r.stop.kind == "refused"]
    if len(refused) == len(names):
        raise UsageError(refused[0])
    found = merged(how, results)
    if running.is_interrupted:
        # Or an interrupt would be lost that comes when the last engine has said what it has to say.
        found = replace(found, stop=SEARCH_INTERRUPTED)
    return replace(found, seconds=max(result.seconds for result in results))


def _is_decided(results: Sequence[CheckResult]) -> bool:
    """Whether every property has a conclusive verdict, or the model is known to go wrong."""
    if any(result.wrong is not None for result in results):
        return True
    decided = {p.name for result in results for p in result.properties if p.verdict in CONCLUSIVE}
    return decided.issuperset(p.name for p in results[0].properties)

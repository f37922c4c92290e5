"""The shortest counterexample of a model as a user names it: checked first, and said why where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fenceproof.model.errors import UsageError
from fenceproof.model.lift import lift

from ..api import chosen_properties
from ..engines import engine_named
from ..export.traces import Shown
from ..limits import Limits, Stop, go_on
from ..reduction import check_reduced, reduced
from ..report.progress import shown_progress
from ..result import CheckResult
from ..targets import find
from ..telling import tell
from ..verdict import Verdict
from .options import ModelOptions


@dataclass(frozen=True, slots=True)
class Searched:
    """A target as reports call it, and what a search for the properties asked for found in it (none: for all)."""

    target: str
    properties: tuple[str, ...]
    result: CheckResult

    @property
    def stop(self) -> Stop | None:
        """The limit that ended the search; None where nothing was left to look at."""
        stop = self.result.stop
        return None if stop is not None and stop.kind == "violation" else stop

    @property
    def nothing(self) -> str:
        """That nothing is violated, as the beginning of a sentence."""
        if len(self.result.properties) == 1 and self.properties:
            (only,) = self.result.properties
            return f"{only.name}: {self.result.said_of(only)} in {self.target},"
        return f"none of the {len(self.result.properties)} properties that were checked of {self.target} is violated,"


def searched(model: ModelOptions, properties: Sequence[str], limits: Limits, *, all_copies: bool) -> Searched:
    """Check a model. Of one property by name a violation ends the search, if it is one that a state or a step shows."""
    target = find(model.target)
    if target.remark:
        tell(target.remark)
    made, settings = model.make(target)
    system = lift(made, settings)
    chosen = chosen_properties(system, properties)
    found = None if all_copies else reduced(made, settings, system)
    is_one = chosen is not None and len(set(chosen)) == 1 and chosen[0] not in {p.name for p in system.liveness}
    with shown_progress(enabled=True, no_color=False) as progress:
        engine = engine_named("explicit", limits)
        result = check_reduced(
            engine, system, found, properties=chosen, limits=limits, progress=progress, until_violation=is_one
        )
    go_on(result.stop)
    return Searched(target.name, tuple(properties), result)


def counterexample(
    model: ModelOptions, properties: Sequence[str], limits: Limits, *, all_copies: bool, instead: str
) -> Shown | None:
    """Check a model, and take the shortest counterexample of the first property that is violated, of those asked for.

    Which one is said on standard error where there are several, and that it is of one copy where one stands for all.
    None where a limit ended the search before anything was found, which is said too. Raises UsageError where
    everything holds; `instead` is what can be had then.
    """
    found = searched(model, properties, limits, all_copies=all_copies)
    shown = first_violated(found)
    if shown is None and found.result.verdict is Verdict.INCONCLUSIVE:
        why = "a limit was reached" if found.stop is None else found.stop.reason
        tell(f"no counterexample was found so far, and the search is not complete: {why}.")
        return None
    if shown is None:
        raise UsageError(f"{found.nothing} so there is no counterexample to show. {instead}")
    say_of_one(found.result, "trace")
    return shown


def say_of_one(result: CheckResult, what: str) -> None:
    """Say that what is shown is of one copy, where one stands for all."""
    if result.independence is not None:
        parameter = result.independence.parameter
        tell(f"{parameter} share nothing, so the {what} is of one. All: --all-copies")


def first_violated(found: Searched) -> Shown | None:
    """The trace of the first property that is violated; else that by which the model itself goes wrong, if it does."""
    result = found.result
    violated = [p for p in result.properties if p.trace is not None]
    if violated:
        first = violated[0]
        assert first.trace is not None, "those were left out"
        if len(violated) > 1:
            others = ", ".join(p.name for p in violated[1:])
            tell(f"this is the counterexample of {first.name}; violated too: {others}.")
        return Shown(found.target, result.system, first.trace, first.name)
    if result.wrong is not None:
        tell(f"no violation was found before the model itself went wrong: {result.wrong.text}")
        return Shown(found.target, result.system, result.wrong.trace, None)
    return None

"""Reduction: a system that is so many copies, side by side, of a smaller one is checked by checking one copy.

Looks for a parameter that says how many copies there are, has `independence.py` compare, and explores one copy; or
everything side by side where that was not shown, or where a goal that one copy meets may be lost again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from typing import Final

from fenceproof.model.budgets import SPENT, Settings
from fenceproof.model.errors import ModelError, UsageError
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.starts import state_of
from fenceproof.model.system import TransitionSystem, Variable

from .independence import difference, is_shared
from .limits import Limits, Watch
from .result import CheckResult, Independence
from .stays import with_stays
from .verdict import Verdict

_HOLDS: Final = (Verdict.HOLDS, Verdict.PROVED)

Engine = Callable[..., CheckResult]


@dataclass(frozen=True, slots=True)
class Reduced:
    """One copy, and what was shown of the system that it stands for."""

    one: TransitionSystem
    independence: Independence


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Why a system, with so many of something, was not shown to be that many copies."""

    parameter: str
    copies: int
    reason: str

    @property
    def statement(self) -> str:
        """The same as a sentence for a report."""
        return f"{self.parameter}={self.copies} were explored side by side: {self.reason}"


def reduced(model: Model, settings: Settings, system: TransitionSystem) -> Reduced | SideBySide | None:
    """The one copy that a lifted model consists of several of, or why that was not shown; None where there is nothing
    to show."""
    refused: SideBySide | None = None
    for parameter, copies in _candidates(model, system):
        shared = [variable.name for variable in system.variables if is_shared(variable, copies)]
        if shared:
            refused = refused or SideBySide(parameter, copies, _budgeted(shared[0]))
            continue
        single = _with(model, parameter, 1)
        if single is None or not _is_like_one(single):
            continue
        one = _lifted(single, settings)
        if one is None:
            continue
        reason = difference(system, one, copies)
        if reason is not None:
            refused = refused or SideBySide(parameter, copies, reason)
            continue
        # A second number tells a model that does the same for any number from one that was made for this one.
        second = 3 if copies == 2 else 2
        other = _with(model, parameter, second)
        beside = None if other is None else _lifted(other, settings, once=True)
        is_shown = beside is not None and difference(beside, one, second) is None
        numbers = tuple(sorted({copies, second})) if is_shown else (copies,)
        return Reduced(one, Independence(parameter, copies, numbers))
    return refused


def beyond_one(
    model: Model, settings: Settings, system: TransitionSystem, asked: Collection[str] | None = None
) -> Independence | SideBySide | None:
    """What was shown of two and three copies of a system that is one copy of something; or why that was not shown.

    None where no parameter says that there is one. `asked` are the names of the properties that it is shown for (None:
    all of them).
    """
    refused: SideBySide | None = None
    for parameter, value in _parameters(model).items():
        if type(value) is not int or value != 1 or parameter not in system.parameters:
            continue
        for copies in (2, 3):
            other = _with(model, parameter, copies)
            many = None if other is None else _lifted(other, settings, once=True, only=asked)
            if many is None:
                break
            own = [variable for variable in many.variables if not variable.name.startswith(SPENT)]
            if any(is_shared(variable, copies) for variable in own):
                break
            shared = [variable.name for variable in many.variables if is_shared(variable, copies)]
            reason = _budgeted(shared[0]) if shared else difference(many, system, copies, asked)
            if reason is not None:
                refused = refused or SideBySide(parameter, 1, reason)
                break
        else:
            return Independence(parameter, 1, (2, 3))
    return refused


def check_reduced(
    engine: Engine,
    whole: TransitionSystem,
    found: Reduced | SideBySide | None,
    *,
    properties: Sequence[str] | None = None,
    limits: Limits | None = None,
    **options: object,
) -> CheckResult:
    """Check one copy where there is one that stands for the whole system, and the whole system elsewhere."""
    # Both searches are under one limit of time.
    limits = Watch.start(limits or Limits()).rest(0)
    if isinstance(found, Reduced):
        goals = [p.name for p in found.one.liveness if properties is None or p.name in properties]
        system, stays = with_stays(found.one, goals)
        asked = None if properties is None else [*properties, *stays.values()]
        result = engine(system, properties=asked, limits=limits, **options)
        by_name = {p.name: p for p in result.properties}
        # That a goal is not met, or met at the beginning, is the same for one and for all.
        lost = [
            goal
            for goal, name in stays.items()
            if by_name[goal].verdict in _HOLDS and by_name[name].verdict not in _HOLDS
        ]
        if not lost:
            kept = tuple(p for p in result.properties if p.name not in stays.values())
            return replace(result, system=found.one, properties=kept, independence=found.independence)
        found = SideBySide(found.independence.parameter, found.independence.copies, f"{lost[0]} may be lost again")
    result = engine(whole, properties=properties, limits=limits, **options)
    return result if found is None else replace(result, beside=found.statement)


def _candidates(model: Model, system: TransitionSystem) -> Iterator[tuple[str, int]]:
    """The parameters that may say how many copies there are: every variable of the author's has so many items."""
    for name, value in system.parameters.items():
        given = _parameters(model)[name]
        if type(given) is not int or given != value or given < 2:
            continue
        own = [variable for variable in system.variables if not variable.name.startswith(SPENT)]
        if not any(is_shared(variable, given) for variable in own):
            yield name, given


def _budgeted(counter: str) -> str:
    """What it means that a counter of faults is one for all."""
    fault = counter.removeprefix(SPENT)
    if fault == "in all":
        return "--most-faults is one budget for all"
    return f"the budget of the fault {fault} is one for all (per=… makes it each one's)"


def _parameters(model: Model) -> dict[str, object]:
    return model._parameters  # pyright: ignore[reportPrivateUsage]


def _with(model: Model, parameter: str, value: int) -> Model | None:
    """The same model with another value of a parameter; None where it cannot be made so."""
    try:
        with redirect_stdout(sys.stderr):
            return type(model)(**{**_parameters(model), parameter: value})
    except KeyboardInterrupt:
        raise
    except BaseException:  # whatever an author's constructor raises for a number that nobody asked for
        return None


def _is_like_one(model: Model) -> bool:
    """Whether every variable has one item; asked before a model is lifted in vain."""
    try:
        kinds = state_of(model)
    except ModelError:
        return False
    return not any(is_shared(Variable(name, kind, 0), 1) for name, kind in kinds.items())


def _lifted(
    model: Model, settings: Settings, *, once: bool = False, only: Collection[str] | None = None
) -> TransitionSystem | None:
    try:
        return lift(model, settings, once=once, only=only)
    except (ModelError, UsageError):
        return None

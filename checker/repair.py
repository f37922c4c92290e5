"""The nearest models that hold: for one that falls, the fewest changes of its knobs that mend it.

A knob is what a model can be told with few values: an attribute of its class or a parameter of its constructor whose
type is `bool`, a `Literal` or an `Enum`, and a safeguard that was taken away. Every model at a distance (a number of
changed knobs) is checked before any at the next, so what is found are all nearest ones.
"""

from __future__ import annotations

import itertools
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, Literal

from fenceproof.model.budgets import Settings
from fenceproof.model.errors import ModelError
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.methods import safeguards
from fenceproof.model.weaken import made_choices, remade

from .api import chosen_properties
from .engines import explicit
from .engines.family import explore_family
from .limits import SEARCH_INTERRUPTED, Limits, Stop, Watch, go_on
from .result import CheckResult
from .values import hints_of
from .verdict import Verdict

#: Changes beyond which another design is meant, and no repair.
MOST_CHANGES: Final = 3


@dataclass(frozen=True, slots=True)
class Change:
    """A knob turned: `where` is attribute, parameter or safeguard; a safeguard is put back."""

    where: str
    name: str
    before: object
    after: object

    def __str__(self) -> str:
        if self.where == "safeguard":
            return f"put {self.name} back"
        return f"{self.name}: {_shown(self.before)} → {_shown(self.after)}"


@dataclass(frozen=True, slots=True)
class Repair:
    """Changes with which nothing falls, as `result` says: it may be vacuous, since something was never tested."""

    changes: tuple[Change, ...]
    result: CheckResult


@dataclass(frozen=True, slots=True)
class Repairs:
    """All nearest repairs, those with which everything was put to the test first.

    `tried` counts the models that were checked, `distance` the changes of the last of them.
    `unfit` says which changes make no model and why; `undecided` are those whose check a limit ended, and `stop` is
    what ended the search early: without either, nothing nearer holds.
    """

    knobs: tuple[Change, ...]
    repairs: tuple[Repair, ...]
    distance: int
    tried: int
    unfit: tuple[str, ...]
    undecided: tuple[tuple[Change, ...], ...]
    stop: Stop | None

    @property
    def complete(self) -> bool:
        """Whether these are all nearest repairs for certain."""
        return self.stop is None and not self.undecided


def repairs(
    model: Model,
    settings: Settings,
    *,
    properties: Sequence[str] | None = None,
    limits: Limits | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Repairs:
    """Search the nearest models that hold, at a distance of up to `MOST_CHANGES`. Distance 0 is the model itself."""
    watch = Watch.start(limits or Limits())
    turns = knobs(model, settings)
    found: list[Repair] = []
    unfit: list[str] = []
    undecided: list[tuple[Change, ...]] = []
    tried = distance = 0
    stop: Stop | None = None
    while not found and distance <= MOST_CHANGES and stop is None:
        for chosen in _combinations(turns, distance):
            stop = watch.stop(0, 0)
            if stop is not None:
                break
            progress(", ".join(map(str, chosen)) or "as it is")
            tried += 1
            try:
                result = _check(model, settings, chosen, properties, watch.rest(0))
            except ModelError as error:
                if not chosen:
                    raise
                unfit.append(f"{', '.join(map(str, chosen))}: {error}")
                continue
            except KeyboardInterrupt:
                stop = SEARCH_INTERRUPTED
                break
            if result is not None and not result.complete:
                undecided.append(chosen)
            elif result is not None:
                found.append(Repair(chosen, result))
        distance += 1
    found.sort(key=lambda repair: repair.result.verdict is not Verdict.HOLDS)
    return Repairs(turns, tuple(found), distance - 1, tried, tuple(unfit), tuple(undecided), stop)


def knobs(model: Model, settings: Settings) -> tuple[Change, ...]:
    """Every way to turn one knob of a model."""
    cls = type(model)
    turns: list[Change] = []
    for name, hint in hints_of(cls).items():
        if name in vars(cls) or any(name in vars(base) for base in cls.__mro__):
            turns += _turns("attribute", name, hint, getattr(cls, name))
    given = model._parameters  # pyright: ignore[reportPrivateUsage]
    for name, hint in hints_of(cls.__init__).items():
        if name in given:
            turns += _turns("parameter", name, hint, given[name])
    turns += [Change("safeguard", name, False, True) for name in sorted(settings.without)]
    return tuple(turns)


def _turns(where: str, name: str, hint: object, now: object) -> Iterator[Change]:
    for value in _values(hint):
        if type(value) is not type(now) or value != now:
            yield Change(where, name, now, value)


def _values(hint: object) -> tuple[object, ...]:
    if hint is bool:
        return False, True
    if typing.get_origin(hint) is Literal:
        return typing.get_args(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return tuple(hint)
    return ()


def _combinations(turns: Sequence[Change], distance: int) -> Iterator[tuple[Change, ...]]:
    for chosen in itertools.combinations(turns, distance):
        if len({(turn.where, turn.name) for turn in chosen}) == distance:
            yield chosen


def _check(
    model: Model, settings: Settings, chosen: Sequence[Change], properties: Sequence[str] | None, limits: Limits
) -> CheckResult | None:
    """The plain check of a model that holds, None for one that falls, which shows soon."""
    back = {turn.name for turn in chosen if turn.where == "safeguard"}
    attributes = {turn.name: turn.after for turn in chosen if turn.where == "attribute"}
    parameters = {turn.name: turn.after for turn in chosen if turn.where == "parameter"}
    made = remade(model, attributes, parameters)
    # A choice that the changed model has not made is not there to be taken away.
    there = {*safeguards(type(made)), *made_choices(made)}
    settings = replace(settings, without=(settings.without - back) & there)
    system = lift(made, replace(settings, noted=True))
    names = chosen_properties(system, properties)
    family = explore_family(system, properties=names, until_first=True, limits=limits)
    if family.fallen.any():
        return None
    go_on(family.stop)
    result = explicit.check(lift(made, settings), properties=names, limits=limits)
    go_on(result.stop)
    return None if result.verdict in (Verdict.VIOLATED, Verdict.MODEL_ERROR) else result


def _shown(value: object) -> str:
    return value.name if isinstance(value, Enum) else str(value)

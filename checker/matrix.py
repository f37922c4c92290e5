"""Designs side by side: every property under every set of faults, with a trace for each minimal one, and what it costs.

One search a design answers for all sets of faults; what it says of the minimal ones is found again by a plain check of
its own, whose trace is the one that is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from fenceproof.model.budgets import Settings
from fenceproof.model.errors import InternalError, ModelError, UsageError, nearest
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace

from .api import chosen_properties
from .engines import explicit
from .engines.costs import Costs, costs
from .engines.family import NEVER, Family, Member, explore_family
from .lattice import minimal, names, number_of
from .limits import SEARCH_INTERRUPTED, Limits, Stop, go_on
from .restrict import in_whole, restrict
from .result import CheckResult, Sort
from .verdict import Verdict


@dataclass(frozen=True, slots=True)
class Cell:
    """A property under some faults. Where it is violated, `trace` is a shortest one, and `steps` its length."""

    faults: tuple[str, ...]
    verdict: Verdict
    steps: int | None = None
    trace: Trace | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A property of a design: a cell for each column, the minimal sets of faults under which it falls, and for each of
    these a trace."""

    name: str
    sort: Sort
    meaning: str
    cells: tuple[Cell, ...]
    falls: tuple[tuple[tuple[str, ...], Trace], ...]

    @property
    def minimal_faults(self) -> tuple[tuple[str, ...], ...]:
        """The minimal sets of faults."""
        return tuple(faults for faults, _ in self.falls)


@dataclass(frozen=True, slots=True)
class TradeOff:
    """What a design costs, without faults and with those that are on."""

    quiet: Costs
    faulty: Costs


@dataclass(frozen=True, slots=True)
class Design:
    """What was found of one design. `system` is what its traces are of."""

    target: str
    system: TransitionSystem
    rows: tuple[Row, ...]
    trade_off: TradeOff
    distinct: int
    generated: int
    stop: Stop | None

    @property
    def complete(self) -> bool:
        """Whether every state was seen, and again where the costs were counted."""
        return (self.stop, self.trade_off.quiet.stop, self.trade_off.faulty.stop) == (None, None, None)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Designs side by side; `columns` are sets of faults: none, each alone, and all of them.

    `unsearched` names the designs that an interrupt left out.
    """

    columns: tuple[tuple[str, ...], ...]
    most_faults: int | None
    designs: tuple[Design, ...]
    stop: Stop | None
    unsearched: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether all of it was searched."""
        return self.stop is None and all(design.complete for design in self.designs)


def matrix(
    models: Sequence[tuple[str, Model, Settings]],
    *,
    properties: Sequence[str] | None = None,
    limits: Limits | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Matrix:
    """Compare models, each with the name it goes by and how it is lifted. An interrupt leaves out the one
    that it meets and those that follow.

    Raises UsageError where there are none.
    """
    if not models:
        raise UsageError("there is nothing to compare. Name a shipped variant, or a file with models in it.")
    designs: list[Design] = []
    stop: Stop | None = None
    for target, model, settings in models:
        try:
            progress(target)
            designs.append(_design(target, model, settings, properties, limits or Limits()))
        except KeyboardInterrupt:
            stop = SEARCH_INTERRUPTED
            break
    columns = dict.fromkeys(cell.faults for design in designs for row in design.rows for cell in row.cells)
    unsearched = tuple(target for target, _, _ in models[len(designs) :])
    return Matrix(tuple(sorted(columns, key=len)), models[0][2].most_faults, tuple(designs), stop, unsearched)


def _design(target: str, model: Model, settings: Settings, properties: Sequence[str] | None, limits: Limits) -> Design:
    system = lift(model, replace(settings, noted=True))
    plain = lift(model, settings) if None in system.faults.values() else system
    family = explore_family(system, properties=chosen_properties(system, properties), limits=limits)
    go_on(family.stop)
    _refuse_what_goes_wrong(family)
    # A part that was searched shows its violations in no more states than it has, whatever the limit was.
    enough = None if family.complete else Limits(max_states=family.distinct)
    checks: dict[tuple[str, ...], CheckResult] = {}

    def check(faults: tuple[str, ...]) -> CheckResult:
        if faults not in checks:
            chosen = [m.name for m in family.members if m.steps[0, number_of(faults, family.faults)] < NEVER]
            checks[faults] = explicit.check(restrict(plain, faults), properties=chosen, limits=enough)
            go_on(checks[faults].stop)
        return checks[faults]

    columns = list(dict.fromkeys([(), *((fault,) for fault in family.faults), family.faults]))
    rows = tuple(_row(family, member, columns, plain, check) for member in family.members)
    return Design(
        target,
        plain,
        rows,
        _trade_off(model, system, limits),
        family.distinct,
        family.generated,
        family.stop,
    )


def _refuse_what_goes_wrong(family: Family) -> None:
    if family.wrong.steps[0, -1] < NEVER:
        raise ModelError(
            f"{family.system.name} itself goes wrong, so there is nothing to compare.",
            family.system.site,
            "`fenceproof check` shows how.",
        )


def _row(
    family: Family,
    member: Member,
    columns: Sequence[tuple[str, ...]],
    plain: TransitionSystem,
    check: Callable[[tuple[str, ...]], CheckResult],
) -> Row:
    falls: list[tuple[tuple[str, ...], Trace]] = []
    for number in minimal(member.steps[0] < NEVER):
        faults = names(number, family.faults)
        trace = check(faults).trace(member.name)
        if trace is None and not family.complete:
            continue  # Time ended a level half way, and there are more states before what was seen.
        if trace is None or (member.sort is not Sort.LIVENESS and len(trace) != member.steps[0, number]):
            raise _disagreement(member, plain, faults)
        falls.append((faults, in_whole(plain, faults, trace)))
    cells = tuple(_cell(family, member, falls, faults, plain, check) for faults in columns)
    return Row(member.name, member.sort, member.meaning, cells, tuple(falls))


def _disagreement(member: Member, plain: TransitionSystem, faults: Sequence[str]) -> InternalError:
    return InternalError(
        f"{member.name} of {plain.name} under {', '.join(faults) or 'no fault'}: the search of all sets of faults and "
        "that of this one disagree. Please report this, with the model."
    )


def _cell(
    family: Family,
    member: Member,
    falls: Sequence[tuple[tuple[str, ...], Trace]],
    faults: tuple[str, ...],
    plain: TransitionSystem,
    check: Callable[[tuple[str, ...]], CheckResult],
) -> Cell:
    number = number_of(faults, family.faults)
    known = [trace for needed, trace in falls if set(needed) <= set(faults)]
    if known:
        trace = min(known, key=len)
        if member.sort is not Sort.LIVENESS and len(trace) > member.steps[0, number]:
            # A fault that is not needed can make it shorter.
            shorter = check(faults).trace(member.name)
            trace = trace if shorter is None else in_whole(plain, faults, shorter)
            if family.complete and len(trace) != member.steps[0, number]:
                raise _disagreement(member, plain, faults)
        return Cell(faults, Verdict.VIOLATED, len(trace), trace)
    if not family.complete:
        return Cell(faults, Verdict.INCONCLUSIVE)
    return Cell(faults, Verdict.HOLDS if member.tested[0, number] else Verdict.VACUOUS)


def _trade_off(model: Model, system: TransitionSystem, limits: Limits) -> TradeOff:
    kinds = _kinds(model, system)
    quiet, faulty = (costs(of, kinds, limits) for of in (restrict(system, ()), system))
    go_on(quiet.stop)
    go_on(faulty.stop)
    return TradeOff(quiet, faulty)


def _kinds(model: Model, system: TransitionSystem) -> list[tuple[str, Collection[str]]]:
    """The kinds of steps whose number is of interest: what a class says under `costs`, by name the actions."""
    given = getattr(model, "costs", None)
    if not isinstance(given, Mapping):
        return []
    known = {t.action for t in system.transitions} | set(system.left_out)
    kinds = cast("Mapping[str, Collection[str]]", given)
    for name, actions in kinds.items():
        if isinstance(actions, str):
            raise ModelError(
                f"`costs` gives {name!r} as the text {actions!r}.", system.site, f"Write ({actions!r},), with a comma."
            )
    for name, actions in kinds.items():
        for action in actions:
            if action not in known:
                raise ModelError(
                    f"{nearest(action, known, 'The action')} It is in `costs` under {name!r}.", system.site
                )
    return list(kinds.items())

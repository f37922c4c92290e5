"""Fault budgets: how often each fault may happen, and the hidden variables that count it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from .constants import is_whole
from .errors import ModelError, nearest
from .kinds import ArrayKind, BoolKind, Kind, MapKind, RangeKind
from .language import Model
from .methods import Method, domain, methods
from .shadow import Context
from .system import Transition, Variable

#: How the names of the hidden variables begin that count faults, and the one that counts them all.
SPENT: Final = "spent "
SPENT_IN_ALL: Final = f"{SPENT}in all"
#: How the names of those begin that tell of an unlimited fault that it has happened.
HAPPENED: Final = "happened "


def is_counter(name: str) -> bool:
    """Whether a variable of that name counts faults, which no author can write: there is a blank in it."""
    return name.startswith((SPENT, HAPPENED))


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is lifted: fault budgets by name (None: unlimited), at most how many faults in all, safeguards off.

    A fault that is not named has the budget its author gave it. `only` names the faults that are on, where given; the
    others are switched off. `varied` names safeguards that are there in some initial states and not in others, for
    good: one system then stands for the whole family of models. With `noted`, a state tells of each fault whether it
    has happened, of the unlimited ones too.
    """

    budgets: Mapping[str, int | None] | None = None
    only: frozenset[str] | None = None
    most_faults: int | None = None
    without: frozenset[str] = frozenset()
    varied: frozenset[str] = frozenset()
    noted: bool = False


def fault_budgets(model: Model, settings: Settings) -> dict[str, int | None]:
    """The budget of every fault of a model under these settings.

    Raises ModelError where two actions disagree, for an unknown fault, and for a budget that is none.
    """
    declared: dict[str, int | None] = {}
    for method in methods(type(model)):
        marks = method.marks
        if marks.fault is None:
            continue
        if declared.setdefault(marks.fault, marks.budget) != marks.budget:
            raise ModelError(
                f"the fault {marks.fault!r} has two budgets.", method.site, "Give every action of a fault the same."
            )
    given = settings.budgets or {}
    for name in (*given, *(settings.only or ())):
        if name not in declared:
            raise ModelError(nearest(name, declared, "The fault"))
    found: dict[str, int | None] = {}
    for name, budget in declared.items():
        off = settings.most_faults == 0 or (settings.only is not None and name not in settings.only)
        found[name] = 0 if off else given.get(name, budget)
        _check_budget(f"the budget of the fault {name!r}", found[name])
    _check_budget("the largest number of faults in all", settings.most_faults)
    return found


def _check_budget(what: str, budget: object) -> None:
    if budget is not None and (not is_whole(budget) or budget < 0):
        raise ModelError(f"{what} is {budget!r}.", None, "Give a whole number from 0 on, or None for no limit.")


class Counters:
    """Hidden variables that count the faults spent: one a limited fault, and one in all where that is limited.

    Of an unlimited fault they tell at most that it has happened.
    """

    def __init__(
        self,
        model: Model,
        marked: Sequence[Method],
        budgets: Mapping[str, int | None],
        settings: Settings,
    ) -> None:
        self.kinds: dict[str, Kind] = {}
        self.per: dict[str, str | None] = {}
        values: dict[str, list[object]] = {}
        for method in marked:
            fault = method.marks.fault
            if fault is not None and budgets[fault] is None and settings.noted:
                self.kinds[f"{HAPPENED}{fault}"] = BoolKind()
            if fault is None or not budgets[fault]:
                continue
            per = method.marks.per or ("call" if "call" in method.marks.domains else None)
            if self.per.setdefault(fault, per) != per:
                raise ModelError(
                    f"the fault {fault!r} is counted per {self.per[fault]} here and per {per} there.",
                    method.site,
                    "Give every action of a fault the same `per`.",
                )
            budget = RangeKind(0, cast(int, budgets[fault]))
            if per is None:
                self.kinds[f"{SPENT}{fault}"] = budget
                continue
            if per not in method.marks.domains:
                raise ModelError(
                    f"the fault {fault!r} is counted per {per}, and {method.name} has no values for that.",
                    method.site,
                    nearest(per, method.marks.domains, "The parameter"),
                )
            # Actions that share a budget may meet different values, each of which has a budget.
            keys = values.setdefault(fault, [])
            keys.extend([value for value in domain(model, method, per) if value not in keys])
            if keys:
                self.kinds[f"{SPENT}{fault}"] = _counters(keys, budget, fault, method)
        if settings.most_faults is not None and any(b is None or b > 0 for b in budgets.values()):
            self.kinds[SPENT_IN_ALL] = RangeKind(0, settings.most_faults)

    def counted(
        self,
        context: Context,
        variables: Mapping[str, Variable],
        transition: Transition,
        arguments: Mapping[str, object],
    ) -> Transition:
        """A fault's transition, enabled only while its budget lasts, and spending one of it."""
        if transition.fault is None:
            return transition
        positions: list[int] = []
        own = variables.get(f"{SPENT}{transition.fault}")
        if own is not None:
            per = self.per[transition.fault]
            keys = own.kind.keys if isinstance(own.kind, ArrayKind | MapKind) else (None,)
            positions.append(own.first + keys.index(arguments[per] if per is not None else None))
        total = variables.get(SPENT_IN_ALL)
        if total is not None:
            positions.append(total.first)
        x = context.expressions
        guard, updates = [transition.guard], list(transition.updates)
        for position in positions:
            slot = context.slots[position]
            spent = x.slot(position, slot.lo, slot.hi, is_bool=False)
            guard.append(x.less(spent, x.const(slot.hi)))
            updates.append((position, x.add(spent, x.const(1))))
        happened = variables.get(f"{HAPPENED}{transition.fault}")
        if happened is not None:
            updates.append((happened.first, x.true))
        return replace(transition, guard=x.conjoin(guard), updates=tuple(updates))


def _counters(keys: Sequence[object], budget: Kind, fault: str, method: Method) -> Kind:
    """The kind that counts a fault for each of some values."""
    if keys == list(range(len(keys))):
        return ArrayKind(len(keys), budget)
    try:
        return MapKind(keys, budget)
    except (ModelError, TypeError) as error:
        raise ModelError(
            f"the fault {fault!r} cannot be counted for each of {', '.join(map(repr, keys))}.",
            method.site,
            "Give values that have a hash and that differ as text, or count by another parameter: per=….",
        ) from error

"""Checking from Python: one function, for tests and notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fenceproof.model.budgets import Settings
from fenceproof.model.errors import UsageError, nearest
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.system import DEADLOCK, TransitionSystem

from .engines import explicit
from .limits import Limits
from .result import CheckResult


def check(
    model: Model | type[Model],
    *,
    faults: Mapping[str, int | None] | None = None,
    most_faults: int | None = None,
    without: Sequence[str] = (),
    properties: Sequence[str] | None = None,
    limits: Limits | None = None,
) -> CheckResult:
    """Check a model (or a model class, with its default parameters) over every reachable state.

    `faults` gives budgets by name, None for unlimited, and switches all others off; without it each fault has the
    budget its author gave it. `without` takes safeguards away. Raises ModelError where the model has no meaning.
    """
    made = model() if isinstance(model, type) else model
    only = None if faults is None else frozenset(faults)
    system = lift(made, Settings(faults, only, most_faults, frozenset(without)))
    return explicit.check(system, properties=chosen_properties(system, properties), limits=limits)


def property_names(system: TransitionSystem) -> list[str]:
    """The names of a system's properties, as they are reported."""
    named = [*(p.name for p in system.step_properties), *(i.name for i in system.invariants)]
    return [*named, DEADLOCK, *(p.name for p in system.liveness)]


def chosen_properties(system: TransitionSystem, names: Sequence[str] | None) -> list[str] | None:
    """Names as a user gave them (`-` and `_` alike) as the system's own; UsageError for an unknown one."""
    if not names:
        return None
    known = {name.replace("_", "-"): name for name in property_names(system)}
    for name in names:
        if name.replace("_", "-") not in known:
            raise UsageError(nearest(name, known.values(), "The property"))
    return [known[name.replace("_", "-")] for name in names]

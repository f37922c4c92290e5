"""Checking from Python: one function, for tests and notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fenceproof.model.budgets import Settings
from fenceproof.model.errors import UsageError, nearest
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.system import DEADLOCK, TransitionSystem

from .engines import engine_named
from .faults import parse_faults
from .limits import Limits
from .reduction import check_reduced, reduced
from .result import CheckResult


def check(
    model: Model | type[Model],
    *,
    faults: Mapping[str, int | None] | str | None = None,
    most_faults: int | None = None,
    without: Sequence[str] | str = (),
    properties: Sequence[str] | str | None = None,
    limits: Limits | None = None,
    all_copies: bool = True,
    engine: str = "explicit",
) -> CheckResult:
    """Check a model (or a model class, with its default parameters) over every reachable state.

    `faults` gives budgets by name, None for unlimited, and switches all others off; or is text, as after `--faults`.
    Without it each fault has the budget its author gave it. `without` takes safeguards away. With `all_copies=False`
    one copy is explored where a model is shown to be several that share nothing, as the command does it; counts and
    traces are then those of one. `engine` is a name as after `--engine`; `bmc` looks at `limits.depth` steps. Raises
    UsageError for what is no model, and ModelError where a model has no meaning.
    """
    chosen_engine = engine_named(engine, limits or Limits())
    made, settings, system = lifted(model, faults, most_faults, without)
    chosen = None if properties is None else chosen_properties(system, _names(properties))
    found = None if all_copies else reduced(made, settings, system)
    return check_reduced(chosen_engine, system, found, properties=chosen, limits=limits)


def lifted(
    model: Model | type[Model],
    faults: Mapping[str, int | None] | str | None = None,
    most_faults: int | None = None,
    without: Sequence[str] | str = (),
) -> tuple[Model, Settings, TransitionSystem]:
    """A model, how it is lifted, and its transition system; the arguments and the errors are those of `check`."""
    made = _made(model)
    safeguards = _names(without)
    if isinstance(faults, str):
        settings = parse_faults(faults, most_faults, safeguards, made)
    else:
        settings = Settings(faults, None if faults is None else frozenset(faults), most_faults, frozenset(safeguards))
    return made, settings, lift(made, settings)


def _made(given: object) -> Model:
    if isinstance(given, type) and issubclass(given, Model):
        return given()
    if isinstance(given, Model):
        return given
    raise UsageError(f"{given!r:.60} is not a model. Give a class that derives from Model, or an instance of one.")


def _names(given: Sequence[str] | str) -> tuple[str, ...]:
    """One name is a sequence too, but of its letters."""
    return (given,) if isinstance(given, str) else tuple(given)


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

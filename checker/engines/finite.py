"""Who cannot deal with numbers without a bound says so, before anything else."""

from __future__ import annotations

from fenceproof.model.errors import UsageError
from fenceproof.model.expressions import UNBOUNDED
from fenceproof.model.system import TransitionSystem


def refuse_unbounded(system: TransitionSystem, engine: str) -> None:
    """Raise UsageError for a system with a number that has no bound."""
    if not system.is_unbounded:
        return
    names = [slot.name for slot in system.slots if slot.hi >= UNBOUNDED]
    what = names[0] if names else "a parameter of an action"
    parameter = next((n for n, value in system.parameters.items() if value == "any"), None)
    remedy = f"Give --{parameter} a number" if parameter == "epochs" else "Give it a bound, as Range(lo, hi) has"
    raise UsageError(
        f"{engine} cannot visit infinitely many states: {what} has no bound. "
        f"{remedy}, or write: fenceproof prove, or --engine pdr."
    )

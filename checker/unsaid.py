"""What is reported of a system, or of a property, of which an engine has said nothing."""

from __future__ import annotations

from collections.abc import Sequence

from fenceproof.model.system import DEADLOCK, TransitionSystem

from .limits import Stop
from .result import STUCK, CheckResult, Coverage, PropertyResult, Sort
from .verdict import Verdict


def nothing_found(
    system: TransitionSystem, engine: str, wanted: Sequence[str] | None, stop: Stop | None, seconds: float
) -> CheckResult:
    """The result of an engine that said nothing: every property is inconclusive, for the reason that is given."""
    listed = [
        *((p.name, Sort.STEP, p.meaning) for p in system.step_properties),
        *((i.name, Sort.INVARIANT, i.meaning) for i in system.invariants),
        (DEADLOCK, Sort.DEADLOCK, STUCK),
        *((p.name, Sort.LIVENESS, p.meaning) for p in system.liveness),
    ]
    properties = tuple(
        PropertyResult(name, sort, meaning, Verdict.INCONCLUSIVE, 0, None)
        for name, sort, meaning in listed
        if wanted is None or name in wanted
    )
    return CheckResult(system, engine, properties, 0, 0, 0, stop, None, Coverage((), ()), seconds)


def not_liveness(method: str) -> str:
    """That a method does not judge liveness, and what to use instead."""
    return f"{method} does not judge liveness; use --engine explicit"


def liveness_unsaid(system: TransitionSystem, wanted: Sequence[str] | None, method: str) -> tuple[PropertyResult, ...]:
    """The liveness properties that were asked for, of a method that does not judge them. They are listed, or it would
    look as if nothing had been left open."""
    return tuple(
        PropertyResult(p.name, Sort.LIVENESS, p.meaning, Verdict.INCONCLUSIVE, None, None, remark=not_liveness(method))
        for p in system.liveness
        if wanted is None or p.name in wanted
    )

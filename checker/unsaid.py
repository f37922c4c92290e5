"""What is reported of a system of which an engine has said nothing."""

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

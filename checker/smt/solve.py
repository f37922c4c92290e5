"""Asking z3 within limits: an answer, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..limits import Stop, Watch
from .backend import Term, z3
from .unroll import GaveUpError


class OutOfTimeError(Exception):
    """A limit was reached: `stop` says which."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.reason)
        self.stop = stop


@dataclass(frozen=True, slots=True)
class Budget:
    """What is left of a run's time."""

    watch: Watch

    def check(self) -> None:
        """Raise OutOfTimeError where the time is over."""
        stop = self.watch.stop(0, 0)
        if stop is not None:
            raise OutOfTimeError(stop)

    @property
    def milliseconds(self) -> int | None:
        """How long one question may take; None for no limit."""
        limit = self.watch.limits.time_s
        return None if limit is None else max(1, round(1000 * (limit - self.watch.seconds)))


def decide(solver: Any, assumptions: Sequence[Term], budget: Budget) -> Any | None:
    """A z3 model in which assumptions are true, or None where there is none.

    Raises OutOfTimeError at the time limit, KeyboardInterrupt where z3 was interrupted, GaveUpError where it gives up.
    """
    budget.check()
    if budget.milliseconds is not None:
        solver.set("timeout", budget.milliseconds)
    answer = solver.check(*assumptions)
    if answer == z3.unknown:
        budget.check()
        reason = str(solver.reason_unknown())
        if "interrupt" in reason:
            raise KeyboardInterrupt
        raise GaveUpError(reason)
    return solver.model() if answer == z3.sat else None

"""Proving the safety properties of a system: a race of the engines that prove, each in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Final

from fenceproof.model.system import TransitionSystem

from .engines import ENGINES
from .limits import Limits, Progress
from .processes.together import race
from .result import CheckResult

#: The engines that race. Small systems are won by the first, and what is too large to be explored by the second.
RUNNERS: Final = ("enclose", "pdr")
#: The one that deals with numbers that have no bound.
INTEGERS: Final = "pdr"


def prove(
    system: TransitionSystem,
    *,
    properties: Sequence[str] | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> CheckResult:
    """Prove or refute safety properties (by name; None: all of them), for any length of a behaviour.

    A property that is `proved` has an inductive invariant, checked. Raises DisagreementError where two engines
    contradict each other.
    """
    runners = [INTEGERS] if system.is_unbounded else RUNNERS
    if len(runners) == 1 or not hasattr(os, "fork"):  # nothing to race against, or no processes to race in
        return ENGINES[runners[0]](system, properties=properties, limits=limits, progress=progress)
    return race(system, properties=properties, limits=limits, progress=progress, engines=runners)

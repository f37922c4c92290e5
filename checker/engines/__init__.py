"""The engines by name: each answers what a transition system does, within limits. One is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, TypeAlias

from fenceproof.model.errors import UsageError, nearest

from ..limits import Limits
from ..result import CheckResult

Engine: TypeAlias = Callable[..., CheckResult]


def _engine(module: str) -> Engine:
    def check(*args: object, **options: object) -> CheckResult:
        found: CheckResult = import_module(f".{module}", __name__).check(*args, **options)
        return found

    return check


_NAMES: Final = ("explicit", "bmc", "kinduction", "pdr", "enclose")
ENGINES: Final[dict[str, Engine]] = {name: _engine(name) for name in _NAMES}

#: The engines that look at behaviours of so many steps, as `--depth` says.
TAKE_DEPTH: Final = frozenset({"bmc", "kinduction"})


def engine_named(name: str, limits: Limits) -> Engine:
    """An engine, if it is one and can work within the limits that are given. UsageError otherwise."""
    if name not in ENGINES:
        raise UsageError(nearest(name, ENGINES, "The engine"))
    if limits.depth is not None and name not in TAKE_DEPTH:
        raise UsageError(
            f"a depth is for a search that looks at so many steps; the engine {name} does not end at one. "
            f"Write --engine {min(TAKE_DEPTH)} --depth {limits.depth}, or leave --depth out."
        )
    if limits.depth is not None and limits.depth < 1:
        raise UsageError(f"a depth of {limits.depth} says nothing: it is a number of steps, 1 or more.")
    if limits.max_states is not None and name in TAKE_DEPTH:
        raise UsageError(
            f"--max-states is for the engine explicit; {name} does not count states. Write --time or --memory."
        )
    load(name)
    return ENGINES[name]


def load(*names: str) -> None:
    """Import engines now: not on the clock of the first search, nor in each of the processes that search."""
    for name in names:
        import_module(f".{name}", __name__)


#: Those whose counterexamples are shortest, but for whole behaviours (liveness).
CLAIM_SHORTEST: Final = frozenset({"explicit", "bmc", "kinduction", "enclose"})

__all__ = ["CLAIM_SHORTEST", "ENGINES", "TAKE_DEPTH", "Engine", "engine_named", "load"]

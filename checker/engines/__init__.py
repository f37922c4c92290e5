"""The engines by name: each answers what a transition system does, within limits. One is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, TypeAlias

from ..result import CheckResult

Engine: TypeAlias = Callable[..., CheckResult]


def _engine(module: str) -> Engine:
    def check(*args: object, **options: object) -> CheckResult:
        found: CheckResult = import_module(f".{module}", __name__).check(*args, **options)
        return found

    return check


ENGINES: Final[dict[str, Engine]] = {name: _engine(name) for name in ("explicit", "bmc", "kinduction")}

__all__ = ["ENGINES", "Engine"]

"""The engines by name: each answers what a transition system does, within limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..result import CheckResult
from .explicit import check as check_explicit

ENGINES: Final[dict[str, Callable[..., CheckResult]]] = {"explicit": check_explicit}

__all__ = ["ENGINES"]

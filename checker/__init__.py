"""The checker: engines, verdicts, reports and the command line.

`check` is imported when it is used, so that naming this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import check

__all__ = ["check"]


def __getattr__(name: str) -> Any:
    if name == "check":
        from .api import check

        return check
    raise AttributeError(f"module 'fenceproof.checker' has no attribute {name!r}")

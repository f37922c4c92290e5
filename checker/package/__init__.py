"""fenceproof: model-check a fencing protocol before you code it.

Nothing heavy is imported here: the command line starts through this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fenceproof.checker import check

__version__ = "0.1.0"
__all__ = ["__version__", "check"]


def __getattr__(name: str) -> Any:
    if name == "check":
        from fenceproof.checker import check

        return check
    raise AttributeError(f"module 'fenceproof' has no attribute {name!r}")

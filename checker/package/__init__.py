"""fenceproof: model-check a fencing protocol before you code it.

Nothing heavy is imported here: the command line starts through this package.
"""

from __future__ import annotations

# Not that of `typing`: nothing is imported before `__main__` has left out the current folder.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from fenceproof.checker import check

__version__ = "0.1.0"
__all__ = ["__version__", "check"]


def __getattr__(name: str) -> Any:
    if name == "check":
        from fenceproof.checker import check

        return check
    raise AttributeError(f"module 'fenceproof' has no attribute {name!r}")

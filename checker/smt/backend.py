"""z3, taken as untyped: what annotations it has say less than none."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..installation import z3_of_its_own

with z3_of_its_own():
    import z3 as untyped  # type: ignore[import-untyped]

z3: Any = untyped
#: A z3 expression.
Term: TypeAlias = Any

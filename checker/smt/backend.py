"""z3, taken as untyped: what annotations it has say less than none."""

from __future__ import annotations

from typing import Any, TypeAlias

import z3 as untyped  # type: ignore[import-untyped]

z3: Any = untyped
#: A z3 expression.
Term: TypeAlias = Any

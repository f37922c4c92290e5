"""z3, taken as untyped: what annotations it has say less than none."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..installation import z3_of_its_own

with z3_of_its_own():
    import z3 as untyped  # type: ignore[import-untyped]

z3: Any = untyped
#: A z3 expression.
Term: TypeAlias = Any


def new_solver(logic: str = "", **options: Any) -> Any:
    """A solver, for a logic where one is named, which leaves Ctrl-C to Python: z3 would take it for an end of its
    question, and whoever asked would go on."""
    solver = z3.SolverFor(logic) if logic else z3.Solver()
    solver.set(ctrl_c=False, **options)
    return solver


def new_spacer(**options: Any) -> Any:
    """Spacer, which leaves Ctrl-C to Python as well."""
    spacer = z3.Fixedpoint()
    spacer.set(engine="spacer", ctrl_c=False, **options)
    return spacer

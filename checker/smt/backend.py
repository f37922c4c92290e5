"""z3, taken as untyped: what annotations it has say less than none."""

from __future__ import annotations

import ctypes
from functools import partial
from types import ModuleType
from typing import Any, TypeAlias

from ..installation import z3_of_its_own

with z3_of_its_own():
    import z3 as untyped  # type: ignore[import-untyped]

z3: Any = untyped


def _convert_without_python(types: ModuleType, functions: ModuleType) -> None:
    """Have ctypes run no line of Python while it converts what z3 is called with.

    An interrupt is raised between two such lines, and ctypes makes an ArgumentError, a mistake of ours, of whatever is
    raised in a conversion. z3's own conversions hand back what they are given, and so does this, without Python's help.
    """
    nothing: dict[object, object] = {}
    unchanged = staticmethod(partial(nothing.get, object()))
    for kind in vars(types).values():
        if isinstance(kind, type) and issubclass(kind, ctypes.c_void_p) and "from_param" in vars(kind):
            setattr(kind, "from_param", unchanged)  # noqa: B010 (types allow no assignment to a method)
    # A function looked its conversions up when it was told its arguments. It is what a wrapper has for a default.
    for wrapper in vars(functions).values():
        for elementary in getattr(wrapper, "__defaults__", None) or ():
            function: Any = getattr(elementary, "f", None)
            if function is not None and function.argtypes:
                function.argtypes = function.argtypes


_convert_without_python(z3.z3types, z3.z3core)
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

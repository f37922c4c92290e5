"""A method that is tested without being called: `if self.is_open:` is true whatever `is_open` would answer.

Python asks nobody when it tests a method object, so this is found in the code. Only what cannot be meant is refused:
an attribute of an argument that is a model or a record, where its class has a function of that name. Not here: a
method that is handed to `require` and the like (`language.py`).
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Mapping
from types import CodeType, FunctionType
from typing import cast

from .declarations import Record
from .errors import LiftError, Site
from .language import Model
from .source import shown_path

_LOADS = ("LOAD_FAST", "LOAD_DEREF")
_TESTS = ("POP_JUMP", "JUMP_IF", "UNARY_NOT", "TO_BOOL")


def check_calls(code: CodeType, given: Mapping[str, object]) -> None:
    """Refuse a function that tests a method and does not call it. `given` are its arguments and what it encloses."""
    instructions = [i for i in dis.get_instructions(code) if i.opname != "CACHE"]
    changed = {i.argval for i in instructions if i.opname.startswith(("STORE_", "DELETE_"))}
    owners = {name: value for name, value in given.items() if name not in changed and _has_methods(value)}
    if not owners:
        return
    for load, attribute, *after in (instructions[i : i + 4] for i in range(len(instructions) - 3)):
        if not load.opname.startswith(_LOADS) or attribute.opname != "LOAD_ATTR" or not _is_test(after):
            continue
        # Python 3.13 loads two variables at once.
        variable = cast(object, load.argval)
        name = cast("tuple[str, ...]", variable)[-1] if isinstance(variable, tuple) else str(variable)
        if name in owners and _is_method(owners[name], str(attribute.argval)):
            line = attribute.positions.lineno if attribute.positions else None
            raise LiftError(
                f"the method {attribute.argval} itself is tested, which is always true.",
                Site(shown_path(code.co_filename), line or code.co_firstlineno),
                "Did you forget the ()?",
            )


def _is_test(after: list[dis.Instruction]) -> bool:
    first, second = after
    if first.opname == "COPY":
        first = second
    return first.opname.startswith(_TESTS) and "NONE" not in first.opname


def _has_methods(value: object) -> bool:
    return issubclass(type(value), Model | Record)


def _is_method(owner: object, name: str) -> bool:
    held: dict[str, object] = object.__getattribute__(owner, "__dict__")
    return name not in held and isinstance(inspect.getattr_static(type(owner), name, None), FunctionType)

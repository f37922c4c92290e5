"""What an author wrote in the comparison that is being executed: its constants, and not what a variable holds.

Only a constant that stands in the comparison can be misspelt there; one that comes out of the state or an argument
may well be another's value. Not a parser: it looks at the code of the innermost frame of the author's.
"""

from __future__ import annotations

import dis
import functools
import inspect
from types import CodeType
from typing import cast

from .source import is_ours

_COMPARISONS = ("COMPARE_OP", "CONTAINS_OP")


def is_written_here(value: object) -> bool:
    """Whether a constant is written in the comparison that the author's code is at."""
    frame = inspect.currentframe()
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return False
    constants, names, attributes = _written(frame.f_code, frame.f_lasti)
    if any(_is(value, constant) for constant in constants):
        return True
    if any(name in frame.f_globals and _is(value, frame.f_globals[name]) for name in names):
        return True
    # A member of an enum: `Color.RED`, or `colors.Color.RED`.
    return getattr(value, "name", None) in attributes and type(value).__name__ in names | attributes


def _is(value: object, constant: object) -> bool:
    return type(constant) is type(value) and constant == value


@functools.lru_cache(maxsize=1024)
def _written(code: CodeType, offset: int) -> tuple[tuple[object, ...], frozenset[str], frozenset[str]]:
    """The constants, globals and attributes that stand in a comparison at an offset of some code."""
    instructions = list(dis.get_instructions(code))
    at = next((i for i in instructions if i.offset == offset), None)
    if at is None or at.opname not in _COMPARISONS or at.positions is None:
        return (), frozenset(), frozenset()
    constants: list[object] = []
    names: set[str] = set()
    attributes: set[str] = set()
    for instruction in instructions:
        if not _is_within(instruction, at):
            continue
        name = instruction.opname
        if name in ("LOAD_CONST", "LOAD_SMALL_INT"):
            parts = instruction.argval
            constants += cast("tuple[object, ...]", parts) if isinstance(parts, tuple) else [parts]
        elif name in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.add(instruction.argval)
        elif name == "LOAD_ATTR":
            attributes.add(instruction.argval)
    return tuple(constants), frozenset(names), frozenset(attributes)


def _is_within(instruction: dis.Instruction, comparison: dis.Instruction) -> bool:
    """Whether an instruction stands inside of a comparison in the text, and comes before it."""
    ours, theirs = instruction.positions, comparison.positions
    if ours is None or theirs is None or instruction.offset >= comparison.offset:
        return False
    if None in ours or None in theirs:
        return False
    begin, end = (ours.lineno, ours.col_offset), (ours.end_lineno, ours.end_col_offset)
    first, last = (theirs.lineno, theirs.col_offset), (theirs.end_lineno, theirs.end_col_offset)
    return cast("tuple[int, int]", first) <= cast("tuple[int, int]", begin) and cast("tuple[int, int]", end) <= cast(
        "tuple[int, int]", last
    )

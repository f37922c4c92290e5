"""What an action may not do while it is lifted, because the lifted system could not mean the same.

Watches the Python functions that a run really enters: comparing by identity, changing a global, and calling out to
time, randomness or the world are refused with their line. Not a sandbox: a model file is code its user chose to run.
"""

from __future__ import annotations

import dis
import functools
import os
import sys
import sysconfig
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import CodeType, FrameType, ModuleType
from typing import Any, Final, NoReturn, TypeAlias

from .errors import LiftError, Site
from .kinds import as_items, as_mapping
from .path import active
from .source import is_ours, shown_path

_WORLD: Final = {
    "random": "randomness",
    "_random": "randomness",
    "secrets": "randomness",
    "uuid": "randomness",
    "numpy.random": "randomness",
    "time": "the clock",
    "datetime": "the clock",
    "_datetime": "the clock",
    "os": "the operating system",
    "posix": "the operating system",
    "nt": "the operating system",
    "subprocess": "another process",
    "socket": "the network",
    "_socket": "the network",
    "io": "a file",
    "_io": "a file",
    "pathlib": "a file",
    "threading": "threads",
    "_thread": "threads",
    "asyncio": "an event loop",
}
_BUILTINS: Final = {
    "print": ("prints", "Return the text as the action's outcome instead: it is shown in every trace."),
    "open": ("opens a file", "Read files before the model is made, in its constructor."),
    "input": ("asks for input", "Let the checker choose: `choose(values)`."),
    "id": ("asks for an object's identity", "Compare values with `==`."),
    "type": ("asks for a value's type", "Use `isinstance`, or compare with `==`."),
    "eval": ("evaluates text", "Write the expression itself."),
    "exec": ("executes text", "Write the code itself."),
    "globals": ("reaches for the globals", "Keep what changes in the state."),
    "vars": ("reaches into an object", "Name the attribute."),
}
_REMEDY: Final = {
    "randomness": "Let the checker try every value: `choose(values)`.",
    "the clock": "Make the passing of time an action of its own.",
}
_LIBRARIES: Final = tuple(
    {os.path.realpath(p) for p in (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")) if p}
)

_checked: set[CodeType] = set()
TraceFunction: TypeAlias = Callable[[FrameType, str, Any], Any]


@contextmanager
def watched() -> Generator[None]:
    """Refuse, with its line, what an author's function may not do while it is lifted.

    A trace function costs a fifth of a profile function, and sees a loop that never ends; it gives way to a debugger
    or a coverage tool that is there already.
    """
    tracing, profiling = sys.gettrace() is None, sys.gettrace() is not None and sys.getprofile() is None
    if tracing:
        sys.settrace(_watch)
    elif profiling:
        sys.setprofile(_watch)
    try:
        yield
    finally:
        if tracing:
            sys.settrace(None)
        elif profiling:
            sys.setprofile(None)


def _watch(frame: FrameType, event: str, _: object) -> TraceFunction | None:
    code = frame.f_code
    if event != "call" or is_ours(code.co_filename):
        return None
    if not _is_library(code.co_filename):
        if code not in _checked:
            check_code(code, frame.f_globals)
            _checked.add(code)
        return _count
    if (world := world_of(frame.f_globals.get("__name__"))) is not None:
        caller = frame.f_back
        if caller is not None and not is_ours(caller.f_code.co_filename) and not _is_library(caller.f_code.co_filename):
            refuse_world(code.co_name, world, Site(shown_path(caller.f_code.co_filename), caller.f_lineno))
    return None


def _count(frame: FrameType, event: str, _: object) -> TraceFunction:
    path = active.get()
    if event == "line" and path is not None:
        path.move()
    return _count


def world_of(module: object) -> str | None:
    """What outside the model a module's functions depend on, or None."""
    return _WORLD.get(str(module))


@functools.cache
def _is_library(filename: str) -> bool:
    return filename.startswith("<") or os.path.realpath(filename).startswith(_LIBRARIES)


def refuse_world(name: str, world: str, site: Site | None) -> NoReturn:
    """Say that something depends on the world outside the model."""
    raise LiftError(
        f"{name} depends on {world}, so it would not do the same in every run.",
        site,
        _REMEDY.get(world, "An action may only read and change the state; make what happens outside an action too."),
    )


def check_code(code: CodeType, names: dict[str, object]) -> None:
    """Refuse a function whose code compares by identity, changes a global, or calls what depends on the world."""
    previous: dis.Instruction | None = None
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        line = instruction.positions.lineno if instruction.positions and instruction.positions.lineno else line
        site = Site(shown_path(code.co_filename), line)
        if instruction.opname == "IS_OP" and not _is_none(previous):
            raise LiftError(
                "`is` compares identities, which a value of the state does not have.",
                site,
                "Write `==` or `!=`; only `is None` means what it says (and `case True:` is an `is` too).",
            )
        if instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            raise LiftError(
                f"the global {instruction.argval!r} is changed.",
                site,
                "An action may only change the state: make it an attribute with a kind.",
            )
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            _check_name(str(instruction.argval), names, site)
        previous = instruction


def _check_name(name: str, names: dict[str, object], site: Site) -> None:
    if name not in names:
        if name in _BUILTINS:
            what, remedy = _BUILTINS[name]
            raise LiftError(f"this {what}, which has no meaning in a model.", site, remedy)
        return
    value = names[name]
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    world = world_of(module)
    if world is not None:
        refuse_world(name, world, site)


def _is_none(instruction: dis.Instruction | None) -> bool:
    return instruction is not None and instruction.opname.startswith("LOAD_") and instruction.argval is None


def snapshot(value: object, depth: int = 5) -> object:
    """What a constant looks like now, to be compared with what it looks like later: its containers, all the way."""
    mapping, items = as_mapping(value), as_items(value)
    if depth and mapping is not None:
        return ["mapping", *((snapshot(k, depth - 1), snapshot(v, depth - 1)) for k, v in mapping.items())]
    if isinstance(value, set | frozenset):
        return ["set", frozenset(map(id, items or ()))]
    if depth and isinstance(value, list | tuple):
        return ["items", *(snapshot(v, depth - 1) for v in items or ())]
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, int | str | float | bytes | None):
        return value
    return id(value)

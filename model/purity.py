"""What an action may not do while it is lifted, because the lifted system could not mean the same.

Watches the Python functions that a run really enters: comparing by identity, changing a global, and calling out to
time, randomness or the world are refused with their line. Not a sandbox: a model file is code its user chose to run.
What else than the state is changed is found by comparing `snapshot.py`'s snapshots.
"""

from __future__ import annotations

import dis
import functools
import operator
import sys
from collections import ChainMap
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from types import (
    BuiltinFunctionType,
    CodeType,
    FrameType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, Final, NoReturn, TypeAlias, cast

from .errors import LiftError, Site
from .path import active
from .source import is_library, is_ours, shown_path
from .uncalled import check_calls

_PRINTING: Final = "printing"
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
    "logging": _PRINTING,
    "warnings": _PRINTING,
    "_warnings": _PRINTING,
    "sys.stdout": _PRINTING,
    "sys.stderr": _PRINTING,
    "sys.stdin": "a file",
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
_BY_IDENTITY: Final = ("is_", "is_not")

_NOTHING: Final = frozenset({"NOP", "EXTENDED_ARG", "CACHE"})
_UNUSED: Final = {
    "COMPARE_OP": ("comparison", "require(a == b)"),
    "CONTAINS_OP": ("comparison", "require(a in b)"),
    "IS_OP": ("comparison", "require(a is None)"),
    "UNARY_NOT": ("negation", "require(not a)"),
}
_JUMPS: Final = frozenset({*dis.hasjrel, *dis.hasjabs})

#: The functions that were looked at, by identity: each is kept, so that no other comes to have it. With whether there
#: is a loop in it.
_checked: dict[int, tuple[CodeType, bool]] = {}
TraceFunction: TypeAlias = Callable[[FrameType, str, Any], Any]


@contextmanager
def watched(files: frozenset[str]) -> Generator[None]:
    """Refuse, with its line, what an author's function may not do while it is lifted.

    Functions in `files` are an author's wherever these are: installed as a library, or typed at a prompt. A trace
    function costs a fifth of a profile function, and sees a loop that never ends; it gives way to a debugger or a
    coverage tool that is there already.
    """
    watch = _watch(files)
    tracing, profiling = sys.gettrace() is None, sys.gettrace() is not None and sys.getprofile() is None
    if tracing:
        sys.settrace(watch)
    elif profiling:
        sys.setprofile(watch)
    try:
        yield
    finally:
        if tracing:
            sys.settrace(None)
        elif profiling:
            sys.setprofile(None)


def _watch(files: frozenset[str]) -> TraceFunction:
    """The trace function: looks at each function of an author's once, and at every call of a library's."""
    # It is asked at every call of a Python function, most of which are in this room, or written by `dataclasses` for
    # it: those are told by one look-up.
    ours: set[str] = set()
    libraries: set[str] = set()

    def is_an_authors(code: CodeType) -> bool:
        # What dataclasses write is in no file either, and not the author's.
        by_author = code.co_filename in files and not code.co_qualname.startswith("__create_fn__")
        return by_author or not is_library(code.co_filename)

    def watch(frame: FrameType, event: str, _: object) -> TraceFunction | None:
        code = frame.f_code
        file = code.co_filename
        if file in ours or event != "call":
            return None
        if file not in libraries:
            if is_ours(file):
                ours.add(file)
                return None
            if is_library(file) and file not in files:
                libraries.add(file)
        if file not in libraries and is_an_authors(code):
            known = _checked.get(id(code))
            if known is None:
                enclosed = {name: frame.f_locals[name] for name in code.co_freevars if name in frame.f_locals}
                check_code(code, ChainMap(enclosed, frame.f_globals))
                check_calls(code, frame.f_locals)
                known = _checked[id(code)] = (code, _has_loop(code))
            # What does not jump back ends, unless what it calls does not.
            return _count if known[1] else None
        if (world := _world_named(str(frame.f_globals.get("__name__")))) is not None:
            caller = frame.f_back
            if caller is not None and not is_ours(caller.f_code.co_filename) and is_an_authors(caller.f_code):
                refuse_world(code.co_name, world, Site(shown_path(caller.f_code.co_filename), caller.f_lineno))
        return None

    return watch


def _has_loop(code: CodeType) -> bool:
    """Whether a function jumps back anywhere. A loop in which nothing is done is refused: no line of it is traced."""
    back: int | None = None
    found = False
    for instruction in reversed(list(dis.get_instructions(code))):
        if instruction.opcode in _JUMPS and instruction.argval <= instruction.offset:
            back, found = instruction.argval, True
        elif instruction.opname not in _NOTHING:
            back = None
        if back is not None and back >= instruction.offset:
            line = instruction.positions.lineno if instruction.positions else None
            raise LiftError(
                "this loop does nothing and never ends.",
                Site(shown_path(code.co_filename), line or code.co_firstlineno),
                "What waits in a model is an action with a `require` for what it waits for.",
            )
    return found


def _count(frame: FrameType, event: str, _: object) -> TraceFunction:
    path = active.get()
    if event == "line" and path is not None:
        path.move()
    return _count


def world_of(module: object) -> str | None:
    """What outside the model a module's functions depend on, or None."""
    return _world_named(str(module))


@functools.cache
def _world_named(name: str) -> str | None:
    while name not in _WORLD and "." in name:
        name = name.rpartition(".")[0]
    return _WORLD.get(name)


def world_behind(value: object) -> str | None:
    """What outside the model a value depends on: a module, a function or class of one, an object, a method of one."""
    if isinstance(value, functools.partial):
        return world_behind(cast("functools.partial[object]", value).func)
    owners: list[object] = [value]
    if isinstance(value, FunctionType | MethodType | BuiltinFunctionType | MethodDescriptorType):
        # A function in C has its module in `__self__`, a method there its object or class.
        owners += [getattr(value, "__self__", None), getattr(value, "__objclass__", None)]
    names: list[object] = []
    for owner in owners:
        if isinstance(owner, ModuleType | FunctionType | BuiltinFunctionType):
            names.append(owner.__name__ if isinstance(owner, ModuleType) else owner.__module__)
        names += [c.__module__ for c in (owner if isinstance(owner, type) else type(owner)).__mro__]
    return next((world for name in names if (world := world_of(name)) is not None), None)


def is_iterator(value: object) -> bool:
    """Whether going through a value uses it up."""
    return hasattr(type(value), "__next__")


def refuse_world(name: str, world: str, site: Site | None) -> NoReturn:
    """Say that something depends on the world outside the model."""
    if world is _PRINTING:
        what, remedy = _BUILTINS["print"]
        raise LiftError(f"{name} {what}, which has no meaning in a model.", site, remedy)
    raise LiftError(
        f"{name} depends on {world}, so it would not do the same in every run.",
        site,
        _REMEDY.get(world, "An action may only read and change the state; make what happens outside an action too."),
    )


def check_code(code: CodeType, names: Mapping[str, object]) -> None:
    """Refuse a function whose code compares by identity, changes a global, or calls what depends on the world.

    `names` are its globals and what it encloses.
    """
    previous: dis.Instruction | None = None
    nones: set[str] = set()
    imported = ""
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        line = instruction.positions.lineno if instruction.positions and instruction.positions.lineno else line
        site = Site(shown_path(code.co_filename), line)
        name = str(instruction.argval)
        match instruction.opname:
            case "IS_OP":
                if not (_is_none(previous) or (previous is not None and previous.argval in nones)):
                    _refuse_identity("`is`", site)
            case "STORE_FAST" if name.startswith("@py_assert"):
                # pytest rewrites `assert x is None`: the None goes through a variable of its own.
                (nones.add if _is_none(previous) else nones.discard)(name)
            case "STORE_GLOBAL" | "DELETE_GLOBAL":
                raise LiftError(
                    f"the global {name!r} is changed.",
                    site,
                    "An action may only change the state: make it an attribute with a kind.",
                )
            case "LOAD_GLOBAL" | "LOAD_NAME" | "LOAD_DEREF":
                _check_name(name, names, site, is_global=instruction.opname != "LOAD_DEREF")
            case "IMPORT_NAME":
                imported = name
                _check_import(name, site)
            case "IMPORT_FROM":
                _check_import(f"{imported}.{name}", site)
            case "LOAD_ATTR" | "LOAD_METHOD":
                # The module may have any name here, so what is called is_ anywhere is taken for the operator's.
                if name in _BY_IDENTITY:
                    _refuse_identity(f"`{name}`", site)
                if previous is not None and (previous.argval == "sys" or names.get(str(previous.argval)) is sys):
                    _check_import(f"sys.{name}", site)
            case "POP_TOP" if previous is not None and previous.opname in _UNUSED:
                what, example = _UNUSED[previous.opname]
                raise LiftError(f"what this {what} says is used for nothing.", site, f"Write {example}, or return it.")
            case _:
                pass
        previous = instruction


def _check_name(name: str, names: Mapping[str, object], site: Site, *, is_global: bool) -> None:
    if name not in names:
        if is_global and name in _BUILTINS:
            what, remedy = _BUILTINS[name]
            raise LiftError(f"this {what}, which has no meaning in a model.", site, remedy)
        return
    value = names[name]
    if value is operator.is_ or value is operator.is_not:
        _refuse_identity(f"`{name}`", site)
    if is_iterator(value):
        raise LiftError(
            f"{name} is an iterator, and not the same after it was gone through.",
            site,
            "Write list(…) or tuple(…) around it where it is made.",
        )
    world = world_behind(value)
    if world is not None:
        refuse_world(name, world, site)


def _check_import(name: str, site: Site) -> None:
    if name in ("operator.is_", "operator.is_not"):
        _refuse_identity(f"`{name}`", site)
    world = world_of(name)
    if world is not None:
        refuse_world(name, world, site)


def _refuse_identity(what: str, site: Site) -> NoReturn:
    raise LiftError(
        f"{what} compares identities, which a value of the state does not have.",
        site,
        "Write `==` or `!=`; only `is None` means what it says (and `case True:` is an `is` too).",
    )


def _is_none(instruction: dis.Instruction | None) -> bool:
    return instruction is not None and instruction.opname.startswith("LOAD_") and instruction.argval is None

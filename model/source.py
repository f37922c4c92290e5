"""Where in an author's files we are: the line being executed, and how a file is named in messages.

Not a parser: it looks at frames and functions, never at the text of a file.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Iterable
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType
from typing import Final, cast

from .errors import Site
from .trail import Span

_ROOM = str(Path(__file__).parent)
_PACKAGE = str(Path(__file__).parent.parent)
_LIBRARIES: Final = tuple(
    {os.path.realpath(p) for p in (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")) if p}
)


@functools.cache
def shown_path(filename: str) -> str:
    """A file as messages name it: shipped files from the package's name on, others relative to where we run."""
    if filename.startswith(_PACKAGE):
        return "fenceproof" + filename[len(_PACKAGE) :].replace("\\", "/")
    try:
        return str(Path(filename).resolve().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return filename


def is_ours(filename: str) -> bool:
    """Whether a file belongs to this room, and so never is what an author wants to be shown."""
    return filename.startswith(_ROOM)


def is_shipped(filename: str) -> bool:
    """Whether a file is one of the kit's, such as a model that comes with it."""
    return filename.startswith(_PACKAGE)


@functools.cache
def is_library(filename: str) -> bool:
    """Whether a file is one of Python's or an installed one, or is none at all: code that was made from text."""
    return filename.startswith("<") or os.path.realpath(filename).startswith(_LIBRARIES)


def is_authors_file(filename: str) -> bool:
    """Whether a file is an author's: neither of this room nor a library."""
    return not is_ours(filename) and not is_library(filename)


def is_authors_module(name: str) -> bool:
    """Whether a module is an author's, of those that are there and have a file."""
    filename = getattr(sys.modules.get(name), "__file__", None)
    return filename is not None and not filename.startswith(_PACKAGE) and is_authors_file(filename)


def is_authors_class(owner: type) -> bool:
    """Whether a class is an author's. One whose module has no file was typed at a prompt, or given as text."""
    if owner.__module__.partition(".")[0] in sys.stdlib_module_names:
        return False
    filename = getattr(sys.modules.get(owner.__module__), "__file__", None)
    return filename is None or is_authors_file(filename)


def here() -> Site | None:
    """The innermost line outside this room that is being executed."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_ROOM):
        frame = frame.f_back
    return None if frame is None else _site(frame.f_code.co_filename, frame.f_lineno)


def authors_frame() -> FrameType | None:
    """The innermost frame that executes an author's code."""
    frame = inspect.currentframe()
    while frame is not None and (is_ours(frame.f_code.co_filename) or frame.f_code.co_filename.startswith("<")):
        frame = frame.f_back
    return frame


def span_at(code: CodeType, offset: int, line: int) -> Span:
    """The piece of source that an instruction belongs to; `line` is for one that Python keeps no line of."""
    begin, end_line, column, end_column = _positions(code)[offset // 2]
    begin = begin or line
    return Span(code.co_filename, begin, column or 0, end_line or begin, end_column or 0, offset)


@functools.cache
def _positions(code: CodeType) -> list[tuple[int | None, int | None, int | None, int | None]]:
    return list(code.co_positions())


@functools.cache
def _site(filename: str, line: int) -> Site:
    return Site(shown_path(filename), line)


def site_of_error(error: BaseException) -> Site | None:
    """The innermost line outside this room in an exception's traceback; within it, the outermost if there is none."""
    found: Site | None = None
    trace = error.__traceback__
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        if not is_ours(filename) and not filename.startswith("<"):
            found = Site(shown_path(filename), trace.tb_lineno)
        trace = trace.tb_next
    return found


def authors_site(frames: Iterable[tuple[FrameType, int]]) -> Site | None:
    """The last of some frames, each with its line, that is in an author's file: no library's, and none of the kit's."""
    found: Site | None = None
    for frame, line in frames:
        filename = frame.f_code.co_filename
        if not filename.startswith(_PACKAGE) and not is_library(filename):
            found = Site(shown_path(filename), line)
    return found


def site_of(function: object) -> Site | None:
    """Where a function or class is defined."""
    code = getattr(function, "__code__", None)
    if isinstance(code, CodeType):
        return Site(shown_path(code.co_filename), code.co_firstlineno)
    if isinstance(function, type):
        module = sys.modules.get(function.__module__)
        filename = getattr(module, "__file__", None)
        line = cast("int | None", function.__dict__.get("__firstlineno__"))
        if line is None:
            lines = [f.__code__.co_firstlineno for f in vars(function).values() if isinstance(f, FunctionType)]
            line = min(lines, default=1)
        return Site(shown_path(filename), line) if filename else None
    return None


def named_function(value: object) -> str | None:
    """How a message names a function or a method; None for anything else."""
    # By `type`: a value of the state answers `isinstance` as what it stands for would.
    if not issubclass(type(value), FunctionType | MethodType | BuiltinFunctionType):
        return None
    name = cast(FunctionType, value).__name__
    if name == "<lambda>":
        return "a lambda"
    return f"the {'method' if issubclass(type(value), MethodType) else 'function'} {name}"


def meaning_of(function: Callable[..., object] | type) -> str:
    """The first paragraph of a docstring, as one line."""
    text = (function.__doc__ or "").strip().split("\n\n")[0]
    return " ".join(text.split())


def first_sentence(function: Callable[..., object]) -> str:
    """The first sentence of a docstring, as one line."""
    return re.split(r"(?<=[.!?])\s", meaning_of(function), maxsplit=1)[0]

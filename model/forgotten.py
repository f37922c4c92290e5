"""Methods that look as if their author forgot the decorator: nothing marks them, and nothing names them.

Not an error: a method may be there for a person, or for a subclass that is still to come.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType

from .errors import Site
from .language import Model
from .marks import marks_of
from .source import is_shipped, site_of


def forgotten(cls: type[Model]) -> list[tuple[str, Site | None]]:
    """The methods of an author's model that no decorator marks and no code names, each with where it is written.

    What begins with an underscore is left out, and so is what overrides a method, which somebody else may call.
    """
    classes = [base for base in cls.__mro__ if base not in (object, Model)]
    found = {
        name: value
        for base in classes
        for name, value in vars(base).items()
        if isinstance(value, FunctionType)
        and marks_of(value) is None
        and not name.startswith("_")
        and not is_shipped(value.__code__.co_filename)
        and not any(name in vars(other) for other in cls.__mro__ if other is not base)
    }
    if not found:
        return []
    named = set(_named(classes))
    return [(name, site_of(function)) for name, function in found.items() if name not in named]


def _named(classes: Iterable[type]) -> Iterator[str]:
    """Every name and text in the code of some classes and of their modules."""
    for base in classes:
        module = inspect.getmodule(base)
        for value in (*vars(base).values(), *(vars(module).values() if module is not None else ())):
            marks = marks_of(value)
            if marks is not None:
                yield from (domain for domain in marks.domains.values() if isinstance(domain, str))
            for function in (inspect.unwrap(value) if callable(value) else None, getattr(value, "fget", None)):
                if isinstance(function, FunctionType):
                    yield from _names_in(function.__code__)


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, CodeType):
            yield from _names_in(constant)

"""A parameter's value, as a user writes it on the command line, becomes what the parameter's annotation asks for."""

from __future__ import annotations

import types
from collections.abc import Iterator
from enum import Enum
from inspect import Parameter
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from fenceproof.model.errors import UsageError, nearest

_TRUTHS: Final = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}


def hints_of(annotated: Any) -> dict[str, Any]:
    """The annotations of a class or a function; none where they cannot be read."""
    try:
        return get_type_hints(annotated)
    except (NameError, TypeError):
        return {}


def parse_value(name: str, text: str, hint: Any, default: object) -> Any:
    """Text as what a parameter's annotation (`hint`, or None) says that it is, or else its default.

    `none` is None where the annotation or the default says so. Raises UsageError for text that is none of it.
    """
    if hint in (None, Any, object):
        if default is None or default is Parameter.empty:
            raise UsageError(
                f"{name} has no annotation, and no default that says what it is. "
                f"Annotate it in the model, for example as {name}: int."
            )
        hint = type(default)
    wanted = list(_alternatives(hint))
    named = dict(_named(wanted))
    optional = default is None or type(None) in wanted or None in named.values()
    if text in named:
        return named[text]
    if optional and text.lower() == "none":
        return None
    if int in wanted and (number := _number(int, text)) is not None:
        return number
    if float in wanted and (number := _number(float, text)) is not None:
        return number
    if bool in wanted and text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    if str in wanted:
        return text
    or_none = f", or {name}=none" if optional else ""
    if named:
        raise UsageError(nearest(text, [*named, *(["none"] if optional else [])], f"The value of {name}"))
    if int in wanted:
        raise UsageError(f"{name}={text} is not a whole number. Write, for example, {name}=2{or_none}.")
    if float in wanted:
        raise UsageError(f"{name}={text} is not a number. Write, for example, {name}=0.5{or_none}.")
    if bool in wanted:
        raise UsageError(f"{name}={text} is not a truth value. Write {name}=true or {name}=false{or_none}.")
    raise UsageError(f"{name} is not a number, a truth value or text, and cannot be set on the command line.")


def _alternatives(hint: Any) -> Iterator[Any]:
    """The classes and literals that an annotation allows."""
    if get_origin(hint) in (Union, types.UnionType):
        for alternative in get_args(hint):
            yield from _alternatives(alternative)
    elif hasattr(hint, "__supertype__"):  # a NewType
        yield from _alternatives(hint.__supertype__)
    elif hasattr(hint, "__value__"):  # a `type` statement
        yield from _alternatives(hint.__value__)
    else:
        yield hint


def _named(alternatives: list[Any]) -> Iterator[tuple[str, Any]]:
    """The values that are written by name, with it: literals, and members of enums."""
    for alternative in alternatives:
        if get_origin(alternative) is Literal:
            for value in get_args(alternative):
                yield value.name if isinstance(value, Enum) else _literal(value), value
        elif isinstance(alternative, type) and issubclass(alternative, Enum):
            yield from alternative.__members__.items()


def _literal(value: object) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _number(kind: type[int] | type[float], text: str) -> float | None:
    try:
        return kind(text)
    except ValueError:
        return None

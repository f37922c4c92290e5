"""Constants of a model: what tells them apart, how they are written down, and containers of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeGuard, cast

from .errors import MOST_SHOWN


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Several possible starting values: what `choose` gives outside an action."""

    values: tuple[object, ...]


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number, and not a truth value, which Python counts as one."""
    return isinstance(value, int) and not isinstance(value, bool)


def as_items(value: object) -> list[object] | None:
    """The items of a container that is not text or a mapping; None for anything else."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return None
    return list(cast("Iterable[object]", value))


def as_mapping(value: object) -> Mapping[object, object] | None:
    """A mapping; None for anything else."""
    return cast("Mapping[object, object]", value) if isinstance(value, Mapping) else None


def constant_key(value: object) -> object:
    """What tells constants apart, `1` from `True` and records by their fields; None for what is not a constant."""
    if isinstance(value, Enum) or type(value) in (bool, int, str, bytes, type(None)):
        return type(value), value
    kind: type[object] = type(value)
    if isinstance(value, tuple):
        keys = tuple(map(constant_key, cast("tuple[object, ...]", value)))
        return None if None in keys else (kind, keys)
    try:
        held: dict[str, object] = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    if "_kind" in held or "anchor" in held:
        return None  # it lies in the state
    names = sorted(name for name in held if not name.startswith("_"))
    found = tuple((name, constant_key(held[name])) for name in names)
    return None if any(key is None for _, key in found) else (kind, found)


def choice_json(value: object) -> object:
    """A constant as JSON: an enum member by its name, text, numbers and truth values as they are, else its repr."""
    if isinstance(value, Enum):
        return value.name
    return value if isinstance(value, str | int | bool) or value is None else repr(value)


def shortened(value: object) -> str:
    """A value that does not fit, as a message shows it: it may come from a file, and be of any length."""
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def shown(value: object) -> str:
    """A constant as a name or a message shows it."""
    return str(value) if isinstance(value, Enum) else repr(value)

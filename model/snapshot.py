"""Snapshots: what a model's constants look like now, to be compared with what they look like later.

Goes through concrete containers, the attributes of objects, and an author's classes and functions, all the way down
and without recursion. Never through a module, and never by iterating what may be used up or have no end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from enum import EnumMeta
from itertools import chain
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import Any, Final, cast

from .kinds import Kind
from .source import is_authors_class, is_authors_file

_SCALARS: Final = (bool, int, str, bytes, float, complex, type(None))
_SEQUENCES: Final[tuple[Any, ...]] = (list, tuple, deque, set, frozenset)


class Snapshot:
    """What some values look like, by name.

    Each is written down as a row of tokens: scalars, and the identity of everything else, followed by its parts where
    it is met for the first time. `within` lists, for each name, what an action may come by through containers and
    through objects and functions of its author's, the value itself first.
    """

    def __init__(self, values: Mapping[str, object]) -> None:
        self.within: dict[str, list[object]] = {}
        self._tokens: dict[str, list[object]] = {}
        # Everything whose identity is a token, so that nothing later can have the same one.
        self._met: dict[int, object] = {}
        for name, value in values.items():
            self.within[name], self._tokens[name] = [], []
            self._take(name, value)

    @property
    def objects(self) -> Iterable[object]:
        """Everything that was met and is no scalar, each once."""
        return self._met.values()

    def changed(self, later: Snapshot) -> str | None:
        """The first name whose value is not what it was, if there is one."""
        mine, theirs = self._tokens, later._tokens
        return next((name for name in {**mine, **theirs} if mine.get(name) != theirs.get(name)), None)

    def _take(self, name: str, root: object) -> None:
        tokens, within = self._tokens[name], self.within[name]
        waiting: list[tuple[object, bool]] = [(root, True)]
        while waiting:
            value, near = waiting.pop()
            if type(value) in _SCALARS:
                tokens.append((type(value), repr(value) if isinstance(value, float | complex) else value))
                continue
            tokens.append(id(value))
            if near:
                within.append(value)
            if id(value) in self._met:
                continue
            self._met[id(value)] = value
            parts = list(_parts(value))
            tokens.append(len(parts))
            near = near and (
                isinstance(value, (dict, *_SEQUENCES)) or is_authors_class(type(value)) or _is_authors(value)
            )
            waiting.extend((part, near) for part in reversed(parts))


def _is_authors(value: object) -> bool:
    return isinstance(value, FunctionType) and is_authors_file(value.__code__.co_filename)


def _parts(value: object) -> Iterator[object]:
    """What a value consists of, one level down; of what has names, these as well."""
    if isinstance(value, ModuleType | Kind):
        return
    if isinstance(value, type):
        if is_authors_class(value):
            yield from _of_class(value)
    elif isinstance(value, FunctionType):
        yield from _of_function(value)
    else:
        # Gone through as the built-in class does it, whatever a subclass makes of it.
        for container in _SEQUENCES:
            if isinstance(value, container):
                yield from container.__iter__(value)
        if issubclass(type(value), dict):
            yield from _items(value)
        yield from _of_object(value)


def _items(mapping: object) -> Iterator[object]:
    return chain.from_iterable(dict[object, object].items(cast("dict[object, object]", mapping)))


def _of_class(value: type) -> Iterator[object]:
    for name, attribute in vars(value).items():
        # An enum notes in `_value2member_map_` which combinations of flags were asked for.
        if not name.startswith("__") and not (isinstance(value, EnumMeta) and name.startswith("_")):
            yield from (name, attribute)
    yield from value.__bases__


def _of_function(value: FunctionType) -> Iterator[object]:
    if not _is_authors(value):
        yield vars(value).get("__wrapped__")
        return
    yield from (value.__defaults__, value.__kwdefaults__, vars(value))
    for cell in value.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # nothing is in it yet
            yield cell


def _of_object(value: object) -> Iterator[object]:
    try:
        attributes: object = object.__getattribute__(value, "__dict__")
    except AttributeError:
        attributes = None
    if isinstance(attributes, dict):
        yield from _items(cast(object, attributes))
    for owner in type(value).__mro__:
        for name, slot in vars(owner).items():
            if isinstance(slot, MemberDescriptorType):
                try:
                    yield from (name, slot.__get__(value))
                except AttributeError:
                    yield name
    if isinstance(value, ContextVar):
        yield cast("ContextVar[object]", value).get(None)
    try:
        yield memoryview(cast(Any, value)).tobytes()  # a bytearray, or an array of numbers
    except (TypeError, ValueError, BufferError):
        return

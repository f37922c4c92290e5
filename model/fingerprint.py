"""Fingerprints: a look at everything that could change, so quick that one is taken after every run of a method.

A snapshot writes down what constants look like, all the way down. A fingerprint is of the things in one: which objects
each of them holds, by identity. Where it is the same, nothing has changed; where it is not, a snapshot tells whether
what is there now only looks the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import chain
from operator import is_, methodcaller
from types import CellType, FunctionType, MappingProxyType, MemberDescriptorType
from typing import Any, Final, cast

from .source import is_authors_class, is_authors_file

#: What is to be done after each run of a method.
after_each: ContextVar[Callable[[], None]] = ContextVar("after_each", default=lambda: None)

_DICT: Final[Any] = dict
_VALUES: Final = methodcaller("values")
_PACKAGE: Final = __name__.partition(".")[0] + "."
_KINDS: Final[tuple[Any, ...]] = (list, set, deque)


@contextmanager
def checking(check: Callable[[], None]) -> Generator[None]:
    """Have something done after each run of a method."""
    token = after_each.set(check)
    try:
        yield
    finally:
        after_each.reset(token)


class Fingerprint:
    """What some objects hold. `roots` are mappings of names that may get other values, as a module's."""

    def __init__(self, roots: Iterable[Mapping[str, object]], objects: Iterable[object]) -> None:
        self._dicts: list[Any] = []
        self._proxies: list[Any] = []
        self._containers: dict[Any, list[Any]] = {kind: [] for kind in _KINDS}
        # What has no loop of the interpreter's own: read one by one, and told by identity or, if made anew, by value.
        self._read: list[Callable[[], object]] = []
        self._valued: list[Callable[[], object]] = []
        for mapping in roots:
            self._add_mapping(mapping)
        for value in objects:
            self._add(value)
        self.renew()

    def renew(self) -> None:
        """Take what there is now for what there was."""
        # Kept, so that nothing that comes later can be where one of these was.
        self._held = list(self._holds())
        self._sizes = list(self._counts())
        self._values = [read() for read in self._valued]

    def is_same(self) -> bool:
        """Whether everything still holds what it held."""
        return (
            # What goes from the end of one to the beginning of the next stays where it is in the row.
            self._sizes == list(self._counts())
            and all(map(is_, self._holds(), self._held))
            and self._values == [read() for read in self._valued]
        )

    def _add_mapping(self, mapping: object) -> None:
        if isinstance(mapping, dict):
            self._dicts.append(cast(Any, mapping))
        elif isinstance(mapping, MappingProxyType):
            self._proxies.append(mapping)

    def _add(self, value: object) -> None:
        if isinstance(value, type):
            if is_authors_class(value):
                self._add_mapping(vars(value))
        elif isinstance(value, FunctionType):
            if is_authors_file(value.__code__.co_filename):
                self._add_mapping(vars(value))
                self._read += (_of_cell(cell) for cell in value.__closure__ or ())
        else:
            for kind, found in self._containers.items():
                if isinstance(value, kind):
                    found.append(value)
            self._add_mapping(value)
            self._add_object(value)

    def _add_object(self, value: object) -> None:
        with suppress(AttributeError):  # where it has slots, or nothing
            self._add_mapping(object.__getattribute__(value, "__dict__"))
        # What is ours, as the marks of methods are, changes nothing.
        is_ours = type(value).__module__.startswith(_PACKAGE)
        owners = () if is_ours else type(value).__mro__
        for owner in owners:
            for slot in vars(owner).values():
                if isinstance(slot, MemberDescriptorType):
                    read = _of_slot(slot, value)
                    (self._read if read() is read() else self._valued).append(read)
        if isinstance(value, ContextVar):
            variable = cast("ContextVar[object]", value)
            self._read.append(lambda: variable.get(None))
        try:
            is_writable = not memoryview(cast(Any, value)).readonly
        except (TypeError, ValueError, BufferError):
            return
        if is_writable:  # a bytearray, or an array of numbers
            self._valued.append(lambda: memoryview(cast(Any, value)).tobytes())

    def _holds(self) -> Iterator[object]:
        """What is held, in one row. Its loops are the interpreter's own."""
        dicts, proxies = self._dicts, self._proxies
        return chain(
            chain.from_iterable(map(_DICT.__iter__, dicts)),
            chain.from_iterable(map(_DICT.values, dicts)),
            chain.from_iterable(proxies),
            chain.from_iterable(map(_VALUES, proxies)),
            *(chain.from_iterable(map(kind.__iter__, found)) for kind, found in self._containers.items()),
            (read() for read in self._read),
        )

    def _counts(self) -> Iterator[int]:
        """How much there is in each."""
        containers = (map(kind.__len__, found) for kind, found in self._containers.items())
        return chain(map(_DICT.__len__, self._dicts), map(len, self._proxies), *containers)


def _of_cell(cell: CellType) -> Callable[[], object]:
    def read() -> object:
        try:
            return cell.cell_contents
        except ValueError:  # nothing is in it yet
            return cell

    return read


def _of_slot(slot: MemberDescriptorType, value: object) -> Callable[[], object]:
    def read() -> object:
        try:
            return slot.__get__(value)
        except AttributeError:  # nothing is in it
            return slot

    return read

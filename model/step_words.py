"""What a step property compares a step with: a name that no action has, or an outcome that none has, is a slip.

A comparison with such a word is never true, and the property would hold for no reason. Names of actions are all known.
Outcomes are computed, and depend on parameters: one is refused only if the author's code cannot make it.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, NoReturn

from .errors import nearest
from .marks import marks_of
from .methods import PROPERTIES
from .path import active
from .system import Transition


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a model's steps. `args` is None where not all are known, and so is `outcomes`."""

    actions: frozenset[str]
    args: frozenset[str] | None
    outcomes: frozenset[str] | None
    #: Texts in the author's code, from which an outcome may come that no transition has now.
    written: frozenset[str] = frozenset()

    def check_outcome(self, text: str) -> None:
        """Refuse an outcome that no action has, and that nobody writes but the property that asks for it."""
        if self.outcomes is None or text in self.outcomes or text in self.written:
            return
        if difflib.get_close_matches(text, self.outcomes, n=1, cutoff=0.5):
            _refuse(nearest(text, self.outcomes, "The outcome"))


def words_of(cls: type, transitions: Sequence[Transition], *, are_all: bool) -> Words:
    """The words of a model; `are_all` says whether it has no other transitions, of faults that are switched off."""
    marked = [marks for base in cls.__mro__ for value in vars(base).values() if (marks := marks_of(value)) is not None]
    actions = frozenset(marks.name for marks in marked if marks.role == "action")
    if not are_all:
        return Words(actions, None, None)
    args = frozenset(name for t in transitions for name, _ in t.given)
    outcomes = frozenset(text for t in transitions for text in t.outcomes if text is not None)
    written = frozenset(_texts(cls))
    # An outcome that nobody writes was put together, and so may others be.
    return Words(actions, args, outcomes if outcomes <= written else None, written)


def _texts(cls: type) -> Iterator[str]:
    """The texts in the code of a model and of the functions beside it, but for its properties."""
    for base in cls.__mro__:
        module = inspect.getmodule(base)
        for value in (*vars(base).values(), *(vars(module).values() if module is not None else ())):
            function = inspect.unwrap(value) if callable(value) else getattr(value, "fget", None)
            marks = marks_of(value)
            if isinstance(function, FunctionType) and (marks is None or marks.role not in PROPERTIES):
                yield from _texts_in(function.__code__.co_consts)


def _texts_in(constants: Iterable[object]) -> Iterator[str]:
    for constant in constants:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, CodeType):
            yield from _texts_in(constant.co_consts)
        elif isinstance(constant, tuple | frozenset):
            yield from _texts_in(constant)  # pyright: ignore[reportUnknownArgumentType]


class ActionName(str):
    """The name of an action, which is refused to be compared with what no action is called."""

    __slots__ = ("words",)
    words: Words

    @classmethod
    def of(cls, name: str, words: Words) -> ActionName:
        """A name, among the words of its model."""
        made = cls(name)
        made.words = words
        return made

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str) and other not in self.words.actions and active.get() is not None:
            _refuse(nearest(str(other), self.words.actions, "The action"))
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class OutcomeText(str):
    """An outcome, which is refused to be compared with what no action can have as one."""

    __slots__ = ("words",)
    words: Words

    @classmethod
    def of(cls, text: str | None, words: Words) -> OutcomeText | None:
        """An outcome, among the words of its model; none where there is none."""
        if text is None:
            return None
        made = cls(text)
        made.words = words
        return made

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str) and active.get() is not None:
            self.words.check_outcome(str(other))
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class Arguments(dict[str, Any]):
    """A step's arguments by name, which are refused to be asked for what no action has as an argument."""

    __slots__ = ("words",)
    words: Words

    @classmethod
    def of(cls, values: dict[str, Any], words: Words) -> Arguments:
        """Arguments, among the words of their model."""
        made = cls(values)
        made.words = words
        return made

    def _check(self, name: object) -> None:
        known = self.words.args
        if known is not None and isinstance(name, str) and name not in known and active.get() is not None:
            _refuse(nearest(name, known, "The argument"))

    def __getitem__(self, name: str) -> Any:
        self._check(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self._check(name)
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """The argument of this name, or the default where the action has none."""
        self._check(name)
        return super().get(name, default)


def _refuse(sentence: str) -> NoReturn:
    path = active.get()
    assert path is not None, "asked for before"
    path.refuse(sentence, "What no step has is never true of one.")

"""What an author writes about behaviours as a whole: that something happens in the end, if the scheduling is fair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from .errors import ModelError
from .marks import mark_role, marks_of
from .source import here, named_function

F = TypeVar("F", bound=Callable[..., Any])

#: In `fair=`, every action that is no fault.
EVERY_ACTION = "*"


@dataclass(frozen=True, slots=True)
class Fair:
    """An action that is scheduled fairly, for each of its arguments apart.

    Weakly: if it stays enabled from some point on, it is taken again and again. Strongly: also if it is only enabled
    again and again. A step that changes nothing does not count, neither as enabled nor as taken.
    """

    action: str
    is_strong: bool


def weak(action: str) -> Fair:
    """An action that is scheduled weakly fairly; in `fair=` its name alone says the same."""
    return Fair(action, is_strong=False)


def strong(action: str) -> Fair:
    """An action that is scheduled strongly fairly."""
    return Fair(action, is_strong=True)


def eventually(bare: None = None, /, *, fair: Iterable[str | Fair] = (), name: str | None = None) -> Callable[[F], F]:
    """A method that becomes true in the end, on every behaviour that is fair to the actions of `fair`.

    `fair` has names of actions, or `strong(name)`; "*" is every action that is no fault. A behaviour may stop where
    nothing but what is treated unfairly can happen.
    """
    _check_brackets("eventually", bare)
    return _temporal("eventually", fair, name)


def leads_to(bare: None = None, /, *, fair: Iterable[str | Fair] = (), name: str | None = None) -> Callable[[F], F]:
    """A method that returns a pair: whenever the first is true, the second becomes true, then or later."""
    _check_brackets("leads_to", bare)
    return _temporal("leads_to", fair, name)


def _check_brackets(word: str, given: object) -> None:
    """Bare, the decorator is given the method, and nothing says what is scheduled fairly."""
    if given is not None:
        raise ModelError(
            f"`@{word}` does not say which actions are scheduled fairly.",
            here(),
            f'Write @{word}(fair=["*"]) for all that are no faults, or name them; @{word}() for none.',
        )


def _temporal(role: str, fair: Iterable[str | Fair], name: str | None) -> Callable[[F], F]:
    listed = tuple(_fair(fair))

    def decorate(function: F) -> F:
        mark_role(function, role, name)
        marks = marks_of(function)
        assert marks is not None, "a role was given"
        marks.fair = listed
        return function

    return decorate


def _fair(given: object) -> Iterator[Fair]:
    """What `fair=` lists. Raises ModelError for what is no list of actions, a name alone among it."""
    if isinstance(given, str):  # which would be a list of its letters
        raise ModelError(f"fair= is given the text {given!r}.", here(), f"Write fair=[{given!r}].")
    remedy = 'List names of actions, or weak("name") and strong("name"): fair=["*"] is every action that is no fault.'
    if not isinstance(given, Iterable):
        raise ModelError(f"fair= is given {named_function(given) or repr(given)}.", here(), remedy)
    for one in cast("Iterable[object]", given):
        if isinstance(one, str):
            yield weak(one)
        elif isinstance(one, Fair) and isinstance(cast(object, one.action), str):
            yield one
        else:
            raise ModelError(f"fair= lists {named_function(one) or repr(one)}.", here(), remedy)

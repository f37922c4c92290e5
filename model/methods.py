"""A model's marked methods: its actions and properties, in order, and the values that their parameters take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from .errors import ModelError, Site, nearest
from .kinds import Kind
from .language import Marks, Model, marks_of
from .source import site_of


@dataclass(frozen=True, slots=True)
class Method:
    """A marked method of a model."""

    name: str
    function: Callable[..., Any]
    marks: Marks

    @property
    def site(self) -> Site | None:
        """Where it is written."""
        return site_of(self.function)


def methods(model: type[Model]) -> list[Method]:
    """A model's marked methods, those of base classes first, each in the order in which it was first written.

    An overriding method without a decorator of its own keeps what the overridden one is marked as. Raises ModelError
    for a fault that is no action, which would never happen.
    """
    order: dict[str, Marks] = {}
    for base in reversed(model.__mro__):
        for name, value in vars(base).items():
            marks = marks_of(value)
            if marks is not None and marks.fault is not None and marks.role != "action":
                raise ModelError(
                    f"{name} is marked as a fault, and not as an action.", site_of(value), "Add @action to @fault."
                )
            if marks is not None and marks.role:
                order[name] = marks
    found: list[Method] = []
    for name, marks in order.items():
        function = getattr(model, name)
        if callable(function):
            found.append(Method(name, function, marks))
    return found


def domain(model: Model, method: Method, parameter: str) -> tuple[object, ...]:
    """The values that an action's parameter takes."""
    given = method.marks.domains[parameter]
    if isinstance(given, str):
        if not hasattr(model, given):
            raise ModelError(
                f"{method.name} takes {parameter} from the attribute {given!r}, which the model does not have.",
                method.site,
                nearest(given, (n for n in vars(model) if not n.startswith("_")), "The attribute"),
            )
        given = getattr(model, given)
    if isinstance(given, bool) or not isinstance(given, int | Iterable | Kind):
        raise ModelError(
            f"the values of {parameter} in {method.name} are {given!r}.", method.site, "Give a number or a list."
        )
    if isinstance(given, Kind):
        return tuple(given.members())
    return tuple(range(given)) if isinstance(given, int) else tuple(cast(Iterable[object], given))


def check_parameters(method: Method, wanted: Sequence[str]) -> None:
    """An action has a domain for each parameter, and a parameter for each domain."""
    code = cast(Any, method.function).__code__
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    missing = [n for n in names if n not in wanted and not _has_default(method.function, n)]
    unknown = [n for n in wanted if n not in names]
    if missing:
        raise ModelError(
            f"the action {method.name} takes {missing[0]}, and is not told its values.",
            method.site,
            f'Write @action({missing[0]}="…") with the attribute that holds them, or a list.',
        )
    if unknown:
        raise ModelError(
            f"the action {method.name} has no parameter {unknown[0]!r}.", method.site, f"It has {', '.join(names)}."
        )


def _has_default(function: Callable[..., Any], name: str) -> bool:
    code = cast(Any, function).__code__
    positional = code.co_varnames[: code.co_argcount]
    defaults = cast("tuple[object, ...]", cast(Any, function).__defaults__ or ())
    keyword = cast("dict[str, object]", cast(Any, function).__kwdefaults__ or {})
    return name in positional[len(positional) - len(defaults) :] or name in keyword


def safeguards(cls: type[Model]) -> list[str]:
    """The names of a model's safeguards, in the order in which they were written."""
    found: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        for name in vars(base):
            marks = marks_of(getattr(cls, name, None))
            if marks is not None and marks.safeguard is not None:
                found[marks.safeguard] = None
    return list(found)

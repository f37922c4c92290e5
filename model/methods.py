"""A model's marked methods: its actions and properties, in order, and the values that their parameters take."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from .constants import is_whole
from .errors import ModelError, Site, nearest
from .kinds import Kind
from .language import Model
from .marks import Marks, marks_of
from .source import site_of
from .system import DEADLOCK
from .unbounded_kinds import Naturals

MOST_TRANSITIONS: Final = 20_000
#: A fault's budget that is larger is a slip, or means that there is none: each of so many would be a state of its own.
MOST_BUDGET: Final = 1000
#: The roles of methods that are properties, whose names a report lists side by side.
PROPERTIES: Final = ("invariant", "lemma", "step_property", "quiescent", "eventually", "leads_to")


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
    for a fault that is no action, which would never happen, and for one with a budget that is none.
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
            _check_budget(found[-1])
    return found


def _check_budget(method: Method) -> None:
    budget = method.marks.budget
    if method.marks.fault is None or budget is None or (is_whole(budget) and 0 <= budget <= MOST_BUDGET):
        return
    raise ModelError(
        f"the budget of the fault {method.marks.fault!r} is {budget!r}.",
        method.site,
        f"Give a whole number from 0 to {MOST_BUDGET}, or None for no limit.",
    )


def check_names(marked: Sequence[Method]) -> None:
    """Raise ModelError where two methods claim one name, or are what a model has one of."""
    for role in ("initial", "terminal", "abstraction"):
        found = [m for m in marked if m.marks.role == role]
        if len(found) > 1:
            raise ModelError(
                f"{found[0].name} and {found[1].name} are both marked @{role}, at {found[0].site} and {found[1].site}.",
                found[1].site,
                "Make it one method; a subclass overrides it under the same name.",
            )
    properties: dict[str, Method] = {}
    actions: dict[str, Method] = {}
    for method in marked:
        name = method.marks.name
        if method.marks.role in PROPERTIES:
            # As the command line takes them, with either kind of dash.
            name = name.replace("_", "-")
            if name == DEADLOCK:
                raise ModelError(
                    f"the property {method.marks.name} has the name of the one that finds deadlocks.",
                    method.site,
                    "Give it another name; states where stopping is fine are said with @terminal.",
                )
            _check_name("properties", method, properties.setdefault(name, method))
        elif method.marks.role == "action":
            _check_name("actions", method, actions.setdefault(name, method))


def _check_name(what: str, method: Method, first: Method) -> None:
    if first is not method:
        raise ModelError(
            f"two {what} are named {method.marks.name}, at {first.site} and {method.site}.",
            method.site,
            "Give each a name of its own.",
        )


def domain(model: Model, method: Method, parameter: str) -> tuple[object, ...]:
    """The values that an action's parameter takes; `Naturals` alone where it ranges over the natural numbers.

    Raises ModelError for what is none, or is too much, or runs out."""
    given = method.marks.domains[parameter]
    if isinstance(given, str):
        if not hasattr(type(model), given) and given not in vars(model):
            raise ModelError(
                f"{method.name} takes {parameter} from the attribute {given!r}, which the model does not have.",
                method.site,
                nearest(given, (n for n in vars(model) if not n.startswith("_")), "The attribute"),
            )
        try:
            given = getattr(model, given)
        except (Exception, SystemExit) as error:  # of a property
            raise _unlisted(method, parameter, error) from error
    if isinstance(given, Naturals):
        return (given,)
    if isinstance(given, bool) or not isinstance(given, int | Iterable | Kind):
        raise ModelError(
            f"the values of {parameter} in {method.name} are {given!r}.", method.site, "Give a number or a list."
        )
    if isinstance(given, Iterator):
        raise ModelError(
            f"the values of {parameter} in {method.name} are an iterator, which is used up by going through it.",
            method.site,
            "Write list(…) or tuple(…) around it.",
        )
    if isinstance(given, Kind):
        check_count(given.size(), method)
        return tuple(given.members())
    try:
        # No more than that many are asked for: a range may be huge, and an author's own class have no end.
        items = range(given) if isinstance(given, int) else cast("Iterable[object]", given)
        values = tuple(itertools.islice(items, MOST_TRANSITIONS + 1))
    except (Exception, SystemExit) as error:
        raise _unlisted(method, parameter, error) from error
    check_count(len(values), method)
    return values


def check_count(transitions: float, method: Method) -> None:
    """Raise ModelError where there are more transitions than may be."""
    if transitions > MOST_TRANSITIONS:
        raise ModelError(
            f"the model has more than {MOST_TRANSITIONS:,} transitions.",
            method.site,
            "Make the values of the actions' parameters fewer.",
        )


def _unlisted(method: Method, parameter: str, error: BaseException) -> ModelError:
    return ModelError(
        f"the values of {parameter} in {method.name} cannot be listed: {type(error).__name__}: {error}", method.site
    )


_WANTED: Final = {
    "action": (1, "an action takes self first", "self, …"),
    "invariant": (1, "an invariant takes self only", "self"),
    "lemma": (1, "a lemma takes self only", "self"),
    "quiescent": (1, "a @quiescent method takes self only", "self"),
    "eventually": (1, "an @eventually method takes self only", "self"),
    "leads_to": (1, "a @leads_to method takes self only", "self"),
    "step_property": (2, "a step property takes self and a step", "self, step"),
    "terminal": (1, "a @terminal method takes self only", "self"),
    "initial": (1, "an @initial method takes self only", "self"),
    "abstraction": (1, "an @abstraction method takes self only", "self"),
}


def check_signature(method: Method) -> None:
    """Raise ModelError for a method that cannot be called with what its mark says it is given."""
    count, takes, example = _WANTED[method.marks.role]
    parameters = list(inspect.signature(method.function).parameters.values())
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    fits = takes_any or len(positional) >= count
    if method.marks.role != "action":  # whose others are its parameters
        needed = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        fits = fits and len(needed) <= count and needed == positional[: len(needed)]
    if not fits:
        names = " and ".join(p.name for p in parameters) or "nothing"
        raise ModelError(
            f"{takes}, and {method.name} takes {names}.", method.site, f"Write def {method.name}({example})."
        )


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
    """The names of a model's safeguards, in the order in which they were written.

    Raises ModelError where two methods claim one name: taken away, both would be gone, and which of them mattered
    could not be told. An override in a subclass is the same method, and so is a second name for one function.
    """
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        for name in vars(base):
            method: Any = getattr(cls, name, None)
            marks = marks_of(method)
            if marks is None or marks.safeguard is None:
                continue
            first = found.setdefault(marks.safeguard, method)
            if first is not method:
                # The mark wraps a method in one of ours; where it is written is told by what is inside.
                at, again = site_of(inspect.unwrap(first)), site_of(inspect.unwrap(method))
                raise ModelError(
                    f"two safeguards are named {marks.safeguard}, at {at} and {again}.",
                    again,
                    "Give each a name of its own.",
                )
    return list(found)

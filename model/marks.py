"""How an author marks methods: as actions, properties, faults, safeguards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, NoReturn, TypeVar, cast, overload

from .errors import ModelError, Site
from .lanes import Lanes, lanes
from .says import Says
from .says import says as said
from .source import authors_frame, here, site_of

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(slots=True)
class Marks:
    """What decorators say of a method. `role` is action, invariant, step_property, terminal, initial or abstraction."""

    role: str = ""
    name: str = ""
    domains: dict[str, Any] = field(default_factory=dict[str, Any])
    fault: str | None = None
    after_fault: str | None = None
    fair: tuple[Any, ...] = ()
    budget: int | None = 1
    per: str | None = None
    safeguard: str | None = None
    lanes: Lanes | None = None
    says: Says | None = None


def marks_of(function: object) -> Marks | None:
    """What decorators said of a method, or None."""
    found = getattr(function, "__fenceproof__", None)
    return found if isinstance(found, Marks) else None


def _mark(function: Callable[..., Any]) -> Marks:
    marks = marks_of(function)
    if marks is None:
        marks = Marks()
        function.__fenceproof__ = marks  # type: ignore[attr-defined]
    return marks


def mark_role(function: F, role: str, name: str | None) -> F:
    """Give a method its role; ModelError if it has one already."""
    given: object = function
    if not isinstance(given, FunctionType):
        named = role not in ("terminal", "initial", "abstraction")
        raise ModelError(
            f"`@{role}` is given {given!r}.",
            here(),
            f"Write @{role}(name={given!r})."
            if named and isinstance(given, str)
            else f"Write @{role} alone, above a method.",
        )
    _refuse_second(given)
    marks = _mark(function)
    if marks.role:
        raise ModelError(f"{function.__name__} is both {marks.role} and {role}.", here(), "Make it two methods.")
    if marks.safeguard is not None:
        _refuse_safeguard(function, role)
    marks.role, marks.name = role, name or function.__name__
    return function


def _refuse_second(function: FunctionType) -> None:
    """Refuse a second marked method of one name in one class body: Python would forget the first without a word."""
    frame = authors_frame()
    if frame is None or f"{frame.f_code.co_qualname}.{function.__name__}" != function.__qualname__:
        return
    first = frame.f_locals.get(function.__name__)
    marks = marks_of(first)
    if first is not function and marks is not None and marks.role:
        raise ModelError(
            f"two methods are named {function.__name__}, at {site_of(first)} and {site_of(function)}.",
            site_of(function),
            "Give each a name of its own: the first would be forgotten.",
        )


def _check_mark_name(mark: str, name: object) -> None:
    """A fault or a safeguard has a name; bare, as `@fault`, it is given the method instead."""
    if isinstance(name, str) and name:
        return
    example = cast("Callable[..., Any]", name).__name__ if isinstance(name, FunctionType) else "x"
    raise ModelError(f"`@{mark}` needs a name.", here(), f'Write @{mark}("{example}").')


def _refuse_safeguard(function: Callable[..., Any], role: str) -> NoReturn:
    raise ModelError(
        f"{function.__name__} is a safeguard and also marked @{role}.",
        here(),
        "Make it two methods: a safeguard marks a helper that answers whether something is allowed, and others ask it.",
    )


@overload
def action(function: F, /) -> F: ...
@overload
def action(
    *, name: str | None = None, sender: Any = None, receiver: Any = None, says: Any = None, **domains: Any
) -> Callable[[F], F]: ...
def action(
    function: Any = None,
    /,
    *,
    name: str | None = None,
    sender: Any = None,
    receiver: Any = None,
    says: Any = None,
    **domains: Any,
) -> Any:
    """A method that changes the state, run for each value of its arguments.

    `@action(client="clients")` takes the values from the attribute `clients`: a number n means 0..n-1. Values can also
    be given outright. What the method returns is the outcome, shown in traces.

    `sender="client {client}", receiver="store"` are the lanes of a sequence diagram, with the arguments filled in. A
    tuple is handed on from one to the next, a list reaches all, and a mapping gives one of these by outcome (None: any
    other). With one of the two alone, it happens there.

    `says="client {client} writes {value[client]}"` is what a story says of a step, with its arguments and values of the
    state after it; a mapping says it by outcome. Without it a story has the first sentence of the docstring. A method
    with a parameter of one of these names has it so.
    """

    def decorate(f: Any) -> Any:
        mark_role(f, "action", name)
        marks, drawn = _mark(f), {"sender": sender, "receiver": receiver, "says": says}
        parameters = _parameters(f)
        values = {n: v for n, v in drawn.items() if n in parameters and v is not None}
        marks.domains = {**values, **domains}
        left = {n: None if n in parameters else v for n, v in drawn.items()}
        marks.lanes = lanes(left["sender"], left["receiver"], here())
        marks.says = said(left["says"], here())
        return f

    return decorate if function is None else decorate(function)


def _parameters(function: FunctionType) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]


def _property_decorator(role: str, function: Any, name: str | None, says: object = None) -> Any:
    def decorate(f: Any) -> Any:
        mark_role(f, role, name)
        _mark(f).says = said(says, here())
        return f

    return decorate if function is None else decorate(function)


@overload
def invariant(function: F, /) -> F: ...
@overload
def invariant(*, name: str | None = None, says: Any = None) -> Callable[[F], F]: ...
def invariant(function: Any = None, /, *, name: str | None = None, says: Any = None) -> Any:
    """A method that is true in every reachable state.

    `says="{served} are served, and there are two"` is what a story says of a violation, with values of the state.
    """
    return _property_decorator("invariant", function, name, says)


@overload
def step_property(function: F, /) -> F: ...
@overload
def step_property(*, name: str | None = None, says: Any = None) -> Callable[[F], F]: ...
def step_property(function: Any = None, /, *, name: str | None = None, says: Any = None) -> Any:
    """A method that takes a `Step` and is true of every reachable transition.

    `says="call {call} commits twice"` is what a story says of a step that violates it, with the step's arguments and
    values of the state after it; a mapping says it by outcome.
    """
    return _property_decorator("step_property", function, name, says)


@overload
def quiescent(function: F, /) -> F: ...
@overload
def quiescent(*, name: str | None = None, says: Any = None) -> Callable[[F], F]: ...
def quiescent(function: Any = None, /, *, name: str | None = None, says: Any = None) -> Any:
    """A method that is true in every reachable state in which nothing but a fault can happen."""
    return _property_decorator("quiescent", function, name, says)


@overload
def lemma(function: F, /) -> F: ...
@overload
def lemma(*, name: str | None = None) -> Callable[[F], F]: ...
def lemma(function: Any = None, /, *, name: str | None = None) -> Any:
    """A method that is true in every reachable state, written to help in proving other properties.

    It is a claim like any invariant: every engine checks it and reports it, violated where it is false. Proving uses
    it for other properties only once it is proved itself.
    """
    return _property_decorator("lemma", function, name)


def terminal(function: F) -> F:
    """A method that is true in the states where having nothing left to do is fine; elsewhere that is a deadlock."""
    return mark_role(function, "terminal", None)


def initial(function: F) -> F:
    """A method that makes the initial states out of the starting values, with `choose` and `require`."""
    return mark_role(function, "initial", None)


def abstraction(function: F) -> F:
    """A method that says which state of an abstract model a state of this one stands for.

    It returns a mapping: a value for each state variable of the abstract model, by name. `fenceproof refine` asks
    whether every step is then a step of the abstract model, or none.
    """
    return mark_role(function, "abstraction", None)


def fault(name: str = "", *, budget: int | None = 1, per: str | None = None) -> Callable[[F], F]:
    """Marks an action as a fault that may happen `budget` times (None: without limit, 0: not at all).

    The budget is counted apart for each value of the parameter `per`, by default the one called `call` if there is one.
    Actions with one fault name share its budget. The command line sets budgets with `--faults`.
    """
    _check_mark_name("fault", name)

    def decorate(function: F) -> F:
        marks = _mark(function)
        if marks.safeguard is not None:
            _refuse_safeguard(function, "fault")
        if marks.fault is not None:
            raise ModelError(
                f"{function.__name__} is marked as the fault {marks.fault!r} and as the fault {name!r}.",
                here(),
                "Make it two actions, which may call one method.",
            )
        marks.fault, marks.budget, marks.per = name, budget, per
        return function

    return decorate


def after_fault(name: str) -> Callable[[F], F]:
    """Marks an action that can happen only once a fault has; where the fault is switched off, it is left out."""

    def decorate(function: F) -> F:
        _mark(function).after_fault = name
        return function

    return decorate


@dataclass(frozen=True, slots=True)
class Choice:
    """A safeguard that is a choice of design: the attributes it consists in, each with its value with and without."""

    name: str
    values: tuple[tuple[str, object, object], ...]
    site: Site | None


@overload
def safeguard(name: str = "") -> Callable[[F], F]: ...
@overload
def safeguard(name: str, **attributes: tuple[object, object]) -> Choice: ...
def safeguard(name: str = "", **attributes: tuple[object, object]) -> Any:
    """Marks a method that answers whether something is allowed; taken away, it answers True.

    A choice of design can be a safeguard too: `outbox = safeguard("outbox", bump=("before-send", "after-send"))` says
    which value the attribute `bump` has with it and which without. It counts only where the model has the first.
    The command line takes a safeguard away with `--without name`, and `fenceproof space` takes away all combinations.
    """
    _check_mark_name("safeguard", name)
    if attributes:
        return _choice(name, attributes)

    def decorate(function: F) -> F:
        marks = marks_of(function)
        if marks is not None and (marks.role or marks.fault is not None):
            _refuse_safeguard(function, marks.role or "fault")
        if marks is not None and marks.safeguard is not None:
            raise ModelError(
                f"{function.__name__} is marked as two safeguards, {marks.safeguard} and {name}.",
                here(),
                "Make it two methods, one of which asks the other.",
            )

        def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
            lifted = getattr(self, "__dict__", {}).get("_lifted")
            if lifted is None:
                raise ModelError(
                    f"the safeguard {name} is asked where it cannot be taken away.",
                    here(),
                    "Ask it in an action or a property: not in a constructor, for an action's values, or in a record.",
                )
            if not lifted.keeps(name):
                return True
            return function(self, *args, **kwargs)

        guarded.__name__, guarded.__doc__ = function.__name__, function.__doc__
        guarded.__wrapped__ = function  # type: ignore[attr-defined]
        guarded.__fenceproof__ = Marks(safeguard=name)  # type: ignore[attr-defined]
        return cast(F, guarded)

    return decorate


def _choice(name: str, attributes: Mapping[str, object]) -> Choice:
    for attribute, pair in attributes.items():
        if not isinstance(pair, tuple) or len(cast("tuple[object, ...]", pair)) != 2:
            raise ModelError(
                f"the safeguard {name!r} gives {attribute} as {pair!r}.",
                here(),
                f"Write {attribute}=(its value with the safeguard, its value without).",
            )
    pairs = cast("Mapping[str, tuple[object, object]]", attributes)
    for attribute, (strong, weak) in pairs.items():
        if strong == weak:
            raise ModelError(
                f"the safeguard {name!r} leaves {attribute} the same, {weak!r}, where it is taken away.",
                here(),
                f"Write {attribute}=(its value with the safeguard, its value without).",
            )
    return Choice(name, tuple((attribute, *pair) for attribute, pair in pairs.items()), here())

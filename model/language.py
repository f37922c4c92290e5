"""What an author writes: a model is a class, and these are the words in it.

A kind is typed as the value it holds, so that editors and type checkers see `int` where a `Range` was written.
The names of kinds are functions here for that reason; what a kind is stands in `kinds.py`.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Iterable, Mapping, MutableSet
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, Self, TypeVar, cast, overload

from .errors import ModelError, UsageError
from .kinds import (
    Alternatives,
    ArrayKind,
    BagKind,
    BoolKind,
    ChoiceKind,
    Kind,
    MapKind,
    MaybeKind,
    QueueKind,
    RangeKind,
    RecordKind,
    SetKind,
    constant_key,
    is_same_kind,
)
from .path import Path, active
from .source import here
from .symbols import is_symbol, number, number_node, truth, truth_node

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)
K = TypeVar("K")
E = TypeVar("E", bound=Enum)
F = TypeVar("F", bound=Callable[..., Any])


class BagValue(Protocol[T_contra]):
    """What a `Bag` is to an action: a multiset."""

    def add(self, value: T_contra, /) -> None: ...
    def remove(self, value: T_contra, /) -> None: ...
    def count(self, value: T_contra, /) -> int: ...
    def __contains__(self, value: object, /) -> bool: ...
    def __iter__(self) -> Any: ...
    def __len__(self) -> int: ...


# Kinds


def Bool(*, start: object = None) -> bool:
    """False or True; it starts as False."""
    return cast(bool, BoolKind(start))


def Range(lo: int, hi: int, *, start: object = None) -> int:
    """A whole number from `lo` to `hi`, both included; it starts as `lo`. Leaving the range is a model error."""
    return cast(int, RangeKind(lo, hi, start))


@overload
def Choice(values: type[E], /, *, start: object = None) -> E: ...
@overload
def Choice(*values: T, start: object = None) -> T: ...
def Choice(*values: Any, start: object = None) -> Any:
    """One of some constants, or of an enum's members; it starts as the first."""
    if len(values) == 1 and isinstance(values[0], type) and issubclass(values[0], Enum):
        return ChoiceKind(values[0], start)
    return ChoiceKind(values, start)


def Maybe(kind: T, *, start: object = None) -> T | None:
    """A value of `kind`, or None; it starts as None."""
    return cast("T | None", MaybeKind(as_kind(kind), start))


def Array(length: int, kind: T, *, start: object = None) -> list[T]:
    """A fixed number of items, indexed from 0."""
    return cast("list[T]", ArrayKind(length, as_kind(kind), start))


def Map(keys: Iterable[K], kind: T, *, start: object = None) -> dict[K, T]:
    """An item for each of some constant keys (or for each value of a kind)."""
    listed = as_kind(keys) if isinstance(keys, Kind) or _is_enum(keys) else keys
    return cast("dict[K, T]", MapKind(cast(Any, listed), as_kind(kind), start))


def Set(kind: T, *, start: object = None) -> MutableSet[T]:
    """A set of values of `kind`; it starts empty."""
    return cast("MutableSet[T]", SetKind(as_kind(kind), start))


def Bag(kind: T, *, most: int, start: object = None) -> BagValue[T]:
    """A multiset of at most `most` elements in all; it starts empty. Overfilling it is a model error."""
    return cast("BagValue[T]", BagKind(as_kind(kind), most, start))


def Queue(kind: T, *, capacity: int, start: object = None) -> deque[T]:
    """First in, first out: `append` and `popleft`. Appending to a full or popping an empty one is a model error."""
    return cast("deque[T]", QueueKind(as_kind(kind), capacity, start))


def _is_enum(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Enum)


def as_kind(value: object) -> Kind:
    """The kind that an author wrote, where a kind is wanted. Raises ModelError for anything else."""
    if isinstance(value, Kind):
        return value
    if _is_enum(value):
        return ChoiceKind(cast(Iterable[object], value))
    if isinstance(value, Record) or (isinstance(value, type) and issubclass(value, Record)):
        return record_kind(value)
    raise ModelError(
        f"{value!r} is not a kind.",
        here(),
        "Write Bool(), Range(lo, hi), Choice(…), Maybe(…), Array(n, …), Map(keys, …), Set(…), Bag(…), Queue(…), "
        "or a Record.",
    )


class Record:
    """Named fields: a subclass has kinds as attributes, of the class or set in its `__init__`.

    `Message()` is the kind, and `Message.of(sender=0, body="hello")` a value of it.
    A record in the state has the class's methods.
    """

    @classmethod
    def of(cls, **values: Any) -> Self:
        """A value: a record whose fields have these values."""
        record = object.__new__(cls)
        vars(record).update(values)
        return record

    if not TYPE_CHECKING:

        def __getattribute__(self, name: str) -> Any:
            held = object.__getattribute__(self, "__dict__")
            kind = held.get("_kind")
            if kind is not None and name in kind.fields:
                from .views import get

                return get(held["_anchor"].place.shifted(kind.offsets[name]), kind.fields[name])
            return object.__getattribute__(self, name)

        def __setattr__(self, name: str, value: object) -> None:
            held = self.__dict__
            kind = held.get("_kind")
            if kind is None:
                if "_shared" in held:
                    _path("a record").refuse(
                        f"{name} of an element of a set is changed.",
                        f"Take it out and put another in: {type(self).__name__}.of(…).",
                    )
                object.__setattr__(self, name, value)
                return
            place = held["_anchor"].place
            if name not in kind.fields:
                place.env.path.refuse(
                    f"{kind.owner.__name__} has no field {name!r}.", f"It has {', '.join(kind.fields)}."
                )
            from .values import put

            put(place.shifted(kind.offsets[name]), kind.fields[name], value)

        def __eq__(self, other: object) -> Any:
            if type(other) is not type(self):
                return False
            place, theirs = _place_of(self), _place_of(other)
            if place is not None and theirs is not None and is_same_kind(self._kind, other._kind):
                path, slots = place.env.path, range(self._kind.width)
                return truth(
                    path, path.expressions.conjoin(path.expressions.equal(place.read(i), theirs.read(i)) for i in slots)
                )
            mine, others = _record_items(self), _record_items(other)
            if mine.keys() != others.keys():
                return False
            if active.get() is None:
                return mine == others
            return forall((mine[name] == others[name] for name in mine), _same)

        def __hash__(self) -> int:
            key = constant_key(self)
            if key is None:
                _path("a record").refuse(
                    "a record of the state is hashed.", "Use a tuple of its fields, or a loop that compares them."
                )
            return hash(key)

        def __copy__(self) -> Any:
            from .views import get

            held = self.__dict__
            if "_kind" in held:
                return get(held["_anchor"].copy(), held["_kind"])
            return type(self).of(**_record_items(self))

        def __deepcopy__(self, memo: object) -> Any:
            return self.__copy__()

        def __repr__(self) -> str:
            if "_kind" in self.__dict__:
                return f"<{self.__dict__['_anchor'].place.name}>"
            return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in _record_items(self).items())})"


def _place_of(record: Record) -> Any:
    """Where a record lies in the state; None for one that does not."""
    anchor = vars(record).get("_anchor")
    return None if anchor is None else anchor.place


def _same(value: Any) -> Any:
    return value


def _record_items(value: object) -> dict[str, Any]:
    """A record's fields with their values, whether it lies in the state, in a set, or was made by the author."""
    if not isinstance(value, Record):
        return {}
    held = vars(value)
    names = held["_kind"].fields if "_kind" in held else [name for name in held if not name.startswith("_")]
    return {name: getattr(value, name) for name in names}


def record_fields(record: Record | type[Record]) -> dict[str, Kind]:
    """The fields of a record class or of a record made as a kind, in the order in which they were written."""
    owner = record if isinstance(record, type) else type(record)
    given: dict[str, object] = {}
    for base in reversed(owner.__mro__):
        given.update(vars(base))
    if not isinstance(record, type):
        given.update(vars(record))
    return {n: as_kind(v) for n, v in given.items() if isinstance(v, Kind | Record) and not n.startswith("__")}


def record_kind(record: Record | type[Record]) -> Kind:
    """The kind that a record class, or an object of it, stands for."""
    owner = record if isinstance(record, type) else type(record)
    return RecordKind(owner, record_fields(record))


# Models


class Model:
    """A model: constructor arguments are its parameters, attributes with a kind its state, methods its behaviour."""

    _parameters: dict[str, object]

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        model = object.__new__(cls)
        bound = inspect.signature(cls.__init__).bind(model, *args, **kwargs)
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        object.__setattr__(model, "_parameters", given)
        return model

    if not TYPE_CHECKING:

        def __init__(self) -> None:
            """A model without parameters."""

        def __getattribute__(self, name: str) -> Any:
            lifted = object.__getattribute__(self, "__dict__").get("_lifted")
            if lifted is not None and name in lifted.variables:
                return lifted.get(name)
            return object.__getattribute__(self, name)

        def __setattr__(self, name: str, value: object) -> None:
            lifted = self.__dict__.get("_lifted")
            if lifted is None:
                object.__setattr__(self, name, value)
            else:
                lifted.put(name, value)


class Step:
    """A transition, as a step property sees it: `action`, `args`, `outcome`, and the model `before` and `after` it."""

    def __init__(
        self, action: str, args: Mapping[str, Any], outcome: Callable[[], str | None], before: Any, after: Any
    ) -> None:
        self.action = action
        self.args = args
        self.before: Any = before
        self.after: Any = after
        self._outcome = outcome

    @property
    def outcome(self) -> str | None:
        """What the action returned."""
        return self._outcome()


@dataclass(slots=True)
class Marks:
    """What decorators say of a method. `role` is action, invariant, step_property, terminal or initial."""

    role: str = ""
    name: str = ""
    domains: dict[str, Any] = field(default_factory=dict[str, Any])
    fault: str | None = None
    budget: int | None = 1
    per: str | None = None
    safeguard: str | None = None


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


def _role(function: F, role: str, name: str | None) -> F:
    marks = _mark(function)
    if marks.role:
        raise ModelError(f"{function.__name__} is both {marks.role} and {role}.", here(), "Make it two methods.")
    if marks.safeguard is not None:
        _refuse_safeguard(function, role)
    marks.role, marks.name = role, name or function.__name__
    return function


def _refuse_safeguard(function: Callable[..., Any], role: str) -> NoReturn:
    raise ModelError(
        f"{function.__name__} is a safeguard and also marked @{role}.",
        here(),
        "Make it two methods: a safeguard marks a helper that answers whether something is allowed, and others ask it.",
    )


@overload
def action(function: F, /) -> F: ...
@overload
def action(*, name: str | None = None, **domains: Any) -> Callable[[F], F]: ...
def action(function: Any = None, /, *, name: str | None = None, **domains: Any) -> Any:
    """A method that changes the state, run for each value of its arguments.

    `@action(client="clients")` takes the values from the attribute `clients`: a number n means 0..n-1. Values can also
    be given outright. What the method returns is the outcome, shown in traces.
    """

    def decorate(f: Any) -> Any:
        _role(f, "action", name)
        _mark(f).domains = domains
        return f

    return decorate if function is None else decorate(function)


def _property_decorator(role: str, function: Any, name: str | None) -> Any:
    def decorate(f: Any) -> Any:
        return _role(f, role, name)

    return decorate if function is None else decorate(function)


@overload
def invariant(function: F, /) -> F: ...
@overload
def invariant(*, name: str | None = None) -> Callable[[F], F]: ...
def invariant(function: Any = None, /, *, name: str | None = None) -> Any:
    """A method that is true in every reachable state."""
    return _property_decorator("invariant", function, name)


@overload
def step_property(function: F, /) -> F: ...
@overload
def step_property(*, name: str | None = None) -> Callable[[F], F]: ...
def step_property(function: Any = None, /, *, name: str | None = None) -> Any:
    """A method that takes a `Step` and is true of every reachable transition."""
    return _property_decorator("step_property", function, name)


def terminal(function: F) -> F:
    """A method that is true in the states where having nothing left to do is fine; elsewhere that is a deadlock."""
    return _role(function, "terminal", None)


def initial(function: F) -> F:
    """A method that makes the initial states out of the starting values, with `choose` and `require`."""
    return _role(function, "initial", None)


def fault(name: str, *, budget: int | None = 1, per: str | None = None) -> Callable[[F], F]:
    """Marks an action as a fault that may happen `budget` times (None: without limit, 0: not at all).

    The budget is counted apart for each value of the parameter `per`, by default the one called `call` if there is one.
    Actions with one fault name share its budget. The command line sets budgets with `--faults`.
    """

    def decorate(function: F) -> F:
        marks = _mark(function)
        if marks.safeguard is not None:
            _refuse_safeguard(function, "fault")
        marks.fault, marks.budget, marks.per = name, budget, per
        return function

    return decorate


def safeguard(name: str) -> Callable[[F], F]:
    """Marks a method that answers whether something is allowed; taken away, it answers True.

    The command line takes one away with `--without name`.
    """

    def decorate(function: F) -> F:
        marks = marks_of(function)
        if marks is not None and (marks.role or marks.fault is not None):
            _refuse_safeguard(function, marks.role or "fault")

        def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
            lifted = self.__dict__.get("_lifted")
            if lifted is not None and name in lifted.without:
                return True
            return function(self, *args, **kwargs)

        guarded.__name__, guarded.__doc__ = function.__name__, function.__doc__
        guarded.__wrapped__ = function  # type: ignore[attr-defined]
        guarded.__fenceproof__ = Marks(safeguard=name)  # type: ignore[attr-defined]
        return cast(F, guarded)

    return decorate


# What is said inside actions and properties


def _path(word: str) -> Path:
    path = active.get()
    if path is None:
        raise UsageError(f"`{word}` has a meaning only inside an action or a property of a model that is checked.")
    return path


def _truth_of(path: Path, value: object, word: str) -> Any:
    node = truth_node(path, value)
    if node is None:
        node = truth_node(path, bool(value))
    assert node is not None, word
    return node


def require(condition: object) -> None:
    """The action is enabled only where the condition is true."""
    path = _path("require")
    path.require(_truth_of(path, condition, "require"))


def choose(values: Iterable[T], *, label: str = "choice") -> T:
    """One of some values: every one of them is tried. In a constructor: several possible starting values."""
    path = active.get()
    if path is None:
        return cast(T, Alternatives(tuple(values)))
    if is_symbol(values):
        path.refuse("choose() is given one value of the state.", "Give it a list, a range, or a Set of the state.")
    tests = _universe(values)
    if tests is not None:
        position = path.choose([element for element, _ in tests], label)
        path.require(tests[position][1])
        return cast(T, tests[position][0])
    options: dict[object, T] = {}
    for number_of_option, option in enumerate(values):
        key = constant_key(option)
        options.setdefault(("not a constant", number_of_option) if key is None else key, option)
    shown = [place if constant_key(option) is None else option for place, option in enumerate(options.values())]
    return list(options.values())[path.choose(shown, label)]


def implies(antecedent: object, consequent: object) -> bool:
    """Not antecedent, or consequent; a property whose antecedents are never true is reported as vacuous.

    Where the consequent has no meaning without the antecedent, write it as a function: `implies(x, lambda: y)`.
    """
    path = _path("implies")
    condition = _truth_of(path, antecedent, "implies")
    path.implications.append(condition)
    if callable(consequent):
        return cast(bool, consequent()) if path.decide(condition) else True
    x = path.expressions
    return cast(bool, truth(path, x.disjoin((x.negate(condition), _truth_of(path, consequent, "implies")))))


def _universe(items: object) -> list[tuple[Any, Any]] | None:
    """For a set or bag of the state, each value that could be in it with whether it is; None for anything else."""
    tests = getattr(items, "universe_tests", None)
    return cast("list[tuple[Any, Any]] | None", tests()) if callable(tests) else None


def _tests(path: Path, items: Iterable[Any], predicate: Callable[[Any], object] | None, word: str) -> list[Any]:
    """For each item, whether it satisfies the predicate; for a set of the state, whether it is in it and does."""
    pairs = _universe(items)
    x = path.expressions
    if pairs is None:
        return [_truth_of(path, item if predicate is None else predicate(item), word) for item in items]
    if predicate is None:
        return [test for _, test in pairs]
    found: list[Any] = []
    for element, test in pairs:
        implied = len(path.implications)
        found.append(x.conjoin((test, _truth_of(path, predicate(element), word))))
        # What is said of an element that is not in the set was not put to the test.
        path.implications[implied:] = [x.conjoin((test, a)) for a in path.implications[implied:]]
    return found


def count(items: Iterable[T], predicate: Callable[[T], object] | None = None) -> int:
    """How many items are true, or satisfy the predicate; for a set of the state, how many of its elements do."""
    path = _path("count")
    x = path.expressions
    result = x.const(0)
    for test in _tests(path, items, predicate, "count"):
        result = x.add(result, x.number(test))
    return cast(int, number(path, result))


def exists(items: Iterable[T], predicate: Callable[[T], object] | None = None) -> bool:
    """Whether some item is true, or satisfies the predicate, without a fork for each."""
    path = _path("exists")
    return cast(bool, truth(path, path.expressions.disjoin(_tests(path, items, predicate, "exists"))))


def forall(items: Iterable[T], predicate: Callable[[T], object] | None = None) -> bool:
    """Whether every item is true, or satisfies the predicate, without a fork for each."""
    path = _path("forall")
    x = path.expressions

    def fails(item: Any) -> Any:
        return truth(path, x.negate(_truth_of(path, item if predicate is None else predicate(item), "forall")))

    return cast(bool, truth(path, x.negate(x.disjoin(_tests(path, items, fails, "forall")))))


def least(*values: int) -> int:
    """The smallest of some numbers, without a fork for each."""
    return _extreme(values, smallest=True)


def greatest(*values: int) -> int:
    """The largest of some numbers, without a fork for each."""
    return _extreme(values, smallest=False)


def _extreme(values: tuple[Any, ...], *, smallest: bool) -> int:
    path = _path("least" if smallest else "greatest")
    x = path.expressions
    nodes = [number_node(path, value) for value in values]
    result = nodes[0]
    for node in nodes[1:]:
        if result is None or node is None:
            raise TypeError("least() and greatest() take whole numbers")
        before = x.less(node, result) if smallest else x.less(result, node)
        result = x.choose(before, node, result)
    assert result is not None
    return cast(int, number(path, result))

"""What an author writes: a model is a class, and these are the words in it.

A kind is typed as the value it holds, so that editors and type checkers see `int` where a `Range` was written.
The names of kinds are functions here for that reason; what a kind is stands in `kinds.py`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

from .constants import Alternatives, constant_key
from .errors import UsageError, nearest
from .marks import marks_of, safeguard
from .path import Path, active
from .source import named_function
from .symbols import is_symbol, number, number_node, truth, truth_node

T = TypeVar("T")


class Model:
    """A model: constructor arguments are its parameters, attributes with a kind its state, methods its behaviour."""

    _parameters: dict[str, object]
    #: The parameters with which the model has no bounds, as in {"epochs": "any"}: `prove` makes it so as well.
    unbounded: ClassVar[Mapping[str, object]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """A safeguard that is overridden without a decorator stays one, as an action stays an action."""
        super().__init_subclass__(**kwargs)
        for name, value in list(vars(cls).items()):
            if not inspect.isfunction(value) or marks_of(value) is not None:
                continue
            inherited = marks_of(getattr(super(cls, cls), name, None))
            if inherited is not None and inherited.safeguard is not None:
                setattr(cls, name, safeguard(inherited.safeguard)(value))

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

        def __getattr__(self, name: str) -> Any:
            # Asked only where there is no such attribute.
            if name.startswith("_"):
                raise AttributeError(name)
            held = object.__getattribute__(self, "__dict__")
            known = {*held, *dir(type(self)), *getattr(held.get("_lifted"), "variables", ())}
            raise AttributeError(nearest(name, (n for n in known if not n.startswith("_")), "The attribute"))

        def __eq__(self, other: object) -> Any:
            mine, theirs = self.__dict__.get("_lifted"), getattr(other, "__dict__", {}).get("_lifted")
            if mine is None or theirs is None:
                return self is other
            path = mine.env.path
            # What the author declared, and no hidden counter: how faults are counted must not change a verdict.
            own = [range(v.first, v.first + v.kind.width) for v in mine.variables.values()]
            pairs = [(mine.env.values[i], theirs.env.values[i]) for slots in own for i in slots]
            return truth(path, path.expressions.conjoin(path.expressions.equal(a, b) for a, b in pairs))

        __hash__ = object.__hash__

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

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Asked only where there is no such attribute.
            raise AttributeError(nearest(name, ("action", "args", "outcome", "before", "after"), "Of a step, the part"))


def _path(word: str) -> Path:
    path = active.get()
    if path is None:
        raise UsageError(f"`{word}` has a meaning only inside an action or a property of a model that is checked.")
    return path


def _truth_of(path: Path, value: object, word: str) -> Any:
    node = truth_node(path, value)
    if node is None:
        uncalled = named_function(value)
        if uncalled is not None:
            path.refuse(f"`{word}` is given {uncalled} itself, which is always true.", "Did you forget the ()?")
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
        if not path.decide(condition):
            return True
        path.guards += 1
        answer = consequent()
        path.guards -= 1  # not where it raised: what went wrong there was guarded
        return cast(bool, answer)
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
    if pairs is None and callable(getattr(type(items), "any_of", None)):
        return [_any_of(path, items, predicate, word)]
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


def _any_of(path: Path, items: Any, predicate: Callable[[Any], object] | None, word: str) -> Any:
    """Whether an element of a set that may have any number of them satisfies the predicate."""
    x = path.expressions
    if word == "count":
        path.refuse("count() is given a set that may have any number of elements.", "Write exists(…) or forall(…).")
    implied = len(path.implications)

    def satisfies(element: Any) -> Any:
        return x.true if predicate is None else _truth_of(path, predicate(element), word)

    said = items.any_of(satisfies)
    if len(path.implications) > implied:
        path.refuse(
            "`implies` is used of each element of a set without a bound.",
            "Compare without it: what holds of each element.",
        )
    return said


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

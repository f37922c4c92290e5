"""The stand-ins for `int`, `bool` and constants that an action meets while it is lifted.

They behave as the value would: arithmetic and comparison build expressions, a truth test asks the path which side to
take, and whatever needs a plain value (an index into a list, a dictionary key, text) forks over the possible ones.
A result that is known is a plain Python value again. Not here: arrays, sets and records (`views.py`).
"""

from __future__ import annotations

import difflib
import operator
from collections.abc import Callable
from enum import Enum
from typing import Any, NoReturn, cast

from .constants import shown
from .expressions import Expression
from .kinds import ChoiceKind
from .path import Path
from .written import is_written_here


class Symbol:
    """A value that is known only as an expression, on one path.

    Its own attributes begin with `fp_`, since those of the constant that it stands for are found on it too.
    """

    __slots__ = ("fp_node", "fp_path")

    def __init__(self, path: Path, node: Expression) -> None:
        self.fp_path = path
        self.fp_node = node

    def fp_plain(self) -> Any:
        """The value as a plain Python one, by a fork for each it may be."""
        raise NotImplementedError

    def __eq__(self, other: object) -> Any:
        return truth(self.fp_path, equal(self.fp_path, self, other))

    def __ne__(self, other: object) -> Any:
        return truth(self.fp_path, self.fp_path.expressions.negate(equal(self.fp_path, self, other)))

    def __hash__(self) -> int:
        return hash(self.fp_plain())

    def __str__(self) -> str:
        return str(self.fp_plain())

    def __repr__(self) -> str:
        return repr(self.fp_plain())

    def __format__(self, spec: str) -> str:
        return format(self.fp_plain(), spec)

    def __index__(self) -> int:
        return operator.index(self.fp_plain())

    def __int__(self) -> int:
        return int(self.fp_plain())

    def __float__(self) -> float:
        self.fp_path.refuse("a value of the state is made a float.", "Count in whole numbers: a state has no floats.")

    def __reduce__(self) -> NoReturn:
        self.fp_path.refuse("a value of the state is copied or pickled.", "Assign it; values need no copying.")


class Number(Symbol):
    """A whole number."""

    __slots__ = ()

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        # So that isinstance(x, int) and `case int():` say of the stand-in what they would say of the value.
        return int

    @property
    def fp_number(self) -> Expression:
        """The value as a number."""
        return self.fp_path.expressions.number(self.fp_node)

    def fp_plain(self) -> Any:
        return self.fp_path.concrete(self.fp_node, lambda: "this")

    def __bool__(self) -> bool:
        x = self.fp_path.expressions
        return self.fp_path.test(x.negate(x.equal(self.fp_number, x.const(0))))

    def _build(self, other: object, build: Callable[[Expression, Expression], Expression]) -> Any:
        right = number_node(self.fp_path, other)
        return NotImplemented if right is None else number(self.fp_path, build(self.fp_number, right))

    def _build_reversed(self, other: object, build: Callable[[Expression, Expression], Expression]) -> Any:
        left = number_node(self.fp_path, other)
        return NotImplemented if left is None else number(self.fp_path, build(left, self.fp_number))

    def __add__(self, other: object) -> Any:
        return self._build(other, self.fp_path.expressions.add)

    def __radd__(self, other: object) -> Any:
        return self._build_reversed(other, self.fp_path.expressions.add)

    def __sub__(self, other: object) -> Any:
        return self._build(other, self.fp_path.expressions.subtract)

    def __rsub__(self, other: object) -> Any:
        return self._build_reversed(other, self.fp_path.expressions.subtract)

    def __mul__(self, other: object) -> Any:
        return self._build(other, self.fp_path.expressions.multiply)

    def __rmul__(self, other: object) -> Any:
        return self._build_reversed(other, self.fp_path.expressions.multiply)

    def _quotient(self, a: Expression, b: Expression) -> Expression:
        self._not_zero(b)
        return self.fp_path.expressions.divide(a, b)

    def _remainder(self, a: Expression, b: Expression) -> Expression:
        self._not_zero(b)
        return self.fp_path.expressions.modulo(a, b)

    def _not_zero(self, divisor: Expression) -> None:
        x = self.fp_path.expressions
        if self.fp_path.decide(x.equal(divisor, x.const(0))):
            raise ZeroDivisionError("integer division or modulo by zero")

    def __floordiv__(self, other: object) -> Any:
        return self._build(other, self._quotient)

    def __rfloordiv__(self, other: object) -> Any:
        return self._build_reversed(other, self._quotient)

    def __mod__(self, other: object) -> Any:
        return self._build(other, self._remainder)

    def __rmod__(self, other: object) -> Any:
        return self._build_reversed(other, self._remainder)

    def __divmod__(self, other: object) -> Any:
        return self // other, self % other

    def __neg__(self) -> Any:
        x = self.fp_path.expressions
        return number(self.fp_path, x.subtract(x.const(0), self.fp_number))

    def __pos__(self) -> Any:
        return number(self.fp_path, self.fp_number)

    def __abs__(self) -> Any:
        x = self.fp_path.expressions
        negative = x.less(self.fp_number, x.const(0))
        return number(self.fp_path, x.choose(negative, x.subtract(x.const(0), self.fp_number), self.fp_number))

    def _compare(self, other: object, build: Callable[[Expression, Expression], Expression]) -> Any:
        right = number_node(self.fp_path, other)
        return NotImplemented if right is None else truth(self.fp_path, build(self.fp_number, right))

    def __lt__(self, other: object) -> Any:
        return self._compare(other, self.fp_path.expressions.less)

    def __gt__(self, other: object) -> Any:
        return self._compare(other, lambda a, b: self.fp_path.expressions.less(b, a))

    def __le__(self, other: object) -> Any:
        x = self.fp_path.expressions
        return self._compare(other, lambda a, b: x.negate(x.less(b, a)))

    def __ge__(self, other: object) -> Any:
        x = self.fp_path.expressions
        return self._compare(other, lambda a, b: x.negate(x.less(a, b)))

    def _no_such(self, *_: object) -> Any:
        self.fp_path.refuse(
            "this operator is not there for a value of the state.",
            "There are + - * // % and comparisons; for anything else write a table and index it.",
        )

    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _no_such
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _no_such
    __round__ = __trunc__ = __ceil__ = __matmul__ = _no_such


class Truth(Number):
    """A truth value. As in Python it counts as 0 or 1 in arithmetic."""

    __slots__ = ()

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        return bool

    def fp_plain(self) -> Any:
        return bool(self)

    def __bool__(self) -> bool:
        return self.fp_path.test(self.fp_node)

    def _join(self, other: object, build: Callable[[Expression, Expression], Expression]) -> Any:
        right = truth_node(self.fp_path, other)
        return NotImplemented if right is None else truth(self.fp_path, build(self.fp_node, right))

    def __and__(self, *others: object) -> Any:
        return self._join(others[0], lambda a, b: self.fp_path.expressions.conjoin((a, b)))

    def __or__(self, *others: object) -> Any:
        return self._join(others[0], lambda a, b: self.fp_path.expressions.disjoin((a, b)))

    def __xor__(self, *others: object) -> Any:
        x = self.fp_path.expressions
        return self._join(others[0], lambda a, b: x.negate(x.equal(a, b)))

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__


class Chosen(Symbol):
    """One of the constants of a `Choice`; anything but comparing it forks over which one it is."""

    __slots__ = ("fp_kind",)

    def __init__(self, path: Path, node: Expression, kind: ChoiceKind) -> None:
        super().__init__(path, node)
        self.fp_kind = kind

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        classes: set[type] = {type(value) for value in self.fp_kind.values}
        return classes.pop() if len(classes) == 1 else self.fp_plain().__class__

    def fp_plain(self) -> Any:
        return self.fp_kind.values[self.fp_path.concrete(self.fp_node, lambda: "this")]

    def __bool__(self) -> bool:
        x = self.fp_path.expressions
        true = (x.equal(self.fp_node, x.const(i)) for i, value in enumerate(self.fp_kind.values) if value)
        return self.fp_path.test(x.disjoin(true))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.fp_plain(), name)

    def __len__(self) -> int:
        return len(self.fp_plain())

    def __getitem__(self, item: object) -> Any:
        return self.fp_plain()[item]

    def __contains__(self, item: object) -> bool:
        return item in self.fp_plain()

    def __add__(self, other: object) -> Any:
        return self.fp_plain() + other

    def __radd__(self, other: object) -> Any:
        return cast(Any, other) + self.fp_plain()

    def __sub__(self, other: object) -> Any:
        return self.fp_plain() - other

    def __rsub__(self, other: object) -> Any:
        return cast(Any, other) - self.fp_plain()

    def __mod__(self, other: object) -> Any:
        return self.fp_plain() % other

    def __lt__(self, other: object) -> Any:
        return self.fp_plain() < other

    def __le__(self, other: object) -> Any:
        return self.fp_plain() <= other

    def __gt__(self, other: object) -> Any:
        return self.fp_plain() > other

    def __ge__(self, other: object) -> Any:
        return self.fp_plain() >= other


def _forwarded(name: str) -> Callable[..., Any]:
    def method(self: Chosen, *others: object) -> Any:
        plain = self.fp_plain()
        return getattr(plain, name)(*others) if hasattr(plain, name) else NotImplemented

    return method


for _name in ("mul", "rmul", "floordiv", "rfloordiv", "rmod", "neg", "abs", "iter", "and", "or"):
    setattr(Chosen, f"__{_name}__", _forwarded(f"__{_name}__"))


def truth(path: Path, node: Expression) -> Any:
    """A truth value as an action sees it: plain where it is known, unless somebody notes how tests come out."""
    known = path.facts.answer(node)
    if known is not None and path.notes is not None:
        return Truth(path, path.expressions.true if known else path.expressions.false)
    return Truth(path, node) if known is None else known


def number(path: Path, node: Expression) -> Any:
    """A number as an action sees it: plain where it is known."""
    return node.value if node.is_const else Number(path, node)


def chosen(path: Path, node: Expression, kind: ChoiceKind) -> Any:
    """A constant of a `Choice` as an action sees it: plain where it is known.

    A tuple is always made plain, since `match` takes nothing but real ones apart.
    """
    if any(isinstance(value, tuple) for value in kind.values):
        return kind.values[path.concrete(node, lambda: "this")]
    return kind.values[node.value] if node.is_const else Chosen(path, node, kind)


def is_symbol(value: object) -> bool:
    """Whether a value is a stand-in; `isinstance` cannot be asked, since stand-ins answer it as their values would."""
    return issubclass(type(value), Symbol)


def number_node(path: Path, value: object) -> Expression | None:
    """A number or truth value, plain or not, as a number; None for anything else."""
    if issubclass(type(value), Number):
        counted: Any = value  # no cast: it is a call, and this is asked all the time
        node: Expression = counted.fp_number
        return node
    if issubclass(type(value), int):
        return path.expressions.const(int(cast(int, value)))
    if issubclass(type(value), Chosen):
        plain = cast(Chosen, value).fp_plain()
        return path.expressions.const(int(plain)) if isinstance(plain, int) else None
    if isinstance(value, float):
        path.refuse(f"{value!r} is a float.", "A state holds whole numbers only: count in smaller units instead.")
    return None


def truth_node(path: Path, value: object) -> Expression | None:
    """A truth value, plain or not, as an expression; None for anything else."""
    if issubclass(type(value), Truth):
        said: Any = value
        node: Expression = said.fp_node
        return node
    return path.expressions.truth(value) if type(value) is bool else None


def equal(path: Path, a: object, b: object) -> Expression:
    """Whether two values, plain or not, are equal."""
    x = path.expressions
    if issubclass(type(b), Chosen) and not issubclass(type(a), Chosen):
        a, b = b, a
    if issubclass(type(a), Chosen):
        return _equal_chosen(path, cast(Chosen, a), b)
    left, right = truth_node(path, a), truth_node(path, b)
    if left is None or right is None:
        left, right = number_node(path, a), number_node(path, b)
    if left is not None and right is not None:
        return x.equal(left, right)
    if is_symbol(a) or is_symbol(b):
        _refuse_unknown(path, b if is_symbol(a) else a)
        return x.false
    return x.truth(bool(a == b))


_NEVER_NUMBERS = (str, bytes, tuple, list, set, frozenset, dict, range, type, type(None))


def _refuse_unknown(path: Path, other: object) -> None:
    """Refuse to compare a number with an object that has an idea of its own of what equals it."""
    if not isinstance(other, _NEVER_NUMBERS) and type(other).__eq__ is not object.__eq__:
        path.refuse(
            f"a value of the state is compared with a {type(other).__name__}.",
            "Compare it with a whole number, a truth value or a constant.",
        )


def _equal_chosen(path: Path, a: Chosen, b: object) -> Expression:
    x = path.expressions
    if issubclass(type(b), Chosen):
        other = cast(Chosen, b)
        if a.fp_kind.values == other.fp_kind.values:
            return x.equal(a.fp_node, other.fp_node)
        pairs = ((i, other.fp_kind.position(value)) for i, value in enumerate(a.fp_kind.values))
        return x.disjoin(
            x.conjoin((x.equal(a.fp_node, x.const(i)), x.equal(other.fp_node, x.const(j))))
            for i, j in pairs
            if j is not None
        )
    if is_symbol(b):
        numbers = [(i, v) for i, v in enumerate(a.fp_kind.values) if isinstance(v, int)]
        return x.disjoin(x.conjoin((x.equal(a.fp_node, x.const(i)), equal(path, v, b))) for i, v in numbers)
    positions = [i for i, value in enumerate(a.fp_kind.values) if value == b]
    if not positions:
        _refuse_misspelt(path, a.fp_kind, b)
    return x.disjoin(x.equal(a.fp_node, x.const(i)) for i in positions)


def _refuse_misspelt(path: Path, kind: ChoiceKind, other: object) -> None:
    """Refuse to compare a Choice with a constant that looks like one of its values, and is none."""
    kinds = {Enum if isinstance(value, Enum) else type(value) for value in kind.values}
    if (Enum if isinstance(other, Enum) else type(other)) not in kinds or not is_written_here(other):
        return
    values = {shown(value): str(getattr(value, "name", value)) for value in kind.values}
    near = difflib.get_close_matches(str(getattr(other, "name", other)), values.values(), n=1, cutoff=0.5)
    found = next((text for text, name in values.items() if name in near), None)
    path.refuse(
        f"{kind} is compared with {shown(other)}, which is none of its values.",
        f"Did you mean {found}?" if found else f"It is {' or '.join(values)}.",
    )

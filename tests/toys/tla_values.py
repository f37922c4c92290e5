"""Values of TLA+, with a stricter eye on types than TLC has: numbers, truth values, strings, sets, functions."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Value = object


class Fn(dict[object, object]):
    """A function, or a record, which is one of strings; it is not changed once it is there."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


@dataclass(frozen=True)
class Among:
    """A set that is only asked what is in it."""

    contains: Callable[[Value], bool]


def is_true(value: Value) -> bool:
    assert isinstance(value, bool), value
    return value


def as_number(value: Value) -> int:
    assert isinstance(value, int) and not isinstance(value, bool), value
    return value


def as_positive(value: Value) -> int:
    number = as_number(value)
    assert number > 0, "TLA+ divides by positive numbers only"
    return number


def as_set(value: Value) -> frozenset[object]:
    assert isinstance(value, frozenset), value
    return value  # pyright: ignore[reportUnknownVariableType]


def as_function(value: Value) -> Fn:
    assert isinstance(value, Fn), value
    return value


def is_same(a: Value, b: Value) -> bool:
    assert type(a) is type(b), (a, b)
    return a == b


def is_in(value: Value, among: Value) -> bool:
    if isinstance(among, Among):
        return among.contains(value)
    assert all(type(value) is type(element) for element in itertools.islice(as_set(among), 1)), (value, among)
    return value in as_set(among)


def subsets(value: Value) -> Among:
    return Among(lambda v: as_set(v) <= as_set(value))


def functions(domain: frozenset[object], values: Value) -> Among:
    return Among(lambda v: as_function(v).keys() == domain and all(is_in(x, values) for x in as_function(v).values()))


def records(ranges: Mapping[str, Value]) -> Among:
    return Among(
        lambda v: as_function(v).keys() == ranges.keys() and all(is_in(as_function(v)[k], r) for k, r in ranges.items())
    )


def replaced(whole: Fn, path: list[Value], value: Value) -> Fn:
    at, *rest = path
    assert at in whole, "EXCEPT changes nothing where there is no such argument"
    return Fn({**whole, at: replaced(as_function(whole[at]), rest, value) if rest else value})


COMPUTED: Mapping[str, Callable[[int, int], Value]] = {
    "lt": operator.lt,
    "gt": operator.gt,
    "leq": operator.le,
    "geq": operator.ge,
    "plus": operator.add,
    "minus": operator.sub,
    "mul": operator.mul,
}

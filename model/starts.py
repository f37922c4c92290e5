"""A model's state variables and its initial states."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import partial
from typing import cast

from .constants import Alternatives, as_mapping
from .declarations import Record, as_kind, record_fields
from .errors import ModelError
from .fields import FieldError
from .kinds import ChoiceKind, Kind, RangeKind, product
from .language import Model
from .methods import Method
from .path import Path
from .places import Environment
from .repeat import Repeat
from .shadow import Context, shadow
from .source import site_of
from .system import Mistake, State, Variable
from .tree import Done, explore, split


def state_of(model: Model) -> dict[str, Kind]:
    """A model's state variables: attributes with a kind, of the class or set by the constructor."""
    given: dict[str, object] = {}
    for base in reversed(type(model).__mro__):
        if base not in (object, Model):
            given.update(vars(base))
    given.update(vars(model))
    found: dict[str, Kind] = {}
    for name, value in given.items():
        if name.startswith("__") or name == "_parameters":
            continue
        set_by_constructor = name in vars(model)
        if isinstance(value, Kind | Record) or (set_by_constructor and _is_record_class(value)):
            found[name] = as_kind(value)
        elif isinstance(value, Alternatives):
            found[name] = _kind_of_alternatives(value)
        elif isinstance(value, list | tuple | dict) and _holds_kinds(cast("list[object]", value)):
            raise ModelError(
                f"{name} holds kinds inside a Python {type(cast(object, value)).__name__}, and would be no state.",
                site_of(type(model)),
                "Write Map(keys, …) with one kind."
                if isinstance(value, dict)
                else f"Write Array({len(cast('list[object]', value))}, …) with one kind.",
            )
    return found


def _is_record_class(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Record)


def _holds_kinds(value: object, depth: int = 5) -> bool:
    """Whether a value is a kind, or a container with one somewhere inside. A record with values is a constant."""
    if isinstance(value, Record):
        return any(isinstance(getattr(value, name, None), Kind) for name in record_fields(value))
    if isinstance(value, list | tuple | dict) and depth:
        mapping = as_mapping(cast(object, value))
        items = mapping.values() if mapping is not None else cast("list[object]", value)
        return any(_holds_kinds(item, depth - 1) for item in items)
    return isinstance(value, Kind | Alternatives)


def _kind_of_alternatives(alternatives: Alternatives) -> Kind:
    values = alternatives.values
    if None in values:
        raise ModelError(
            "choose() is given None among the starting values.", None, "Write Maybe(kind, start=choose([None, …]))."
        )
    if all(type(v) is int for v in values):
        numbers = cast("tuple[int, ...]", values)
        return RangeKind(min(numbers), max(numbers), alternatives)
    return ChoiceKind(values, alternatives)


def initial_states(
    context: Context, marked: Sequence[Method], variables: Sequence[Variable], repeat: Repeat
) -> tuple[State, ...]:
    try:
        starts = product([v.kind.starts() for v in variables])
    except ValueError as error:
        remedy = error.remedy if isinstance(error, FieldError) else None
        raise ModelError(f"a starting value does not fit: {error}.", site_of(type(context.model)), remedy) from error
    makers = [m for m in marked if m.marks.role == "initial"]
    if not makers:
        return tuple(starts)
    (maker,) = makers
    found: dict[State, None] = {}
    for start in starts:
        for state in repeat.twice(maker, partial(_made, context, maker, start)):
            found[state] = None
    if not found:
        raise ModelError(f"{maker.name} leaves no initial state.", maker.site, "Require less of it.")
    _check_all_begin(context, maker, found)
    return tuple(found)


def _check_all_begin(context: Context, maker: Method, found: Iterable[State]) -> None:
    """Of a family each model has to begin somewhere: one that does not would be said to violate nothing."""
    slots = {name: variable.first for name, variable in context.varied.items()}
    begin = {tuple(state[slot] for slot in slots.values()) for state in found}
    for kept in itertools.product((1, 0), repeat=len(slots)):
        if kept not in begin:
            missing = ", ".join(name for name, there in zip(slots, kept, strict=True) if not there) or "nothing"
            raise ModelError(
                f"{maker.name} leaves no initial state without {missing}.", maker.site, "Require less of it."
            )


def _made(context: Context, maker: Method, start: State) -> list[State]:
    x = context.expressions
    constants = [x.truth(bool(v)) if s.is_bool else x.const(v) for v, s in zip(start, context.slots, strict=True)]
    env: list[Environment] = []

    def run(path: Path) -> object:
        env[:] = [Environment(path, context.slots, list(constants))]
        maker.function(shadow(context, env[0]))
        return None

    found: list[State] = []
    for tree in split(explore(x, context.truths, run, lambda: env[0].values)).values():
        if isinstance(tree, Mistake):
            raise ModelError(f"{tree.message}, in an initial state.", tree.site)
        assert isinstance(tree, Done), "a run on constants makes no tests"
        found.append(tuple(node.value for node in tree.values))
    return found

"""A model's state variables and its initial states."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

from .errors import ModelError
from .kinds import Alternatives, ChoiceKind, Kind, RangeKind, product
from .language import Model, Record, as_kind
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
        if isinstance(value, Kind | Record):
            found[name] = as_kind(value)
        elif isinstance(value, Alternatives):
            found[name] = _kind_of_alternatives(value)
    return found


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
        raise ModelError(f"a starting value does not fit: {error}.", site_of(type(context.model))) from error
    makers = [m for m in marked if m.marks.role == "initial"]
    if not makers:
        return tuple(starts)
    found: dict[State, None] = {}
    for start in starts:
        for state in repeat.twice(partial(_made, context, makers[-1], start)):
            found[state] = None
    if not found:
        raise ModelError(f"{makers[-1].name} leaves no initial state.", makers[-1].site, "Require less of it.")
    return tuple(found)


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

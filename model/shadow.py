"""A model at work: the object on which an author's method runs while it is lifted.

It has the model's class and constants; its state is read from and written to an environment of expressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .expressions import Expression, Expressions
from .language import Model
from .layout import Slot
from .path import Truths
from .places import Environment, Place
from .recording import Recorder
from .system import Variable
from .values import put
from .views import get


@dataclass(frozen=True, slots=True)
class Context:
    """What every run of one lift shares."""

    expressions: Expressions
    truths: Truths
    slots: tuple[Slot, ...]
    variables: Mapping[str, Variable]
    model: Model
    #: What the model holds besides its state.
    constants: Mapping[str, object]
    without: frozenset[str]
    varied: Mapping[str, Variable]
    #: The expression of every slot before a step. Made once: making them anew for each run of each method takes a time
    #: that grows with the square of a model's size.
    current: tuple[Expression, ...]
    #: Notes what the runs of actions come along, where somebody asks for it.
    recorder: Recorder | None = None


class Lifted:
    """What a model's state is while a method of it runs: an environment, and which slots each variable has in it."""

    def __init__(self, context: Context, env: Environment) -> None:
        self.variables = context.variables
        self.env = env
        self._without = context.without
        self._varied = context.varied

    def get(self, name: str) -> Any:
        """A variable as the method sees it."""
        variable = self.variables[name]
        self.env.path.move()
        return get(Place.at(self.env, variable.first, (name,)), variable.kind)

    def keeps(self, safeguard: str) -> bool:
        """Whether a safeguard is there. Where it is varied, this forks."""
        variable = self._varied.get(safeguard)
        if variable is None:
            return safeguard not in self._without
        return bool(get(Place.at(self.env, variable.first, (variable.name,)), variable.kind))

    def put(self, name: str, value: object) -> None:
        """Assign a variable."""
        variable = self.variables.get(name)
        if variable is None:
            self.env.path.refuse(
                f"{name} is given a value, and is not part of the state.",
                "Give it a kind in the constructor (self.x = Range(0, 3)), or use a local variable.",
            )
        put(Place.at(self.env, variable.first, (name,)), variable.kind, value)


def shadow(context: Context, env: Environment) -> Model:
    """The model on which a method runs: the same constants, with the state read from and written to `env`."""
    twin = object.__new__(type(context.model))
    vars(twin).update(context.constants, _lifted=Lifted(context, env))
    return twin


def current_slots(x: Expressions, slots: Iterable[Slot]) -> tuple[Expression, ...]:
    """The expression of every slot before a step."""
    return tuple(x.slot(i, s.lo, s.hi, is_bool=s.is_bool) for i, s in enumerate(slots))

"""Lifting everything twice: what an action does may depend on its state and arguments, and change nothing else."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from .errors import LiftError
from .language import Model
from .purity import refuse_world, snapshot, watched, world_of
from .source import site_of

T = TypeVar("T")


class Repeat:
    """Lifts methods of one model, watched the first time, and refuses what differs or changes more than the state."""

    def __init__(self, model: Model) -> None:
        self._model = model
        for name, value in vars(model).items():
            world = world_of(type(value).__module__)
            if world is not None:
                refuse_world(name, world, site_of(type(model)))
        self._before = self._constants()

    def twice(self, lift_it: Callable[[], T]) -> T:
        """What `lift_it` gives, both times: expressions are hash-consed, so the same means the very same."""
        with watched():
            first = lift_it()
        if lift_it() != first:
            self.refuse_changes()
            raise LiftError(
                "a method did something else when it was run a second time.",
                site_of(type(self._model)),
                "An action must depend on the state and its arguments only.",
            )
        return first

    def refuse_changes(self) -> None:
        """Raise LiftError if a constant of the model, its class or its module is not what it was."""
        after = self._constants()
        for name in {**self._before, **after}:
            if self._before.get(name) != after.get(name):
                raise LiftError(
                    f"{name} is changed by an action or property, and is not part of the state.",
                    site_of(type(self._model)),
                    "Give it a kind, so that it is part of the state, or do not change it.",
                )

    def _constants(self) -> dict[str, object]:
        found = {name: snapshot(value) for name, value in vars(self._model).items()}
        for cls in type(self._model).__mro__:
            if cls in (object, Model):
                continue
            found.update({f"{cls.__name__}.{n}": snapshot(v) for n, v in vars(cls).items() if not n.startswith("__")})
            module = sys.modules.get(cls.__module__)
            names = vars(module) if module is not None else {}
            found.update({n: snapshot(v) for n, v in names.items() if _is_container(v) and not n.startswith("__")})
        return found


def _is_container(value: object) -> bool:
    return isinstance(value, list | dict | set | bytearray)

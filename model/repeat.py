"""Lifting everything twice: what an action does may depend on its state and arguments, and change nothing else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import TypeVar

from .errors import LiftError
from .fingerprint import Fingerprint, checking
from .language import Model
from .methods import Method
from .purity import is_iterator, refuse_world, watched, world_behind
from .snapshot import Snapshot
from .source import is_authors_module, site_of

T = TypeVar("T")


class Repeat:
    """Lifts methods of one model, watched the first time, and refuses what differs or changes more than the state.

    With `once` nothing is run a second time: for a system that is compared with another, and not searched.
    """

    def __init__(self, model: Model, *, once: bool = False) -> None:
        self._model = model
        self._once = once
        self._classes = [cls for cls in type(model).__mro__ if cls not in (object, Model)]
        self._files = files_of(type(model))
        self._modules = _modules(self._classes)
        self._before = Snapshot(self._constants())
        holders = (vars(each) for each in (model, *self._classes, *map(sys.modules.__getitem__, self._modules)))
        self._fingerprint = Fingerprint(holders, self._before.objects)
        for name in self._of_model():
            self._check_constant(name, self._before.within[name])

    def twice(self, method: Method, lift_it: Callable[[], T]) -> T:
        """What `lift_it` gives, both times: expressions are hash-consed, so the same means the very same."""
        try:
            with watched(self._files), checking(self._check_run):
                first = lift_it()
            second = first if self._once else lift_it()
        except RecursionError as error:
            raise LiftError(
                f"{method.name} makes too many decisions one after another.",
                method.site,
                "Join them, require(forall(…)) instead of a `require` for each, or make several actions of it.",
            ) from error
        if first != second:
            self.refuse_changes()
            raise LiftError(
                f"{method.name} did something else when it was run a second time.",
                method.site,
                "An action must depend on the state and its arguments only.",
            )
        return first

    def refuse_changes(self) -> None:
        """Raise LiftError if a constant of the model, its class or its module is not what it was."""
        name = self._before.changed(Snapshot(self._constants()))
        if name is not None:
            raise LiftError(
                f"{name} is changed by an action or property, and is not part of the state.",
                site_of(type(self._model)),
                "Give it a kind, so that it is part of the state, or do not change it.",
            )

    def _check_run(self) -> None:
        """Refuse what a run has changed: a later one may put it back, and what was judged in between is wrong."""
        if not self._fingerprint.is_same():
            self.refuse_changes()
            self._fingerprint.renew()

    def _check_constant(self, name: str, within: list[object]) -> None:
        """Refuse a constant through which an action comes by what it may not use. `within` begins with itself."""
        for value in within:
            world = world_behind(value)
            # Deeper down, a date or a path harms nobody until it is used, and what is used is watched.
            if world is not None and (value is within[0] or _is_source(value) or world == "randomness"):
                refuse_world(name, world, site_of(type(self._model)))
            if is_iterator(value):
                raise LiftError(
                    f"{name} is an iterator, or holds one, and is used up by going through it.",
                    site_of(type(self._model)),
                    "Write list(…) or tuple(…) around it.",
                )

    def _of_model(self) -> dict[str, object]:
        """The constants of the model and its classes, by name."""
        found = dict(vars(self._model))
        for cls in self._classes:
            _add(found, cls.__name__ + ".", f"{cls.__module__}.{cls.__name__}.", vars(cls))
        return found

    def _constants(self) -> dict[str, object]:
        """The constants of the model, its classes and their modules, by name."""
        found = self._of_model()
        for module, short in self._modules.items():
            _add(found, short, module + ".", vars(sys.modules[module]))
        return found


def files_of(model: type[Model]) -> frozenset[str]:
    """The files in which the functions of a model's classes are written, by their real names."""
    classes = [cls for cls in model.__mro__ if cls not in (object, Model)]
    return frozenset(f.__code__.co_filename for cls in classes for f in _functions(cls))


def _add(found: dict[str, object], short: str, long: str, values: Mapping[str, object]) -> None:
    """Add values under their names, after `long` where what follows `short` is taken."""
    for name, value in values.items():
        if not name.startswith("__"):
            found[(long if short + name in found else short) + name] = value


def _modules(classes: list[type]) -> dict[str, str]:
    """The modules of some classes, and the author's others that they use; with what to put before names in them."""
    found = {cls.__module__: "" for cls in classes if cls.__module__ in sys.modules}
    waiting = list(found)
    while waiting:
        for value in vars(sys.modules[waiting.pop()]).values():
            name = value.__name__ if isinstance(value, ModuleType) else None
            if isinstance(value, type | FunctionType):
                name = value.__module__
            if name is not None and name not in found and is_authors_module(name):
                found[name] = name + "."
                waiting.append(name)
    return found


def _functions(cls: type) -> Iterator[FunctionType]:
    for value in vars(cls).values():
        function = getattr(value, "__func__", value)
        function = getattr(function, "__wrapped__", function)
        if isinstance(function, FunctionType):
            yield function


def _is_source(value: object) -> bool:
    return callable(value) or isinstance(value, ModuleType)

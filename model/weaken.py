"""A model without some of its safeguards, where these are choices of design: a class with other attributes.

Safeguards that are methods need none of this: they answer True while the model is lifted.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Collection, Mapping
from typing import Any, cast

from .errors import ModelError
from .language import Model
from .marks import Choice
from .methods import safeguards
from .source import site_of


def choices(cls: type[Model]) -> dict[str, Choice]:
    """The choices of design that a class declares as safeguards, by name, in the order in which they were written."""
    found: dict[str, Choice] = {}
    for base in reversed(cls.__mro__):
        for value in vars(base).values():
            if isinstance(value, Choice):
                first = found.setdefault(value.name, value)
                if first is not value:
                    raise ModelError(
                        f"two safeguards are named {value.name}, at {first.site} and {value.site}.",
                        value.site,
                        "Give each a name of its own.",
                    )
    return found


def known_safeguards(model: Model) -> tuple[list[str], list[str]]:
    """The names of a model's safeguards: those that are methods, and the choices that it has made.

    Raises ModelError where one of each has the same name: the two cannot be taken away apart.
    """
    methods, made = safeguards(type(model)), made_choices(model)
    for name in made:
        if name in methods:
            site = choices(type(model))[name].site
            raise ModelError(f"{name} is the name of a method and of a choice.", site, "Give each a name of its own.")
    return methods, made


def made_choices(model: Model | type[Model]) -> list[str]:
    """The names of those that a model, or its class, has made."""
    cls = model if isinstance(model, type) else type(model)
    return [name for name, choice in choices(cls).items() if _is_made(choice, model, {})]


def changes(model: Model, without: Collection[str]) -> dict[str, object]:
    """The attributes of a model that are others without some of its choices, with their values.

    Where two choices are about one attribute, the one that was written first is taken away.
    """
    changed: dict[str, object] = {}
    for name, choice in choices(type(model)).items():
        if name in without and _is_made(choice, model, changed):
            changed.update((attribute, weak) for attribute, _, weak in choice.values)
    return changed


def weaken(model: Model, without: Collection[str]) -> Model:
    """The model made anew without some of its choices; the same model where it has made none of them."""
    return remade(model, changes(model, without), {})


def remade(model: Model, attributes: Mapping[str, object], parameters: Mapping[str, object]) -> Model:
    """A model made anew with some attributes of its class and parameters of its constructor changed.

    Raises ModelError for an attribute that its constructor sets, and for what the constructor raises.
    """
    if not attributes and not parameters:
        return model
    cls = type(model)
    if attributes:
        body = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__, **attributes}
        cls = cast("type[Model]", cast(Any, type(cls))(cls.__name__, (cls,), body))
    made = _made_like(model, cls, parameters)
    for attribute, value in attributes.items():
        if getattr(made, attribute) != value:
            raise ModelError(
                f"{attribute} is {getattr(made, attribute)!r}, though its class says {value!r}.",
                site_of(type(model)),
                f"Make {attribute} an attribute of the class, which no constructor sets.",
            )
    return made


def _made_like(model: Model, cls: type[Model], parameters: Mapping[str, object]) -> Model:
    """A model of a class, made with the arguments of another one but for some parameters."""
    signature = inspect.signature(type(model).__init__)
    known = {**model._parameters, **parameters}  # pyright: ignore[reportPrivateUsage]
    # In the order of the signature, as one argument may gather what is left of the others.
    bound = inspect.BoundArguments(signature, OrderedDict({name: known.get(name) for name in signature.parameters}))
    try:
        return cls(*bound.args[1:], **bound.kwargs)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{type(error).__name__}: {error}", site_of(type(model))) from error


def _is_made(choice: Choice, model: Model | type[Model], changed: Mapping[str, object]) -> bool:
    for attribute, strong, _ in choice.values:
        if not hasattr(model, attribute):
            raise ModelError(
                f"the safeguard {choice.name} is about the attribute {attribute!r}, which the model does not have.",
                choice.site,
            )
        if changed.get(attribute, getattr(model, attribute)) != strong:
            return False
    return True

"""What a model class declares, read off without making a model: the names that a command line may speak of."""

from __future__ import annotations

from dataclasses import dataclass

from fenceproof.model.errors import ModelError
from fenceproof.model.language import Model
from fenceproof.model.methods import PROPERTIES, Method, methods, safeguards
from fenceproof.model.system import DEADLOCK
from fenceproof.model.weaken import made_choices

from .targets import parameters_of


@dataclass(frozen=True, slots=True)
class Declared:
    """The names of a model's parameters, faults, safeguards, properties and actions, as their author wrote them.

    `is_readable` is False where the marks of its methods have no meaning, as lifting it will say; then no more is known
    than its parameters.
    """

    parameters: frozenset[str]
    faults: frozenset[str]
    safeguards: frozenset[str]
    properties: frozenset[str]
    actions: frozenset[str]
    is_readable: bool


def declared(model: type[Model]) -> Declared:
    """What a class declares."""
    marked: list[Method] = []
    guards: list[str] = []
    is_readable = True
    try:
        guards = [*safeguards(model), *made_choices(model)]
        marked = methods(model)
    except ModelError:
        is_readable = False
    return Declared(
        parameters=frozenset(parameters_of(model)),
        faults=frozenset(m.marks.fault for m in marked if m.marks.fault is not None),
        safeguards=frozenset(guards),
        properties=frozenset({DEADLOCK, *(m.marks.name for m in marked if m.marks.role in PROPERTIES)}),
        actions=frozenset(m.marks.name for m in marked if m.marks.role == "action"),
        is_readable=is_readable,
    )

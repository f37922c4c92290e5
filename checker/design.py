"""What an implementation is reset with for the traces of a model: its parameters, and for a reference its design."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from fenceproof.model.errors import UsageError
from fenceproof.model.language import Model
from fenceproof.model.marks import marks_of
from fenceproof.model.source import shown_path
from fenceproof.model.system import TransitionSystem
from fenceproof.model.weaken import made_choices, weaken
from fenceproof.specs.faults import Faults
from fenceproof.specs.properties import Planner

from .implementations import is_reference
from .targets import find


def parameters_for(
    name: str, model: Model, system: TransitionSystem, without: Sequence[str] = (), design: str | None = None
) -> dict[str, object]:
    """What to reset an implementation with, so that it is to do what a model does without some of its safeguards.

    A user's adapter gets the model's parameters. A reference gets the design too, that of the model or of the shipped
    one named. Raises UsageError for a model that it cannot be run as.
    """
    if is_reference(name):
        planner = _planner(name, model, without, design)
        return {"calls": system.parameters["calls"], "epochs": system.parameters["epochs"], **planner.design()}
    if design is not None:
        raise UsageError(f"--as {design} says which design a reference runs as, and {name} is an adapter of your own.")
    return dict(system.parameters)


def _planner(name: str, model: Model, without: Sequence[str], design: str | None) -> type[Planner]:
    if not isinstance(model, Planner):
        raise UsageError(f"the {name} reference is a planner of the epoch-fence protocol, and this model is not one.")
    methods = [safeguard for safeguard in without if safeguard not in made_choices(model)]
    if methods and design is None:
        raise UsageError(
            f"{name} knows designs by their knobs, and none says what it is to be without {', '.join(methods)}.\n"
            "    Name a shipped design to hold the trace against: --as fenced."
        )
    planner = type(weaken(model, without)) if design is None else find(design).model
    if not issubclass(planner, Planner):
        raise UsageError(f"--as {design} is not a planner of the epoch-fence protocol.")
    unknown = _beyond_knobs(planner)
    if unknown is not None:
        raise UsageError(
            f"{name} knows the shipped designs by their knobs, and not {unknown}.\n"
            "    Name a shipped design to hold the trace against: --as fenced."
        )
    return planner


def _beyond_knobs(planner: type[Planner]) -> str | None:
    """What a design changes of the shipped planner in Python, so that no knob says it; None where there is nothing."""
    for owner in planner.__mro__:
        if owner.__module__.startswith("fenceproof.") or owner is object:
            continue
        place = f"{shown_path(inspect.getfile(owner))}:{owner.__qualname__}"
        for name, value in vars(owner).items():
            if name.startswith("__") or name in planner.design():
                continue
            marks = marks_of(getattr(Faults, name, value))
            role = marks.role if marks is not None else ""
            if hasattr(Faults, name) and role in ("", "action"):
                return f"the override of {name} in {place}"
            if role == "action" and not hasattr(Planner, name):
                return f"the action {name} in {place}"
    return None

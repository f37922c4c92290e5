"""`fenceproof export` of a model: what it does and must never do, for other solvers and checkers."""

from __future__ import annotations

from collections.abc import Sequence

from fenceproof.model.errors import UsageError
from fenceproof.model.lift import lift

from ..export import FORMATS, export
from ..targets import find
from ..telling import tell
from .options import ModelOptions


def export_model(model: ModelOptions, name: str, properties: Sequence[str], depth: int | None) -> str:
    """A model as the text of a format."""
    if depth is not None and not FORMATS[name].takes_depth:
        bounded = " or ".join(n for n, made in FORMATS.items() if made.takes_depth)
        raise UsageError(f"--depth has no meaning with {name}, which asks about any number of steps. Use {bounded}.")
    target = find(model.target)
    if target.remark:
        tell(target.remark)
    made, settings = model.make(target)
    system = lift(made, settings)
    text = export(target.name, system, name, properties or None, depth)
    if system.liveness and not properties and not FORMATS[name].takes_liveness:
        names = ", ".join(prop.name for prop in system.liveness)
        tell(f"{name} asks what can be reached, so this is left out: {names}.")
    return text

"""`fenceproof export` of a trace: a saved one, or the shortest counterexample of a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..export import FORMATS
from ..export.traces import Shown, export_trace
from ..limits import Limits
from ..verdict import Verdict
from .counterexample import counterexample
from .options import ModelOptions
from .traced import traced


def export_saved(path: Path, name: str, model_text: str | None) -> str:
    """A saved trace, every step of it taken again, as the text of a format."""
    read = traced(path, model_text, f"export --format {name}")
    return export_trace(Shown(read.target.name, read.system, read.trace, read.violated), name)


def export_counterexample(
    model: ModelOptions, name: str, properties: Sequence[str], limits: Limits, *, all_copies: bool
) -> str | int:
    """The shortest counterexample of a model as the text of a format; an exit code where a limit came before it."""
    instead = f"Of the model itself there are the formats {', '.join(FORMATS)}."
    shown = counterexample(model, properties, limits, all_copies=all_copies, instead=instead)
    return Verdict.INCONCLUSIVE.exit_code if shown is None else export_trace(shown, name)

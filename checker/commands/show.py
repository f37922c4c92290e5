"""`fenceproof show`: the transition system as text."""

from __future__ import annotations

import click
from fenceproof.model.lift import lift
from fenceproof.model.text import as_text

from ..printable import printable
from ..targets import find
from .options import ModelOptions, fault_options, model_options


@click.command()
@model_options
@fault_options
def command(model: ModelOptions) -> int:
    """Print the transition system that TARGET is lifted to."""
    made, settings = model.make(find(model.target))
    click.echo(printable(as_text(lift(made, settings))), nl=False)
    return 0

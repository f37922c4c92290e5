"""`fenceproof export`: a model for other tools."""

from __future__ import annotations

from pathlib import Path

import click
from fenceproof.model.errors import UsageError
from fenceproof.model.lift import lift

from ..export import FORMATS, export
from ..targets import find
from ..writing import write_whole
from .options import ModelOptions, NamedPath, fault_options, model_options

_FORMATS = "; ".join(f"{name}: {made.meaning}" for name, made in FORMATS.items())


@click.command()
@model_options
@fault_options
@click.option("--format", "name", type=click.Choice(list(FORMATS)), required=True, help=f"{_FORMATS}.")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Ask about this only; repeatable.")
@click.option("--depth", type=click.IntRange(1, 10_000), metavar="K", help="With smtlib: how many steps. Default: 20.")
@click.option("--out", type=NamedPath(), metavar="FILE", help="Write to a file, whole or not at all.")
def command(model: ModelOptions, name: str, properties: tuple[str, ...], depth: int | None, out: Path | None) -> int:
    """Write TARGET and what it must never do in a format that other tools read."""
    if depth is not None and not FORMATS[name].takes_depth:
        bounded = " or ".join(n for n, made in FORMATS.items() if made.takes_depth)
        raise UsageError(f"--depth has no meaning with {name}, which asks about any number of steps. Use {bounded}.")
    target = find(model.target)
    if target.remark:
        click.echo(f"fenceproof: {target.remark}", err=True)
    made, settings = model.make(target)
    system = lift(made, settings)
    text = export(target.name, system, name, properties or None, depth)
    if system.liveness and not properties:
        names = ", ".join(prop.name for prop in system.liveness)
        click.echo(f"fenceproof: {name} asks what can be reached, so this is left out: {names}.", err=True)
    if out is None:
        click.echo(text, nl=False)
    else:
        write_whole(out, text)
    return 0

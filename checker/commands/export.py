"""`fenceproof export`: a model for other tools."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click
from fenceproof.model.errors import UsageError
from fenceproof.model.lift import lift

from ..export import FORMATS, export
from ..targets import find
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
        _write(out, text)
    return 0


def _write(path: Path, text: str) -> None:
    """Write a file whole: what was there before stays until all of it is written. UsageError where that cannot be."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder. Name a file: --out {path / 'model.txt'}")
    try:
        if path.exists() and not path.is_file():
            # A device or a pipe must not be replaced by a file.
            path.write_text(text, encoding="utf-8")
        else:
            # What a link points to is what is replaced, not the link.
            _replace(path.resolve(), text)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}. Name another file: --out FILE") from error


def _replace(path: Path, text: str) -> None:
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(part, 0o666 & ~_umask())
        os.replace(part, path)
    finally:
        # Gone if it became the file; else there was an error, or an interrupt.
        Path(part).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

"""`fenceproof export`: a model for other tools, and a counterexample as a test."""

from __future__ import annotations

from pathlib import Path

import click
from fenceproof.model.errors import UsageError
from fenceproof.model.lift import lift

from ..export import FORMATS, export
from ..targets import find
from ..writing import write_whole
from .export_pytest import Test, export_pytest
from .options import ModelOptions, NamedPath, fault_options, model_options

_FORMATS = "; ".join(f"{name}: {made.meaning}" for name, made in FORMATS.items())
#: What a trace becomes; every other format is of a model.
_OF_A_TRACE = "pytest"


@click.command()
@model_options
@fault_options
@click.option(
    "--format",
    "name",
    type=click.Choice([*FORMATS, _OF_A_TRACE]),
    required=True,
    help=f"{_FORMATS}; pytest: a saved trace as a test, which fails on a design that does the same.",
)
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Ask about this only; repeatable.")
@click.option("--depth", type=click.IntRange(1, 10_000), metavar="K", help="With smtlib: how many steps. Default: 20.")
@click.option("--model", "model_text", metavar="TARGET", help="With pytest: the model, where it is your own file.")
@click.option("--right", metavar="TARGET", help="With pytest: the design to do as. Default: fenced, or all safeguards.")
@click.option("--against", metavar="IMPLEMENTATION", help="With pytest: memory, sqlite, module:Adapter, file.py:Class.")
@click.option("--as", "design", metavar="VARIANT", help="With pytest: run the reference as another design.")
@click.option("--force", is_flag=True, help="With pytest: write over a file that is there.")
@click.option("--out", type=NamedPath(), metavar="FILE", help="Write to a file, whole or not at all.")
def command(
    model: ModelOptions,
    name: str,
    properties: tuple[str, ...],
    depth: int | None,
    model_text: str | None,
    right: str | None,
    against: str | None,
    design: str | None,
    force: bool,
    out: Path | None,
) -> int:
    """Write TARGET and what it must never do in a format that other tools read.

    With --format pytest TARGET is a saved trace, and what is written is a test: it applies the trace's events to an
    implementation, and fails where something else comes of one than a right design makes of it.
    """
    if name == _OF_A_TRACE:
        _check_apart(
            name,
            {
                "--depth": depth,
                "--property": properties,
                "--without": model.without,
                "--most-faults": model.most_faults,
                "--faults": model.faults != "all",
            },
        )
        settings = [f"{n}={v}" for n, v in model.settings.items()]
        export_pytest(Path(model.target), Test(model_text, right, settings, against, design, force), out)
        return 0
    if depth is not None and not FORMATS[name].takes_depth:
        bounded = " or ".join(n for n, made in FORMATS.items() if made.takes_depth)
        raise UsageError(f"--depth has no meaning with {name}, which asks about any number of steps. Use {bounded}.")
    _check_apart(
        name, {"--model": model_text, "--right": right, "--against": against, "--as": design, "--force": force}
    )
    target = find(model.target)
    if target.remark:
        click.echo(f"fenceproof: {target.remark}", err=True)
    made, settings_of_model = model.make(target)
    system = lift(made, settings_of_model)
    text = export(target.name, system, name, properties or None, depth)
    if system.liveness and not properties:
        names = ", ".join(prop.name for prop in system.liveness)
        click.echo(f"fenceproof: {name} asks what can be reached, so this is left out: {names}.", err=True)
    if out is None:
        click.echo(text, nl=False)
    else:
        write_whole(out, text)
    return 0


def _check_apart(name: str, given: dict[str, object]) -> None:
    """That no option was given that the format has no use for."""
    for option, value in given.items():
        if value not in (None, False, ()):
            raise UsageError(f"{option} has no meaning with --format {name}. Leave it away.")

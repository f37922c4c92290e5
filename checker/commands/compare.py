"""`fenceproof compare`: designs side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import click
from fenceproof.model.errors import UsageError

from ..limits import Limits
from ..matrix import Matrix, matrix
from ..report.console import new_console
from ..report.matrix import as_markdown, matrix_document, print_matrix
from ..report.page import as_html
from ..report.progress import shown_stage
from ..targets import Target, find, find_all, parse_settings
from ..verdict import Verdict
from .options import INTERRUPTED, ModelOptions, NamedPath, limit_options

#: Faults at once that are tried unless more are asked for: what takes more of them is a rare coincidence.
DEFAULT_MOST_FAULTS = 3
FORMATS = ("text", "markdown", "html", "json")


@click.command()
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@click.option("--set", "given", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the models.")
@click.option("--calls", metavar="N", help="Short for --set calls=N.")
@click.option("--epochs", metavar="N", help="Short for --set epochs=N.")
@click.option("--faults", default="all", show_default=True, metavar="WHICH", help="all, none, or delay,loss=2.")
@click.option(
    "--most-faults", type=int, default=DEFAULT_MOST_FAULTS, show_default=True, metavar="N", help="At most N in all."
)
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Check this property only; repeatable.")
@click.option("--minimal-faults", "minimal_only", is_flag=True, help="Only what falls, under which minimal faults.")
@limit_options
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="How to write it."
)
@click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
@click.option("--out", type=NamedPath(dir_okay=False), metavar="FILE", help="Write it to a new file.")
@click.option("--no-color", is_flag=True, help="Print without colour.")
def command(
    targets: tuple[str, ...],
    given: tuple[str, ...],
    calls: str | None,
    epochs: str | None,
    faults: str,
    most_faults: int,
    properties: tuple[str, ...],
    minimal_only: bool,
    limits: Limits,
    form: str,
    as_json: bool,
    out: Path | None,
    no_color: bool,
) -> int:
    """Compare designs: every property of each TARGET (all shipped variants if none is named) under every set of faults.

    Each minimal set of faults has a shortest trace (--json). Exit code 0 where all of it was searched, whatever falls,
    and 3 where a limit was reached.
    """
    if out is not None and out.exists():
        raise UsageError(f"{out} is there already. Name another file, or remove it.")
    short = [f"{name}={value}" for name, value in (("calls", calls), ("epochs", epochs)) if value is not None]
    options = ModelOptions("", parse_settings([*given, *short]), faults, most_faults)
    models = [(target.name, *options.make(target)) for target in _named(targets)]
    with shown_stage(no_color=no_color) as stage:
        found = matrix(models, properties=properties or None, limits=limits, progress=stage)
    _write(found, "json" if as_json else form, out, minimal_only=minimal_only, no_color=no_color)
    if found.stop is not None:
        return INTERRUPTED
    return 0 if found.complete else Verdict.INCONCLUSIVE.exit_code


def _named(targets: Sequence[str]) -> list[Target]:
    """The models that are named: all variants where none is, and of a file all its models."""
    if not targets:
        return find_all(None)
    named = [target for text in targets for target in (find_all(text) if text.endswith(".py") else [find(text)])]
    names = [target.name for target in named]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name} is named twice.")
    return named


def _write(found: Matrix, form: str, out: Path | None, *, minimal_only: bool, no_color: bool) -> None:
    if form == "text" and out is None:
        print_matrix(new_console(no_color=no_color), found, minimal_only=minimal_only)
        return
    text = _text(found, form, minimal_only=minimal_only)
    if out is None:
        click.echo(text, nl=not text.endswith("\n"))
        return
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(text if text.endswith("\n") else text + "\n")
    except OSError as error:
        click.echo(text)
        raise UsageError(f"{out} cannot be written: {error.strerror}. What was found is on standard output.") from error
    click.echo(f"written: {out}", err=True)


def _text(found: Matrix, form: str, *, minimal_only: bool) -> str:
    if form == "json":
        return json.dumps(matrix_document(found), indent=2, ensure_ascii=False)
    if form == "markdown":
        return as_markdown(found, minimal_only=minimal_only)
    if form == "html":
        return as_html(found, minimal_only=minimal_only)
    shown = StringIO()
    print_matrix(new_console(file=shown, width=120, no_color=True), found, minimal_only=minimal_only)
    return shown.getvalue()

"""`fenceproof check`: the main job."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
from click.core import ParameterSource
from fenceproof.model.errors import UsageError
from fenceproof.model.lift import lift

from ..api import chosen_properties
from ..engines import TAKE_DEPTH
from ..expect import exit_code, expectation, parse_expectation
from ..limits import Limits
from ..processes.together import NAMES, engine_of
from ..reduction import check_reduced, reduced
from ..report.console import new_console
from ..report.disagreement import shown_disagreement
from ..report.document import document
from ..report.progress import shown_progress
from ..report.save import save_traces
from ..report.summary import summary
from ..report.text import print_result
from ..targets import find
from .check_all import Shown, asked_of_all, check_all
from .options import INTERRUPTED, TRACES, ModelOptions, NamedPath, fault_options, limit_options, model_options


@click.command()
@model_options
@fault_options
@click.option("--all", "every", is_flag=True, help="Check every model of the file TARGET; without it every variant.")
@click.option("--all-copies", is_flag=True, help="Explore calls side by side, even where they share nothing.")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Check this property only; repeatable.")
@click.option("--engine", type=click.Choice(NAMES), default="explicit", show_default=True, help="How to check.")
@click.option("--no-lemmas", is_flag=True, help="kinduction: look for no lemmas; use those of the model only.")
@click.option(
    "--depth",
    type=click.IntRange(1),
    metavar="N",
    help=f"Look at behaviours of up to N steps, with --engine {' or '.join(sorted(TAKE_DEPTH))}.",
)
@limit_options
@click.option("--expect", metavar="WHAT", help="Exit 0 for exactly this: holds, or violated:NAME,NAME.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.option("--out", type=NamedPath(file_okay=False), metavar="DIR", help="Where traces are saved.")
@click.option("--quiet", is_flag=True, help="Print the verdict in one line; save traces only with --out.")
@click.option("--no-color", is_flag=True, help="Print without colour.")
def command(
    model: ModelOptions,
    every: bool,
    all_copies: bool,
    properties: tuple[str, ...],
    engine: str,
    no_lemmas: bool,
    depth: int | None,
    limits: Limits,
    expect: str | None,
    as_json: bool,
    out: Path | None,
    quiet: bool,
    no_color: bool,
) -> int:
    """Check every reachable state of TARGET (the fenced planner if none is named) under its faults."""
    limits = replace(limits, depth=depth)
    if no_lemmas and engine != "kinduction":
        raise UsageError("--no-lemmas is about --engine kinduction only; leave one of them out or name the other.")
    chosen_engine = engine_of(engine, limits)
    if no_lemmas:
        chosen_engine = partial(chosen_engine, find_lemmas=False)
    if every:
        source = click.get_current_context().get_parameter_source("target")
        file = None if source is ParameterSource.DEFAULT else model.target
        asked = asked_of_all(model, properties, expect)
        return check_all(file, asked, chosen_engine, limits, Shown(as_json, out, quiet, no_color))
    target = find(model.target)
    if target.remark:
        click.echo(f"fenceproof: {target.remark}", err=True)
    made, settings = model.make(target)
    system = lift(made, settings)
    chosen = chosen_properties(system, properties)
    expected = parse_expectation(expect, system, chosen)
    shown = not (as_json or quiet)
    with (
        shown_disagreement(target.name, out or TRACES, printed=shown, no_color=no_color),
        shown_progress(enabled=shown, no_color=no_color) as progress,
    ):
        found = None if all_copies else reduced(made, settings, system)
        result = check_reduced(chosen_engine, system, found, properties=chosen, limits=limits, progress=progress)
    if as_json:
        click.echo(json.dumps(document(target.name, result), indent=2, ensure_ascii=False))
    elif quiet:
        click.echo(f"{target.name}: {summary(result)}")
    else:
        console = new_console(no_color=no_color)
        print_result(console, target.name, result)
    saved = True
    if out is not None or not (as_json or quiet):
        saved = save_traces(target.name, result, out or TRACES)
    if result.stop is not None and result.stop.kind == "interrupted":
        return INTERRUPTED
    code = exit_code(expected, result)
    if expect is not None and code != 0:
        click.echo(f"fenceproof: expected {expectation(expected)}, found {summary(result)}.", err=True)
    # What was expected is not all that was asked for where traces were to go to a folder and did not.
    return UsageError.exit_code if code == 0 and out is not None and not saved else code

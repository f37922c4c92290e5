"""`fenceproof coverage`: which actions, outcomes, branches and lines of a model its reachable states come along."""

from __future__ import annotations

import json

import click
from fenceproof.model.errors import UsageError

from ..coverage import cover
from ..limits import Limits
from ..report.console import new_console
from ..report.coverage import coverage_document, one_line, print_coverage, print_source
from ..report.progress import shown_progress
from ..targets import find
from ..telling import say, tell
from .options import INTERRUPTED, ModelOptions, fault_options, limit_options, model_options


@click.command()
@model_options
@fault_options
@limit_options
@click.option("--source", is_flag=True, help="Print the model's source with how often each line was taken.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.option("--quiet", is_flag=True, help="Print the verdict and the totals in one line.")
@click.option("--no-color", is_flag=True, help="Print without colour.")
def command(model: ModelOptions, limits: Limits, source: bool, as_json: bool, quiet: bool, no_color: bool) -> int:
    """Explore TARGET and count what its steps come along: each action, outcome, side of a test, and line.

    Properties are not looked at. Exit code 4 where an action was never enabled, as for check, 3 where a limit
    ended that before everything was explored, and 0 otherwise: a branch that was never taken is shown,
    and may be meant.
    """
    if source and (as_json or quiet):
        raise UsageError("--source prints the source, and --json or --quiet leave it away. Leave one of them out.")
    target = find(model.target)
    if target.remark:
        tell(target.remark)
    made, settings = model.make(target)
    with shown_progress(enabled=not (as_json or quiet), no_color=no_color) as progress:
        found = cover(made, settings, limits, progress)
    console = new_console(no_color=no_color)
    if as_json:
        click.echo(json.dumps(coverage_document(target.name, found), indent=2, ensure_ascii=False))
    elif quiet:
        say(one_line(target.name, found))
    elif source:
        print_source(console, found)
    else:
        print_coverage(console, target.name, found)
    stop = found.result.stop
    return INTERRUPTED if stop is not None and stop.kind == "interrupted" else found.verdict.exit_code

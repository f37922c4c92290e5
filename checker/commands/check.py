"""`fenceproof check`: the main job."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
from click.core import ParameterSource
from fenceproof.model.errors import UsageError
from fenceproof.model.forgotten import forgotten
from fenceproof.model.lift import lift

from ..api import chosen_properties
from ..engines import TAKE_DEPTH
from ..expect import exit_code, expectation, parse_expectation
from ..limits import Limits, Watch
from ..needed import with_necessity
from ..processes.together import NAMES, engine_of
from ..reduction import check_reduced, reduced
from ..report.console import new_console
from ..report.disagreement import shown_disagreement
from ..report.document import document
from ..report.progress import shown_progress
from ..report.save import save_traces
from ..report.summary import named, summary
from ..report.text import print_result
from ..result import CheckResult, Sort
from ..targets import find
from ..telling import say, tell
from .check_all import Shown, asked_of_all, check_all
from .options import INTERRUPTED, TRACES, ModelOptions, NamedPath, fault_options, limit_options, model_options


@click.command()
@model_options
@fault_options
@click.option("--all", "every", is_flag=True, help="Check every model of the file TARGET; without it every variant.")
@click.option("--all-copies", is_flag=True, help="Explore calls side by side, even where they share nothing.")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Check this property only; repeatable.")
@click.option("--engine", type=click.Choice(NAMES), default="explicit", show_default=True, help="How to check.")
@click.option("--all-shortest", is_flag=True, help="Count all shortest counterexamples, and the stories they tell.")
@click.option("--needed-faults", is_flag=True, help="Look as far as it takes which faults are needed to violate.")
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
    all_shortest: bool,
    needed_faults: bool,
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
    if every or engine != "explicit":
        _refuse_minimal(all_shortest, needed_faults, "--all" if every else f"--engine {engine}")
    chosen_engine = engine_of(engine, limits)
    if all_shortest:
        chosen_engine = partial(chosen_engine, all_shortest=True)
    if no_lemmas:
        chosen_engine = partial(chosen_engine, find_lemmas=False)
    if every:
        source = click.get_current_context().get_parameter_source("target")
        file = None if source is ParameterSource.DEFAULT else model.target
        asked = asked_of_all(model, properties, expect)
        return check_all(file, asked, chosen_engine, limits, Shown(as_json, out, quiet, no_color))
    target = find(model.target)
    if target.remark:
        tell(target.remark)
    made, settings = model.make(target)
    system = lift(made, settings)
    for name, site in forgotten(target.model):
        tell(
            f"{target.model.__name__}.{name} ({site}) has no decorator, and nothing calls it. "
            "If it is a property or an action, mark it: @invariant, @step_property, @action."
        )
    chosen = chosen_properties(system, properties)
    expected = parse_expectation(expect, system, chosen)
    shown = not (as_json or quiet)
    with (
        shown_disagreement(target.name, out or TRACES, printed=shown, no_color=no_color),
        shown_progress(enabled=shown, no_color=no_color) as progress,
    ):
        found = None if all_copies else reduced(made, settings, system)
        limits = Watch.start(limits).rest(0)
        result = check_reduced(chosen_engine, system, found, properties=chosen, limits=limits, progress=progress)
    interrupted = result.stop is not None and result.stop.kind == "interrupted"
    if not result.is_counted:
        tell("interrupted before the shortest counterexamples were counted.")
        interrupted = True
    if engine == "explicit" and (needed_faults or not quiet):
        result, interrupted = _with_necessity(result, limits, is_quick=not needed_faults, interrupted=interrupted)
    if as_json:
        click.echo(json.dumps(document(target.name, result), indent=2, ensure_ascii=False))
    elif quiet:
        say(f"{named(target.name, system)}: {summary(result)}")
    else:
        console = new_console(no_color=no_color)
        print_result(console, target.name, result)
    saved = True
    if out is not None or not (as_json or quiet):
        saved = save_traces(target.name, result, out or TRACES)
    if all_shortest:
        _say_uncounted(result)
    if interrupted:
        return INTERRUPTED
    code = exit_code(expected, result)
    if expect is not None and code != 0:
        tell(f"expected {expectation(expected)}, found {summary(result)}.")
    # What was expected is not all that was asked for where traces were to go to a folder and did not.
    return UsageError.exit_code if code == 0 and out is not None and not saved else code


def _refuse_minimal(all_shortest: bool, needed_faults: bool, other: str) -> None:
    for option, is_given in (("--all-shortest", all_shortest), ("--needed-faults", needed_faults)):
        if is_given:
            raise UsageError(f"{option} is about one model and the explicit engine. Leave {option} or {other} away.")


def _with_necessity(
    result: CheckResult, limits: Limits, *, is_quick: bool, interrupted: bool
) -> tuple[CheckResult, bool]:
    """The result with the faults that are needed, unless it was interrupted already, and whether it is now: what was
    found before stays."""
    if interrupted:
        if not is_quick:
            tell("interrupted before it was asked which faults are needed.")
        return result, True
    result = with_necessity(result, limits, is_quick=is_quick)
    if any(p.necessity is not None and p.necessity.is_interrupted for p in result.properties):
        tell("interrupted before it was found out which faults are needed.")
        return result, True
    unknown = [p.name for p in result.properties if p.necessity is not None and not p.necessity.is_known]
    if is_quick and unknown:
        tell(
            f"which faults {', '.join(unknown)} {'needs' if len(unknown) == 1 else 'need'} was looked at "
            "for a moment only. To look further: --needed-faults"
        )
    return result, False


def _say_uncounted(result: CheckResult) -> None:
    names = [p.name for p in result.properties if p.sort is Sort.LIVENESS and p.trace is not None]
    if names:
        tell(f"counterexamples of {', '.join(names)} are not counted: they are behaviours without end.")

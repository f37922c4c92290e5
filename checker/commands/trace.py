"""`fenceproof trace`: saved traces, printed, asked which faults they need, or put side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import click
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import ModelError, UsageError
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace

from ..limits import Limits, Watch
from ..minimal import Necessity
from ..needed import necessity_of
from ..report.console import new_console
from ..report.minimal import necessity_lines, needed_document
from ..report.mistaken import mistake_of
from ..report.sidebyside import first_difference, print_side_by_side, side_by_side_document
from ..report.violation import print_mistake, print_told, print_violation, violation_of
from ..sidebyside import SideBySide, of_traces, on_another
from ..targets import construct, find, parameters_of, parse_parameters, parse_settings
from ..telling import say
from ..verdict import Verdict
from .options import INTERRUPTED, NamedPath, limit_options
from .traced import Traced, traced


@click.group()
def command() -> None:
    """Print a saved trace, ask which of its faults are needed, or put two side by side."""


@command.command()
@click.argument("path", metavar="TRACE", type=NamedPath())
@click.option("--model", "model_text", metavar="TARGET", help="The model: needed where it is a file of your own.")
@click.option("--no-color", is_flag=True, help="Print without colour.")
def show(path: Path, model_text: str | None, no_color: bool) -> int:
    """Print TRACE, a saved one, as the report of a check does; every step is taken again first."""
    read = traced(path, model_text, "trace show")
    console = new_console(no_color=no_color)
    if read.violated is not None:
        print_violation(console, read.system, violation_of(read.system, read.violated, read.trace))
    elif (wrong := mistake_of(read.system, read.trace)) is not None:
        print_mistake(console, read.system, wrong)
    else:
        print_told(console, read.system, read.trace)
    shown = "" if read.violated is None else f" It ends in a violation of {read.violated}."
    say(f"{path}: a trace of {read.name}.{shown}")
    return 0


@command.command()
@click.argument("path", metavar="TRACE", type=NamedPath())
@click.option("--model", "model_text", metavar="TARGET", help="The model: needed where it is a file of your own.")
@limit_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def needed(path: Path, model_text: str | None, limits: Limits, as_json: bool) -> int:
    """Say which faults of TRACE are needed to violate its property: the model is checked without each of them.

    Exit code 3 where a limit ended that before it was known of each.
    """
    read = traced(path, model_text, "trace needed")
    if read.violated is None:
        raise UsageError(
            f"{path} is not a trace of a violation. Which faults are needed is asked of a property that is violated."
        )
    found = necessity_of(read.system, read.violated, read.trace, Watch.start(limits).rest(0))
    if as_json:
        click.echo(needed_document(read.system, read.target.name, read.violated, read.trace, found))
    else:
        _say_needed(f"{path}: {read.violated} of {read.name}", read.violated, found)
    if found is None:
        return 0
    if found.is_interrupted:
        return INTERRUPTED
    return 0 if found.is_known else Verdict.INCONCLUSIVE.exit_code


def _say_needed(subject: str, name: str, found: Necessity | None) -> None:
    if found is None:
        say(f"{subject} is violated without a fault.")
        return
    say(f"{subject} is violated with {', '.join(w.fault or '' for w in found.faults)}.")
    for line in necessity_lines(name, found):
        say(line)


@command.command()
@click.argument("left", metavar="A", type=NamedPath())
@click.argument("right", metavar="B")
@click.option("--model", "models", multiple=True, metavar="TARGET", help="The model of A and B; twice, of A and of B.")
@click.option("--set", "given", multiple=True, metavar="NAME=VALUE", help="Of B, a TARGET: another value than A has.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.option("--quiet", is_flag=True, help="Print the first difference only.")
@click.option("--no-color", is_flag=True, help="Print without colour.")
def diff(
    left: Path,
    right: str,
    models: tuple[str, ...],
    given: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    no_color: bool,
) -> int:
    """Put the saved trace A beside B, the first difference first.

    B is another trace, or a TARGET, which has A's parameters and is given the events of A: it takes them where it can.
    Exit code 0 where both do the same, and 1 where they differ, whatever they violate.
    """
    if len(models) > 2:
        raise UsageError(f"--model is given {len(models)} times, and there are two traces.")
    first = traced(left, models[0] if models else None, "trace diff", f" {right}")
    one = (first.name, first.system, first.trace)
    if _is_trace(right):
        if given:
            raise UsageError(f"--set is about a model, and {right} is a trace with its own parameters. Leave it away.")
        found = of_traces(one, _trace(left, right, models))
    else:
        found = _on_target(one, first, right, models, parse_settings(given))
    if as_json:
        click.echo(json.dumps(side_by_side_document(found), indent=2, ensure_ascii=False))
    elif quiet:
        say(first_difference(found))
    else:
        print_side_by_side(new_console(no_color=no_color), found)
    return 0 if found.is_same else Verdict.VIOLATED.exit_code


def _is_trace(text: str) -> bool:
    """Whether B names a file that is no model's; a name in .json is meant as one, whether it is there or not."""
    is_model = text.endswith(".py") or ".py:" in text
    return not is_model and (Path(text).is_file() or text.endswith(".json"))


def _trace(left: Path, right: str, models: tuple[str, ...]) -> tuple[str, TransitionSystem, Trace]:
    read = traced(Path(right), models[-1] if models else None, f"trace diff {left}")
    return read.name, read.system, read.trace


def _on_target(
    one: tuple[str, TransitionSystem, Trace],
    first: Traced,
    text: str,
    models: tuple[str, ...],
    settings: Mapping[str, str],
) -> SideBySide:
    """The events of A on a target, with the settings, and else with what it has of A's parameters and faults."""
    if len(models) > 1:
        raise UsageError(f"--model is given twice, and {text} is a model and no trace. Give it once, for the trace.")
    target = find(text)
    known = parameters_of(target.model)
    values = {n: v for n, v in first.file.parameters.items() if n in known} | parse_parameters(target, settings)
    try:
        model = construct(target.model, values)
    except ModelError as error:
        of = "these parameters" if settings else "the parameters of the trace"
        raise UsageError(f"{target.name} cannot be made with {of}: {error}") from error
    has = lift(model, Settings(), only=()).faults
    faults = {name: budget for name, budget in first.file.faults.items() if name in has}
    system = lift(model, Settings(faults, None, first.file.most_faults))
    return on_another(one, target.name, system)

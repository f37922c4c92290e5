"""`fenceproof space`: every combination of a model's safeguards."""

from __future__ import annotations

import json
from pathlib import Path

import click
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import UsageError
from fenceproof.model.language import Model
from rich.console import Console

from ..findings import Fall, findings
from ..limits import Limits, Stop
from ..repair import repairs
from ..report.console import new_console
from ..report.progress import shown_progress
from ..report.repairs import print_repairs, repairs_document
from ..report.save import save
from ..report.space import print_space, space_document, trace_document
from ..space import explore_space
from ..targets import find
from ..telling import tell
from ..verdict import Verdict
from .options import INTERRUPTED, ModelOptions, NamedPath, fault_options, limit_options, model_options


@click.command()
@model_options
@fault_options
@limit_options
@click.option("--safeguard", "only", multiple=True, metavar="NAME", help="Vary this safeguard only; repeatable.")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Check this property only; repeatable.")
@click.option("--repair", is_flag=True, help="Name the nearest models that hold, by the fewest changed knobs.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.option("--out", type=NamedPath(file_okay=False), metavar="DIR", help="Save a trace of each cut.")
@click.option("--no-color", is_flag=True, help="Print without colour.")
def command(
    model: ModelOptions,
    limits: Limits,
    only: tuple[str, ...],
    properties: tuple[str, ...],
    repair: bool,
    as_json: bool,
    out: Path | None,
    no_color: bool,
) -> int:
    """Take away every combination of the safeguards of TARGET, under every set of its faults.

    Names every minimal set of safeguards that suffices, every minimal cut with a shortest trace, and the safeguards
    that can go. Exit code 0 where all of it was searched, 3 where a limit was reached. With --repair it names the
    nearest models that hold instead; exit code 1 where there is none within three changes.
    """
    target = find(model.target)
    if target.remark:
        tell(target.remark)
    made, settings = model.make(target)
    console = new_console(no_color=no_color)
    if repair:
        return _repair(console, target.name, made, settings, properties, limits, as_json=as_json)
    with shown_progress(enabled=not as_json, no_color=no_color) as progress:
        space = explore_space(made, settings, only=only, properties=properties, limits=limits, progress=progress)
    if space.stop is not None and space.stop.kind == "interrupted":
        tell("interrupted; the cuts that were found are checked now.")
    found = findings(space)
    if as_json:
        click.echo(json.dumps(space_document(target.name, space, found), indent=2, ensure_ascii=False))
    else:
        print_space(console, target.name, space, found)
    if out is not None and not save(out, [_trace(target.name, fall) for fall in found.cuts]):
        return UsageError.exit_code
    return _exit_code(space.stop)


def _exit_code(stop: Stop | None) -> int:
    if stop is None:
        return 0
    return INTERRUPTED if stop.kind == "interrupted" else Verdict.INCONCLUSIVE.exit_code


def _repair(
    console: Console,
    target: str,
    model: Model,
    settings: Settings,
    properties: tuple[str, ...],
    limits: Limits,
    *,
    as_json: bool,
) -> int:
    found = repairs(model, settings, properties=properties, limits=limits)
    if as_json:
        click.echo(json.dumps(repairs_document(target, found), indent=2, ensure_ascii=False))
    else:
        print_repairs(console, target, found)
    if found.stop is None and not found.repairs:
        return Verdict.INCONCLUSIVE.exit_code if found.undecided else Verdict.VIOLATED.exit_code
    if found.complete and found.repairs[0].result.verdict is Verdict.VACUOUS:
        return Verdict.VACUOUS.exit_code
    return _exit_code(found.stop)


def _trace(target: str, fall: Fall) -> tuple[str, tuple[str, ...], dict[str, object]]:
    without, by = fall.without or ("nothing",), fall.by or "model error"
    return f"{by} without {', '.join(without)}", (target, "without", *without, by), trace_document(target, fall)

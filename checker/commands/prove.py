"""`fenceproof prove`: the safety properties of a model, by an inductive invariant."""

from __future__ import annotations

import json
from dataclasses import replace

import click
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import UsageError
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.system import DEADLOCK, TransitionSystem
from rich.console import Console

from ..api import chosen_properties
from ..limits import Limits
from ..prove import prove
from ..reduction import Reduced, beyond_one, check_reduced, reduced
from ..report.document import document
from ..report.progress import shown_progress
from ..report.proof import print_proofs
from ..report.save import save_traces
from ..report.summary import summary
from ..report.text import print_result
from ..result import CheckResult
from ..targets import find
from .options import INTERRUPTED, TRACES, ModelOptions, fault_options, limit_options, model_options


@click.command()
@model_options
@fault_options
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Prove this property only; repeatable.")
@limit_options
@click.option("--invariant", "whole", is_flag=True, help="Print the whole invariant of each property.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.option("--quiet", is_flag=True, help="Print the verdict in one line.")
@click.option("--no-color", is_flag=True, help="Print without colour.")
def command(
    model: ModelOptions,
    properties: tuple[str, ...],
    limits: Limits,
    whole: bool,
    as_json: bool,
    quiet: bool,
    no_color: bool,
) -> int:
    """Prove that TARGET keeps its safety properties in behaviours of any length, and where it can for any number of
    calls."""
    target = find(model.target)
    if target.remark:
        click.echo(f"fenceproof: {target.remark}", err=True)
    made, settings = model.make(target)
    system = lift(made, settings)
    names = _safety(system, properties)
    with shown_progress(enabled=not quiet and not as_json, no_color=no_color) as progress:
        result = _proved(made, settings, system, names, limits, progress)
    if as_json:
        click.echo(json.dumps(document(target.name, result), indent=2, ensure_ascii=False))
    elif quiet:
        click.echo(f"{target.name}: {summary(result)}")
    else:
        console = Console(no_color=no_color, highlight=False)
        print_result(console, target.name, result)
        print_proofs(console, result, whole=whole)
    if not (as_json or quiet):
        save_traces(target.name, result, TRACES)
    if result.stop is not None and result.stop.kind == "interrupted":
        return INTERRUPTED
    return result.verdict.exit_code


def _safety(system: TransitionSystem, given: tuple[str, ...]) -> list[str]:
    """The properties to prove; UsageError for one that speaks of what happens in the end."""
    chosen = chosen_properties(system, given)
    lively = {p.name for p in system.liveness}
    if chosen is not None:
        for name in chosen:
            if name in lively:
                raise UsageError(
                    f"{name} is about what happens in the end (liveness), which prove does not decide. "
                    f"Write: fenceproof check --property {name}"
                )
        return chosen
    return [*(p.name for p in system.step_properties), *(i.name for i in system.invariants), DEADLOCK]


def _proved(
    made: Model, settings: Settings, system: TransitionSystem, names: list[str], limits: Limits, progress: object
) -> CheckResult:
    found = reduced(made, settings, system)
    if found is not None:
        return check_reduced(prove, system, found, properties=names, limits=limits, progress=progress)
    result = check_reduced(prove, system, None, properties=names, limits=limits, progress=progress)
    if not result.holds:
        # To look at two and three of them takes longer than the proof, and says nothing of what is violated or open.
        return result
    more = beyond_one(made, settings, system)
    if isinstance(more, Reduced):
        return replace(result, independence=more.independence)
    if more is not None:
        beside = f"what is said is of {more.parameter}=1 and of no other number: {more.reason}"
        return replace(result, beside=beside)
    return result

"""`fenceproof prove`: the safety properties of a model, by an inductive invariant."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import UsageError
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.system import DEADLOCK, TransitionSystem
from rich.console import Console

from ..api import chosen_properties
from ..certificate.asking import TIME_S, Said
from ..certificate.making import save_certificate
from ..engines import Engine, engine_named
from ..limits import Limits
from ..processes.together import RACE
from ..prove import RUNNERS, prove
from ..reduction import Reduced, beyond_one, check_reduced, reduced
from ..report.disagreement import shown_disagreement
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
@click.option(
    "--engine",
    type=click.Choice([RACE, *RUNNERS]),
    default=RACE,
    show_default=True,
    help="How to prove: all that can at once, until one has, or this one.",
)
@limit_options
@click.option("--invariant", "whole", is_flag=True, help="Print the whole invariant of each property.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write a certificate.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.option("--quiet", is_flag=True, help="Print the verdict in one line.")
@click.option("--no-color", is_flag=True, help="Print without colour.")
def command(
    model: ModelOptions,
    properties: tuple[str, ...],
    engine: str,
    limits: Limits,
    whole: bool,
    out: Path | None,
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
    way = prove if engine == RACE else engine_named(engine, limits)
    shown = not (as_json or quiet)
    with (
        shown_disagreement(target.name, TRACES, printed=shown, no_color=no_color),
        shown_progress(enabled=shown, no_color=no_color) as progress,
    ):
        result = _proved(way, Asked(made, settings, system, names), limits=limits, progress=progress)
    if as_json:
        click.echo(json.dumps(document(target.name, result), indent=2, ensure_ascii=False))
    elif quiet:
        click.echo(f"{target.name}: {summary(result)}")
    else:
        console = Console(no_color=no_color, highlight=False)
        print_result(console, target.name, result)
        print_proofs(console, result, whole=whole)
    if shown:
        save_traces(target.name, result, TRACES)
    if result.stop is not None and result.stop.kind == "interrupted":
        return INTERRUPTED
    if out is not None:
        answers = save_certificate(out, target.name, result, TIME_S)
        accepted = ", ".join(f"{a.solver} {a.version}" for a in answers if a.said is Said.ACCEPTED)
        click.echo(f"certificate written: {out} (accepted by {accepted})", err=True)
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


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be proved: of a model as it was made and lifted, these properties."""

    made: Model
    settings: Settings
    system: TransitionSystem
    names: list[str]


def _proved(way: Engine, asked: Asked, **options: Any) -> CheckResult:
    made, settings, system = asked.made, asked.settings, asked.system
    found = reduced(made, settings, system)
    if found is not None:
        return check_reduced(way, system, found, properties=asked.names, **options)
    result = check_reduced(way, system, None, properties=asked.names, **options)
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

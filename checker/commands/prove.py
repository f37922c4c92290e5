"""`fenceproof prove`: the safety properties of a model, by an inductive invariant."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import FenceproofError, ModelError, UsageError, nearest
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.source import site_of
from fenceproof.model.system import DEADLOCK, TransitionSystem

from ..api import chosen_properties
from ..aside import Aside
from ..certificate.asking import TIME_S, Said
from ..certificate.making import save_certificate
from ..engines import ENGINES, Engine, engine_named, load
from ..faults import parse_faults
from ..limits import PROOF_INTERRUPTED, Limits, Progress
from ..processes.ahead import Ahead
from ..processes.together import RACE
from ..prove import INTEGERS, RUNNERS, prove
from ..reduction import Reduced, SideBySide, beyond_one, check_reduced, reduced
from ..report.claim import without_bounds
from ..report.console import new_console
from ..report.disagreement import shown_disagreement
from ..report.document import document
from ..report.progress import shown_progress
from ..report.proof import covered, print_proofs
from ..report.save import save_traces
from ..report.summary import summary
from ..report.text import print_result
from ..result import CheckResult, Independence
from ..targets import Target, construct, find, parameters_of, parse_parameters
from ..telling import tell
from ..unsaid import nothing_found
from ..verdict import Verdict
from ..writing import check_writable
from .options import INTERRUPTED, TRACES, ModelOptions, NamedPath, fault_options, limit_options, model_options


class _Way(click.Choice[str]):
    """How to prove; an engine that only `check` has is answered with the command that has it."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in ENGINES and value not in self.choices:
            self.fail(f"{value!r} is an engine of check. Write: fenceproof check --engine {value}", param, ctx)
        return super().convert(value, param, ctx)


@click.command()
@model_options
@fault_options
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Prove this property only; repeatable.")
@click.option(
    "--engine",
    type=_Way([RACE, *RUNNERS]),
    default=RACE,
    show_default=True,
    help="How to prove. race: all that can at once, until one has. enclose: visit every state and put an invariant "
    "around them. pdr: z3 looks for one and visits none.",
)
@limit_options
@click.option("--invariant", "whole", is_flag=True, help="Print the whole invariant of each property.")
@click.option(
    "--out", type=NamedPath(dir_okay=False), metavar="FILE", help="Write a certificate, for recheck to check."
)
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
    calls.

    A property that is violated is shown as check shows it, with its shortest trace. What eventually happens (liveness)
    is not proved: check decides it.
    """
    if out is not None:
        check_writable(out)
    target = find(model.target)
    if target.remark:
        tell(target.remark)
    made, settings = model.make(target)
    system = lift(made, settings)
    asked = Asked(made, settings, system, _safety(system, properties), reduced(made, settings, system))
    way = prove if engine == RACE else engine_named(engine, limits)
    shown = not (as_json or quiet)
    with (
        shown_disagreement(target.name, TRACES, printed=shown, no_color=no_color),
        shown_progress(enabled=shown, no_color=no_color) as progress,
    ):
        result = _with_and_without_bounds(way, asked, partial(_without_bounds, target, model, asked), limits, progress)
    if as_json:
        click.echo(json.dumps(document(target.name, result), indent=2, ensure_ascii=False))
    elif quiet:
        click.echo(f"{target.name}: {summary(result)}{_beyond(result)}")
    else:
        console = new_console(no_color=no_color)
        print_result(console, target.name, result)
        print_proofs(console, result, whole=whole)
        if whole and result.unbounded is not None:
            console.print("\nWithout bounds:")
            print_proofs(console, result.unbounded, whole=True)
    if shown:
        save_traces(target.name, result, TRACES)
    if _is_interrupted(result):
        if out is not None:
            tell(f"the run was interrupted, so {out} was not written.")
        return INTERRUPTED
    if out is not None:
        _save(out, target.name, result)
    return result.verdict.exit_code


def _is_interrupted(result: CheckResult) -> bool:
    """Whether a proof was interrupted, be it the one without bounds."""
    stops = [each.stop for each in (result, result.unbounded) if each is not None]
    return any(stop is not None and stop.kind == "interrupted" for stop in stops)


def _save(path: Path, target: str, result: CheckResult) -> None:
    """Write the certificate, and say which properties it is of where that is not all of them. Where it cannot be
    written, that is an error only where everything is proved: of what is not, the verdict says more."""
    try:
        answers = save_certificate(path, target, result, TIME_S)
    except UsageError as error:
        if result.verdict is Verdict.PROVED:
            raise
        tell(str(error))
        return
    names = dict.fromkeys(f"{a.solver} {a.version}" for a in answers if a.said is Said.ACCEPTED)
    click.echo(f"certificate written: {path} ({covered(result)}accepted by {', '.join(names)})", err=True)


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
    """What is to be proved: of a model as it was made and lifted, these properties; and the copy that stands for it."""

    made: Model
    settings: Settings
    system: TransitionSystem
    names: list[str]
    found: Reduced | SideBySide | None


def _without_bounds(target: Target, given: ModelOptions, asked: Asked) -> Asked | str:
    """The same of the model without its bounds, as its class says how to make it; or why not, if there is a reason."""
    model = target.model
    declared = model.unbounded
    for name in declared:
        if name not in parameters_of(model):
            known = nearest(name, parameters_of(model), "The parameter")
            raise ModelError(f"unbounded names no parameter of {model.__name__}. {known}", site_of(model))
    if not declared or asked.system.is_unbounded:
        return ""
    values = parse_parameters(target, given.settings)
    said = [name for name in declared if name in values]
    if said:
        return f"{said[0]} was given, so nothing was looked into without a bound"
    try:
        made = construct(model, {**values, **declared})
        settings = parse_faults(given.faults, given.most_faults, given.without, made)
        system = lift(made, settings)
        found = reduced(made, settings, system)
    except FenceproofError as error:
        return f"the model cannot be made without bounds: {error}"
    return Asked(made, settings, system, asked.names, found)


def _with_and_without_bounds(
    way: Engine,
    asked: Asked,
    without_bounds: Callable[[], Asked | str],
    limits: Limits,
    progress: Callable[[Progress], None] | None,
) -> CheckResult:
    """The proof of a model, and that of it without bounds beside it, which is waited for where the first one proved all
    that was asked."""
    with Ahead(partial(_copies, asked)) as copies:
        load(*RUNNERS)
        beyond = without_bounds()
        if isinstance(beyond, str):
            result = _for_any_number(_proved(way, asked, limits=limits, progress=progress), copies)
            return replace(result, unsaid=beyond)
        system = beyond.found.one if isinstance(beyond.found, Reduced) else beyond.system
        with Aside(system, lambda limits: _proved(prove, beyond, limits=limits), limits) as aside:
            result = _proved(way, asked, limits=limits, progress=progress)
            if result.verdict is not Verdict.PROVED:
                result = _for_any_number(result, copies)
                return replace(result, unsaid="not looked into without a bound, as not everything is proved with one")
            with Ahead(partial(_copies, beyond)) as copies_beyond:
                result = _for_any_number(result, copies)
                try:
                    found = aside.result()
                except KeyboardInterrupt:
                    found = nothing_found(system, INTEGERS, asked.names, PROOF_INTERRUPTED, 0.0)
                    return replace(result, unbounded=found)
                if isinstance(found, str):
                    return replace(result, unsaid=f"nothing was proved without a bound: {found}")
                return replace(result, unbounded=_for_any_number(found, copies_beyond))


def _beyond(result: CheckResult) -> str:
    """What is said without bounds, after what is said with them."""
    if result.unbounded is None:
        return ""
    changed = ", ".join(f"{name}={value}" for name, value in without_bounds(result).items())
    return f"; with {changed}: {summary(result.unbounded)}"


def _proved(way: Engine, asked: Asked, **options: Any) -> CheckResult:
    return check_reduced(way, asked.system, asked.found, properties=asked.names, **options)


def _copies(asked: Asked) -> Independence | SideBySide | None:
    """What is shown of two and three copies of a system that was not found to be several."""
    if asked.found is not None:
        return None
    return beyond_one(asked.made, asked.settings, asked.system, asked.names)


def _for_any_number(result: CheckResult, copies: Ahead[Independence | SideBySide | None]) -> CheckResult:
    """A result, with what its copies say of it."""
    if not result.holds:
        # To look at two and three of them may take longer than the proof, and says nothing of what is violated or open.
        return result
    match copies.result():
        case Independence() as shown:
            return replace(result, independence=shown)
        case SideBySide() as more:
            beside = f"what is said is of {more.parameter}=1 and of no other number: {more.reason}"
            return replace(result, beside=beside)
        case None:
            return result

"""`fenceproof refine`: whether a durable model refines an abstract one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from fenceproof.model.budgets import Settings, fault_budgets
from fenceproof.model.errors import UsageError, nearest
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import to_json

from ..limits import Limits
from ..refinement import INITIAL, STEPS, Refinement, refine
from ..report.console import new_console
from ..report.progress import shown_progress
from ..report.refinement import document, headline, print_refinement
from ..report.save import save
from ..targets import Target, construct, find, parameters_of, parse_parameters
from ..telling import tell
from .options import INTERRUPTED, TRACES, ModelOptions, NamedPath, fault_options, limit_options, parameter_options


@click.command()
@click.argument("target", metavar="DURABLE")
@click.argument("abstract", metavar="ABSTRACT")
@parameter_options
@fault_options
@limit_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.option("--out", type=NamedPath(file_okay=False), metavar="DIR", help="Where traces are saved.")
@click.option("--quiet", is_flag=True, help="Print the verdict in one line; save traces only with --out.")
@click.option("--no-color", is_flag=True, help="Print without colour.")
def command(
    model: ModelOptions,
    abstract: str,
    limits: Limits,
    as_json: bool,
    out: Path | None,
    quiet: bool,
    no_color: bool,
) -> int:
    """Check that every step of DURABLE is a step of ABSTRACT, or changes nothing there.

    The mapping is a method of DURABLE, marked @abstraction. Faults and safeguards are those of DURABLE; parameters that
    both have are given to both, and the faults of ABSTRACT may happen without limit.
    """
    durable, other = find(model.target), find(abstract)
    for target in (durable, other):
        if target.remark:
            tell(target.remark)
    made, system, above = _lifted(model, durable, other)
    with shown_progress(enabled=not quiet and not as_json, no_color=no_color) as progress:
        found = refine(made, system, above, limits=limits, progress=progress)
    if as_json:
        click.echo(json.dumps(document(durable.name, other.name, found), indent=2, ensure_ascii=False))
    elif quiet:
        click.echo(headline(durable.name, other.name, found))
    else:
        print_refinement(new_console(no_color=no_color), durable.name, other.name, found)
    saved = True
    if out is not None or not (as_json or quiet):
        saved = _save(durable.name, other.name, found, out or TRACES)
    result = found.result
    if result.stop is not None and result.stop.kind == "interrupted":
        return INTERRUPTED
    code = result.verdict.exit_code
    return UsageError.exit_code if code == 0 and out is not None and not saved else code


def _lifted(options: ModelOptions, durable: Target, other: Target) -> tuple[Model, TransitionSystem, TransitionSystem]:
    """The durable model, its system, and that of the abstract model, with each setting given to whom it concerns."""
    own, theirs = parameters_of(durable.model), parameters_of(other.model)
    settings, only_theirs = dict[str, str](), dict[str, str]()
    for name, text in options.settings.items():
        key = name.replace("-", "_")
        if key in own:
            settings[name] = text
        elif key in theirs:
            only_theirs[name] = text
        else:
            raise UsageError(nearest(name, {**own, **theirs}, f"The parameter of {durable.name} and {other.name}"))
    options.settings = settings
    made, lifting = options.make(durable)
    above = _abstract(other, made, parse_parameters(other, only_theirs))
    return made, lift(made, lifting), above


def _abstract(target: Target, durable: Model, values: Mapping[str, Any]) -> TransitionSystem:
    """The abstract system, with the durable model's values of the parameters that both have."""
    parameters = parameters_of(target.model)
    given: Mapping[str, object] = durable._parameters  # pyright: ignore[reportPrivateUsage]
    values = {**{name: value for name, value in given.items() if name in parameters}, **values}
    missing = [n for n, p in parameters.items() if p.default is p.empty and n not in values]
    if missing:
        raise UsageError(f"{target.name} needs a value for {missing[0]}: --set {missing[0]}=…")
    made = construct(target.model, values)
    # A budget would be counted in the abstract state, and the mapping would have to say how much of it is spent.
    return lift(made, Settings(dict.fromkeys(fault_budgets(made, Settings()))))


def _save(durable: str, abstract: str, found: Refinement, folder: Path) -> bool:
    """Write the traces; they are of the durable model, and name no property of it, as it has none that says this."""
    result = found.result
    traces = [(p.name, p.trace) for p in result.properties if p.name in (INITIAL, STEPS) and p.trace is not None]
    if result.wrong is not None:
        traces.append(("model error", result.wrong.trace))
    return save(
        folder,
        [(title, (durable, abstract, title), to_json(result.system, trace, durable, None)) for title, trace in traces],
    )

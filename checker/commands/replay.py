"""`fenceproof replay`: a trace file on its model, and on an implementation."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import DivergenceError, FormatError, ModelError, UsageError
from fenceproof.model.language import Model
from fenceproof.model.lasso import refutes
from fenceproof.model.lift import lift
from fenceproof.model.step import is_quiescent, is_stuck, judge_state, judge_step
from fenceproof.model.system import DEADLOCK, TransitionSystem
from fenceproof.model.trace import Trace
from fenceproof.model.tracefile import TraceFile, read, resolve
from fenceproof.specs.properties import Planner
from fenceproof.specs.reference.memory import Memory
from fenceproof.specs.variants import VARIANTS
from rich.console import Console

from ..api import chosen_properties
from ..replay import replay_against
from ..report.text import print_trace
from ..targets import Target, construct, find


@click.command()
@click.argument("path", metavar="TRACE", type=click.Path(path_type=Path))
@click.option("--against", type=click.Choice(["memory"]), help="Run the trace on this implementation too.")
@click.option("--model", "model_text", metavar="TARGET", help="The model: needed where it is a file of your own.")
@click.option("--as", "design", metavar="VARIANT", help="Run the implementation as another variant than the trace's.")
@click.option("--quiet", is_flag=True, help="Print the verdict only.")
@click.option("--no-color", is_flag=True, help="Print without colour.")
def command(
    path: Path, against: str | None, model_text: str | None, design: str | None, quiet: bool, no_color: bool
) -> int:
    """Take every step of TRACE again: on its model, and with --against on an implementation.

    A divergence of the implementation from the model exits 5.
    """
    file = read(path)
    target = _target(path, file, model_text)
    model = _model(path, file, target)
    system = _system(path, file, model)
    try:
        trace = resolve(system, file)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error
    console = Console(no_color=no_color, highlight=False)
    if not quiet:
        print_trace(console, system, trace)
    click.echo(f"{path}: {len(trace)} steps replayed on {target.name}{_violation(path, file, system, trace)}")
    if against is not None:
        _against(against, design, model, system, trace)
    return 0


def _target(path: Path, file: TraceFile, model_text: str | None) -> Target:
    if model_text is not None:
        return find(model_text)
    if file.target not in VARIANTS:
        raise UsageError(
            f"{path} is a trace of {file.target}. A trace never names a file to run, so say it yourself: "
            f"fenceproof replay {path} --model {file.target}"
        )
    return find(file.target)


def _model(path: Path, file: TraceFile, target: Target) -> Model:
    if target.model.__name__ != file.model:
        raise FormatError(f"{path} is a trace of the model {file.model}, and {target.name} is {target.model.__name__}.")
    try:
        return construct(target.model, file.parameters)
    except ModelError as error:
        raise FormatError(f"{path}: {target.name} cannot be made with the trace's parameters: {error}") from error


def _system(path: Path, file: TraceFile, model: Model) -> TransitionSystem:
    try:
        return lift(model, Settings(file.faults, None, file.most_faults, frozenset(file.without)))
    except ModelError as error:
        raise FormatError(f"{path}: the trace is from another model: {error}") from error


def _violation(path: Path, file: TraceFile, system: TransitionSystem, trace: Trace) -> str:
    """What the trace shows, if it says that it shows a violation; FormatError if it does not show it."""
    if file.property is None:
        return "."
    try:
        chosen = chosen_properties(system, [file.property])
    except UsageError as error:
        raise FormatError(f"{path}: {error}") from error
    assert chosen is not None, "a name was given"
    if not _is_violated(chosen[0], system, trace):
        raise FormatError(f"{path}: the trace does not violate {file.property}, as it says it does.")
    return f"; it ends in a violation of {chosen[0]}."


def _is_violated(name: str, system: TransitionSystem, trace: Trace) -> bool:
    if name == DEADLOCK:
        return is_stuck(system, trace.states[-1])
    for invariant in system.invariants:
        if invariant.name == name:
            applies = is_quiescent(system, trace.states[-1]) or not invariant.quiescent
            return applies and not judge_state(invariant.judgement, trace.states[-1]).holds
    for lively in system.liveness:
        if lively.name == name:
            return refutes(system, lively, trace) is None
    prop = next(p for p in system.step_properties if p.name == name)
    if not trace.transitions:
        return False
    last = trace.transitions[-1]
    return not judge_step(prop.judgements[last], system.transitions[last], *trace.states[-2:]).holds


def _against(name: str, design: str | None, model: Model, system: TransitionSystem, trace: Trace) -> None:
    if not isinstance(model, Planner):
        raise UsageError(f"the {name} reference is a planner of the epoch-fence protocol, and this model is not one.")
    planner = type(model) if design is None else find(design).model
    if not issubclass(planner, Planner):
        raise UsageError(f"--as {design} is not a planner of the epoch-fence protocol.")
    parameters = {"calls": model.calls, "epochs": model.epochs, **planner.design()}
    found = replay_against(system, trace, Memory(), parameters)
    if found is None:
        click.echo(f"{name}: did the same in all {len(trace)} steps.")
        return
    sys.stdout.flush()
    raise DivergenceError(
        f"{name} diverges from the model at step {found.step}, {found.event}:\n"
        f"    {found.field}: expected {found.expected!r}, got {found.got!r}"
    )

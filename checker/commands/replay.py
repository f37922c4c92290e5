"""`fenceproof replay`: a trace file on its model, and on an implementation."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import click
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import DivergenceError, FormatError, ModelError, UsageError, nearest
from fenceproof.model.instances import with_numbers
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.marks import marks_of
from fenceproof.model.source import shown_path
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace
from fenceproof.model.tracefile import TraceFile, read, resolve
from fenceproof.model.weaken import made_choices, weaken
from fenceproof.specs.faults import Faults
from fenceproof.specs.properties import Planner
from fenceproof.specs.reference.memory import Memory
from fenceproof.specs.variants import VARIANTS

from ..api import chosen_properties
from ..replay import replay_against
from ..report.console import new_console
from ..report.text import print_trace
from ..targets import Target, construct, find
from ..violation import ends_in_violation
from .options import NamedPath

#: Each is written out as an action of its own where an action takes any number.
_MOST_NUMBERS: Final = 1000


@click.command()
@click.argument("path", metavar="TRACE", type=NamedPath())
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
    planner = _implemented(against, design, model, file.without)
    system = with_numbers(_system(path, file, model), _numbers(path, file))
    try:
        trace = resolve(system, file)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error
    console = new_console(no_color=no_color)
    if not quiet:
        print_trace(console, system, trace)
    without = f" without {', '.join(system.without)}" if system.without else ""
    shown = _violation(path, file, system, trace)
    click.echo(f"{path}: {len(trace)} steps replayed on {target.name}{without}{shown}")
    if against is not None and planner is not None:
        sizes = {name: system.parameters[name] for name in ("calls", "epochs")}
        _against(against, {**sizes, **planner.design()}, system, trace)
    return 0


def _numbers(path: Path, file: TraceFile) -> list[int]:
    """The numbers that a trace gives to actions, for those that take any. FormatError for more than a trace needs."""
    found = sorted({n for step in file.steps for n in step["args"].values() if type(n) is int and n >= 0})
    if len(found) > _MOST_NUMBERS:
        raise FormatError(f"{path}: {len(found):,} numbers are given to actions; at most {_MOST_NUMBERS:,} are read.")
    return found


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
    known = inspect.signature(target.model).parameters
    try:
        for name in file.parameters:
            if name not in known:
                raise ModelError(nearest(name, known, "The parameter"))
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
    if not ends_in_violation(system, chosen[0], trace):
        raise FormatError(f"{path}: the trace does not violate {file.property}, as it says it does.")
    return f"; it ends in a violation of {chosen[0]}."


def _implemented(against: str | None, design: str | None, model: Model, without: Sequence[str]) -> type[Planner] | None:
    """The design that the implementation is to run as; None where there is none. UsageError for what it cannot be."""
    if against is None:
        if design is not None:
            raise UsageError(
                f"--as {design} says what the implementation runs as, and none is named. Add --against memory."
            )
        return None
    if not isinstance(model, Planner):
        raise UsageError(
            f"the {against} reference is a planner of the epoch-fence protocol, and this model is not one. "
            "Leave --against away to replay on the model alone."
        )
    methods = [name for name in without if name not in made_choices(model)]
    if methods and design is None:
        raise UsageError(
            f"{against} knows designs by their knobs, and none says what it is to be without {', '.join(methods)}.\n"
            "    Name a shipped design to hold the trace against: --as fenced."
        )
    planner = type(weaken(model, without)) if design is None else find(design).model
    if not issubclass(planner, Planner):
        raise UsageError(f"--as {design} is not a planner of the epoch-fence protocol.")
    unknown = _beyond_knobs(planner)
    if unknown is not None:
        raise UsageError(
            f"{against} knows the shipped designs by their knobs, and not {unknown}.\n"
            "    Name a shipped design to hold the trace against: --as fenced."
        )
    try:
        Memory().reset(planner.design())
    except ValueError as error:
        raise UsageError(
            f"the {against} reference cannot run as this design: {error}.\n"
            "    Name one that it can run as: --as fenced."
        ) from error
    return planner


def _beyond_knobs(planner: type[Planner]) -> str | None:
    """What a design changes of the shipped planner in Python, so that no knob says it; None where there is nothing."""
    for owner in planner.__mro__:
        if owner.__module__.startswith("fenceproof.") or owner is object:
            continue
        place = f"{shown_path(inspect.getfile(owner))}:{owner.__qualname__}"
        for name, value in vars(owner).items():
            if name.startswith("__") or name in planner.design():
                continue
            marks = marks_of(getattr(Faults, name, value))
            role = marks.role if marks is not None else ""
            if hasattr(Faults, name) and role in ("", "action"):
                return f"the override of {name} in {place}"
            if role == "action" and not hasattr(Planner, name):
                return f"the action {name} in {place}"
    return None


def _against(name: str, parameters: Mapping[str, object], system: TransitionSystem, trace: Trace) -> None:
    found = replay_against(system, trace, Memory(), parameters)
    if found is None:
        click.echo(f"{name}: did the same in all {len(trace)} steps.")
        return
    sys.stdout.flush()
    raise DivergenceError(
        f"{name} diverges from the model at step {found.step}, {found.event}:\n"
        f"    {found.field}: expected {found.expected!r}, got {found.got!r}"
    )

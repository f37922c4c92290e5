"""`fenceproof replay`: a trace file on its model, and on an implementation."""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import click
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import DivergenceError, FormatError, ModelError, UsageError, nearest
from fenceproof.model.instances import with_numbers
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace
from fenceproof.model.tracefile import TraceFile, read, resolve
from fenceproof.specs.variants import VARIANTS

from ..api import chosen_properties
from ..design import parameters_for
from ..driven import Driven
from ..replay import replay_against
from ..report.console import new_console
from ..report.divergence import divergence_text
from ..report.text import print_trace
from ..targets import Target, construct, find
from ..violation import ends_in_violation
from .against import ImplementationOptions, implementation_options
from .options import NamedPath

#: Each is written out as an action of its own where an action takes any number.
_MOST_NUMBERS: Final = 1000


@click.command()
@click.argument("path", metavar="TRACE", type=NamedPath())
@implementation_options
@click.option("--model", "model_text", metavar="TARGET", help="The model: needed where it is a file of your own.")
@click.option("--as", "design", metavar="VARIANT", help="Run the reference as another variant than the trace's.")
@click.option("--quiet", is_flag=True, help="Print the verdict only.")
@click.option("--no-color", is_flag=True, help="Print without colour.")
def command(
    path: Path,
    chosen: ImplementationOptions,
    model_text: str | None,
    design: str | None,
    quiet: bool,
    no_color: bool,
) -> int:
    """Take every step of TRACE again: on its model, and with --against on an implementation.

    That is the reference planner, with its records in memory, SQLite or PostgreSQL, or an adapter of your own, which
    is run as code. Its outcome and snapshot are compared with the model's after each event; a divergence exits 5.
    """
    if chosen.against is None and design is not None:
        raise UsageError(
            f"--as {design} says what the implementation runs as, and none is named. Add --against memory."
        )
    file = read(path)
    target = _target(path, file, model_text)
    model = _model(path, file, target)
    system = with_numbers(_system(path, file, model), _numbers(path, file))
    try:
        trace = resolve(system, file)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error
    violation = _violation(path, file, system, trace)
    with ExitStack() as stack:
        adapter, parameters = None, dict[str, object]()
        if chosen.against is not None:
            parameters = parameters_for(chosen.against, model, system, file.without, design)
            adapter = stack.enter_context(chosen.open())
        if not quiet:
            print_trace(new_console(no_color=no_color), system, trace)
        click.echo(f"{path}: {len(trace)} steps replayed on {target.name}{violation}")
        if adapter is not None:
            _against(adapter, parameters, system, trace)
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


def _against(adapter: Driven, parameters: Mapping[str, object], system: TransitionSystem, trace: Trace) -> None:
    """Run a trace on an implementation. DivergenceError at the first difference."""
    found = replay_against(system, trace, adapter, parameters)
    if found is None:
        # Once more, to see that nothing of it is left.
        adapter.reset(parameters)
        click.echo(f"{adapter.name}: did the same in all {len(trace)} steps.")
        return
    sys.stdout.flush()
    raise DivergenceError(divergence_text(adapter.name, found, len(trace), _again()))


def _again() -> str:
    """The command that was given."""
    return shlex.join(["fenceproof", *sys.argv[1:]])

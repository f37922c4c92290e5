"""`fenceproof replay`: a trace file on its model, and on an implementation."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import click
from fenceproof.model.errors import DivergenceError, UsageError
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace

from ..design import parameters_for
from ..driven import Driven
from ..replay import replay_against
from ..report.console import new_console
from ..report.divergence import divergence_text
from ..report.mistaken import mistake_of
from ..report.steps import print_trace
from ..report.summary import counted
from ..telling import say
from .again import command_given
from .against import ImplementationOptions, implementation_options
from .options import NamedPath
from .traced import Traced, traced


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
    read = traced(path, model_text, "replay")
    system, trace = read.system, read.trace
    with ExitStack() as stack:
        adapter, parameters = None, dict[str, object]()
        if chosen.against is not None:
            parameters = parameters_for(chosen.against, read.model, system, system.without, design)
            adapter = stack.enter_context(chosen.open())
        if not quiet:
            print_trace(new_console(no_color=no_color), system, trace)
        steps = counted(len(trace), "step")
        say(f"{path}: {steps} replayed on {read.name}{_end(read)}.")
        if adapter is not None:
            _against(adapter, parameters, system, trace)
    return 0


def _end(read: Traced) -> str:
    """What is wrong at the end of a trace."""
    if read.violated is not None:
        return f"; it ends in a violation of {read.violated}"
    wrong = mistake_of(read.system, read.trace)
    return "" if wrong is None else f"; there the model itself goes wrong: {wrong.text.removesuffix('.')}"


def _against(adapter: Driven, parameters: Mapping[str, object], system: TransitionSystem, trace: Trace) -> None:
    """Run a trace on an implementation. DivergenceError at the first difference."""
    found = replay_against(system, trace, adapter, parameters)
    if found is None:
        # Once more, to see that nothing of it is left.
        adapter.reset(parameters)
        click.echo(f"{adapter.name}: did the same in {'all ' if len(trace) > 1 else ''}{counted(len(trace), 'step')}.")
        return
    sys.stdout.flush()
    raise DivergenceError(divergence_text(adapter.name, found, len(trace), command_given()))

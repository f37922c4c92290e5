"""`fenceproof export`: a model, a counterexample or a state graph for other tools, and a counterexample as a test.

Which format belongs to what, and which options it has a use for; the work is in `export_*.py`, one file each.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
from click.core import ParameterSource
from fenceproof.model.errors import UsageError

from ..export import FORMATS
from ..export.graphs import GRAPH_FORMATS
from ..export.traces import TRACE_FORMATS
from ..limits import Limits
from ..telling import tell
from ..writing import check_free, check_writable, write_whole
from .export_graph import export_states
from .export_model import export_model
from .export_pytest import Test, export_pytest
from .export_trace import export_counterexample, export_saved
from .options import ModelOptions, NamedPath, fault_options, limit_options, model_options

_TEST: Final = "pytest"
_LISTED: Final = "; ".join(
    [
        *(f"{name}: {made.meaning}" for name, made in FORMATS.items()),
        *(f"{name}: {trace.meaning}" for name, trace in TRACE_FORMATS.items()),
        *(f"{name}: {graph.meaning}" for name, graph in GRAPH_FORMATS.items()),
        f"{_TEST}: a saved trace as a test, which fails on a design that does the same",
    ]
)
_EVERY: Final = frozenset({"--format", "--out", "--force"})
_MODEL: Final = frozenset({"--set", "--calls", "--epochs", "--faults", "--most-faults", "--without", "--property"})
_LIMITS: Final = frozenset({"--max-states", "--memory", "--time"})


@dataclass(frozen=True, slots=True)
class _Use:
    """What a format of a target is called in messages, and the options that it has a use for."""

    name: str
    options: frozenset[str]


@click.command()
@model_options
@fault_options
@click.option(
    "--format",
    "name",
    type=click.Choice([*FORMATS, *TRACE_FORMATS, *GRAPH_FORMATS, _TEST]),
    required=True,
    help=f"{_LISTED}.",
)
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Ask about this only; repeatable.")
@click.option("--depth", type=click.IntRange(1, 10_000), metavar="K", help="With smtlib: how many steps. Default: 20.")
@click.option(
    "--all-copies", is_flag=True, help="Of a trace or graph: explore calls side by side, even where they share nothing."
)
@limit_options
@click.option("--model", "model_text", metavar="TARGET", help="The model of a saved trace, where it is your own file.")
@click.option("--right", metavar="TARGET", help="With pytest: the design to do as. Default: fenced, or all safeguards.")
@click.option("--against", metavar="IMPLEMENTATION", help="With pytest: memory, sqlite, module:Adapter, file.py:Class.")
@click.option("--as", "design", metavar="VARIANT", help="With pytest: run the reference as another design.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.option("--out", type=NamedPath(), metavar="FILE", help="Write to a file, whole or not at all.")
def command(
    model: ModelOptions,
    name: str,
    properties: tuple[str, ...],
    depth: int | None,
    all_copies: bool,
    limits: Limits,
    model_text: str | None,
    right: str | None,
    against: str | None,
    design: str | None,
    force: bool,
    out: Path | None,
) -> int:
    """Write TARGET in a format that other tools read.

    Formats of a model say what it does and must never do. Those of a trace show a saved trace, or the shortest
    counterexample of a model, which is then checked first. Those of a graph have every reachable state and step, with
    the shortest counterexample marked. With --format pytest TARGET is a saved trace, and what is
    written is a test: it applies the trace's events to an implementation, and fails where something else comes of one
    than a right design makes of it.
    """
    if is_saved(model.target) and name not in (*TRACE_FORMATS, _TEST):
        raise UsageError(
            f"{model.target} is a saved trace, and {name} is a format of a whole model. "
            f"Of a trace there are {', '.join((*TRACE_FORMATS, _TEST))}."
        )
    _check_useful(_use(name, is_saved(model.target)))
    if out is not None:
        check_free(out, force=force)
        check_writable(out)
    if name == _TEST:
        settings = [f"{n}={v}" for n, v in model.settings.items()]
        export_pytest(Path(model.target), Test(model_text, right, settings, against, design, force), out)
        return 0
    if name in FORMATS:
        text: str | int = export_model(model, name, properties, depth)
    elif name in GRAPH_FORMATS:
        text = export_states(model, name, properties, limits, all_copies=all_copies)
    elif is_saved(model.target):
        text = export_saved(Path(model.target), name, model_text)
    else:
        text = export_counterexample(model, name, properties, limits, all_copies=all_copies)
    if isinstance(text, int):
        return text
    if out is None:
        click.echo(text, nl=False)
    else:
        write_whole(out, text)
        if name == "tla" and out.name != (wanted := f"{text.split()[2]}.tla"):
            tell(f"TLC and Apalache read this module from a file by its name only: call it {wanted}.")
    return 0


def is_saved(target: str) -> bool:
    """Whether what a user named is a file that is no model: a saved trace, or meant as one."""
    path = Path(target)
    return path.suffix in (".json", ".itf") or (path.suffix not in ("", ".py") and path.is_file())


def _use(name: str, saved: bool) -> _Use:
    """What is to be done with a format, and the options that go with it."""
    if name == _TEST:
        return _Use(name, frozenset({"--model", "--right", "--against", "--as", "--set", "--calls", "--epochs"}))
    if name in FORMATS:
        return _Use(name, _MODEL | {"--depth"})
    if saved and name in TRACE_FORMATS:
        return _Use(f"{name} of a saved trace", frozenset({"--model"}))
    return _Use(name, _MODEL | _LIMITS | {"--all-copies"})


def _check_useful(use: _Use) -> None:
    """That no option was given that the format has no use for."""
    context = click.get_current_context()
    for parameter in context.command.params:
        option = parameter.opts[0]
        was_given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if isinstance(parameter, click.Option) and was_given and option not in use.options | _EVERY:
            raise UsageError(f"{option} has no meaning with --format {use.name}. Leave it away.")

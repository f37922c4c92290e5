"""`fenceproof simulate`: the named event orders, trace by trace."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Final

import click
from click.core import ParameterSource
from fenceproof.model.errors import FormatError, UsageError, nearest
from fenceproof.specs.injected import InjectedTrace, parse, shipped
from fenceproof.specs.properties import Planner

from ..simulation import Outcome, Seen, Systems, run_trace
from ..targets import find
from .options import NamedPath
from .questions import ask

#: From here on, a name is taken for a slip in the beginning of another.
_ALIKE: Final = 0.8


@click.command()
@click.option("--inject", "names", multiple=True, metavar="NAME", help="Run this trace only; repeatable.")
@click.option("--traces", "more", multiple=True, type=NamedPath(), metavar="FILE", help="Add traces.")
@click.option("--variant", default="fenced", show_default=True, metavar="TARGET", help="The planner to run them on.")
@click.option("--question", metavar="NAME", help="Ask a closing question instead, or all.")
@click.pass_context
def command(
    context: click.Context, names: tuple[str, ...], more: tuple[Path, ...], variant: str, question: str | None
) -> int:
    """Run the injected traces on a planner, and on a control in which the last writer wins."""
    if question is not None:
        for name, option in (("names", "--inject"), ("more", "--traces"), ("variant", "--variant")):
            if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
                raise UsageError(f"{option} is about the injected traces, and a question has its own. Leave out one.")
        return ask(question)
    target = find(variant)
    if not issubclass(target.model, Planner):
        raise UsageError(
            f"{target.name} is not a planner of the epoch-fence protocol, so the traces mean nothing to it."
        )
    traces = _chosen(names, more)
    systems = Systems()
    outcomes = [run_trace(trace, target.model, systems) for trace in traces]
    for outcome in outcomes:
        _show(target.name, outcome)
    failed = sum(1 for outcome in outcomes if outcome.problems)
    click.echo(f"failed={failed} / {len(outcomes)}")
    return 1 if failed else 0


def _chosen(names: tuple[str, ...], more: tuple[Path, ...]) -> list[InjectedTrace]:
    traces = {trace.name: trace for trace in shipped()}
    for path in more:
        for trace in parse(_text(path), str(path)):
            if trace.name in traces:
                raise FormatError(f"{path}: there is a trace called {trace.name!r} already. Give it another name.")
            traces[trace.name] = trace
    for name in names:
        if name not in traces:
            raise UsageError(_unknown(name, list(traces)))
    return [traces[name] for name in dict.fromkeys(names)] if names else list(traces.values())


def _unknown(name: str, known: list[str]) -> str:
    """A sentence that names what an unknown name is the beginning of, or nearly so; else the nearest as a whole."""

    def likeness(candidate: str) -> float:
        beginning = candidate[: len(name) + 1].replace("_", "-").lower()
        return difflib.SequenceMatcher(None, name.replace("_", "-").lower(), beginning).ratio()

    best = max(known, key=likeness)
    if likeness(best) < _ALIKE:
        return nearest(name, known, "The trace")
    return f"The trace {name!r} is not known. Did you mean {best}?"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise FormatError(f"{path}: the file cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: this is not text.") from error


def _show(planner: str, outcome: Outcome) -> None:
    click.echo(f"TRACE {outcome.trace.name}")
    for seen in outcome.planner.seen:
        click.echo(f"  {seen.event:<18}{seen.record or seen.outcome:<44}{_durable(seen)}")
    click.echo(f"  {planner}: {outcome.planner.state}; naive_broken={outcome.naive_broken}")
    for problem in outcome.problems:
        click.echo(f"  {problem}")
    click.echo(f"  PROPERTY {'FAIL' if outcome.problems else 'OK'}")


def _durable(seen: Seen) -> str:
    committed = seen.durable["committed"]
    what = "nothing committed" if committed is None else f"{seen.durable['outcome']}@{committed} committed"
    return f"live epoch {seen.durable['live']}, {what}"

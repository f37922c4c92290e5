"""`fenceproof explore`: a page to walk around in a model's states with a browser, offline."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Final

import click
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.specs.variants import VARIANTS

from ..api import chosen_properties
from ..batch import Asked, left_out, plan
from ..engines import engine_named
from ..limits import Limits, go_on
from ..page.document import page
from ..page.guards import with_place
from ..page.subject import MOST_STATES, Beside, Said, Subject, Told, told
from ..report.progress import shown_progress
from ..result import CheckResult
from ..targets import build, find
from ..telling import tell
from ..writing import check_free, check_writable, write_whole
from .options import ModelOptions, NamedPath, check_time, fault_options, memory_of, model_options

#: A search for what the page is to tell ends here unless a user says otherwise: in seconds, and past all that is short.
MOST_SEARCHED: Final = 1_000_000
#: What a shipped design is held against: the right one, and that one against the one that everybody knows.
_RIGHT: Final = "fenced"
_KNOWN: Final = "last-writer"


@click.command()
@model_options
@fault_options
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Tell of this only; repeatable.")
@click.option(
    "--max-states", type=click.IntRange(1, 200_000), default=MOST_STATES, show_default=True, metavar="N",
    help="States in the page: where there are more, those nearest to the counterexamples.",
)  # fmt: skip
@click.option(
    "--search", "most_searched", type=click.IntRange(1), default=MOST_SEARCHED, show_default=True, metavar="N",
    help="States to search for counterexamples first.",
)  # fmt: skip
@click.option("--time", "time_s", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Search S seconds.")
@click.option("--beside", metavar="TARGET", help="A model to be given the same events. Of a shipped design: another.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.option("--out", type=NamedPath(dir_okay=False), required=True, metavar="FILE", help="The page, as mine.html.")
def command(
    model: ModelOptions,
    properties: tuple[str, ...],
    max_states: int,
    most_searched: int,
    time_s: float | None,
    beside: str | None,
    force: bool,
    out: Path,
) -> int:
    """Write a page about TARGET to walk around in with a browser: one file, which loads nothing.

    It has the shortest counterexamples step by step, the state at each step, what can happen there and why other
    actions cannot, the graph of the states, and another model on the same events.
    """
    if time_s is not None:
        check_time(time_s, "Leave --time away for no limit.")
    check_free(out, force=force)
    check_writable(out)
    limits = Limits(most_searched, memory_of(None), time_s)
    target = find(model.target)
    if target.remark:
        tell(target.remark)
    made, settings = model.make(target)
    system = lift(made, settings)
    result = _searched(system, properties, limits)
    other = beside or (None if target.name not in VARIANTS else _KNOWN if target.name == _RIGHT else _RIGHT)
    subject = Subject(
        _named(target.name),
        system,
        _told(result),
        tuple(Said(p.name, result.said_of(p), p.meaning) for p in result.properties),
        _said(result),
        None if other is None else _beside(other, model, result, limits),
        max_states,
    )
    write_whole(out, page(subject))
    click.echo(f"Written: {out}. Open it in a browser.", err=True)
    return 0


def _named(target: str) -> str:
    """A target as the page calls it, which somebody else may read: a file without the folders that it lies in."""
    return PurePath(target).name


def _searched(system: TransitionSystem, properties: tuple[str, ...], limits: Limits) -> CheckResult:
    chosen = chosen_properties(system, properties)
    with shown_progress(enabled=True, no_color=False) as progress:
        result = engine_named("explicit", limits)(system, properties=chosen, limits=limits, progress=progress)
    go_on(result.stop)
    return result


def _said(result: CheckResult) -> str:
    if result.stop is not None:
        return f"{result.visited:,} states, and not all: {result.stop.reason}"
    if result.wrong is not None:
        return f"{result.visited:,} states, up to where the model itself goes wrong: {with_place(result.wrong.mistake)}"
    return f"every reachable state: {result.visited:,}"


def _told(result: CheckResult) -> tuple[Told, ...]:
    found = tuple(told(result.system, p) for p in result.properties if p.trace is not None)
    return found if result.wrong is None else (*found, told(result.system, result.wrong))


def _beside(name: str, model: ModelOptions, result: CheckResult, limits: Limits) -> Beside:
    """Another model with the same options, and with its own counterexamples where the page has none."""
    target = find(name)
    _, settings = model.make(find(model.target))
    asked = Asked(model.settings, settings, ())
    jobs = plan([find(model.target), target], asked)
    for remark in left_out(jobs, asked):
        tell(remark)
    system = lift(build(target, jobs[1].asked.settings), jobs[1].asked.lifting)
    told = () if _told(result) else _told(_searched(system, (), limits))
    return Beside(_named(target.name), system, told)

"""The engines beside each other, property by property, and how the time of those that ask a solver grows.

    python benchmarks/beside_engines.py                       # fenced and last-writer, then growth: some minutes
    python benchmarks/beside_engines.py replay --property single-commit --time 30
    python benchmarks/beside_engines.py --growth

No two engines may contradict each other: then there is no table, and the exit code is 1. It is 2 for wrong usage.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import click
from engine_run import Job, Outcome, run
from fenceproof.checker.api import property_names
from fenceproof.checker.engines import ENGINES
from fenceproof.checker.targets import build, find
from fenceproof.model.errors import FenceproofError
from fenceproof.model.lift import lift
from rich import box
from rich.console import Console
from rich.table import Table

USUAL: Final = ("fenced", "last-writer")
#: What the tables need; a narrower terminal folds their lines, and nothing is left out.
WIDTH: Final = 160
CONCLUSIVE: Final = ("holds", "proved", "violated")


class Contradiction(click.ClickException):
    """Two engines say different things of one property."""

    exit_code = 1


@click.command()
@click.argument("targets", nargs=-1, metavar="[TARGET]…")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="This property only; repeatable.")
@click.option("--most-faults", type=click.IntRange(0), metavar="N", help="At most N faults in all.")
@click.option("--depth", type=click.IntRange(1), default=10, show_default=True, help="How far bmc unrolls.")
@click.option("--time", "time_s", type=click.FloatRange(1), default=60.0, show_default=True, help="Seconds for each.")
@click.option("--growth", "only_growth", is_flag=True, help="Only how time grows with calls, epochs and depth.")
def command(
    targets: tuple[str, ...],
    properties: tuple[str, ...],
    most_faults: int | None,
    depth: int,
    time_s: float,
    only_growth: bool,
) -> None:
    """Run every engine on every safety property of TARGETs, each in a process of its own, and print what each took."""
    console = Console()
    console.width = max(console.width, WIDTH)
    start = Job("fenced", "bmc", None, {}, most_faults, depth, time_s)
    if not only_growth:
        for target in targets or USUAL:
            console.print(engines_table(replace(start, target=target), properties or safety(target)), "")
    if only_growth or not targets:
        for table in growth_tables(start):
            console.print(table, "")


def safety(target: str) -> list[str]:
    """The properties of a target that every engine judges: all but liveness."""
    try:
        system = lift(build(find(target), {}))
    except FenceproofError as error:
        raise click.UsageError(str(error)) from error
    lively = {prop.name for prop in system.liveness}
    return [name for name in property_names(system) if name not in lively]


def engines_table(start: Job, properties: Iterable[str]) -> Table:
    """A row for each property, a column for each engine. Raises Contradiction."""
    table = table_of(f"{start.target}: each engine, property by property", "property", *ENGINES)
    for name in properties:
        found = {engine: measured(replace(start, engine=engine, property_name=name)) for engine in ENGINES}
        table.add_row(name, *(cell(outcome) for outcome in found.values()))
        said = {"violated" if o.verdict == "violated" else "holds" for o in found.values() if o.verdict in CONCLUSIVE}
        if len(said) > 1:
            raise Contradiction(f"{start.target}, {name}: " + "; ".join(f"{e}: {o.verdict}" for e, o in found.items()))
    return table


def growth_tables(start: Job) -> Iterable[Table]:
    """How the time of each engine that asks a solver grows, on the fenced planner and no-ghost."""
    job = replace(start, target="fenced", property_name="no-ghost")
    deeper = [(n, replace(job, depth=n)) for n in (2, 4, 6, 8, 10, 12)]
    yield growth("steps unrolled", ["bmc"], deeper)
    solvers = [engine for engine in ENGINES if engine != "explicit"]
    for parameter, sizes in (("epochs", (2, 3, 4, 5, 6)), ("calls", (1, 2, 3))):
        yield growth(parameter, solvers, [(size, replace(job, parameters={parameter: size})) for size in sizes])


def growth(what: str, engines: Sequence[str], jobs: Sequence[tuple[int, Job]]) -> Table:
    """A row for each size, a column for each engine, with how much more it took than for the size before."""
    table = table_of(f"fenced, no-ghost: growth with {what}", what, *engines)
    last: dict[str, float] = {}
    for size, job in jobs:
        cells: list[str] = []
        for engine in engines:
            outcome = measured(replace(job, engine=engine))
            times = f" (x {outcome.cpu_s / last[engine]:.1f})" if engine in last else ""
            cells.append(cell(outcome, times))
            last[engine] = outcome.cpu_s
        table.add_row(str(size), *cells)
    return table


def cell(outcome: Outcome, times: str = "") -> str:
    """What was said, the steps of a counterexample, CPU-seconds and the peak of memory."""
    steps = "" if outcome.steps is None else f" in {outcome.steps}"
    return f"{outcome.verdict}{steps}, {outcome.cpu_s:.2f} s{times}, {outcome.peak_bytes / 1e6:,.0f} MB"


def table_of(title: str, *columns: str) -> Table:
    """An empty table that can be pasted into a document."""
    table = Table(title=title, title_justify="left", box=box.MARKDOWN)
    for name in columns:
        table.add_column(name)
    return table


def measured(job: Job) -> Outcome:
    """What a run took, in a folder that goes again."""
    with tempfile.TemporaryDirectory() as folder:
        return run(job, Path(folder))


if __name__ == "__main__":
    command()

"""The golden models here and in SPIN, in turn, with what each side took.

    python benchmarks/beside_spin.py
    python benchmarks/beside_spin.py 'Fence(4)' 'TwoPhase(8)' --repeat 5

Exit codes: 0, 1 where a side's counts are not the golden ones, 2 for wrong usage or a missing tool.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from typing import Final

import click
import ours
import spin
from golden import COUNTS, LARGE, USUAL, Case, known_cases
from measure import ProgramError
from rich import box
from rich.console import Console
from rich.table import Table
from sides import Outcome

OURS, SPIN = "fenceproof", "SPIN"
#: What the tables need; a narrower terminal folds their lines, and nothing is left out.
WIDTH: Final = 130


class WrongCounts(click.ClickException):
    """A side did not explore the state space that is known."""

    exit_code = 1


class Missing(click.ClickException):
    """A tool is not there."""

    exit_code = 2


@click.command()
@click.argument("models", nargs=-1, metavar="[MODEL]…")
@click.option(
    "--repeat", type=click.IntRange(1), default=3, show_default=True, help="Runs of each side; medians count."
)
@click.option("--large", is_flag=True, help=f"Run {' and '.join(LARGE)} too: minutes, and 2 GB of memory.")
@click.option("--depth-first", is_flag=True, help="Let SPIN search depth first; we stay breadth first.")
@click.option(
    "--counts",
    "files",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    multiple=True,
    metavar="FILE",
    help="Take the golden counts from here; repeatable.",
)
def command(models: tuple[str, ...], repeat: int, large: bool, depth_first: bool, files: tuple[Path, ...]) -> None:
    """Run golden models (Fence(3), say) here and in SPIN, in turn, and print what each side took.

    The counts of both sides must be the known ones, or there is no table and the exit code is 1.
    """
    cases = chosen_cases(models or (*USUAL, *(LARGE if large else ())), known_cases(files or COUNTS))
    if missing := spin.missing_tools():
        raise Missing(f"{' and '.join(missing)} cannot be found. To install: apt-get install {' '.join(missing)}")
    order = spin.Order.DEPTH_FIRST if depth_first else spin.Order.BREADTH_FIRST
    console = Console()
    console.width = max(console.width, WIDTH)
    search, whole = search_table(order, repeat), whole_table()
    for case in cases:
        with console.status(f"{case}"):
            ours_typical, spin_typical = side_by_side(case, order, repeat)
        add_search(search, case, ours_typical, spin_typical)
        add_whole(whole, case, ours_typical, spin_typical)
    console.print(search, whole, sep="\n\n")


def chosen_cases(names: tuple[str, ...], known: dict[str, Case]) -> list[Case]:
    """The cases that were named, each once. UsageError for one whose counts nobody knows."""
    for name in names:
        if name not in known:
            raise click.UsageError(f"the counts of {name} are not known. Known are: {', '.join(known)}.")
    return [known[name] for name in dict.fromkeys(names)]


def side_by_side(case: Case, order: spin.Order, repeat: int) -> tuple[Outcome, Outcome]:
    """The typical run of each side, of several that took turns. Raises WrongCounts."""
    runs: list[tuple[Outcome, Outcome]] = []
    for _ in range(repeat):
        with tempfile.TemporaryDirectory() as folder:
            try:
                runs.append((ours.run(case, Path(folder)), spin.run(case, order, Path(folder))))
            except (ProgramError, spin.OutputError) as error:
                raise WrongCounts(f"{case}: {error}") from error
        for side, outcome in zip((OURS, SPIN), runs[-1], strict=True):
            if not outcome.counts.agree(case.golden):
                raise WrongCounts(f"{case} in {side}: {outcome.counts}; golden are {case.golden}.")
    return typical([ours_run for ours_run, _ in runs]), typical([spin_run for _, spin_run in runs])


def typical(runs: list[Outcome]) -> Outcome:
    """The median of each figure."""
    return Outcome(
        counts=runs[0].counts,
        search_cpu_s=median(run.search_cpu_s for run in runs),
        search_wall_s=median(run.search_wall_s for run in runs),
        before={part: median(run.before[part] for run in runs) for part in runs[0].before},
        peak_bytes=int(median(run.peak_bytes for run in runs)),
    )


def search_table(order: spin.Order, repeat: int) -> Table:
    """The empty table of the searches alone."""
    runs = f"medians of {repeat} runs in turn" if repeat > 1 else "one run"
    table = Table(title=f"The search alone; SPIN {order.value}; {runs}", title_justify="left", box=box.MARKDOWN)
    table.add_column("model")
    table.add_column("side")
    for name in ("distinct", "generated", "distinct / CPU s", "generated / CPU s", "CPU s", "wall s", "peak MB"):
        table.add_column(name, justify="right")
    return table


def add_search(table: Table, case: Case, here: Outcome, there: Outcome) -> None:
    """A case's rows: each side, and ours in relation to SPIN's."""
    for side, run in ((OURS, here), (SPIN, there)):
        counts, rate = run.counts, 1 / run.search_cpu_s
        table.add_row(
            str(case),
            side,
            f"{counts.distinct:,}",
            f"{counts.generated:,}",
            f"{counts.distinct * rate:,.0f}",
            f"{counts.generated * rate:,.0f}",
            f"{run.search_cpu_s:.3f}",
            f"{run.search_wall_s:.3f}",
            f"{run.peak_bytes / 1e6:,.0f}",
        )
    cpu, wall = here.search_cpu_s / there.search_cpu_s, here.search_wall_s / there.search_wall_s
    ratios = (f"{cpu:.2f}", f"{wall:.2f}", f"{here.peak_bytes / there.peak_bytes:.2f}")
    table.add_row(str(case), "ours / SPIN", "", "", "", "", *ratios)


def whole_table() -> Table:
    """The empty table of everything between a model's text and its counts."""
    title = "CPU-seconds from the model's text to its counts"
    table = Table(title=title, title_justify="left", box=box.MARKDOWN)
    table.add_column("model")
    for name in ("Python starts", "lifting", "search", "ours", "spin -a", "gcc", "search", "SPIN", "ours / SPIN"):
        table.add_column(name, justify="right")
    return table


def add_whole(table: Table, case: Case, here: Outcome, there: Outcome) -> None:
    """A case's row: the parts and the sum of each side, and the relation of the sums."""
    figures = [*here.before.values(), here.search_cpu_s, here.total_cpu_s]
    figures += [*there.before.values(), there.search_cpu_s, there.total_cpu_s]
    table.add_row(str(case), *(f"{figure:.3f}" for figure in figures), f"{here.total_cpu_s / there.total_cpu_s:.2f}")


if __name__ == "__main__":
    command()

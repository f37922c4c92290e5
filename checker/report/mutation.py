"""What became of mutants, as a person reads it: which tests caught which mistake, and why some are caught by none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import click
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace
from rich.table import Table

from ..conformance.running import Finding
from .claim import bounds, faults
from .console import new_console
from .plain import Text
from .summary import counted


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a mutant, made by a mistake: the divergence that the tests found, and the one that random walks
    did if there were any; None where they found none. `equivalent` says why nothing can, or is empty."""

    name: str
    mistake: str
    equivalent: str
    tests: Finding | None
    walks: Finding | None
    has_walked: bool

    @property
    def is_killed(self) -> bool:
        """Whether anything caught it."""
        return self.tests is not None or self.walks is not None

    @property
    def is_expected(self) -> bool:
        """Whether it was caught, or is said to be equivalent and was not."""
        return self.is_killed != bool(self.equivalent)


def print_fates(
    system: TransitionSystem,
    tests: Sequence[Trace],
    walks: int | None,
    fates: Sequence[Fate],
    *,
    quiet: bool,
    no_color: bool,
) -> None:
    """Print a line for each mutant, and then what survived and why; with `quiet` the numbers alone."""
    if not quiet:
        console = new_console(no_color=no_color)
        console.print(_table(fates))
        for fate in fates:
            if not fate.is_killed:
                why = fate.equivalent or "nobody knows why; more faults may show it (--most-faults)"
                console.print(Text(f"{fate.name} survives: {why}"), soft_wrap=False)
        console.print()
        console.print(
            Text(f"tests   {counted(len(tests), 'test')}, {counted(sum(map(len, tests)), 'step')}, {_of(walks)}")
        )
        console.print(Text(f"bounds  {bounds(system)}; faults: {faults(system)}"))
    equivalent = sum(1 for fate in fates if fate.equivalent and not fate.is_killed)
    killed = sum(1 for fate in fates if fate.is_killed)
    left = len(fates) - killed - equivalent
    by = [f"{sum(1 for fate in fates if fate.tests is not None)} by the tests"]
    if walks is not None:
        by.append(f"{sum(1 for fate in fates if fate.walks is not None)} by random walks")
    said = f"{killed} of {counted(len(fates), 'mutant')} caught ({', '.join(by)}); {equivalent} equivalent"
    click.echo(f"{said}; {left} survived unexplained")


def _of(walks: int | None) -> str:
    return "no random walks" if walks is None else f"{counted(walks, 'random walk')} of each"


def _table(fates: Sequence[Fate]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    has_walked = any(fate.has_walked for fate in fates)
    table.add_column("mutant", no_wrap=True)
    for name in ("mistake", "tests", *(["walks"] if has_walked else [])):
        table.add_column(name, overflow="fold")
    for fate in fates:
        row = [fate.name, fate.mistake, _shown(fate.tests)]
        table.add_row(*map(Text, [*row, *([_shown(fate.walks)] if has_walked else [])]))
    return table


def _shown(finding: Finding | None) -> str:
    return "survives" if finding is None else f"step {finding.divergence.step}, {finding.divergence.field}"

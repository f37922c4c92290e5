"""Engines that contradict each other: both claims with their traces, printed and saved, for whoever is to find out."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from fenceproof.model.trace import to_json
from rich.console import Console

from ..agreement import Contradiction, DisagreementError
from .console import new_console
from .plain import Text
from .save import save
from .steps import print_trace


@contextmanager
def shown_disagreement(target: str, folder: Path, *, printed: bool, no_color: bool) -> Generator[None]:
    """Print engines' disagreement (if it is to be printed) and save its traces; it goes on to whoever called."""
    try:
        yield
    except DisagreementError as error:
        if printed:
            print_disagreement(new_console(no_color=no_color), error)
        save_disagreement(target, error, folder)
        raise


def print_disagreement(console: Console, error: DisagreementError) -> None:
    """Every pair of claims that contradict each other, each with its trace where it has one."""
    system = error.results[0].system
    for found in error.found:
        console.print(Text(f"The engines disagree about {found.name}.", style="bold red"))
        for claim in (found.one, found.other):
            console.print(Text(f"{claim.engine} says: {claim.text}."))
            if claim.trace is not None:
                print_trace(console, system, claim.trace)
        console.print()


def save_disagreement(target: str, error: DisagreementError, folder: Path) -> bool:
    """Write the trace of every claim that has one into a folder, after its engine; whether all were saved."""
    system = error.results[0].system
    return save(
        folder,
        [
            (
                f"{found.name} by {claim.engine}",
                (target, found.name, claim.engine),
                to_json(system, trace, target, name),
            )
            for found, name in ((found, _property(error, found)) for found in error.found)
            for claim in (found.one, found.other)
            if (trace := claim.trace) is not None
        ],
    )


def _property(error: DisagreementError, found: Contradiction) -> str | None:
    names = {p.name for p in error.results[0].properties}
    return found.name if found.name in names else None

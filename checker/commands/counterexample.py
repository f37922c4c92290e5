"""The shortest counterexample of a model as a user names it: checked first, and said why where there is none."""

from __future__ import annotations

from collections.abc import Sequence

import click
from fenceproof.model.errors import UsageError
from fenceproof.model.lift import lift

from ..api import chosen_properties
from ..engines import engine_named
from ..export.traces import Shown
from ..limits import Limits, go_on
from ..reduction import check_reduced, reduced
from ..report.progress import shown_progress
from ..result import CheckResult
from ..targets import find
from ..verdict import Verdict
from .options import ModelOptions


def counterexample(
    model: ModelOptions, properties: Sequence[str], limits: Limits, *, all_copies: bool, instead: str
) -> Shown | None:
    """Check a model, and take the shortest counterexample of the first property that is violated, of those asked for.

    Which one is said on standard error where there are several, and that it is of one copy where one stands for all.
    None where a limit ended the search before anything was found, which is said too. Raises UsageError where
    everything holds; `instead` is what can be had then.
    """
    target = find(model.target)
    if target.remark:
        click.echo(f"fenceproof: {target.remark}", err=True)
    made, settings = model.make(target)
    system = lift(made, settings)
    chosen = chosen_properties(system, properties)
    found = None if all_copies else reduced(made, settings, system)
    with shown_progress(enabled=True, no_color=False) as progress:
        engine = engine_named("explicit", limits)
        result = check_reduced(engine, system, found, properties=chosen, limits=limits, progress=progress)
    go_on(result.stop)
    shown = _chosen(target.name, result)
    if shown is None and result.verdict is Verdict.INCONCLUSIVE:
        why = "a limit was reached" if result.stop is None else result.stop.reason
        click.echo(f"fenceproof: no counterexample was found so far, and the search is not complete: {why}.", err=True)
        return None
    if shown is None:
        raise UsageError(
            f"{_nothing(target.name, result, properties)} so there is no counterexample to show. {instead}"
        )
    if result.independence is not None:
        parameter = result.independence.parameter
        click.echo(f"fenceproof: {parameter} share nothing, so the trace is of one. All: --all-copies", err=True)
    return shown


def _chosen(target: str, result: CheckResult) -> Shown | None:
    """The trace of the first property that is violated; else that by which the model itself goes wrong, if it does."""
    violated = [p for p in result.properties if p.trace is not None]
    if violated:
        first = violated[0]
        assert first.trace is not None, "those were left out"
        if len(violated) > 1:
            others = ", ".join(p.name for p in violated[1:])
            click.echo(f"fenceproof: this is the counterexample of {first.name}; violated too: {others}.", err=True)
        return Shown(target, result.system, first.trace, first.name)
    if result.wrong is not None:
        click.echo(f"fenceproof: no property is violated; the model itself goes wrong: {result.wrong.text}", err=True)
        return Shown(target, result.system, result.wrong.trace, None)
    return None


def _nothing(target: str, result: CheckResult, properties: Sequence[str]) -> str:
    if len(result.properties) == 1 and properties:
        (only,) = result.properties
        return f"{only.name}: {result.said_of(only)} in {target},"
    return f"none of the {len(result.properties)} properties that were checked of {target} is violated,"

"""`fenceproof conform`: a whole model against an implementation, or against the log of a run."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import click
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import UsageError
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem

from ..design import parameters_for
from ..limits import Limits
from ..targets import Target, find
from ..telling import tell
from .against import ImplementationOptions, implementation_options
from .conform_log import held_against_log
from .conform_mutants import held_against_mutants
from .conform_tests import Asked, held_against_cover, held_against_depth, held_against_walks
from .options import TRACES, ModelOptions, NamedPath, check_time, fault_options, model_options

#: Faults in all, where the user names no bound: with two, the tests of the shipped designs take minutes on a database.
MOST_FAULTS: Final = 1
#: The same for mutants: some mistakes do not show with one.
MOST_FAULTS_OF_MUTANTS: Final = 2
MOST_DEPTH: Final = 100
#: Options that are about different things.
_APART: Final = (
    ("--log", "--random"),
    ("--log", "--depth"),
    ("--log", "--against"),
    ("--log", "--max-tests"),
    ("--random", "--depth"),
    ("--random", "--max-tests"),
    ("--mutants", "--log"),
    ("--mutants", "--depth"),
    ("--mutants", "--max-tests"),
)


@click.command()
@model_options
@fault_options
@implementation_options
@click.option("--as", "design", metavar="VARIANT", help="Run the reference as another variant than TARGET.")
@click.option("--random", "walks", type=click.IntRange(1), metavar="N", help="Take N random walks (needs Hypothesis).")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Of the random walks; 0 if left out.")
@click.option("--mutants", is_flag=True, help="Run the tests on mutants of the reference: which mistakes are caught?")
@click.option("--depth", type=click.IntRange(1, MOST_DEPTH), metavar="K", help="Run every behaviour of up to K steps.")
@click.option("--log", type=NamedPath(), metavar="FILE", help="Ask whether the run in this log is a behaviour.")
@click.option("--hidden", multiple=True, metavar="ACTION", help="With --log: may happen unlogged; repeatable.")
@click.option("--all-logged", is_flag=True, help="With --log: nothing happens unlogged.")
@click.option("--ignore", "ignored", multiple=True, metavar="EVENT", help="With --log: leave out; http.* too.")
@click.option("--max-states", type=click.IntRange(1), metavar="N", help="Stop exploring after N states.")
@click.option("--max-tests", type=click.IntRange(1), metavar="N", help="Stop after N tests, as inconclusive.")
@click.option("--time", "time_s", type=click.FloatRange(0, min_open=True), metavar="S", help="Stop after S seconds.")
@click.option("--out", type=NamedPath(file_okay=False), metavar="DIR", help="Where a trace is saved.")
@click.option("--quiet", is_flag=True, help="Print the verdict in one line.")
@click.option("--no-color", is_flag=True, help="Print without colour.")
def command(
    model: ModelOptions,
    chosen: ImplementationOptions,
    design: str | None,
    walks: int | None,
    seed: int | None,
    mutants: bool,
    depth: int | None,
    log: Path | None,
    hidden: tuple[str, ...],
    all_logged: bool,
    ignored: tuple[str, ...],
    max_states: int | None,
    max_tests: int | None,
    time_s: float | None,
    out: Path | None,
    quiet: bool,
    no_color: bool,
) -> int:
    """Hold an implementation against TARGET (the fenced planner if none is named): does it do what the model does?

    Tests that together take every transition of the model are run on it, and outcome and snapshot compared after each
    step. With --random or --depth other tests are run, and with --log the log of a run that has been is read instead.
    A divergence exits 5. Where neither --faults nor --most-faults bounds them, one fault at a time is looked at, with
    --mutants two, and in a log any number.
    """
    if time_s is not None:
        check_time(time_s, "Leave --time away for no limit.")
    given = {
        "--log": log,
        "--random": walks,
        "--depth": depth,
        "--against": chosen.against,
        "--max-tests": max_tests,
        "--mutants": mutants or None,
    }
    for one, other in _APART:
        if given[one] is not None and given[other] is not None:
            raise UsageError(f"{one} and {other} do not go together. Leave out one.")
    if design is not None and chosen.against is None:
        raise UsageError(f"--as {design} says what the implementation runs as, and none is named.")
    if log is None and (hidden or all_logged or ignored):
        raise UsageError("--hidden, --all-logged and --ignore are about a log. Name it: --log events.jsonl")
    if seed is not None and walks is None:
        raise UsageError("--seed is about random walks. Say how many: --random 100")
    if hidden and all_logged:
        raise UsageError(
            "--hidden names what is not logged, and --all-logged says that there is nothing. Leave out one."
        )
    if log is None and chosen.against is None:
        raise UsageError("nothing is named to hold against the model. Add --against memory, or --log events.jsonl.")
    target = find(model.target)
    if target.remark:
        tell(target.remark)
    most = None if log is not None else MOST_FAULTS_OF_MUTANTS if mutants else MOST_FAULTS
    made, system = _lifted(model, target, most)
    limits = Limits(max_states, None, time_s, began=time.monotonic())
    parameters: dict[str, object] = {}
    if chosen.against is not None:
        parameters = parameters_for(chosen.against, made, system, model.without, design)
    asked = Asked(target, system, chosen, design, parameters, limits, max_tests, out or TRACES, quiet, no_color)
    if log is not None:
        return held_against_log(asked, log, hidden, ignored, all_logged=all_logged)
    if mutants:
        return held_against_mutants(asked, walks, seed or 0)
    if walks is not None:
        return held_against_walks(asked, walks, seed or 0)
    return held_against_cover(asked) if depth is None else held_against_depth(asked, depth)


def _lifted(options: ModelOptions, target: Target, most_faults: int | None) -> tuple[Model, TransitionSystem]:
    """The model and its system; where the user gave no bound of faults, with so many in all (None: any number)."""
    made, settings = options.make(target)
    system = lift(made, settings)
    if options.faults != "all" or options.most_faults is not None or not system.faults:
        return made, system
    if most_faults is None:
        budgets: Mapping[str, int | None] = dict.fromkeys(system.faults)
        return made, lift(made, Settings(budgets, None, None, settings.without))
    return made, lift(made, replace(settings, most_faults=most_faults))

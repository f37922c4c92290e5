"""`fenceproof diff`: whether two models can do the same events in the same orders."""

from __future__ import annotations

import json
from pathlib import Path

import click
from fenceproof.model.errors import UsageError, nearest
from fenceproof.model.lift import lift

from ..batch import Asked, left_out, plan
from ..difference import compare
from ..events import Seen, Side
from ..faults import lifting_settings
from ..limits import Limits
from ..report.console import new_console
from ..report.diff import diff_document, one_line, print_comparison, traces_to_save
from ..report.progress import shown_progress
from ..report.save import save
from ..targets import build, find, parse_settings
from ..telling import say, tell
from ..verdict import Verdict
from .options import INTERRUPTED, TRACES, NamedPath, fault_options, limit_options


@click.command()
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
@click.option("--set", "given", multiple=True, metavar="NAME=VALUE", help="Set a parameter of both models.")
@click.option("--calls", metavar="N", help="Short for --set calls=N.")
@click.option("--epochs", metavar="N", help="Short for --set epochs=N.")
@fault_options
@click.option("--hide", multiple=True, metavar="ACTION", help="Do not look at this action; repeatable.")
@click.option("--ignore-outcomes", is_flag=True, help="Look at actions and arguments only.")
@limit_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.option("--out", type=NamedPath(file_okay=False), metavar="DIR", help="Where traces are saved.")
@click.option("--quiet", is_flag=True, help="Print the verdict in one line; save traces only with --out.")
@click.option("--no-color", is_flag=True, help="Print without colour.")
def command(
    left: str,
    right: str,
    given: tuple[str, ...],
    calls: str | None,
    epochs: str | None,
    faults: str,
    most_faults: int | None,
    without: tuple[str, ...],
    hide: tuple[str, ...],
    ignore_outcomes: bool,
    limits: Limits,
    as_json: bool,
    out: Path | None,
    quiet: bool,
    no_color: bool,
) -> int:
    """Compare the models A and B: can they do the same events in the same orders?

    An event is an action with its arguments and its outcome; faults are events too. Options are for both models; what
    only one of them has is for that one. Exit code 0 where they are equivalent, 1 where they are different, 3 where a
    limit was reached before either was known.
    """
    short = [f"{name}={value}" for name, value in (("calls", calls), ("epochs", epochs)) if value is not None]
    asked = Asked(parse_settings([*given, *short]), lifting_settings(faults, most_faults, without), ())
    one, other = lifted_pair(left, right, asked)
    seen = Seen(hidden_of(hide, one, other), ignore_outcomes)
    with shown_progress(enabled=not quiet and not as_json, no_color=no_color) as progress:
        found = compare(one, other, seen, limits, progress)
    if as_json:
        click.echo(json.dumps(diff_document(found), indent=2, ensure_ascii=False))
    elif quiet:
        say(one_line(found))
    else:
        print_comparison(new_console(no_color=no_color), found)
    if out is not None or not (as_json or quiet):
        save(out or TRACES, traces_to_save(found))
    if found.difference is not None:
        return Verdict.VIOLATED.exit_code
    if found.stop is None:
        return 0
    return INTERRUPTED if found.stop.kind == "interrupted" else Verdict.INCONCLUSIVE.exit_code


def lifted_pair(left: str, right: str, asked: Asked) -> tuple[Side, Side]:
    """Two targets with what of the options speaks of each. Raises UsageError for a name that neither of them has."""
    targets = [find(left), find(right)]
    for remark in dict.fromkeys(target.remark for target in targets if target.remark):
        tell(remark)
    jobs = plan(targets, asked)
    for remark in left_out(jobs, asked):
        tell(remark)
    one, other = (Side(j.target.name, lift(build(j.target, j.asked.settings), j.asked.lifting)) for j in jobs)
    return one, other


def hidden_of(names: tuple[str, ...], one: Side, other: Side) -> frozenset[str]:
    """The actions to hide. Raises UsageError for a name that neither side has; says where only one has it."""
    known = [{*(t.action for t in s.system.transitions), *s.system.left_out} for s in (one, other)]
    for name in names:
        if name not in known[0] | known[1]:
            raise UsageError(nearest(name, known[0] | known[1], "The action"))
        for side, actions in zip((one, other), known, strict=True):
            if name not in actions:
                tell(f"{side.target} has no action {name} to hide.")
    return frozenset(names)

"""The log of a run held against a model, for `fenceproof conform --log`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click
from fenceproof.model.errors import DivergenceError, UsageError, nearest
from fenceproof.model.trace import to_json

from ..conformance.logfile import read_log
from ..conformance.logs import Validated, hidden_by_default, validate
from ..engines.finite import refuse_unbounded
from ..report.conformance import mismatch_text, print_validated
from ..report.console import new_console
from ..report.save import save
from ..report.summary import counted
from ..verdict import Verdict
from .conform_tests import Asked


def held_against_log(
    asked: Asked, path: Path, hidden: tuple[str, ...], ignored: tuple[str, ...], *, all_logged: bool
) -> int:
    """Ask whether the run in a log is a behaviour of the model, and print the answer. DivergenceError where not."""
    system = asked.system
    refuse_unbounded(system, "a log")
    actions = {t.action for t in system.transitions}
    for name in hidden:
        if name not in actions:
            raise UsageError(nearest(name, actions, "The action"))
    log = read_log(path, system, ignored)
    unseen = frozenset(hidden) if hidden or all_logged else hidden_by_default(system, log)
    found = validate(system, log.entries, unseen, asked.limits)
    if found.mismatch is not None:
        text = mismatch_text(str(path), asked.target.name, system, found, found.mismatch)
        if log.overlapping:
            text += f"\n    {counted(log.overlapping, 'span')} overlap, and were taken in the order of their ends."
        _save(asked, path, found)
        sys.stdout.flush()
        raise DivergenceError(text)
    headline = f"{path} is a behaviour of {asked.target.name}"
    if found.stop is not None:
        last = log.entries[found.matched - 1].line if found.matched else 0
        headline = (
            f"inconclusive: {found.matched:,} of {counted(len(log.entries), 'event')} of {path} are matched by "
            f"{asked.target.name}, up to line {last}: {found.stop.reason}"
        )
    if asked.quiet:
        click.echo(headline)
    else:
        seconds = time.monotonic() - (asked.limits.began or 0.0)
        print_validated(new_console(no_color=asked.no_color), headline, system, log, found, seconds)
    return 0 if found.stop is None else Verdict.INCONCLUSIVE.exit_code


def _save(asked: Asked, path: Path, found: Validated) -> None:
    """Save a run that shows what was matched, the steps that are not in the log among them."""
    title = f"what {asked.target.name} has of {path.name}"
    parts = (asked.target.name, "up", "to", path.stem)
    save(asked.out, [(title, parts, to_json(asked.system, found.trace, asked.target.name, None))])

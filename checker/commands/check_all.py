"""`fenceproof check --all`: every model of a file, or every shipped variant, as rows of one table."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import click
from fenceproof.model.errors import UsageError

from ..batch import Asked, Engine, left_out, plan, run
from ..faults import lifting_settings
from ..limits import Limits
from ..report.console import new_console
from ..report.listing import list_document
from ..report.progress import shown_progress
from ..report.save import save_traces
from ..report.summary import row_summary
from ..report.table import print_rows
from ..row import Checked, Row, Unfinished, exit_code, was_interrupted
from ..targets import find_all
from ..telling import say, tell
from .options import INTERRUPTED, TRACES, ModelOptions


@dataclass(frozen=True, slots=True)
class Shown:
    """How and where results are shown: the options of that name."""

    as_json: bool
    out: Path | None
    quiet: bool
    no_color: bool


def asked_of_all(model: ModelOptions, properties: tuple[str, ...], expect: str | None) -> Asked:
    """What a user asks of every model. Raises UsageError for what has no meaning for several at once.

    `--expect holds` is what the exit code says anyway, of each. To expect a violation is to know one design: asked of
    every model, it would turn those that hold into failures, and of some only it is not said of which.
    """
    if expect not in (None, "holds"):
        raise UsageError(
            f"--expect {expect} is not for --all, which expects that each holds. "
            "Check the model that it is about alone: fenceproof check mine.py:Class --expect …"
        )
    return Asked(model.settings, lifting_settings(model.faults, model.most_faults, model.without), properties)


def check_all(file: str | None, asked: Asked, engine: Engine, limits: Limits, shown: Shown) -> int:
    """Check every model of a file (None: every shipped variant), print what became of each; the gravest exit code.

    Limits are for each model. An interrupt ends the run, and what is done by then is printed.
    """
    jobs = plan(find_all(file), asked)
    for remark in left_out(jobs, asked):
        tell(remark)
    rows: list[Row] = []
    taken: set[str] = set()
    interrupted = False
    watched = not shown.quiet and not shown.as_json
    for number, job in enumerate(jobs, start=1):
        title = f"{number} of {len(jobs)}, {job.target.name}"
        row: Row = Unfinished(job.target.name, "the run was interrupted before it was searched")
        try:
            if not interrupted:
                with shown_progress(enabled=watched, no_color=shown.no_color, title=title) as progress:
                    row = run(job, engine, limits, progress)
                interrupted = was_interrupted(row)
            if isinstance(row, Checked) and (shown.out is not None or watched):
                save_traces(row.target, row.result, shown.out or TRACES, taken)
        except KeyboardInterrupt:
            interrupted = True
        rows.append(row)
        if shown.quiet and not shown.as_json:
            say(f"{row.target}: {row_summary(row)}")
    if shown.as_json:
        click.echo(json.dumps(list_document(rows), indent=2, ensure_ascii=False))
    elif not shown.quiet:
        print_rows(new_console(no_color=shown.no_color), rows)
    return INTERRUPTED if interrupted else exit_code(rows)

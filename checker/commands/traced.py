"""A trace file with the model that it is a trace of: found, made and lifted, and every step taken again."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fenceproof.model.budgets import Settings
from fenceproof.model.errors import FormatError, ModelError, UsageError, nearest
from fenceproof.model.instances import with_numbers
from fenceproof.model.itf_matching import matched
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace
from fenceproof.model.tracefile import Form, TraceFile, read, resolve
from fenceproof.specs.variants import VARIANTS

from ..api import chosen_properties
from ..report.summary import named
from ..targets import Target, construct, find
from ..telling import tell
from ..violation import ends_in_violation

#: Each is written out as an action of its own where an action takes any number.
_MOST_NUMBERS: Final = 1000


@dataclass(frozen=True, slots=True)
class Traced:
    """A trace as its file has it, its model, and `violated`, the property that its end violates, or None."""

    file: TraceFile
    target: Target
    model: Model
    system: TransitionSystem
    trace: Trace
    violated: str | None

    @property
    def name(self) -> str:
        """The model as reports call it."""
        return named(self.target.name, self.system)


def traced(path: Path, model_text: str | None, command: str, then: str = "") -> Traced:
    """A trace file on its model; `model_text` names the model where it is a file of a user's.

    `command` is what the user called, and `then` what stands behind the file: both are said again with what is missing.
    Raises FormatError for a file that is no trace of it, and UsageError where the model has to be named.
    """
    file = read(path)
    target = _target(path, file, model_text, f"fenceproof {command} {path}{then}")
    model = _model(path, file, target)
    system = with_numbers(_system(path, file, model), _numbers(path, file))
    try:
        trace = _trace(path, file, system)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error
    return Traced(file, target, model, system, trace, _violated(path, file, system, trace))


def _trace(path: Path, file: TraceFile, system: TransitionSystem) -> Trace:
    if file.form is not Form.FOREIGN_ITF:
        return resolve(system, file)
    trace, several = matched(system, [file.initial, *(step["state"] for step in file.steps)], file.loop)
    if several:
        tell(f"several behaviours of the model have the states of {path}; this is one.")
    return trace


def _numbers(path: Path, file: TraceFile) -> list[int]:
    """The numbers that a trace gives to actions, for those that take any. FormatError for more than a trace needs."""
    found = sorted({n for step in file.steps for n in step.get("args", {}).values() if type(n) is int and n >= 0})
    if len(found) > _MOST_NUMBERS:
        raise FormatError(f"{path}: {len(found):,} numbers are given to actions; at most {_MOST_NUMBERS:,} are read.")
    return found


def _target(path: Path, file: TraceFile, model_text: str | None, called: str) -> Target:
    if model_text is not None:
        return find(model_text)
    if file.form is Form.FOREIGN_ITF:
        raise UsageError(
            f"{path} was written by another program, and does not say of which model it is a trace. Name the model: "
            f"{called} --model TARGET"
        )
    if file.target not in VARIANTS:
        raise UsageError(
            f"{path} is a trace of {file.target}. A trace never names a file to run, so say it yourself: "
            f"{called} --model {file.target}"
        )
    return find(file.target)


def _model(path: Path, file: TraceFile, target: Target) -> Model:
    if file.form is not Form.FOREIGN_ITF and target.model.__name__ != file.model:
        raise FormatError(f"{path} is a trace of the model {file.model}, and {target.name} is {target.model.__name__}.")
    known = inspect.signature(target.model).parameters
    try:
        for name in file.parameters:
            if name not in known:
                raise ModelError(nearest(name, known, "The parameter"))
        return construct(target.model, file.parameters)
    except ModelError as error:
        raise FormatError(f"{path}: {target.name} cannot be made with the trace's parameters: {error}") from error


def _system(path: Path, file: TraceFile, model: Model) -> TransitionSystem:
    try:
        return lift(model, Settings(file.faults, None, file.most_faults, frozenset(file.without)))
    except ModelError as error:
        raise FormatError(f"{path}: the trace is from another model: {error}") from error


def _violated(path: Path, file: TraceFile, system: TransitionSystem, trace: Trace) -> str | None:
    """The property that a trace violates, if it says that it does; FormatError if it does not."""
    if file.property is None:
        return None
    try:
        chosen = chosen_properties(system, [file.property])
    except UsageError as error:
        raise FormatError(f"{path}: {error}") from error
    assert chosen is not None, "a name was given"
    if not ends_in_violation(system, chosen[0], trace):
        raise FormatError(f"{path}: the trace does not violate {file.property}, as it says it does.")
    return chosen[0]

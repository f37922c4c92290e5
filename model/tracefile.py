"""Reading a trace file, ours or one in the Informal Trace Format: untrusted data, read with limits, naming nothing to
import.

Its form is checked first, then every step is taken again on the system before anybody believes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final, cast

from .errors import FormatError, nearest
from .itf import is_foreign, is_itf, plain_values, trace_fields
from .step import is_enabled, take
from .system import State, TransitionSystem
from .trace import FORMAT, VERSION, Trace, replay
from .untrusted import Document, check_fields

#: A trace with more steps than this is refused before they are looked at.
MOST_STEPS: Final = 100_000
_DOCUMENT: Final = Document("trace", numbers_of="state", most_nested=100)


class Form(Enum):
    """Who wrote a trace file and how: `check`, or in the Informal Trace Format this program or another one.

    Of a file that another program wrote, the states and the loop are all that is known.
    """

    SAVED = "saved"
    ITF = "itf"
    FOREIGN_ITF = "foreign itf"


@dataclass(frozen=True, slots=True)
class TraceFile:
    """What a trace file says, checked for its form only. The values of states are as its form writes them."""

    target: str
    model: str
    parameters: Mapping[str, Any]
    faults: Mapping[str, int | None]
    most_faults: int | None
    without: tuple[str, ...]
    property: str | None
    initial: Mapping[str, Any]
    steps: tuple[Mapping[str, Any], ...]
    loop: int | None
    form: Form = Form.SAVED


_OPTIONAL_NUMBER = (int, type(None))
_OPTIONAL_TEXT = (str, type(None))
_FIELDS: Final[dict[str, tuple[type, ...]]] = {
    "target": (str,),
    "model": (str,),
    "parameters": (dict,),
    "faults": (dict,),
    "most_faults": _OPTIONAL_NUMBER,
    "without": (list,),
    "property": _OPTIONAL_TEXT,
    "initial": (dict,),
    "steps": (list,),
    "loop": _OPTIONAL_NUMBER,
}
_STEP_FIELDS: Final[dict[str, tuple[type, ...]]] = {
    "action": (str,),
    "args": (dict,),
    "outcome": _OPTIONAL_TEXT,
    "fault": _OPTIONAL_TEXT,
    "state": (dict,),
}


def read(path: Path) -> TraceFile:
    """Read a trace file. Raises FormatError, with the place, for anything that is not one."""
    fields, form = _DOCUMENT.read(path), Form.SAVED
    if is_itf(fields):
        form = Form.FOREIGN_ITF if is_foreign(fields) else Form.ITF
        try:
            fields = {"format": FORMAT, **trace_fields(fields)}
        except FormatError as error:
            raise FormatError(f"{path}: {error}") from error
    if fields.get("format") != FORMAT:
        raise FormatError(f"{path}: this is not a trace: its format is {fields.get('format')!r:.60}, not {FORMAT!r}.")
    if type(fields.get("version")) is not int or fields["version"] != VERSION:
        raise FormatError(
            f"{path}: this trace has version {fields.get('version')!r:.60}, and this program reads version {VERSION}."
        )
    unknown = set(fields) - set(_FIELDS) - {"format", "version"}
    if unknown:
        raise FormatError(f"{path}: {nearest(min(unknown), _FIELDS, 'The key')}")
    check_fields(f"{path}: the trace", fields, _FIELDS)
    steps = cast("list[Any]", fields["steps"])
    if len(steps) > MOST_STEPS:
        raise FormatError(f"{path}: the trace has {len(steps):,} steps; at most {MOST_STEPS:,} are read.")
    for number, step in enumerate(steps, start=1):
        if not isinstance(step, dict):
            raise FormatError(f"{path}: step {number} is not an object.")
        if form is not Form.FOREIGN_ITF:
            check_fields(f"{path}: step {number}", cast("dict[str, Any]", step), _STEP_FIELDS)
    for name, budget in cast("dict[str, Any]", fields["faults"]).items():
        if budget is not None and (type(budget) is not int or budget < 0):
            raise FormatError(f"{path}: the budget of {name!r:.60} is {budget!r:.60}, and not a number or null.")
    if not all(isinstance(name, str) for name in fields["without"]):
        raise FormatError(f"{path}: 'without' is a list of safeguards' names.")
    given: dict[str, Any] = {key: fields[key] for key in _FIELDS}
    given.update(steps=tuple(steps), without=tuple(fields["without"]), form=form)
    return TraceFile(**given)


def resolve(system: TransitionSystem, file: TraceFile) -> Trace:
    """The trace that a file with actions describes, every step of it taken on the system.

    Raises FormatError, naming the first step that the model does not do as the file says.
    """
    state = _encode(system, file, file.initial)
    if state not in system.initial:
        raise FormatError("the trace begins in a state that is not an initial state of the model.")
    states, transitions = [state], list[int]()
    by_label = {(t.action, _label(t.args)): i for i, t in enumerate(system.transitions)}
    actions = {t.action for t in system.transitions}
    for number, step in enumerate(file.steps, start=1):
        action, label = cast(str, step["action"]), _label(cast("dict[str, object]", step["args"]))
        if action not in actions:
            raise FormatError(f"step {number}: {nearest(action, actions, 'The action')}")
        position = by_label.get((action, label))
        if position is None:
            raise FormatError(f"step {number}: {action} is never taken with {label:.200} in this model.")
        transition = system.transitions[position]
        if not is_enabled(transition, states[-1]):
            raise FormatError(f"step {number}: {action} is not enabled there, so this is no trace of the model.")
        successor = take(transition, states[-1])
        if successor.state is None or successor.state != _encode(system, file, step["state"]):
            raise FormatError(f"step {number}: {action} does not lead to the state that the trace gives.")
        if successor.outcome != step["outcome"]:
            raise FormatError(f"step {number}: {action} has the outcome {successor.outcome!r} in the model.")
        if transition.fault != step["fault"]:
            fault = "no fault" if transition.fault is None else f"the fault {transition.fault!r}"
            raise FormatError(f"step {number}: {action} is {fault} in the model.")
        states.append(successor.state)
        transitions.append(position)
    if file.loop is not None and not 0 <= file.loop < len(states):
        raise FormatError(f"the loop goes back to state {file.loop}, and there are {len(states)} states.")
    trace = Trace(tuple(states), tuple(transitions), file.loop)
    problem = replay(system, trace)
    if problem is not None:
        raise FormatError(problem)
    return trace


def _encode(system: TransitionSystem, file: TraceFile, values: Mapping[str, object]) -> State:
    return system.encode(values if file.form is Form.SAVED else plain_values(system, values))


def _label(args: Mapping[str, object]) -> str:
    return json.dumps(args, sort_keys=True)

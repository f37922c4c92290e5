"""Reading a trace file: untrusted data, read with limits, naming nothing to import.

Its form is checked first, then every step is taken again on the system before anybody believes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from .constants import as_items, as_mapping
from .errors import FormatError, nearest
from .step import is_enabled, take
from .system import TransitionSystem
from .trace import FORMAT, VERSION, Trace, replay

#: A trace file larger than this, or with more steps, or nested more deeply, is refused before it is looked at.
MOST_BYTES: Final = 64 * 2**20
MOST_STEPS: Final = 100_000
MOST_NESTED: Final = 100
#: Digits of a number; a state's have thirteen at most.
MOST_DIGITS: Final = 20


@dataclass(frozen=True, slots=True)
class TraceFile:
    """What a trace file says, checked for its form only."""

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
    try:
        # Not by its size, which a pipe or a device does not have.
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise FormatError(f"{path}: this is too long for a trace; at most {MOST_BYTES:,} bytes are read.")
        text = data.decode("utf-8")
    except OSError as error:
        raise FormatError(f"{path}: the file cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: this is not text, let alone a trace.") from error
    try:
        document = json.loads(
            text, object_pairs_hook=_once, parse_int=_whole, parse_float=_no_number, parse_constant=_no_number
        )
    except json.JSONDecodeError as error:
        raise FormatError(f"{path}:{error.lineno}: not JSON ({error.msg}); the file may be cut short.") from error
    except RecursionError as error:
        raise FormatError(f"{path}: this is nested too deeply to be a trace.") from error
    except ValueError as error:
        raise FormatError(f"{path}: {error}") from error
    if not _is_shallow(document):
        raise FormatError(f"{path}: this is nested too deeply to be a trace.")
    return _checked(path, document)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r:.60} stands twice in one object, so it is not clear which is meant.")
        found[key] = value
    return found


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(f"the number {text:.20}… is larger than any that a state holds.")
    return int(text)


def _no_number(text: str) -> Any:
    raise ValueError(f"{text:.20} is not a whole number, and a trace holds no other.")


def _is_shallow(document: object) -> bool:
    """Whether a document is nested no more deeply than messages and comparisons of it may safely recurse."""
    level = [document]
    for _ in range(MOST_NESTED):
        within: list[object] = []
        for value in level:
            mapping = as_mapping(value)
            within.extend(mapping.values() if mapping is not None else as_items(value) or ())
        if not within:
            return True
        level = within
    return False


def _checked(path: Path, document: object) -> TraceFile:
    if not isinstance(document, dict):
        raise FormatError(f"{path}: a trace is a JSON object, and this is not one.")
    fields = cast("dict[str, Any]", document)
    if fields.get("format") != FORMAT:
        raise FormatError(f"{path}: this is not a trace: its format is {fields.get('format')!r:.60}, not {FORMAT!r}.")
    if type(fields.get("version")) is not int or fields["version"] != VERSION:
        raise FormatError(
            f"{path}: this trace has version {fields.get('version')!r:.60}, and this program reads version {VERSION}."
        )
    unknown = set(fields) - set(_FIELDS) - {"format", "version"}
    if unknown:
        raise FormatError(f"{path}: {nearest(min(unknown), _FIELDS, 'The key')}")
    _check_fields(f"{path}: the trace", fields, _FIELDS)
    steps = cast("list[Any]", fields["steps"])
    if len(steps) > MOST_STEPS:
        raise FormatError(f"{path}: the trace has {len(steps):,} steps; at most {MOST_STEPS:,} are read.")
    for number, step in enumerate(steps, start=1):
        if not isinstance(step, dict):
            raise FormatError(f"{path}: step {number} is not an object.")
        _check_fields(f"{path}: step {number}", cast("dict[str, Any]", step), _STEP_FIELDS)
    for name, budget in cast("dict[str, Any]", fields["faults"]).items():
        if budget is not None and (type(budget) is not int or budget < 0):
            raise FormatError(f"{path}: the budget of {name!r:.60} is {budget!r:.60}, and not a number or null.")
    if not all(isinstance(name, str) for name in fields["without"]):
        raise FormatError(f"{path}: 'without' is a list of safeguards' names.")
    given: dict[str, Any] = {key: fields[key] for key in _FIELDS}
    given.update(steps=tuple(steps), without=tuple(fields["without"]))
    return TraceFile(**given)


def _check_fields(where: str, fields: Mapping[str, Any], wanted: Mapping[str, tuple[type, ...]]) -> None:
    for key, types in wanted.items():
        if key not in fields:
            raise FormatError(f"{where} has no {key!r}.")
        if type(fields[key]) not in types:
            raise FormatError(f"{where} has {fields[key]!r:.60} for {key!r}, which it cannot be.")


def resolve(system: TransitionSystem, file: TraceFile) -> Trace:
    """The trace that a file describes, every step of it taken on the system.

    Raises FormatError, naming the first step that the model does not do as the file says.
    """
    state = system.encode(file.initial)
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
        if successor.state is None or successor.state != system.encode(step["state"]):
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


def _label(args: Mapping[str, object]) -> str:
    return json.dumps(args, sort_keys=True)

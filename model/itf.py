"""A trace in the Informal Trace Format, which Apalache and Quint write and other tools read; and such a file read.

Source: Apalache, ADR-015. Each state's `#meta` has the action that led to it; `#meta` of the whole has, under the name
of this program, what finds the model again. A lasso ends in the state at which its loop begins, so that the step
which closes it has its action too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from .errors import FormatError
from .itf_values import from_itf, read_name, to_itf, type_of, written_name
from .system import State, TransitionSystem
from .trace import VERSION, Trace, to_json

_META: Final = "#meta"
_OURS: Final = "fenceproof"
_DESCRIPTION: Final = "https://apalache.informal.systems/docs/adr/015adr-trace.html"
#: What a step of a trace file says beside its state.
_OF_A_STEP: Final = ("action", "args", "outcome", "fault")
#: What a trace file says of the model.
_OF_THE_MODEL: Final = ("target", "model", "parameters", "faults", "most_faults", "without", "property")


def write_itf(system: TransitionSystem, trace: Trace, target: str, property_name: str | None) -> str:
    """The trace as the text of an `.itf.json` file."""
    plain = to_json(system, trace, target, property_name)
    steps = cast("list[dict[str, object]]", plain["steps"])
    metas: list[dict[str, object]] = [{}, *({name: step[name] for name in _OF_A_STEP} for step in steps)]
    types = {written_name(v.name): type_of(v.kind) for v in system.variables}
    what = "a trace" if property_name is None else f"a counterexample to {property_name}"
    document: dict[str, object] = {
        _META: {
            "format": "ITF",
            "varTypes": {name: found for name, found in types.items() if found is not None},
            "format-description": _DESCRIPTION,
            "description": f"Created by fenceproof: {what} of {target}",
            _OURS: {"version": VERSION, **{name: plain[name] for name in _OF_THE_MODEL}},
        },
        "vars": [written_name(v.name) for v in system.variables],
        "states": [
            {_META: {"index": index, **meta}, **_values(system, state)}
            for index, (state, meta) in enumerate(zip(trace.states, metas, strict=True))
        ],
    }
    if trace.loop is not None:
        document["loop"] = trace.loop
    return json.dumps(document, indent=2) + "\n"


def _values(system: TransitionSystem, state: State) -> dict[str, object]:
    plain = system.decode(state)
    return {written_name(v.name): to_itf(v.kind, plain[v.name]) for v in system.variables}


def is_itf(document: Mapping[str, Any]) -> bool:
    """Whether a JSON object is a trace of this format, and not one of ours."""
    return "format" not in document and "states" in document and "vars" in document


def trace_fields(document: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a trace file, with the states' values as this format writes them, to be checked as those of any.

    Of a file that another program wrote the model and the actions are None. FormatError for what has not the form.
    """
    states = _states(document)
    meta: object = document.get(_META, {})
    about = cast("dict[str, Any]", meta).get(_OURS) if isinstance(meta, dict) else None
    if about is None:
        named: dict[str, Any] = {"target": "", "model": "", "parameters": {}, "faults": {}, "most_faults": None}
        named.update({"without": [], "property": None, "version": VERSION})
    elif isinstance(about, dict):
        named = cast("dict[str, Any]", about)
    else:
        raise FormatError(f"its #meta has {about!r:.60} for {_OURS!r}, which it cannot be.")
    metas = [cast("dict[str, Any]", state.get(_META, {})) for state in states]
    values = [{read_name(name): value for name, value in state.items() if name != _META} for state in states]
    steps = [
        {**({name: m.get(name) for name in _OF_A_STEP} if about is not None else {}), "state": after}
        for m, after in zip(metas[1:], values[1:], strict=True)
    ]
    return {**named, "initial": values[0], "steps": steps, "loop": document.get("loop")}


def is_foreign(document: Mapping[str, Any]) -> bool:
    """Whether another program wrote it, which says of no model that it is a trace of it."""
    meta = document.get(_META)
    return not isinstance(meta, dict) or _OURS not in meta


def _states(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    variables: object = document["vars"]
    if not isinstance(variables, list) or not all(isinstance(v, str) for v in cast("list[object]", variables)):
        raise FormatError("'vars' is a list of names.")
    names = set(cast("list[str]", variables))
    found: object = document["states"]
    if not isinstance(found, list) or not found:
        raise FormatError("'states' is a list of one state or more.")
    for index, state in enumerate(cast("list[object]", found)):
        if not isinstance(state, dict):
            raise FormatError(f"state {index} is not an object.")
        given = cast("dict[str, object]", state)
        if not isinstance(given.get(_META, {}), dict):
            raise FormatError(f"state {index} has a #meta that is not an object.")
        differing = names ^ (set(given) - {_META})
        if differing:
            raise FormatError(f"state {index} and 'vars' do not have the same names: {min(differing)!r:.60}.")
    return cast("list[dict[str, Any]]", found)


def plain_values(system: TransitionSystem, values: Mapping[str, object]) -> dict[str, object]:
    """The values of a state as `TransitionSystem.encode` reads them. FormatError, naming the variable, for no value.

    A name that no variable has is left for `encode` to refuse.
    """
    kinds = {v.name: v.kind for v in system.variables}
    plain: dict[str, object] = {}
    for name, value in values.items():
        try:
            plain[name] = from_itf(kinds[name], value) if name in kinds else value
        except ValueError as error:
            raise FormatError(f"{name}: {error}") from error
    return plain

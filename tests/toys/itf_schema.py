"""The Informal Trace Format as a JSON Schema, after Apalache's ADR-015; whole numbers as Apalache writes them."""

from __future__ import annotations

from typing import Any


def _only(name: str, inner: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {name: inner}, "required": [name], "additionalProperties": False}


_VALUE = {"$ref": "#/$defs/value"}
_LIST = {"type": "array", "items": _VALUE}
_PAIR = {"type": "array", "items": _VALUE, "minItems": 2, "maxItems": 2}
#: A name of a variable or a field: it must not begin as what has a meaning in the format does.
_NAME = {"type": "string", "pattern": "^(?!#)"}

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["#meta", "vars", "states"],
    "additionalProperties": False,
    "properties": {
        "#meta": {
            "type": "object",
            "required": ["format", "format-description", "description", "varTypes"],
            "properties": {
                "format": {"const": "ITF"},
                "format-description": {"const": "https://apalache.informal.systems/docs/adr/015adr-trace.html"},
                "description": {"type": "string"},
                "varTypes": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        },
        "params": {"type": "array", "items": _NAME},
        "vars": {"type": "array", "items": _NAME, "uniqueItems": True},
        "states": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/state"}},
        "loop": {"type": "integer", "minimum": 0},
    },
    "$defs": {
        "state": {
            "type": "object",
            "required": ["#meta"],
            "properties": {
                "#meta": {
                    "type": "object",
                    "required": ["index"],
                    "properties": {"index": {"type": "integer", "minimum": 0}},
                }
            },
            "patternProperties": {"^(?!#)": _VALUE},
            "additionalProperties": False,
        },
        "value": {
            "oneOf": [
                {"type": "string"},
                {"type": "boolean"},
                _LIST,
                _only("#bigint", {"type": "string", "pattern": "^-?[0-9]+$"}),
                _only("#set", {**_LIST, "uniqueItems": True}),
                _only("#map", {"type": "array", "items": _PAIR, "uniqueItems": True}),
                _only("#tup", _LIST),
                {"type": "object", "propertyNames": _NAME, "additionalProperties": _VALUE},
            ]
        },
    },
}

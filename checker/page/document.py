"""The page as HTML: a template, a style, a script, and the data, under a policy that lets nothing else in.

What a model's author wrote comes in as data only, in a block that no browser runs, and the script shows it as text.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final, cast

from ..printable import printable
from .payload import payload
from .subject import Subject

#: The parts of the script, in the order in which they build on each other.
SCRIPTS: Final = ("space.js", "walk.js", "elements.js", "sequence.js", "panels.js", "graph.js", "beside.js", "main.js")
#: What might end the block of data before its time. (Line ends of all sorts, and halves of characters, are escaped by
#: JSON in ASCII already.)
_ESCAPED: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>&"}


def page(subject: Subject) -> str:
    """The whole page. Raises UsageError for a model with numbers that have no bound."""
    return as_html(_shown(payload(subject)))


def as_html(data: Mapping[str, Any]) -> str:
    """A page with this data."""
    style = _part("page.css")
    script = "".join(_part(name) for name in SCRIPTS)
    filled = {"POLICY": policy(script, style), "STYLE": style, "DATA": island(data), "SCRIPT": script}
    before, *rest = _part("page.html").split("{{")
    pieces = [before]
    for piece in rest:
        name, after = piece.split("}}", 1)
        pieces += [filled[name], after]
    return "".join(pieces)


def policy(script: str, style: str) -> str:
    """A content security policy under which this script and this style are all that a page may use."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def island(data: Mapping[str, Any]) -> str:
    """Data as JSON that may stand in HTML: nothing in it can end the block it is in."""
    return json.dumps(data, allow_nan=False, separators=(",", ":")).translate(_ESCAPED)


def _shown(data: Any) -> Any:
    """The same data, where no text turns a browser's writing round."""
    match data:
        case str():
            return printable(data)
        case dict():
            return {printable(str(key)): _shown(value) for key, value in cast("dict[str, Any]", data).items()}
        case list() | tuple():
            return [_shown(value) for value in cast("list[Any]", data)]
        case _:
            return data


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _part(name: str) -> str:
    return files(__name__.rpartition(".")[0]).joinpath(name).read_text(encoding="utf-8")

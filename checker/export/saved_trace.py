"""A trace as the JSON document that `check` saves and `replay` reads."""

from __future__ import annotations

import json

from fenceproof.model.trace import to_json

from .traces import Shown


def write(shown: Shown) -> str:
    """The document, with a line's end after it."""
    return json.dumps(to_json(shown.system, shown.trace, shown.target, shown.violated), indent=2) + "\n"

"""One behaviour for other tools and for the eye. A format is a module with `write`, and a row in this table."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Final

from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace


@dataclass(frozen=True, slots=True)
class Shown:
    """A trace to be written down: of which target, on its system, and which property it violates (None: of none).

    It was replayed by whoever made it.
    """

    target: str
    system: TransitionSystem
    trace: Trace
    violated: str | None


@dataclass(frozen=True, slots=True)
class TraceFormat:
    """What a format is, in a few words, and the module beside this one whose `write(shown)` gives its text."""

    meaning: str
    module: str


TRACE_FORMATS: Final = {
    "itf": TraceFormat("Informal Trace Format, as Apalache and Quint write it", "itf_trace"),
    "json": TraceFormat("the trace as check saves it", "saved_trace"),
    "mermaid": TraceFormat("a sequence diagram as text, for Mermaid", "mermaid"),
    "svg": TraceFormat("a sequence diagram as an image", "svg"),
    "html": TraceFormat("a page to walk around in, for a browser", "html"),
}


def export_trace(shown: Shown, format_name: str) -> str:
    """A trace as the text of a format."""
    text: str = import_module(f".{TRACE_FORMATS[format_name].module}", __package__).write(shown)
    return text

"""Systems for other tools, a file for each format. A format is a module with `write`, and a row in this table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from fenceproof.model.errors import UsageError
from fenceproof.model.system import TransitionSystem


@dataclass(frozen=True, slots=True)
class Format:
    """What a format is, in a few words, and whether it asks about a number of steps, and has words for liveness."""

    meaning: str
    takes_depth: bool = False
    takes_liveness: bool = False


#: By the name of the module that writes it.
FORMATS: Final = {
    "smtlib": Format("SMT-LIB 2, QF_BV: is a property violated within so many steps?", takes_depth=True),
    "chc": Format("constrained Horn clauses as in CHC-COMP"),
    "vmt": Format("VMT-LIB, with nothing but :next, :init, :trans and :invar-property"),
    "btor2": Format("BTOR2"),
    "promela": Format("Promela for SPIN, each property an assertion"),
    "quint": Format("Quint, each property a value to run or verify it with"),
    "tla": Format("TLA+ for TLC and Apalache", takes_liveness=True),
}


def export(
    target: str,
    system: TransitionSystem,
    format_name: str,
    properties: Sequence[str] | None = None,
    depth: int | None = None,
) -> str:
    """A system as the text of a format, with a header that calls it `target`.

    All properties, or those named, but liveness where the format has no words for it; UsageError for a name that is
    none of them, and for a model without bounds. `depth` is for a format that takes one.
    """
    if system.is_unbounded:
        # A wide number in its place would wrap, and a transition for each natural number would become a single one.
        raise UsageError(
            f"{format_name} has numbers with bounds only, and this model has some without. "
            "Give them bounds (--set epochs=3, say), or prove the model as it is: `fenceproof prove`."
        )
    from .build import machine_of

    machine = machine_of(system, properties, takes_liveness=FORMATS[format_name].takes_liveness)
    text: str = import_module(f".{format_name}", __name__).write(target, machine, depth)
    return text

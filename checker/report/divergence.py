"""A divergence of an implementation from the model, for a person."""

from __future__ import annotations

from typing import Final

from ..quoting import quoted
from ..replay import Divergence

#: Letters of a value that are shown: a whole variable of the model's is to be read.
MOST_SHOWN: Final = 1000


def divergence_text(name: str, found: Divergence, steps: int, again: str) -> str:
    """Where an implementation first does something else: the event, the field, both values, and how to see it again."""
    where = "after reset" if found.step == 0 else f"at step {found.step} of {steps}, {found.event}"
    return (
        f"{name} diverges from the model {where}:\n"
        f"    {found.field}: expected {quoted(found.expected, MOST_SHOWN)}, got {quoted(found.got, MOST_SHOWN)}\n"
        f"    To see it again: {again}"
    )

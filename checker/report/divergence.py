"""A divergence of an implementation from the model, for a person."""

from __future__ import annotations

from ..replay import Divergence


def divergence_text(name: str, found: Divergence, steps: int, again: str) -> str:
    """Where an implementation first does something else: the event, the field, both values, and how to see it again."""
    where = "after reset" if found.step == 0 else f"at step {found.step} of {steps}, {found.event}"
    return (
        f"{name} diverges from the model {where}:\n"
        f"    {found.field}: expected {found.expected!r}, got {found.got!r}\n"
        f"    To see it again: {again}"
    )

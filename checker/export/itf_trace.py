"""A trace in the Informal Trace Format, as `model/itf.py` writes it and `replay` reads it."""

from __future__ import annotations

from fenceproof.model.itf import write_itf

from .traces import Shown


def write(shown: Shown) -> str:
    """The text of an `.itf.json` file."""
    return write_itf(shown.system, shown.trace, shown.target, shown.violated)

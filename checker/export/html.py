"""A trace as a page to walk around in, with the states nearest to it."""

from __future__ import annotations

from fenceproof.model.system import DEADLOCK

from ..page.document import page
from ..page.subject import Said, Subject, Told
from ..result import STUCK
from .traces import Shown


def write(shown: Shown) -> str:
    """The page."""
    system, name = shown.system, shown.violated
    meanings = {DEADLOCK: STUCK}
    meanings |= {p.name: p.meaning for p in (*system.step_properties, *system.invariants)}
    meanings |= {p.name: p.meaning for p in system.liveness}
    meaning = "" if name is None else meanings[name]
    said = () if name is None else (Said(name, "violated", meaning),)
    searched = "One trace was exported; of what is not listed here nothing is said."
    return page(Subject(shown.target, system, (Told(name, meaning, shown.trace),), said, searched))

"""A trace as a page to walk around in, with the states nearest to it."""

from __future__ import annotations

from pathlib import PurePath

from fenceproof.model.system import DEADLOCK, Invariant, LivenessProperty, StepProperty

from ..page.document import page
from ..page.subject import Said, Subject, Told
from ..result import STUCK
from .traces import Shown


def write(shown: Shown) -> str:
    """The page."""
    system, name = shown.system, shown.violated
    properties: list[StepProperty | Invariant | LivenessProperty] = [*system.step_properties, *system.invariants]
    properties += system.liveness
    meanings = {DEADLOCK: STUCK, **{p.name: p.meaning for p in properties}}
    meaning = "" if name is None else meanings[name]
    said = () if name is None else (Said(name, "violated", meaning),)
    searched = "One trace was exported; of what is not listed here nothing is said."
    return page(Subject(PurePath(shown.target).name, system, (Told(name, meaning, shown.trace),), said, searched))

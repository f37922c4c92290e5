"""A trace as a page to walk around in, with the states nearest to it."""

from __future__ import annotations

from pathlib import PurePath

from ..page.document import page
from ..page.subject import Said, Subject, Told, told
from ..report.mistaken import mistake_of
from ..report.story import story
from ..report.violation import violation_of
from .traces import Shown


def write(shown: Shown) -> str:
    """The page."""
    system, trace = shown.system, shown.trace
    found = mistake_of(system, trace) if shown.violated is None else violation_of(system, shown.violated, trace)
    each = Told(None, "", trace, story(system, trace)) if found is None else told(system, found)
    said = () if each.violated is None else (Said(each.violated, "violated", each.meaning),)
    searched = "One trace was exported; of what is not listed here nothing is said."
    return page(Subject(PurePath(shown.target).name, system, (each,), said, searched))

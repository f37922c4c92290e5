"""Which design a planner is like, beyond the shipped ones: knobs turned one by one while that makes fewer transitions
differ."""

from __future__ import annotations

from types import new_class

from fenceproof.specs.knobs import KNOBS
from fenceproof.specs.properties import Planner

from .driving import LibraryAdapter
from .suite import agreement, share


def turned_until_it_agrees(design: type[Planner], adapter: LibraryAdapter) -> tuple[type[Planner], dict[str, object]]:
    """The design with knobs turned, each the one that makes most of a difference, and which they are."""
    turned: dict[str, object] = {}
    least = share(agreement(design, adapter))
    while least > 0:
        found = [(share(agreement(other, adapter)), knob, other) for knob, other in _neighbours(design)]
        best, knob, other = min(found, key=lambda one: one[:2])
        if best >= least:
            break
        design, least = other, best
        turned[knob] = getattr(design, knob)
    return design, turned


def _neighbours(design: type[Planner]) -> list[tuple[str, type[Planner]]]:
    """The designs with one more knob turned, but for those that have no deadline."""
    choices = [(knob, value) for knob, values in KNOBS.items() for value in values if getattr(design, knob) != value]
    return [
        (knob, new_class(f"{design.__name__}_{knob}", (design,), {knob: value}))
        for knob, value in choices
        if value != "wait"
    ]

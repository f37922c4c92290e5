"""What a page is about: a model, what was found of it, its counterexamples, and another model to hold beside it."""

from __future__ import annotations

from dataclasses import dataclass

from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace

from ..report.story import story
from ..report.why import why
from ..result import PropertyResult, Wrong
from .guards import with_place

#: States in a page unless a user says otherwise: they take a few megabytes, and a browser a second.
MOST_STATES = 10_000


@dataclass(frozen=True, slots=True)
class Told:
    """A trace to walk along: what it violates (None: it is a behaviour like any other), and what that property says.

    `story` is what happens in it, in words, and `why` what is false at its end and had to be true, a line each.
    """

    violated: str | None
    meaning: str
    trace: Trace
    story: str = ""
    why: tuple[str, ...] = ()


def told(system: TransitionSystem, found: PropertyResult | Wrong) -> Told:
    """A violated property, or a mistake of the model itself, as a page tells it."""
    trace = found.trace
    assert trace is not None, "only what has a trace is told"
    name, meaning = (None, with_place(found.mistake)) if isinstance(found, Wrong) else (found.name, found.meaning)
    return Told(name, meaning, trace, story(system, trace, found), tuple(why(system, found)))


@dataclass(frozen=True, slots=True)
class Said:
    """A property, its verdict in words, and what it says."""

    name: str
    verdict: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Beside:
    """Another model, with traces of it if the page's own has none."""

    target: str
    system: TransitionSystem
    told: tuple[Told, ...] = ()


@dataclass(frozen=True, slots=True)
class Subject:
    """A page's contents. `searched` says how much was looked at to come to the verdicts."""

    target: str
    system: TransitionSystem
    told: tuple[Told, ...]
    said: tuple[Said, ...]
    searched: str
    beside: Beside | None = None
    most_states: int = MOST_STATES

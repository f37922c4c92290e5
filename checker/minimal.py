"""What is known of the shortest counterexamples of a property beyond the one that is shown. Data only.

How many there are and how many stories they tell is counted by `engines/stories.py`; which faults of one are needed is
found out by `needed.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from fenceproof.model.trace import Trace

#: How many stories are kept with a trace each; the others are only counted.
MOST_STORIES: Final = 20

#: When two counterexamples tell one story, as reports say it.
ONE_STORY: Final = (
    "counterexamples with the same steps (action, arguments, outcome, fault) in whatever order, or with two values of "
    "an argument, or of a field in one, exchanged where that maps all the shortest ones of the property onto each other"
)


@dataclass(frozen=True, slots=True)
class Story:
    """A class of shortest counterexamples: how many there are, at least, and the cheapest of them."""

    count: int
    trace: Trace


@dataclass(frozen=True, slots=True)
class Stories:
    """How many shortest counterexamples a property has, and how many stories they tell; at least so many, where it is
    not exact. `told` are the first stories, that of the trace that is shown before all others."""

    count: int
    is_exact: bool
    classes: int
    are_all: bool
    told: tuple[Story, ...]


#: Why it was not found out whether a fault is needed, where somebody ended that.
INTERRUPTED: Final = "it was interrupted before that"


class Need(Enum):
    """Whether a property is violated with a fault only."""

    NEEDED = auto()
    NOT_NEEDED = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Without:
    """What becomes of a violated property when a fault (None: every fault) is switched off, and all others are not.

    Where it is still violated, `steps` is the length of the shortest trace that was found, and `faults` are those that
    happen in it.
    `reason` is why it was not found out, if it was not.
    """

    fault: str | None
    need: Need
    steps: int | None = None
    faults: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Necessity:
    """Of each fault that a counterexample spends, whether the violation needs it, and `none`, whether it needs any
    fault; None where that follows."""

    faults: tuple[Without, ...]
    none: Without | None

    @property
    def is_known(self) -> bool:
        """Whether it was found out of each fault."""
        return all(without.need is not Need.UNKNOWN for without in self.faults)

    @property
    def is_interrupted(self) -> bool:
        """Whether somebody ended it before it was found out."""
        return any(w.reason == INTERRUPTED for w in (*self.faults, *([] if self.none is None else [self.none])))

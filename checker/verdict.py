"""What can be said of a property and of a whole run, and how one follows from the other. Never rounds up."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Verdict(StrEnum):
    """What a run may say. `HOLDS` is said only of a complete search and `PROVED` only of an inductive argument; what
    was never put to the test is `VACUOUS`, and what is not violated in so many steps is `BOUNDED`, and no more.

    A verdict is the word that reports write, so that `result.verdict == "holds"` means what it says.
    """

    HOLDS = "holds"
    PROVED = "proved"
    VACUOUS = "vacuous"
    BOUNDED = "holds up to"
    INCONCLUSIVE = "inconclusive"
    VIOLATED = "violated"
    MODEL_ERROR = "model error"

    @property
    def exit_code(self) -> int:
        """The exit code of a run with this verdict."""
        return _EXIT_CODES[self]


_EXIT_CODES = {
    Verdict.HOLDS: 0,
    Verdict.PROVED: 0,
    Verdict.VIOLATED: 1,
    Verdict.MODEL_ERROR: 2,
    Verdict.INCONCLUSIVE: 3,
    Verdict.BOUNDED: 3,
    Verdict.VACUOUS: 4,
}
_STRENGTH = (
    Verdict.MODEL_ERROR,
    Verdict.VIOLATED,
    Verdict.BOUNDED,
    Verdict.INCONCLUSIVE,
    Verdict.VACUOUS,
    Verdict.HOLDS,
    Verdict.PROVED,
)


def combine(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict of a whole run: the gravest of its parts. Nothing checked is inconclusive, not a pass."""
    found = set(verdicts)
    return next((v for v in _STRENGTH if v in found), Verdict.INCONCLUSIVE)

"""The colour of each verdict on a terminal."""

from __future__ import annotations

from typing import Final

from ..verdict import Verdict

STYLES: Final = {
    Verdict.HOLDS: "green",
    Verdict.PROVED: "green",
    Verdict.BOUNDED: "yellow",
    Verdict.VACUOUS: "yellow",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.VIOLATED: "red",
    Verdict.MODEL_ERROR: "red",
}

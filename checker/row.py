"""What became of each model where several are checked at once, and the one exit code that follows from all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from fenceproof.model.errors import InternalError, Site

from .result import CheckResult
from .verdict import Verdict

#: The word for what is no verdict: a mistake of our own.
INTERNAL: Final = "internal error"
#: The word for a model that was not there to be checked.
SKIPPED: Final = "skipped"


@dataclass(frozen=True, slots=True)
class Checked:
    """A model that was searched, to its end or to a limit."""

    target: str
    result: CheckResult


@dataclass(frozen=True, slots=True)
class Refused:
    """A model that has no meaning, or cannot be made: what is wrong, where, what to write instead."""

    target: str
    message: str
    site: Site | None
    remedy: str | None

    @property
    def text(self) -> str:
        """All of it in one line."""
        where = f"{self.site}: " if self.site is not None else ""
        return " ".join(f"{where}{self.message} {self.remedy or ''}".split())


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A model of which nothing can be said: the run was interrupted first, or had no memory for it."""

    target: str
    reason: str


@dataclass(frozen=True, slots=True)
class Broken:
    """A model at which we made a mistake of our own."""

    target: str
    text: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A class that is not checked by itself, and why not. It says nothing for the run and nothing against it."""

    target: str
    reason: str


Row: TypeAlias = Checked | Refused | Unfinished | Broken | Skipped

#: Exit codes, the gravest first: what we cannot vouch for, what has no meaning, what is wrong, what is not known.
_GRAVEST: Final = (
    InternalError.exit_code,
    Verdict.MODEL_ERROR.exit_code,
    Verdict.VIOLATED.exit_code,
    Verdict.INCONCLUSIVE.exit_code,
    Verdict.VACUOUS.exit_code,
    Verdict.HOLDS.exit_code,
)


def verdict_of(row: Row) -> Verdict | None:
    """The verdict on a model; None where there is none."""
    match row:
        case Checked():
            return row.result.verdict
        case Refused():
            return Verdict.MODEL_ERROR
        case Unfinished():
            return Verdict.INCONCLUSIVE
        case Broken() | Skipped():
            return None
        case _:
            assert_never(row)


def word(row: Row) -> str:
    """What a report calls it: a verdict, or the word for what is none."""
    if isinstance(row, Checked):
        return row.result.said(row.result.verdict)
    return str(verdict_of(row) or (INTERNAL if isinstance(row, Broken) else SKIPPED))


def exit_code(rows: Sequence[Row]) -> int:
    """The gravest of the rows' exit codes. Nothing checked is inconclusive, not a pass."""
    codes = {verdict.exit_code for row in rows if (verdict := verdict_of(row)) is not None}
    if any(isinstance(row, Broken) for row in rows):
        codes.add(InternalError.exit_code)
    return next((code for code in _GRAVEST if code in codes), Verdict.INCONCLUSIVE.exit_code)


def overall(rows: Sequence[Row]) -> str:
    """The word for all rows together, which says the same as their exit code."""
    code = exit_code(rows)
    if code == Verdict.BOUNDED.exit_code:
        bounds = [row.result.bound for row in rows if isinstance(row, Checked) and row.result.bound is not None]
        verdicts = {verdict_of(row) for row in rows}
        is_bounded = Verdict.BOUNDED in verdicts and Verdict.INCONCLUSIVE not in verdicts
        return f"{Verdict.BOUNDED} {min(bounds)}" if is_bounded else str(Verdict.INCONCLUSIVE)
    return next((str(verdict) for verdict in Verdict if verdict.exit_code == code), INTERNAL)


def tally(rows: Sequence[Row]) -> str:
    """How many rows there are of each word, the gravest first, as in `1 violated, 2 hold`."""
    words = [word(row) for row in rows]
    order = (INTERNAL, *(str(v) for code in _GRAVEST for v in Verdict if v.exit_code == code), SKIPPED)
    # A bounded verdict is followed by its bound, which may be another one where a limit came first.
    ranked = sorted(set(words), key=lambda each: (order.index(each.rstrip("0123456789 ")), each))
    return ", ".join(f"{words.count(each)} {each}" for each in ranked)


def was_interrupted(row: Row) -> bool:
    """Whether a search ended because somebody asked it to."""
    return isinstance(row, Checked) and row.result.stop is not None and row.result.stop.kind == "interrupted"

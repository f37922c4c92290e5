"""What came of holding an implementation, or the log of a run, against a model, as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fenceproof.model.system import TransitionSystem
from rich.console import Console

from ..conformance.logfile import Log
from ..conformance.logs import Mismatch, Validated
from ..conformance.running import Tally
from ..conformance.shown import Watched
from ..limits import Stop
from .claim import bounds, faults
from .plain import Text
from .summary import counted
from .text import sheet

#: Steps that are listed where an event was not possible.
MOST_LISTED: Final = 12
_UNCHECKED: Final = "what the implementation does where the model is not: other sizes, more faults, threads, load"


def coverage(tally: Tally, total: int | None) -> str:
    """How many transitions were taken, of how many where that is known; a hundred per cent are all and nothing less."""
    if total is None:
        return f"{counted(len(tally.taken), 'transition')} of an unknown number"
    return f"{len(tally.taken):,} of {counted(total, 'transition')} ({100 * len(tally.taken) // total} %)"


def tests_run(tally: Tally) -> str:
    """How many tests there were, and how long."""
    average = tally.steps / tally.tests if tally.tests else 0.0
    return (
        f"{counted(tally.tests, 'test')} of {counted(tally.steps, 'step')}; "
        f"{average:.1f} steps a test on average, {tally.longest} in the longest"
    )


def print_ran(
    console: Console,
    headline: str,
    system: TransitionSystem,
    rows: Sequence[tuple[str, str]],
    *,
    watched: Watched,
    stop: Stop | None,
    seconds: float,
) -> None:
    """A headline, and below it what was run within which bounds, and what was not."""
    console.print(Text(f"{headline}.", style="green" if stop is None else "yellow"))
    console.print()
    compared = "the outcome of each step, and after it every variable of the model"
    if watched.never or watched.not_always:
        compared = "the outcome of each step, and after it what the snapshot shows"
        compared += "".join(
            f"; {how} {', '.join(names)}"
            for how, names in (("never", watched.never), ("not always", watched.not_always))
            if names
        )
    listed = [*rows, ("compared", compared), ("bounds", bounds(system)), ("faults", faults(system))]
    listed.append(("not checked", _UNCHECKED))
    console.print(sheet(listed, f"{seconds:.2f} s of running"))


def print_validated(
    console: Console, headline: str, system: TransitionSystem, log: Log, found: Validated, seconds: float
) -> None:
    """What came of a log that no event of speaks against the model."""
    console.print(Text(f"{headline}.", style="green" if found.stop is None else "yellow"))
    console.print()
    rows = [("matched", f"{found.matched:,} of {counted(len(log.entries), 'event')}")]
    rows.append(("unseen steps", _unseen(found)))
    if log.ignored:
        rows.append(("ignored", counted(log.ignored, "event")))
    if log.left_open:
        rows.append(("left open", f"arguments of {counted(log.left_open, 'event')}, which then may be any"))
    if not all(entry.has_outcome for entry in log.entries):
        open_ended = sum(not entry.has_outcome for entry in log.entries)
        rows.append(("no outcome", f"{counted(open_ended, 'event')}, whose outcome then may be any"))
    if log.overlapping:
        rows.append(("overlapping", f"{counted(log.overlapping, 'span')}, taken in the order of their ends"))
    rows += [("states", f"up to {found.widest:,} possible at once")]
    rows += [("bounds", bounds(system)), ("faults", faults(system))]
    rows.append(("not checked", "runs that are not in the log; whether the log says what happened"))
    console.print(sheet(rows, f"{seconds:.2f} s of checking"))


def _unseen(found: Validated) -> str:
    if not found.hidden:
        return "none allowed"
    needed = len(found.trace) - found.matched
    return f"{needed:,} needed at least, of {', '.join(sorted(found.hidden))}"


def mismatch_text(log: str, target: str, system: TransitionSystem, found: Validated, mismatch: Mismatch) -> str:
    """Which event no behaviour has at its place, how many before it are matched, and what would have been possible."""
    entry = mismatch.entry
    lines = [f"{log}:{entry.line}: no behaviour of {target} has {entry} here."]
    lines.append(f"    Matched before it: {counted(found.matched, 'event')}.")
    if mismatch.is_beyond:
        lines.append(f"    No {entry.action} is like this within the bounds of the model: {bounds(system)}.")
    elif mismatch.nearly:
        lines.append(f"    Nearest: {_some(mismatch.nearly)}.")
    lines.append(f"    Possible here: {_some(mismatch.possible) or 'nothing, the model has come to its end'}.")
    lines.append(f"    Allowed unseen: {_some(sorted(found.hidden), ', ') or 'nothing'}.")
    return "\n".join(lines)


def _some(texts: Sequence[str], between: str = "; ") -> str:
    more = len(texts) - MOST_LISTED
    return between.join(texts[:MOST_LISTED]) + (f"{between}and {more:,} more" if more > 0 else "")

"""The errors a user may see, and the exit code each of them carries.

    FenceproofError
    ├── UsageError            the command was called in a way that has no meaning            exit 2
    ├── ModelError            the model says something that has no meaning                   exit 2
    │   └── LiftError         an action or property that cannot be lifted: where, and the remedy
    ├── FormatError           a trace, fixture or report file that is not what it says it is exit 2
    ├── AdapterError          an implementation that cannot be driven: it raises, it hangs   exit 2
    ├── DivergenceError       an implementation did not do what the model does               exit 5
    ├── RefusedError          a certificate that does not prove what it claims               exit 70
    └── InternalError         two of our own answers disagree, or a trace did not replay     exit 70

Not for verdicts: that a property is violated is a result, never an exception.
"""

from __future__ import annotations

import difflib
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import ClassVar, Final

#: Characters of an unknown name that a message shows.
MOST_SHOWN: Final = 100
#: Characters of a name that are enough to tell which one was begun, and names that are offered.
LEAST_BEGUN, MOST_NEAR = 3, 3


@dataclass(frozen=True, slots=True)
class Site:
    """A place in a source file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class FenceproofError(Exception):
    """Anything that ends a run with a message for a person instead of a verdict."""

    exit_code: ClassVar[int] = 70

    def __init__(self, *details: object) -> None:
        super().__init__(*details)
        kept = _kept.get()
        if kept is not None:
            kept.append(self)


_kept: ContextVar[list[FenceproofError] | None] = ContextVar("kept", default=None)


@contextmanager
def kept_errors() -> Generator[list[FenceproofError]]:
    """All errors of ours that are raised within, those included that an author's `except Exception` swallows."""
    errors: list[FenceproofError] = []
    token = _kept.set(errors)
    try:
        yield errors
    finally:
        _kept.reset(token)


class UsageError(FenceproofError):
    """The command was called in a way that has no meaning."""

    exit_code = 2


class ModelError(FenceproofError):
    """The model says something that has no meaning."""

    exit_code = 2

    def __init__(self, message: str, site: Site | None = None, remedy: str | None = None) -> None:
        self.site = site
        self.message = message
        self.remedy = remedy
        where = f"{site}: " if site is not None else ""
        super().__init__(where + message + (f"\n    {remedy}" if remedy else ""))


class LiftError(ModelError):
    """An action or property that cannot be lifted into the transition system."""


class FormatError(FenceproofError):
    """A file that is not what it says it is: truncated, of another version, from another model."""

    exit_code = 2


class AdapterError(FenceproofError):
    """An implementation that cannot be driven: it raises, it hangs, it answers what is no answer, it is not there."""

    exit_code = 2


class DivergenceError(FenceproofError):
    """An implementation did not do what the model does."""

    exit_code = 5


class RefusedError(FenceproofError):
    """A certificate that does not prove what it claims: changed, of another model, or with a wrong obligation."""

    exit_code = 70


class InternalError(FenceproofError):
    """Two of our own answers disagree, or a counterexample did not replay: a bug of ours, never a verdict."""

    exit_code = 70


def nearest(name: str, known: Iterable[str], what: str) -> str:
    """A sentence that says `name` is no `what`, with the nearest known names, or all of them if none is near."""
    names = sorted(known)
    if len(name) > MOST_SHOWN:  # from a file, where a name may have any length
        name = f"{name[:MOST_SHOWN]}…"
    folded = {candidate.replace("_", "-").lower(): candidate for candidate in names}
    meant = name.replace("_", "-").lower()
    # A name that was not written to its end is less like a long one than like some short one.
    begun = [candidate for candidate in folded if len(meant) >= LEAST_BEGUN and candidate.startswith(meant)]
    close = difflib.get_close_matches(meant, folded, n=MOST_NEAR, cutoff=0.5)
    hint = " or ".join(folded[candidate] for candidate in list(dict.fromkeys([*begun, *close]))[:MOST_NEAR])
    listing = f"Did you mean {hint}?" if hint else f"There is: {', '.join(names) or 'none'}."
    return f"{what} {name!r} is not known. {listing}"

"""The options that name an implementation: which one, its database, and how long it may take."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click
from fenceproof.model.errors import UsageError

from ..driven import PATIENCE_S, Driven
from ..implementations import REFERENCES, URL_VARIABLE, implementation
from .options import check_time

_REFERENCES = "; ".join(f"{name}: {where}" for name, where in REFERENCES.items())


@dataclass(frozen=True, slots=True)
class ImplementationOptions:
    """What a user said about the implementation, or None for none."""

    against: str | None
    url: str | None
    patience_s: float

    def open(self) -> AbstractContextManager[Driven]:
        """The implementation, while it is used. Raises what `implementation` raises."""
        assert self.against is not None, "an implementation was named"
        return implementation(self.against, url=self.url, patience_s=self.patience_s)


def implementation_options(function: Callable[..., Any]) -> Any:
    """--against, --url and --patience, handed on as `chosen`."""

    @click.option(
        "--against",
        metavar="IMPLEMENTATION",
        help=f"The reference planner ({_REFERENCES}), or an adapter of your own, which is imported "
        "and so run: module:Adapter or path/to/file.py:Class.",
    )
    @click.option(
        "--url",
        metavar="URL",
        help=f"The database of sqlite or postgres; for postgres {URL_VARIABLE} does too. "
        "The tables in it whose names begin with fenceproof_ are emptied; no others are touched.",
    )
    @click.option(
        "--patience",
        type=click.FloatRange(0, min_open=True),
        metavar="SECONDS",
        help=f"How long each call of the implementation may take. Default: {PATIENCE_S:g}.",
    )
    @wraps(function)
    def with_implementation(
        *args: Any, against: str | None, url: str | None, patience: float | None, **others: Any
    ) -> Any:
        if against is None:
            for option, value in (("--url", url), ("--patience", patience)):
                if value is not None:
                    raise UsageError(f"{option} is about an implementation, and none is named. Add --against.")
        if patience is not None:
            check_time(patience, "Leave --patience away, or write less.", "--patience")
        chosen = ImplementationOptions(against, url, PATIENCE_S if patience is None else patience)
        return function(*args, chosen=chosen, **others)

    return with_implementation

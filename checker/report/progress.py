"""How far a search has come, on a terminal only, on standard error, and gone when the search is over."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape

from ..limits import Progress
from ..printable import printable


@contextmanager
def shown_progress(*, enabled: bool, no_color: bool, title: str = "") -> Generator[Callable[[Progress], None] | None]:
    """A function to report progress to, or None where nobody is looking. `title` says of what, where there are many."""
    console = Console(stderr=True, no_color=no_color or None)
    if not enabled or not console.is_terminal:
        yield None
        return
    before = f"{escape(printable(title))}: " if title else ""
    with console.status(f"{before}searching") as status:

        def show(progress: Progress) -> None:
            if progress.distinct is None or progress.generated is None:
                status.update(f"{before}{progress.depth} steps")
                return
            rate = progress.distinct / max(progress.seconds, 1e-9)
            status.update(
                f"{before}level {progress.depth}: {progress.distinct:,} distinct states, "
                f"{progress.generated:,} generated, {rate:,.0f} states/s"
            )

        yield show


@contextmanager
def shown_stage(*, no_color: bool) -> Generator[Callable[[str], None]]:
    """A function to say what is being done, in a word or two; it says it to a terminal only."""
    console = Console(stderr=True, no_color=no_color or None)
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status("searching") as status:
        yield status.update

"""How far a search has come, on a terminal only, on standard error, and gone when the search is over."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console

from ..limits import Progress


@contextmanager
def shown_progress(*, enabled: bool, no_color: bool) -> Generator[Callable[[Progress], None] | None]:
    """A function to report progress to, or None where nobody is looking."""
    console = Console(stderr=True, no_color=no_color)
    if not enabled or not console.is_terminal:
        yield None
        return
    with console.status("searching") as status:

        def show(progress: Progress) -> None:
            rate = progress.distinct / max(progress.seconds, 1e-9)
            status.update(
                f"level {progress.depth}: {progress.distinct:,} distinct states, {progress.generated:,} generated, "
                f"{rate:,.0f} states/s"
            )

        yield show

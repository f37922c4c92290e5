"""The console that reports are printed on: a terminal, or a file that is spared what only fills a terminal's lines."""

from __future__ import annotations

import re
from typing import IO, Any, Final, cast

from rich import text as rich_text
from rich.console import Console

from ..printable import printable

#: Tables fill every line up to the width of their columns.
_TRAILING: Final = re.compile(r"[ \t]+(?=\n)")


class _Trimmed:
    """A file to which lines are written without blanks at their ends. A console writes whole lines."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> int:
        """Write text, and say as file objects do how long it was."""
        self._file.write(_TRAILING.sub("", text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class _Plain(Console):
    """A console that takes no text for markup, nor for orders."""

    def render_str(self, text: str, **options: Any) -> rich_text.Text:
        """What is printed, or stands in a table, as a mere string."""
        return super().render_str(printable(text), **options)


def new_console(*, no_color: bool = False, file: IO[str] | None = None, width: int | None = None) -> Console:
    """A console on standard output, or on a file, of so many columns or as many as there are.

    Without `no_color` the environment is asked, as https://no-color.org has it; False would overrule it.
    """
    made = _Plain(file=file, width=width, no_color=no_color or None, highlight=False, markup=False, emoji=False)
    if made.width < 1:
        made.width = 80  # COLUMNS=0, as some schedulers set it, would leave nothing of a report
    if not made.is_terminal:
        made.file = cast("IO[str]", _Trimmed(made.file))
    return made

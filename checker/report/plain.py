"""Text for a terminal, which it is to show and not to obey, whoever wrote it."""

from __future__ import annotations

from typing import Any

from rich import text as rich_text
from rich.style import Style

from ..printable import printable


class Text(rich_text.Text):
    """Text as rich has it, where what would move the cursor is an escape that can be read."""

    def __init__(self, text: str = "", style: str | Style = "", **options: Any) -> None:
        super().__init__(printable(text), style, **options)

    def append(self, text: rich_text.Text | str, style: str | Style | None = None) -> Text:
        """Put text behind it."""
        super().append(printable(text) if isinstance(text, str) else text, style)
        return self

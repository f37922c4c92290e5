"""What an implementation offers so that traces can be run on it: three methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Adapter(Protocol):
    """Drives an implementation event by event."""

    def reset(self, parameters: Mapping[str, object]) -> None:
        """Begin anew with the model's parameters."""
        ...

    def apply(self, event: Mapping[str, object]) -> str | None:
        """Let one event happen (`{"action": …, "args": {…}}`), and say what came of it.

        Raises ValueError where the event is not possible now.
        """
        ...

    def snapshot(self) -> Mapping[str, object]:
        """What can be seen of the state, by the names of the model's variables; at least one of them."""
        ...

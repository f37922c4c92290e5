"""What one side of the comparison has to say of one model."""

from __future__ import annotations

from dataclasses import dataclass

from golden import Counts


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run: what was counted, the search alone, and in `before` the CPU-seconds of each thing that it needed first.

    `peak_bytes` is that of the process that searches, with all that it holds.
    """

    counts: Counts
    search_cpu_s: float
    search_wall_s: float
    before: dict[str, float]
    peak_bytes: int

    @property
    def total_cpu_s(self) -> float:
        """All processor time between the model's text and its counts."""
        return self.search_cpu_s + sum(self.before.values())

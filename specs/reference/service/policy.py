"""When a request is sent again, when no more, and when a call's deadline is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Policy:
    """Times in seconds. A value without a meaning is a ValueError.

    `deadline_s`: from the first sending of an epoch to its deadline. `first_retry_s`: from a sending to the next one,
    twice as long after each, and at most `longest_retry_s`. There is no random part in it: one dispatcher is no herd.
    `most_attempts`: after so many the intent is parked, for a person to look at; one alone would make a crash between
    counting and sending the end of a request that was never sent. `poll_s`: how often the outbox is looked at for what
    another planner wrote into it.
    """

    deadline_s: float = 30.0
    first_retry_s: float = 1.0
    longest_retry_s: float = 60.0
    most_attempts: int = 8
    poll_s: float = 1.0

    def __post_init__(self) -> None:
        for name in ("deadline_s", "first_retry_s", "longest_retry_s", "poll_s"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name}={getattr(self, name)} is not a time above 0 s")
        if self.most_attempts < 2:
            raise ValueError(f"most_attempts={self.most_attempts} is less than 2")

    def retry_s(self, attempts: int) -> float:
        """How long to wait after so many attempts until the next one."""
        # Beyond 2**64 it is the longest in any case, and a larger power would leave the floating point numbers.
        return min(self.longest_retry_s, self.first_retry_s * 2.0 ** min(attempts - 1, 64))

"""What the tool and the compensator really change, with the fence checked where the effect happens."""

from __future__ import annotations

from typing import Literal


class World:
    """The reservation of one call. Both effects are idempotent; the highest epoch served is the fence of the tool's."""

    def __init__(self, compensator_key: Literal["call", "call-epoch"]) -> None:
        self.fence = 0
        self.is_reserved = False
        self._by_epoch = compensator_key == "call-epoch"
        self._keys: set[int | None] = set()

    @property
    def compensations(self) -> int:
        """How often a compensation took effect; 2 stands for more."""
        return min(2, len(self._keys))

    def reserve(self, epoch: int) -> bool:
        """The tool's effect; whether the fence let it through."""
        if epoch < self.fence:
            return False
        self.fence = epoch
        self.is_reserved = True
        return True

    def release(self, epoch: int) -> None:
        """The compensation's effect, once for each idempotency key."""
        key = epoch if self._by_epoch else None
        if key not in self._keys:
            self._keys.add(key)
            self.is_reserved = False
        self.fence = max(self.fence, epoch)

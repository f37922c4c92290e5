"""What the tool and the compensator really change, with the fence checked where the effect happens."""

from __future__ import annotations

from .design import Design


class World:
    """The reservation of one call. Both effects are idempotent; the highest epoch served is the fence of the tool's."""

    def __init__(self, design: Design) -> None:
        self.fence = 0
        self.is_reserved = False
        self.applications = 0
        self._design = design
        self._keys: set[int | None] = set()

    @property
    def compensations(self) -> int:
        """How often a compensation took effect; 2 stands for more."""
        return min(2, len(self._keys))

    def reserve(self, epoch: int) -> bool:
        """The tool's effect; whether the fence let it through."""
        if self._design.world_fence:
            if epoch < self.fence:
                return False
            self.fence = epoch
        if self._design.tool_key == "none" or not self.applications:
            self.is_reserved = True
            self.applications = min(2, self.applications + 1)
        return True

    def release(self, epoch: int) -> None:
        """The compensation's effect, once for each idempotency key."""
        key = epoch if self._design.compensator_key == "call-epoch" else None
        if key not in self._keys:
            self._keys.add(key)
            self.is_reserved = False
        if self._design.world_fence:
            self.fence = max(self.fence, epoch)

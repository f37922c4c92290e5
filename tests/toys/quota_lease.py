"""A lease on quota: a client reserves under an epoch, uses some of it in calls, and each call settles what it used.

Closing the lease gives back what was not settled. A settle that comes later still, and is booked on the closed lease,
charges for quota that was given back already. Two ways to prevent that: call off what is under way when the lease is
closed; or raise the epoch then, and book only what was used under the live one. Raising alone stops nothing, and
comparing alone finds nothing to differ.
"""

from __future__ import annotations

from fenceproof.model import (
    Bool,
    Maybe,
    Model,
    Range,
    Step,
    action,
    fault,
    invariant,
    leads_to,
    require,
    safeguard,
    step_property,
    terminal,
)


class QuotaLease(Model):
    """One lease of `quota` units; one call at a time settles one unit under the epoch in which it began."""

    def __init__(self, quota: int = 2) -> None:
        self.quota = quota
        self.epoch = Range(0, 1)
        self.is_open = Bool()
        self.opened = Bool()
        self.booked = Range(0, quota)
        self.given_back = Range(0, quota)
        #: The epoch of the call that is under way.
        self.in_flight = Maybe(Range(0, 1))
        self.late = Bool()

    @safeguard("cancel-at-close")
    def may_go_on(self) -> bool:
        """Whether a call that is under way goes on when the lease is closed: with the safeguard it does not."""
        return False

    @safeguard("bump-at-close")
    def may_keep_epoch(self) -> bool:
        """Whether the epoch stays as it is when the lease is closed: with the safeguard it is raised."""
        return False

    @safeguard("fence-at-settle")
    def is_live(self, epoch: int) -> bool:
        """Whether a settle of this epoch is accepted."""
        return epoch == self.epoch

    @action
    def reserve(self) -> None:
        require(not self.opened)
        self.opened = True
        self.is_open = True

    @action
    def call(self) -> None:
        require(self.is_open and self.in_flight is None and self.booked < self.quota)
        self.in_flight = self.epoch

    @fault("delay")
    @action
    def delay(self) -> None:
        """The settle is under way for longer than the lease."""
        require(self.in_flight is not None and not self.late)
        self.late = True

    @action
    def settle(self) -> str:
        """A settle arrives: at once while the lease is open, after its close only if it was delayed."""
        require(self.in_flight is not None and (self.is_open != self.late))
        epoch = self.in_flight
        assert epoch is not None
        self.in_flight = None
        self.late = False
        if not self.is_live(epoch):
            return "fenced"
        self.booked += 1
        return "booked"

    @action
    def close(self) -> str:
        """The lease ends, when nothing is under way that will be in time; the rest of the quota goes back."""
        require(self.is_open and (self.in_flight is None or self.late))
        self.is_open = False
        self.given_back = self.quota - self.booked
        if not self.may_keep_epoch():
            self.epoch += 1
        if self.in_flight is not None and not self.may_go_on():
            self.in_flight = None
            self.late = False
            return "cancelled"
        return "closed"

    @terminal
    def over(self) -> bool:
        """The lease is closed and nothing is under way."""
        return self.opened and not self.is_open and self.in_flight is None

    @step_property
    def nothing_booked_on_a_closed_lease(self, step: Step) -> bool:
        """What is booked does not change once the lease is closed."""
        return bool(step.before.is_open or step.before.booked == step.after.booked)

    @invariant
    def quota_is_conserved(self) -> bool:
        """Nobody is charged for what was given back."""
        return self.booked + self.given_back <= self.quota

    @leads_to(fair=["settle", "close"])
    def every_lease_comes_to_its_end(self) -> tuple[bool, bool]:
        """A lease that is open is closed in the end."""
        return self.is_open, not self.is_open

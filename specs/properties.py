"""What must hold of the protocol: the named properties, each about one thing.

Fencing (which epoch may commit) and idempotency (how often an effect happens) are kept apart on purpose: that a call
is already committed says nothing about whether its compensation ran twice.
"""

from __future__ import annotations

from typing import Any

from fenceproof.model import Step, forall, implies, invariant, step_property

from .faults import Faults

#: The actions by which a result reaches the planner.
DELIVERIES = ("deliver", "deliver_again", "deliver_compensation", "deliver_compensation_again")


def delivered(step: Step) -> str | None:
    """What kind of result this step delivers, or None."""
    if step.action not in DELIVERIES:
        return None
    return str(step.args.get("kind", "compensated"))


class Planner(Faults):
    """The fenced planner: reject stale, compensate in the new fence, write the outbox with the bump, require an echo.

    Every other design is a subclass: class keywords set its knobs, and any method may be overridden.
    """

    def concerned(self, step: Step) -> list[int]:
        """The calls that a step is about: the one it names, and any other whose record it changes."""
        before, after = step.before.record, step.after.record
        return [call for call in range(self.calls) if call == step.args["call"] or before[call] != after[call]]

    @step_property(name="single-commit")
    def single_commit(self, step: Step) -> bool:
        """Per call, at most one commit is ever made."""

        def fine(call: int) -> bool:
            before, after = step.before.record[call], step.after.record[call]
            is_commit = step.args["call"] == call and step.outcome == "commit"
            changes = is_commit or before.committed != after.committed
            return implies(changes, before.committed is None)

        return forall(self.concerned(step), fine)

    @step_property(name="no-ghost")
    def no_ghost(self, step: Step) -> bool:
        """No success commits once a request of a later epoch, or any compensation of the call, was opened."""
        if delivered(step) in (None, "compensated") or step.outcome != "commit":
            return True
        return implies(True, step.before.outbox[step.args["call"]].epoch == 1)

    @step_property(name="stale-rejected")
    def stale_rejected(self, step: Step) -> bool:
        """A delivered result whose epoch is not the live one is rejected, and the reason says stale."""
        if delivered(step) not in ("success", "compensated"):
            return True
        is_stale = step.before.record[step.args["call"]].live != step.args["epoch"]
        return implies(is_stale, step.outcome == "reject:stale")

    @step_property(name="malformed-rejected")
    def malformed_rejected(self, step: Step) -> bool:
        """A result without a body or an echoed epoch is rejected as malformed, never as stale, and never commits."""
        if delivered(step) not in ("empty-body", "no-echo"):
            return True
        return implies(True, step.outcome == "reject:malformed")

    @step_property(name="epoch-monotone")
    def epoch_monotone(self, step: Step) -> bool:
        """The durable live epoch never decreases."""
        return forall(range(self.calls), lambda call: step.after.record[call].live >= step.before.record[call].live)

    @step_property(name="no-bump-after-commit")
    def no_bump_after_commit(self, step: Step) -> bool:
        """The fence of a committed call is never bumped."""

        def fine(call: int) -> bool:
            before, after = step.before.record[call], step.after.record[call]
            return implies(before.committed is not None, after.live == before.live)

        return forall(self.concerned(step), fine)

    @invariant(name="compensate-once")
    def compensate_once(self) -> bool:
        """The compensation's effect on the world happens at most once per call."""
        return forall(range(self.calls), lambda call: implies(self.world[call].compensations > 0, self.once(call)))

    def once(self, call: int) -> Any:
        """Whether the compensation of a call took effect once."""
        return self.world[call].compensations == 1

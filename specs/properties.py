"""What must hold of the protocol: the named properties, each about one thing.

Fencing (which epoch may commit) and idempotency (how often an effect happens) are kept apart on purpose: that a call
is already committed says nothing about whether its compensation ran twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fenceproof.model import (
    Step,
    abstraction,
    eventually,
    forall,
    implies,
    invariant,
    quiescent,
    step_property,
    strong,
)

from .faults import Faults

#: The actions by which a result reaches the planner.
DELIVERIES = ("deliver", "deliver_again", "second_deliver", "second_deliver_again")
COMPENSATIONS = tuple(name.replace("deliver", "deliver_compensation") for name in DELIVERIES)


def delivered(step: Step) -> str | None:
    """What kind of result this step delivers, or None."""
    if step.action in COMPENSATIONS:
        return "compensated"
    return str(step.args["kind"]) if step.action in DELIVERIES else None


class Planner(Faults):
    """The fenced planner: reject stale, compensate in the new fence, write the outbox with the bump, require an echo.

    Every other design is a subclass: class keywords set its knobs, and any method may be overridden.
    """

    costs: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "tool calls": ("execute", "execute_again", "execute_empty", "execute_anonymous"),
        "compensations": ("compensate", "compensate_again"),
    }

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

    @step_property(
        name="no-ghost",
        says="call {call}: {kind} of epoch {epoch} commits after epoch {opened[call]} was opened",
    )
    def no_ghost(self, step: Step) -> bool:
        """No success commits once a request of a later epoch, or any compensation of the call, was opened."""
        if delivered(step) in (None, "compensated") or step.outcome != "commit":
            return True
        latest = 1 if self.compensates else step.args["epoch"]
        return implies(True, step.before.opened[step.args["call"]] <= latest)

    @step_property(
        name="stale-rejected",
        says="call {call}: a result of epoch {epoch} is not rejected as stale, and epoch {record[call].live} is live",
    )
    def stale_rejected(self, step: Step) -> bool:
        """A delivered result whose epoch is not the live one is rejected, and the reason says stale."""
        if delivered(step) not in ("success", "compensated"):
            return True
        is_stale = step.before.record[step.args["call"]].live != step.args["epoch"]
        return implies(is_stale, step.outcome == "reject:stale")

    @step_property(
        name="malformed-rejected",
        says="call {call}: a result of epoch {epoch} without what it must have ({kind}) is not rejected as malformed",
    )
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

    @step_property(name="commit-durable")
    def commit_durable(self, step: Step) -> bool:
        """A commit is never lost or changed."""

        def fine(call: int) -> bool:
            before, after = step.before.record[call], step.after.record[call]
            kept = after.committed == before.committed and after.outcome == before.outcome
            return implies(before.committed is not None, kept)

        return forall(self.concerned(step), fine)

    @invariant(name="write-ahead")
    def write_ahead(self) -> bool:
        """No request of an epoch is on the network unless the durable live epoch is at least that."""

        def fine(call: int) -> bool:
            live = self.record[call].live
            tool = forall(self.tool_path[call], lambda m: m.kind != "tool" or m.epoch <= live)
            return tool and forall(self.compensator_path[call], lambda m: m.kind != "compensate" or m.epoch <= live)

        return forall(range(self.calls), fine)

    @invariant(name="apply-once")
    def apply_once(self) -> bool:
        """The tool's effect on the world happens at most once per call."""
        return forall(range(self.calls), lambda call: self.world[call].applications <= 1)

    @invariant(name="compensate-once")
    def compensate_once(self) -> bool:
        """The compensation's effect on the world happens at most once per call."""
        return forall(range(self.calls), lambda call: self.world[call].compensations <= 1)

    @quiescent(name="effect-matches-record")
    def effect_matches_record(self) -> bool:
        """When nothing more can happen, a committed success is applied, and a committed compensation undone."""

        def fine(call: int) -> bool:
            outcome = self.record[call].outcome
            return implies(outcome is not None, self.world[call].reserved == (outcome == "success"))

        return forall(range(self.calls), fine)

    @eventually(name="settles", fair=[strong("*")])
    def settles(self) -> bool:
        """Under fair scheduling and fair delivery, every call is committed in the end."""
        return self.is_settled()

    @abstraction
    def atomic_fence(self) -> Mapping[str, object]:
        """What an `AtomicFence` would have: the durable records, and nothing of what is under way or in memory."""
        return {"record": self.record}

"""Planners that give one answer to one question: reject, replay, or compensate again.

A question has a root class, the fenced planner with the step property `answer` added: wherever the question comes up,
the planner gives the answer that it `gives`. An answer that is never asked for leaves that property vacuous. What is
asked in which order of events, and which answer is right, is data in `questions.py`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from fenceproof.model import Array, Set, Step, exists, implies, require, step_property

from .messages import CompensatorMessage, Epochs, Result, ToolMessage, epoch_kind
from .properties import COMPENSATIONS, Planner, delivered

AnswerName = Literal["reject", "replay", "compensate-again"]
TIMEOUTS = ("deadline", "deadline_early", "compensation_late", "clock_jump")


class Answering(Planner):
    """What the answers have in common: how each is told from what a step does to the outbox."""

    gives: ClassVar[AnswerName]

    def opens(self, call: int, planner: int) -> None:
        """Another epoch is opened at once, as if a deadline had fired; in the last one there is none to open."""
        if self.has_next(self.open_epoch(call, planner)):
            self.time_out(call, planner)

    def is_replay(self, after: Any, call: int) -> bool:
        """Whether the outbox's intent is the original call once more."""
        return not self.compensates

    def is_given(self, step: Step) -> bool:
        """Whether a step gives this planner's answer, or can give none because the epochs are used up."""
        call = step.args["call"]
        before, after = step.before.outbox[call], step.after.outbox[call]
        intends = after.pending and after.epoch > before.epoch
        if self.gives == "reject":
            return not intends
        if not self.has_next(before.epoch):
            return True
        return intends and self.is_replay(step.after, call) == (self.gives == "replay")


class Replaying(Answering, on_timeout="compensate-and-retry"):
    """A planner that compensates when a deadline fires, and may open an epoch for the original call as well.

    An epoch holds one of the two, never both: `replays` are those that hold the original call.
    """

    def __init__(self, calls: int = 1, epochs: Epochs = 3) -> None:
        super().__init__(calls, epochs)
        self.replays = Array(calls, Set(epoch_kind(2, epochs)))

    def opens_replay(self, call: int, planner: int) -> str:
        """The next epoch is opened, for the original call."""
        if self.may_bump(call, planner):
            epoch = self.open_epoch(call, planner)
            require(self.has_next(epoch))
            self.replays[call].add(epoch + 1)
        return super().time_out(call, planner)

    def is_replay(self, after: Any, call: int) -> bool:
        return after.outbox[call].epoch in after.replays[call]

    def send(self, call: int, epoch: int) -> str:
        if epoch == 1 or epoch in self.replays[call]:
            tool = ToolMessage.of(kind="tool", epoch=epoch)
            require(tool not in self.tool_path[call])
            self.tool_path[call].add(tool)
            return "tool"
        compensation = CompensatorMessage.of(kind="compensate", epoch=epoch)
        require(compensation not in self.compensator_path[call])
        self.compensator_path[call].add(compensation)
        return "compensate"


# A compensation's result arrives before the bump of its epoch is durable


class ResultBeforeBump(Answering):
    """The fenced planner, of which this is never asked: its outbox sends nothing before the bump is durable."""

    gives: ClassVar[AnswerName] = "reject"

    def is_early(self, call: int, result: Result) -> bool:
        """Whether a result answers an epoch that the record does not hold yet."""
        return result.epoch is not None and result.epoch > self.record[call].live

    @step_property(name="answer")
    def answer(self, step: Step) -> bool:
        """A compensation's result whose epoch is not durable yet gets this planner's answer."""
        if step.action not in COMPENSATIONS:
            return True
        record = step.before.record[step.args["call"]]
        is_asked = record.committed is None and step.args["epoch"] > record.live
        return implies(is_asked, lambda: self.is_given(step))


class RejectUnsaved(ResultBeforeBump, bump="after-send", basis="copy"):
    """A result commits only if its epoch is live in the planner's memory and in the record; else it is stale."""

    def is_live(self, call: int, result: Result) -> bool:
        return result.epoch == self.live_of(call, result.planner) and result.epoch == self.record[call].live


class CompensateUnsaved(RejectUnsaved):
    """A result whose epoch is not durable yet is rejected, and the call compensated once more."""

    gives: ClassVar[AnswerName] = "compensate-again"

    def handle(self, call: int, result: Result) -> str:
        verdict = super().handle(call, result)
        if self.is_early(call, result):
            self.opens(call, result.planner)
        return verdict


class CompensateUnsavedByEpoch(CompensateUnsaved, compensator_key="call-epoch"):
    """The same, with a compensator whose key is the call with its epoch."""


class ReplayUnsaved(Replaying, RejectUnsaved, on_timeout="compensate-and-retry"):
    """A result whose epoch is not durable yet is rejected, and the original call sent once more."""

    gives: ClassVar[AnswerName] = "replay"

    def handle(self, call: int, result: Result) -> str:
        verdict = super().handle(call, result)
        if self.is_early(call, result) and self.has_next(self.open_epoch(call, result.planner)):
            self.opens_replay(call, result.planner)
        return verdict


# A success echoes no epoch


class SuccessWithoutEpoch(Answering):
    """The fenced planner: a success that echoes no epoch is rejected, and the call stays open."""

    gives: ClassVar[AnswerName] = "reject"

    def is_unlabelled(self, result: Result) -> bool:
        """Whether a result has everything but the epoch that it answers."""
        return result.body and result.epoch is None

    @step_property(name="answer")
    def answer(self, step: Step) -> bool:
        """A success that echoes no epoch gets this planner's answer while nothing is committed."""
        if delivered(step) != "no-echo":
            return True
        is_asked = step.before.record[step.args["call"]].committed is None
        return implies(is_asked, lambda: self.is_given(step))


class RejectAndForget(SuccessWithoutEpoch):
    """A success that echoes no epoch is rejected and the call left at that: no deadline, no intent."""

    def handle(self, call: int, result: Result) -> str:
        verdict = super().handle(call, result)
        if self.is_unlabelled(result):
            self.outbox[call].pending = False
            self.disarm(call, result.planner)
        return verdict


class CompensateUnlabelled(SuccessWithoutEpoch):
    """A success that echoes no epoch is rejected, and the call compensated, or compensated once more."""

    gives: ClassVar[AnswerName] = "compensate-again"

    def handle(self, call: int, result: Result) -> str:
        verdict = super().handle(call, result)
        if self.is_unlabelled(result):
            self.opens(call, result.planner)
        return verdict


class CompensateUnlabelledByEpoch(CompensateUnlabelled, compensator_key="call-epoch"):
    """The same, with a compensator whose key is the call with its epoch."""


class ReplayUnlabelled(CompensateUnlabelled, on_timeout="replay"):
    """Whatever is missing is sent again: a success that echoes no epoch makes the planner replay, as a timeout does."""

    gives: ClassVar[AnswerName] = "replay"


class ReplayUnlabelledNoKey(ReplayUnlabelled, tool_key="none"):
    """The same, with a tool that takes every request for a new one."""


class ReplayUnlabelledCompensating(Replaying, SuccessWithoutEpoch, on_timeout="compensate-and-retry"):
    """A timeout compensates, and a success that echoes no epoch has the original call sent once more."""

    gives: ClassVar[AnswerName] = "replay"

    def handle(self, call: int, result: Result) -> str:
        verdict = super().handle(call, result)
        if self.is_unlabelled(result) and self.has_next(self.open_epoch(call, result.planner)):
            self.opens_replay(call, result.planner)
        return verdict


# A second timeout fires while epoch 2 is in flight


class SecondTimeout(Answering):
    """The fenced planner: a second timeout opens epoch 3, compensates in it, and what epoch 2 brings is stale."""

    gives: ClassVar[AnswerName] = "compensate-again"

    @step_property(name="answer")
    def answer(self, step: Step) -> bool:
        """A timeout while a message of epoch 2 is in flight gets this planner's answer, if nothing is committed."""
        if step.action.removeprefix("second_") not in TIMEOUTS:
            return True
        call, before = step.args["call"], step.before
        is_open = before.record[call].committed is None and before.outbox[call].epoch == 2
        tool = exists(before.tool_path[call], lambda m: m.epoch == 2)
        compensation = exists(before.compensator_path[call], lambda m: m.epoch == 2)
        return implies(is_open and (tool or compensation), lambda: self.is_given(step))


class CompensateInEveryEpoch(SecondTimeout, compensator_key="call-epoch"):
    """The fenced planner, with a compensator whose key is the call with its epoch."""


class RefuseSecondTimeout(SecondTimeout, compensator_key="call-epoch"):
    """There is no epoch 3: a timeout in epoch 2 is refused, and what epoch 2 holds is sent again until it is answered.

    In flight or not: no planner can see that.
    """

    gives: ClassVar[AnswerName] = "reject"

    def time_out(self, call: int, planner: int = 0) -> str:
        if self.open_epoch(call, planner) == 1:
            return super().time_out(call, planner)
        self.disarm(call, planner)
        return "refused"


class RefuseAndGiveUp(RefuseSecondTimeout):
    """There is no epoch 3, and after a timeout in epoch 2 nothing is sent any more."""

    def time_out(self, call: int, planner: int = 0) -> str:
        outcome = super().time_out(call, planner)
        if outcome == "refused":
            self.outbox[call].pending = False
        return outcome


class EmptyEpoch(SecondTimeout):
    """Epoch 3 is opened, so what epoch 2 brings is rejected, but nothing is sent in it."""

    gives: ClassVar[AnswerName] = "reject"

    def time_out(self, call: int, planner: int = 0) -> str:
        outcome = super().time_out(call, planner)
        if outcome == "bump" and self.outbox[call].epoch > 2:
            self.outbox[call].pending = False
        return outcome


class ReplaySecond(SecondTimeout, on_timeout="replay"):
    """Every timeout sends the original call again, the second one as well."""

    gives: ClassVar[AnswerName] = "replay"


class ReplaySecondNoKey(ReplaySecond, tool_key="none"):
    """The same, with a tool that takes every request for a new one."""


class ReplaySecondCompensating(Replaying, SecondTimeout, on_timeout="compensate-and-retry"):
    """The first timeout compensates, and the second sends the original call again."""

    gives: ClassVar[AnswerName] = "replay"

    def time_out(self, call: int, planner: int = 0) -> str:
        if self.open_epoch(call, planner) == 1:
            return super().time_out(call, planner)
        return self.opens_replay(call, planner)

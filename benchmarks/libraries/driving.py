"""Driving a planner on a library by the model's events: what adapters have in common.

The network, the tool and the compensator are those of the reference. An adapter says how its library is told of what
they answer, and of a deadline. There is one call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, cast

from fenceproof.specs.reference.compensator import Compensator
from fenceproof.specs.reference.design import Design
from fenceproof.specs.reference.messages import Kind, Message, Network, ToolAnswer
from fenceproof.specs.reference.tool import Tool
from fenceproof.specs.reference.world import World

from . import surroundings
from .surroundings import Answer

CALL: Final = 0


class LibraryAdapter(ABC):
    """An adapter of a planner that is driven through a library. It gives no outcomes: these planners say none.

    `is_fenced`: whether the planner's requests carry an epoch, and its table says which is live. `is_thorough`: whether
    it is driven through events that take seconds, too.
    """

    def __init__(self, *, is_fenced: bool) -> None:
        self.is_fenced = is_fenced
        self.is_thorough = False
        #: The epochs that were opened, or attempts, where the planner does not number them.
        self.opened: int = 1

    def reset(self, parameters: Mapping[str, object]) -> None:
        """Begin anew: an empty table, a call that is planned, and nothing sent."""
        assert parameters.get("calls", 1) == 1, "one call is driven"
        self.end()
        self.opened = 1
        self.has_second = False
        self.network = Network()
        self.world = World(Design(world_fence=self.is_fenced))
        self.tool = Tool(self.network, [self.world])
        self.compensator = Compensator(self.network, [self.world])
        # The planner has imported the table by name, and so it is the one that is emptied.
        surroundings.bookings.execute("DELETE FROM bookings")
        self.begin()

    def apply(self, event: Mapping[str, object]) -> None:
        """Let an event happen. ValueError where it cannot happen now, or has no counterpart in the library."""
        action, args = str(event["action"]), cast("Mapping[str, object]", event["args"])
        handler = _EVENTS.get(action.removeprefix("second_"))
        if handler is None:
            raise ValueError(f"the event {action} has no counterpart here")
        given = {name: value for name, value in args.items() if name != "call"}
        if action.startswith("second_"):
            given["planner"] = 1
        handler(self, **given)

    def snapshot(self) -> dict[str, object]:
        """What can be seen: the table, what is under way, and what tool and compensator did."""
        ((live, committed),) = surroundings.bookings.execute("SELECT live, committed FROM bookings")
        record: dict[str, object] = {"outcome": self.outcome()}
        if self.is_fenced:
            record |= {"live": live, "committed": committed}
        world = {
            "reserved": self.world.is_reserved,
            "applications": self.world.applications,
            "compensations": self.world.compensations,
        }
        if self.is_fenced:
            world["fence"] = self.world.fence
        return {
            "record": [record],
            "outbox": [{"epoch": self.opened}],
            "second": [self.has_second],
            "tool_path": [self._under_way(("tool", "success", "empty-body", "no-echo"))],
            "compensator_path": [self._under_way(("compensate", "compensated"))],
            "world": [world],
        }

    def outcome(self) -> object:
        """What the planner's table says of the call."""
        ((outcome,),) = surroundings.bookings.execute("SELECT outcome FROM bookings")
        return outcome

    def _under_way(self, kinds: tuple[Kind, ...]) -> list[dict[str, object]]:
        return [{"kind": m.kind, "epoch": m.epoch} for m in self.network.of(CALL, kinds)]

    def close(self) -> None:
        """Give back what is held."""
        self.end()

    # What a library has to do

    @abstractmethod
    def end(self) -> None:
        """Let go of the call that is planned, if one is."""

    def has_counterpart(self, action: str, state: Mapping[str, object]) -> bool:
        """Whether there is something in the library that an event in a state of the model stands for."""
        return True

    @staticmethod
    def has_sent(state: Mapping[str, object]) -> bool:
        """Whether something was sent, in a state of the model."""
        armed, intents = cast("list[bool]", state["armed"]), cast("list[dict[str, int]]", state["outbox"])
        return armed[CALL] or intents[CALL]["epoch"] > 1

    @abstractmethod
    def begin(self) -> None:
        """Plan a call, up to where the planner's first request is about to be sent."""

    @abstractmethod
    def time_out(self, planner: int) -> None:
        """Let the planner's deadline fire. Where that opens compensation, `opened` is one higher afterwards."""

    @abstractmethod
    def take_answer(self, kind: Kind, answer: Answer, *, again: bool, planner: int) -> None:
        """Let an answer of the tool reach the planner; with `again`, it is to reach it once more."""

    @abstractmethod
    def take_compensation(self, epoch: int, answer: Answer, *, again: bool, planner: int) -> None:
        """Let an answer of the compensator reach the planner."""

    @abstractmethod
    def crash(self, planner: int) -> None:
        """The planner's process ends and starts again."""

    @abstractmethod
    def take_over(self) -> None:
        """A second planner starts, while the first goes on."""

    # The services

    def run_tool(self, epoch: int, answer: ToolAnswer, *, again: bool) -> None:
        """The tool takes a request that is under way."""
        self.tool.execute(CALL, epoch, answer=answer, again=again)

    def run_compensator(self, epoch: int, *, again: bool) -> None:
        """The compensator takes a request that is under way."""
        self.compensator.compensate(CALL, epoch, again=again)

    def answer_of(self, kind: Kind, epoch: int) -> Answer:
        """What an answer looks like to the planner. A request without an epoch is answered without."""
        answer: Answer = {}
        if kind != "empty-body":
            answer["body"] = "done"
        if self.is_fenced and kind != "no-echo":
            answer["epoch"] = epoch
        return answer

    # Events

    def on_dispatch(self) -> None:
        message = Message(CALL, "tool" if self.opened == 1 else "compensate", self.opened)
        if self.network.is_under_way(message):
            raise ValueError("what there is to send is under way already")
        self.network.send(message)

    def on_execute(self, epoch: int, *, answer: ToolAnswer, again: bool = False) -> None:
        self._require(Message(CALL, "tool", epoch))
        self.run_tool(epoch, answer, again=again)

    def on_compensate(self, epoch: int, *, again: bool = False) -> None:
        self._require(Message(CALL, "compensate", epoch))
        self.run_compensator(epoch, again=again)

    def _require(self, message: Message) -> None:
        if not self.network.is_under_way(message):
            raise ValueError(f"no {message.kind} of epoch {message.epoch} is under way")

    def on_deliver(self, kind: Kind, epoch: int, *, again: bool = False, planner: int = 0) -> None:
        self.network.arrives(Message(CALL, kind, epoch), again=again)
        self.take_answer(kind, self.answer_of(kind, epoch), again=again, planner=planner)

    def on_deliver_compensation(self, epoch: int, *, again: bool = False, planner: int = 0) -> None:
        self.network.arrives(Message(CALL, "compensated", epoch), again=again)
        self.take_compensation(epoch, self.answer_of("compensated", epoch), again=again, planner=planner)

    def on_deadline(self, *, planner: int = 0) -> None:
        self.time_out(planner)

    def on_lose(self, kind: Kind, epoch: int) -> None:
        self.network.arrives(Message(CALL, kind, epoch))

    def on_crash(self, *, planner: int = 0) -> None:
        self.crash(planner)

    def on_take_over(self) -> None:
        self.take_over()
        self.has_second = True


#: What each event of the model does.
_EVENTS: Final[dict[str, Callable[..., None]]] = {
    "dispatch": LibraryAdapter.on_dispatch,
    "execute": partial(LibraryAdapter.on_execute, answer="success"),
    "execute_again": partial(LibraryAdapter.on_execute, answer="success", again=True),
    "execute_empty": partial(LibraryAdapter.on_execute, answer="empty-body"),
    "execute_anonymous": partial(LibraryAdapter.on_execute, answer="no-echo"),
    "compensate": LibraryAdapter.on_compensate,
    "compensate_again": partial(LibraryAdapter.on_compensate, again=True),
    "deliver": LibraryAdapter.on_deliver,
    "deliver_again": partial(LibraryAdapter.on_deliver, again=True),
    "deliver_compensation": LibraryAdapter.on_deliver_compensation,
    "deliver_compensation_again": partial(LibraryAdapter.on_deliver_compensation, again=True),
    "lose": LibraryAdapter.on_lose,
    "lose_compensation": LibraryAdapter.on_lose,
    "deadline": LibraryAdapter.on_deadline,
    "deadline_early": LibraryAdapter.on_deadline,
    "compensation_late": LibraryAdapter.on_deadline,
    "clock_jump": LibraryAdapter.on_deadline,
    "crash": LibraryAdapter.on_crash,
    "take_over": LibraryAdapter.on_take_over,
}

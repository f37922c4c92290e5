"""All parts of the reference put together, driven event by event and snapshot after each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from typing import Any, Final, cast

from .compensator import Compensator
from .design import Design
from .messages import Kind, Message, Network, ToolAnswer, result_of
from .outbox import Dispatcher
from .planner import Counters, Planner
from .record import RecordStore
from .tool import Tool
from .world import World


class Reference(ABC):
    """The reference planner with its surroundings, as something that events can be applied to.

    A subclass says where the records are kept. Planner 0 of a call is the planner; planner 1 is there once it has taken
    over.
    """

    def __init__(self) -> None:
        self.reset({})

    @abstractmethod
    def close(self) -> None:
        """Give back what the store holds on to. It can be reset afterwards."""

    @abstractmethod
    def new_store(self, calls: int) -> RecordStore:
        """A store with fresh records of so many calls."""

    @abstractmethod
    def reopened(self, store: RecordStore) -> RecordStore:
        """What a process that was started again finds of a store: all that was durable."""

    def reset(self, parameters: Mapping[str, object]) -> None:
        """Begin anew with `calls`, `epochs` and the fields of `Design`; ValueError for a name or value that is none."""
        self._calls, self._epochs, self._design = read_parameters(parameters)
        self.rejects = Counters()
        self._store = self.new_store(self._calls)
        self._network = Network()
        self._worlds = [World(self._design) for _ in range(self._calls)]
        self._tool = Tool(self._network, self._worlds)
        self._compensator = Compensator(self._network, self._worlds)
        self._dispatcher = Dispatcher(self._store, self._network, self._design)
        self._planners = [{0: self._planner(call)} for call in range(self._calls)]
        self._armed = [[False, False] for _ in range(self._calls)]

    def apply(self, event: Mapping[str, object]) -> str | None:
        """Let one event happen, `{"action": …, "args": {…}}`, and say what came of it.

        Raises ValueError for an event that is not known, or not possible now.
        """
        action, args = event.get("action"), event.get("args")
        handler = _EVENTS.get(str(action))
        if handler is None:
            raise ValueError(f"the event {action!r} is not known")
        if not isinstance(args, Mapping):
            raise ValueError(f"the event {action!r} has no arguments")
        given = cast("Mapping[str, object]", args)
        if given.get("call") not in range(self._calls):
            raise ValueError(f"there is no call {given.get('call')!r}")
        try:
            return handler(self, **given)
        except TypeError as error:
            raise ValueError(f"the event {action!r} cannot have these arguments: {error}") from error

    def snapshot(self) -> dict[str, object]:
        """Everything that can be seen from outside a planner, as fresh JSON values; lists have an entry a call."""
        records = [self._store.read(call) for call in range(self._calls)]
        seen: dict[str, object] = {
            "record": [{"live": r.live, "committed": r.committed, "outcome": r.outcome} for r in records],
            "outbox": [{"epoch": r.intent_epoch, "pending": r.pending} for r in records],
            "armed": [first for first, _ in self._armed],
            "second": [1 in planners for planners in self._planners],
            "tool_path": [self._under_way(c, ("tool", "success", "empty-body", "no-echo")) for c in range(self._calls)],
            "compensator_path": [self._under_way(c, ("compensate", "compensated")) for c in range(self._calls)],
            "world": [self._effects(world) for world in self._worlds],
        }
        if self._design.basis == "copy":
            seen["second_armed"] = [second for _, second in self._armed]
        return seen

    @staticmethod
    def _effects(world: World) -> dict[str, object]:
        return {
            "fence": world.fence,
            "reserved": world.is_reserved,
            "applications": world.applications,
            "compensations": world.compensations,
        }

    def _under_way(self, call: int, kinds: tuple[Kind, ...]) -> list[dict[str, object]]:
        return [{"kind": m.kind, "epoch": m.epoch} for m in self._network.of(call, kinds)]

    def _planner(self, call: int) -> Planner:
        return Planner(
            call,
            self.reopened(self._store),
            self._design,
            send=self._dispatcher.send,
            epochs=self._epochs,
            rejects=self.rejects,
        )

    def _who(self, call: int, number: int) -> Planner:
        if number not in self._planners[call]:
            raise ValueError(f"call {call} has no second planner")
        return self._planners[call][number]

    def dispatch(self, call: int) -> str:
        """The outbox sends what is pending, and the deadlines are armed."""
        sent = self._dispatcher.dispatch(call)
        if self._design.on_timeout != "wait":
            self._armed[call] = [True, self._design.basis == "copy" and 1 in self._planners[call]]
        return sent

    def deadline(self, call: int, *, planner: int = 0) -> str:
        """A planner's deadline fires, early or late: to the planner that is all one."""
        outcome = self._who(call, planner).time_out()
        # Planners that ask the record have one deadline between them.
        self._armed[call][planner if self._design.basis == "copy" else 0] = False
        return outcome

    def persist(self, call: int, *, planner: int = 0) -> str:
        """A planner writes down the epoch that it opened in memory."""
        return self._who(call, planner).save()

    def execute(self, call: int, epoch: int, *, answer: ToolAnswer, again: bool = False) -> str:
        """The tool takes a request that is under way."""
        return self._tool.execute(call, epoch, answer=answer, again=again)

    def compensate(self, call: int, epoch: int, *, again: bool = False) -> str:
        """The compensator takes a request that is under way."""
        return self._compensator.compensate(call, epoch, again=again)

    def deliver(self, call: int, kind: Kind, epoch: int, *, again: bool = False, planner: int = 0) -> str:
        """A result that is under way reaches a planner."""
        receiver, message = self._who(call, planner), Message(call, kind, epoch)
        self._network.arrives(message, again=again)
        return receiver.handle(result_of(message))

    def crash(self, call: int, *, planner: int = 0) -> None:
        """A planner starts again from the record. One that knows of the commit is done: ValueError."""
        old = self._who(call, planner)
        if old.copy.committed:
            raise ValueError(f"call {call} is done")
        if planner == 1 and self._design.basis == "record":
            return
        new = self._planner(call)
        if self._design.has_memory:
            new.copy = old.copy
            new.start_again()
        self._planners[call][planner] = new

    def take_over(self, call: int) -> None:
        """A second planner starts on the same record."""
        if 1 in self._planners[call]:
            raise ValueError(f"call {call} has a second planner already")
        second = self._planners[call][1] = self._planner(call)
        if self._design.basis == "copy":
            second.start_again()
            self._armed[call][1] = self._armed[call][0]

    def lose(self, call: int, kind: Kind, epoch: int) -> None:
        """A message that is under way is lost."""
        self._network.arrives(Message(call, kind, epoch))


def read_parameters(parameters: Mapping[str, object]) -> tuple[int, int, Design]:
    """How many calls and epochs there are, and the design. ValueError for a name or value that is none."""
    known = {"calls", "epochs", *(field.name for field in fields(Design))}
    unknown = set(parameters) - known
    if unknown:
        raise ValueError(f"there is no parameter {min(unknown)!r}; there is {', '.join(sorted(known))}")
    sizes = {name: parameters.get(name, default) for name, default in (("calls", 1), ("epochs", 3))}
    for name, value in sizes.items():
        if type(value) is not int or value < 1:
            raise ValueError(f"{name}={value!r} is not a number from 1 on")
    choices: dict[str, Any] = {k: v for k, v in parameters.items() if k not in sizes}
    return int(str(sizes["calls"])), int(str(sizes["epochs"])), Design(**choices)


#: What each event of a trace does to the reference.
_EVENTS: Final[dict[str, Callable[..., str | None]]] = {
    "dispatch": Reference.dispatch,
    "execute": partial(Reference.execute, answer="success"),
    "execute_again": partial(Reference.execute, answer="success", again=True),
    "execute_empty": partial(Reference.execute, answer="empty-body"),
    "execute_anonymous": partial(Reference.execute, answer="no-echo"),
    "compensate": Reference.compensate,
    "compensate_again": partial(Reference.compensate, again=True),
    "deliver": Reference.deliver,
    "deliver_again": partial(Reference.deliver, again=True),
    "deliver_compensation": partial(Reference.deliver, kind="compensated"),
    "deliver_compensation_again": partial(Reference.deliver, kind="compensated", again=True),
    "lose": Reference.lose,
    "lose_compensation": Reference.lose,
    "deadline": Reference.deadline,
    "deadline_early": Reference.deadline,
    "compensation_late": Reference.deadline,
    "clock_jump": Reference.deadline,
    "persist": Reference.persist,
    "crash": Reference.crash,
    "take_over": Reference.take_over,
}
_EVENTS.update(
    {
        f"second_{name}": partial(_EVENTS[name], planner=1)
        for name in (
            "deadline",
            "deadline_early",
            "compensation_late",
            "clock_jump",
            "persist",
            "deliver",
            "deliver_again",
            "deliver_compensation",
            "deliver_compensation_again",
            "crash",
        )
    }
)

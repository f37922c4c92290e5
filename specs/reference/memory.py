"""All parts of the reference put together in memory, driven event by event and snapshot after each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from typing import Any, Final, cast

from .compensator import Compensator
from .design import Design
from .messages import Kind, Message, Network, ToolAnswer, result_of
from .outbox import Dispatcher
from .planner import Planner
from .record import MemoryStore
from .tool import Tool
from .world import World


class Memory:
    """The reference planner with its surroundings, as something that events can be applied to."""

    def __init__(self) -> None:
        self.reset({})

    def reset(self, parameters: Mapping[str, object]) -> None:
        """Begin anew with `calls`, `epochs` and the fields of `Design`; ValueError for a name or value that is none."""
        known = {"calls", "epochs", *(field.name for field in fields(Design))}
        unknown = set(parameters) - known
        if unknown:
            raise ValueError(f"there is no parameter {min(unknown)!r}; there is {', '.join(sorted(known))}")
        sizes = {name: parameters.get(name, default) for name, default in (("calls", 1), ("epochs", 3))}
        for name, value in sizes.items():
            if type(value) is not int or value < 1:
                raise ValueError(f"{name}={value!r} is not a number from 1 on")
        choices: dict[str, Any] = {k: v for k, v in parameters.items() if k not in sizes}
        design = Design(**choices)
        self._calls = int(str(sizes["calls"]))
        self._store = MemoryStore(self._calls, int(str(sizes["epochs"])))
        self._network = Network()
        self._worlds = [World(design) for _ in range(self._calls)]
        self._tool = Tool(self._network, self._worlds)
        self._compensator = Compensator(self._network, self._worlds)
        self._dispatcher = Dispatcher(self._store, self._network, design)
        self._design = design
        self.planner = Planner(self._store, design)
        self._armed = [False] * self._calls
        self._second = [False] * self._calls

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
        """Everything that can be seen, as fresh JSON values; lists have an entry a call."""
        records = [self._store.read(call) for call in range(self._calls)]
        return {
            "record": [{"live": r.live, "committed": r.committed, "outcome": r.outcome} for r in records],
            "outbox": [{"epoch": r.intent_epoch, "pending": r.pending} for r in records],
            "armed": list(self._armed),
            "second": list(self._second),
            "tool_path": [self._under_way(c, ("tool", "success", "empty-body", "no-echo")) for c in range(self._calls)],
            "compensator_path": [self._under_way(c, ("compensate", "compensated")) for c in range(self._calls)],
            "world": [self._effects(world) for world in self._worlds],
        }

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

    def dispatch(self, call: int) -> str:
        """The outbox sends what is pending, and the deadline is armed."""
        sent = self._dispatcher.dispatch(call)
        self._armed[call] = self._design.on_timeout != "wait"
        return sent

    def deadline(self, call: int) -> str:
        """The deadline fires, early or late: to the planner that is all one."""
        outcome = self.planner.time_out(call)
        self._armed[call] = False
        return outcome

    def execute(self, call: int, epoch: int, *, answer: ToolAnswer, again: bool = False) -> str:
        """The tool takes a request that is under way."""
        return self._tool.execute(call, epoch, answer=answer, again=again)

    def compensate(self, call: int, epoch: int, *, again: bool = False) -> str:
        """The compensator takes a request that is under way."""
        return self._compensator.compensate(call, epoch, again=again)

    def deliver(self, call: int, kind: Kind, epoch: int, *, again: bool = False) -> str:
        """A result that is under way reaches the planner."""
        message = Message(call, kind, epoch)
        self._network.arrives(message, again=again)
        return self.planner.handle(result_of(message))

    def crash(self, call: int) -> None:
        """The planner starts again; the deadline of a call that waits is armed again."""
        self._only_by_the_record("crash")
        self.planner = Planner(self._store, self._design)

    def take_over(self, call: int) -> None:
        """A second planner starts on the same record."""
        self._only_by_the_record("take over")
        if self._second[call]:
            raise ValueError(f"call {call} has a second planner already")
        self._second[call] = True

    def _only_by_the_record(self, what: str) -> None:
        if self._design.basis == "copy":
            raise ValueError(f"this reference cannot {what} with planners that keep a copy of the record")

    def lose(self, call: int, kind: Kind, epoch: int) -> None:
        """A message that is under way is lost."""
        self._network.arrives(Message(call, kind, epoch))


#: What each event of a trace does to the reference.
_EVENTS: Final[dict[str, Callable[..., str | None]]] = {
    "dispatch": Memory.dispatch,
    "execute": partial(Memory.execute, answer="success"),
    "execute_again": partial(Memory.execute, answer="success", again=True),
    "execute_empty": partial(Memory.execute, answer="empty-body"),
    "execute_anonymous": partial(Memory.execute, answer="no-echo"),
    "compensate": Memory.compensate,
    "compensate_again": partial(Memory.compensate, again=True),
    "deliver": Memory.deliver,
    "deliver_again": partial(Memory.deliver, again=True),
    "deliver_compensation": partial(Memory.deliver, kind="compensated"),
    "deliver_compensation_again": partial(Memory.deliver, kind="compensated", again=True),
    "lose": Memory.lose,
    "lose_compensation": Memory.lose,
    "deadline": Memory.deadline,
    "deadline_early": Memory.deadline,
    "compensation_late": Memory.deadline,
    "clock_jump": Memory.deadline,
    "crash": Memory.crash,
    "take_over": Memory.take_over,
}
# Planners that ask the record are all alike, so the second one's doings are the first one's.
_EVENTS.update(
    {
        f"second_{name}": _EVENTS[name]
        for name in (
            "deadline",
            "deadline_early",
            "compensation_late",
            "clock_jump",
            "deliver",
            "deliver_again",
            "deliver_compensation",
            "deliver_compensation_again",
            "crash",
        )
    }
)

"""The late result, staged: a tool, a compensator and a planner run, and the tool's result is held past the deadline.

Nothing here depends on how fast the machine is: the clock is turned by hand, and each step waits for what the step
before it brought about.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Final

from ..design import Design
from ..planner import Counters
from ..record import CallRecord, RecordStore
from .clock import HandClock
from .effects import EffectServer, Reservations
from .errors import ServiceError
from .planner_service import PlannerService
from .policy import Policy
from .script import Behaviour, Script
from .telemetry import Happening, Telemetry

FENCED: Final = Design()
LAST_WRITER: Final = Design(decide="last-writer", basis="copy")
DEADLINE_S: Final = 30
#: The outbox is served when something was put into it, and nothing is sent twice: two orders of events would do.
POLICY: Final = Policy(deadline_s=DEADLINE_S, first_retry_s=3600, longest_retry_s=3600, poll_s=3600)
#: Seconds that a step may take on a machine with other things to do.
PATIENCE_S: Final = 8.0


@dataclass(frozen=True, slots=True)
class Ending:
    """What is left when all is over, and which results were committed on the way, as `outcome@epoch`."""

    record: CallRecord
    is_reserved: bool
    commits: tuple[str, ...]
    rejects: Counters

    @property
    def is_fenced(self) -> bool:
        """Whether the late success was rejected, the compensation alone was committed, and the world agrees."""
        expected = replace(self.record, live=2, committed=2, outcome="compensated", pending=False)
        return (
            self.record == expected
            and self.commits == ("compensated@2",)
            and (self.rejects.stale, self.rejects.malformed, self.rejects.committed) == (1, 0, 0)
            and not self.is_reserved
        )

    @property
    def is_ghost(self) -> bool:
        """Whether the record says that the tool succeeded, of a reservation that was released."""
        return self.record.outcome == "success" and self.record.committed == 1 and not self.is_reserved


class Stage:
    """Shows what happens to one call as it happens, and waits for it."""

    def __init__(self, call: int, show: Callable[[str], None], patience_s: float = PATIENCE_S) -> None:
        self._call = call
        self._show = show
        self._patience_s = patience_s
        self._happenings: queue.SimpleQueue[Happening] = queue.SimpleQueue()
        self.commits: list[str] = []
        self.tell = self._happenings.put

    def wait_for(self, who: str, what: str) -> Happening:
        """Show everything until this. ServiceError where it does not come; an error on the way is raised as it is."""
        while True:
            try:
                seen = self._happenings.get(timeout=self._patience_s)
            except queue.Empty:
                raise ServiceError(f"{who}: {what} has not happened within {self._patience_s:g} s") from None
            if seen.error is not None:
                raise seen.error
            if seen.call == self._call:
                self._follow(seen)
            if (seen.who, seen.what) == (who, what):
                return seen

    def say(self, who: str, text: str) -> None:
        """Show a line."""
        self._show(f"{who:<12} {text}")

    def _follow(self, seen: Happening) -> None:
        if seen.outcome == "commit":
            self.commits.append(f"{seen.what}@{seen.epoch}")
        text = _words(seen)
        if text is not None:
            self.say(seen.who, text)


def _words(seen: Happening) -> str | None:
    """A happening in words; None for one that goes without saying."""
    match (seen.who, seen.what, seen.outcome):
        case ("outbox", _, "sending"):
            return f"sends the request of epoch {seen.epoch}"
        case ("tool", _, "executed"):
            return f"executes the request of epoch {seen.epoch}: the row is reserved"
        case ("compensator", _, "compensated"):
            return f"executes the request of epoch {seen.epoch}: the row is released"
        case ("planner", "deadline", outcome):
            return f"deadline of epoch {seen.epoch}: {outcome}"
        case ("planner", "success" | "compensated", outcome):
            return f"{seen.what} of epoch {seen.epoch}: {outcome}"
        case (_, _, outcome) if outcome.startswith(("failed", "refused", "parked")):
            return f"{seen.what}: {outcome}"
        case _:
            return None


def run(store: RecordStore, call: int, design: Design, show: Callable[[str], None]) -> Ending:
    """Take a new call of the store through the late result. ServiceError for surroundings that do not play along."""
    stage, clock = Stage(call, show), HandClock()
    telemetry = Telemetry([stage.tell])
    reservations = Reservations(design)
    with ExitStack() as running:
        tool = EffectServer("tool", reservations, clock, telemetry, Script({1: Behaviour(is_held=True)}))
        running.callback(tool.close)
        compensator = EffectServer("compensator", reservations, clock, telemetry)
        running.callback(compensator.close)
        tool.start()
        compensator.start()
        planner = PlannerService(
            store,
            calls=[call],
            tool_url=tool.url,
            compensator_url=compensator.url,
            clock=clock,
            telemetry=telemetry,
            design=design,
            policy=POLICY,
        )
        running.enter_context(planner)
        stage.wait_for("tool", "execute")
        stage.say("tool", "holds its result back")
        stage.say("clock", f"is turned on by {DEADLINE_S} s, to the deadline")
        clock.turn(DEADLINE_S)
        stage.wait_for("planner", "deadline")
        stage.wait_for("planner", "compensated")
        stage.say("tool", "lets its result go")
        tool.let_go()
        stage.wait_for("planner", "success")
        return Ending(store.read(call), reservations.is_reserved(call), tuple(stage.commits), planner.rejects)

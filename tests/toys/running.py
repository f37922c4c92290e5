"""The service of the reference with all its parts, on loopback, with a clock that is turned by hand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

import httpx
from fenceproof.specs.reference.design import Design
from fenceproof.specs.reference.memory_store import MemoryStore
from fenceproof.specs.reference.record import RecordStore
from fenceproof.specs.reference.service.clock import HandClock
from fenceproof.specs.reference.service.effects import EffectServer, Reservations
from fenceproof.specs.reference.service.planner_service import PlannerService
from fenceproof.specs.reference.service.policy import Policy
from fenceproof.specs.reference.service.script import Behaviour, Script
from fenceproof.specs.reference.service.telemetry import Happening, Telemetry

#: Nothing happens by itself: the outbox looks again when it is woken, or when the clock is turned that far.
STILL = Policy(deadline_s=30, first_retry_s=5, longest_retry_s=20, most_attempts=3, poll_s=1000)


class Running:
    """A tool, a compensator and a planner, within a `with` block."""

    def __init__(
        self,
        store: RecordStore | None = None,
        *,
        calls: int = 1,
        tool: Mapping[int, Behaviour] | None = None,
        compensator: Mapping[int, Behaviour] | None = None,
        design: Design | None = None,
        policy: Policy = STILL,
        telemetry: Callable[[Callable[[Happening], None]], Telemetry] = lambda tell: Telemetry([tell]),
    ) -> None:
        self.store: RecordStore = store or MemoryStore(calls)
        self.clock = HandClock()
        self.seen: list[Happening] = []
        self._changed = threading.Condition()
        told = telemetry(self._tell)
        self.reservations = Reservations(design or Design())
        self.tool = EffectServer("tool", self.reservations, self.clock, told, Script(tool))
        self.compensator = EffectServer("compensator", self.reservations, self.clock, told, Script(compensator))
        self.planner = PlannerService(
            self.store,
            calls=range(calls),
            tool_url=self.tool.url,
            compensator_url=self.compensator.url,
            clock=self.clock,
            telemetry=told,
            design=design,
            policy=policy,
        )

    def __enter__(self) -> Running:
        self.tool.start()
        self.compensator.start()
        self.planner.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.planner.__exit__(None, None, None)
        self.tool.close()
        self.compensator.close()

    def _tell(self, happening: Happening) -> None:
        with self._changed:
            self.seen.append(happening)
            self._changed.notify_all()

    def all(self, who: str, what: str = "") -> list[tuple[int | None, int | None, str]]:
        """Call, epoch and outcome of each happening of a kind, in their order."""
        return [(h.call, h.epoch, h.outcome) for h in list(self.seen) if h.who == who and h.what.startswith(what)]

    def wait_for(self, who: str, what: str, times: int = 1) -> str:
        """Wait until something has happened so often, and say what came of it the last time."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.all(who, what)) >= times, timeout=20), self.seen
        return self.all(who, what)[times - 1][2]

    def post_result(self, body: bytes, path: str = "") -> httpx.Response:
        """Send the planner a result of call 0, or anything to a path."""
        url = self.planner.result_url(0)
        return httpx.post(url.partition("/results")[0] + path if path else url, content=body, trust_env=False)

    def does_not_happen(self, who: str, what: str, within_s: float = 0.3) -> bool:
        """Whether something keeps not happening; a slow machine can only miss that it does."""
        with self._changed:
            return not self._changed.wait_for(lambda: bool(self.all(who, what)), timeout=within_s)

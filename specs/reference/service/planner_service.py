"""The planner as a service: an outbox that is served, deadlines that fire, and results that come in."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import ExitStack
from types import TracebackType

from ..design import Design
from ..messages import Result
from ..planner import Counters, Planner
from ..record import RecordStore
from .clock import Clock
from .deadlines import Deadlines
from .dispatcher import OutboxLoop
from .policy import Policy
from .requests import Requests
from .results import ResultServer
from .telemetry import Telemetry


class PlannerService:
    """Serves some calls of a store, within a `with` block.

    The database decides. The lock of each call is there for designs that decide by a copy in memory instead. A design
    that sends before it writes has no outbox, and is a ValueError.
    """

    def __init__(
        self,
        store: RecordStore,
        *,
        calls: Iterable[int],
        tool_url: str,
        compensator_url: str,
        clock: Clock,
        telemetry: Telemetry,
        design: Design | None = None,
        epochs: int = 3,
        policy: Policy | None = None,
        port: int = 0,
    ) -> None:
        self._design = design or Design()
        if self._design.bump == "after-send":
            raise ValueError("a planner that sends before it writes has no outbox to serve")
        self._store = store
        self._epochs = epochs
        self._policy = policy or Policy()
        self._telemetry = telemetry
        self.rejects = Counters()
        self._planners = {call: self._planner(call) for call in calls}
        self._locks = {call: threading.Lock() for call in self._planners}
        self._results = ResultServer(self._handle, self._failed, port=port)
        self._requests = Requests(self._design, tool_url, compensator_url, self._results.address, telemetry)
        self._deadlines = Deadlines(self._time_out, clock, self._failed)
        self._outbox = OutboxLoop(
            store,
            self._requests.send,
            calls=self._planners,
            design=self._design,
            policy=self._policy,
            clock=clock,
            telemetry=telemetry,
            before_send=self._arm,
        )
        self._running = ExitStack()

    def __enter__(self) -> PlannerService:
        # They end in the opposite order: first what sends, last what takes results.
        with ExitStack() as begun:
            begun.callback(self._requests.close)
            for part in (self._results, self._deadlines, self._outbox):
                begun.callback(part.close)
                part.start()
            self._running = begun.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._running.close()

    def result_url(self, call: int) -> str:
        """Where the tool's result of a call is to be sent."""
        return self._results.address(call, "success")

    def wake(self) -> None:
        """Look at the outbox now."""
        self._outbox.wake()

    def _planner(self, call: int) -> Planner:
        planner = Planner(
            call, self._store, self._design, send=self._never_sends, epochs=self._epochs, rejects=self.rejects
        )
        if self._design.has_memory:
            planner.start_again()
        return planner

    @staticmethod
    def _never_sends(call: int, epoch: int) -> None:
        raise AssertionError(f"epoch {epoch} of call {call} is sent by the outbox alone")

    def _failed(self, error: Exception) -> None:
        self._telemetry.failed("planner", error)

    def _arm(self, call: int, epoch: int) -> None:
        if self._design.on_timeout != "wait" and epoch < self._epochs:
            self._deadlines.arm(call, epoch, self._policy.deadline_s)

    def _handle(self, result: Result) -> str:
        """Take a result; KeyError for a call that is not served."""
        planner = self._planners[result.call]
        span = self._telemetry.span("planner", result.outcome, result.call, result.epoch)
        # Told before the lock is given back, so that decisions are told in their order.
        with self._locks[result.call], span as happening:
            happening.outcome = planner.handle(result)
        return happening.outcome

    def _time_out(self, call: int, epoch: int) -> None:
        with self._locks[call], self._telemetry.span("planner", "deadline", call, epoch) as happening:
            is_open = self._latest(call) == epoch
            happening.outcome = self._planners[call].time_out() if is_open else "ignored"
        self._outbox.wake()

    def _latest(self, call: int) -> int:
        """The epoch that was opened last, as the planner knows it."""
        by_copy = self._design.basis == "copy"
        return self._planners[call].copy.epoch if by_copy else self._store.read(call).intent_epoch

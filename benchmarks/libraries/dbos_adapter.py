# pyright: basic, reportMissingImports=false
"""Drives the planners on DBOS. The workflow's thread is held in its steps; a message is there before `recv` or it is
not, so that the time-out of `recv`, which is zero, fires exactly when an adapter lets the thread go on without one."""

from __future__ import annotations

import itertools
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import Final

from dbos import DBOS, WorkflowHandle, error
from fenceproof.specs.reference.messages import Kind

from . import surroundings
from .driving import CALL, LibraryAdapter
from .gates import AbandonedError, Gate, Gates
from .surroundings import Answer

_KEYS: Final = itertools.count()


class DbosAdapter(LibraryAdapter):
    """DBOS on SQLite. A crash ends the workflow's thread and DBOS, and another DBOS recovers the workflow."""

    def __init__(self, *, is_fenced: bool) -> None:
        super().__init__(is_fenced=is_fenced)
        surroundings.DEADLINE_S, surroundings.RETRY_S = 0.0, 0.001
        # A process has one of the two: DBOS knows workflows by their names alone.
        self._planner = import_module(".dbos_fenced" if is_fenced else ".dbos_planner", __package__)
        self._gates = Gates()
        self._gate: Gate | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="fenceproof-dbos-")
        self._launch()

    def has_counterpart(self, action: str, state: Mapping[str, object]) -> bool:
        # A workflow of a key runs once. Before the request is sent there is nothing whose time could be up.
        return (
            action != "take_over"
            and (action != "crash" or self.is_thorough)
            and (action != "clock_jump" or self.has_sent(state))
        )

    def begin(self) -> None:
        self._gates = Gates()
        surroundings.tool.answered_by = self._gates.hold("tool")
        surroundings.compensator.answered_by = self._gates.hold("compensator")
        self._key = f"call-{next(_KEYS)}"
        self._watch(self._planner.start(CALL, self._key))
        self._gate = self._gates.next_stop()

    def time_out(self, planner: int) -> None:
        if self._gate is None:
            return
        if self._gate.kind == "tool":
            # The request is with the tool, and no webhook has come.
            self._go_on({})
        else:
            self._go_on(TimeoutError("the compensator has not answered in time"))
        self.opened += 1

    def take_answer(self, kind: Kind, answer: Answer, *, again: bool, planner: int) -> None:
        status = self._planner.webhook(self._key, answer)
        if status == 202 and self._gate is not None and self._gate.kind == "tool":
            self._go_on({})

    def take_compensation(self, epoch: int, answer: Answer, *, again: bool, planner: int) -> None:
        # To a request that was given up there is nobody to answer.
        if self._gate is not None and epoch == self.opened:
            self._go_on(answer)

    def crash(self, planner: int) -> None:
        if self._gate is None:
            return
        self._gates.abandon()
        rest = self._gates.next_stop()
        assert rest is None, "the workflow's thread is gone"
        # What DBOS recovers it finds in its database, and takes up a second later.
        DBOS.destroy()
        self._launch()
        self._watch(DBOS.retrieve_workflow(self._key))
        self._gate = self._gates.next_stop()

    def take_over(self) -> None:
        raise ValueError("a second planner has no counterpart here")

    def end(self) -> None:
        if self._gate is not None:
            # Otherwise it would be recovered, as one that has crashed.
            DBOS.cancel_workflow(self._key)
            self._gates.abandon()
            self._gates.next_stop()
            self._gate = None

    def close(self) -> None:
        """Shut DBOS down, and let its database go."""
        self.end()
        DBOS.destroy()
        self._folder.cleanup()

    def _watch(self, handle: WorkflowHandle[None]) -> None:
        """Let the workflow's end be seen, in a thread of its own."""
        threading.Thread(target=_watch, args=(handle, self._gates), daemon=True).start()

    def _launch(self) -> None:
        url = f"sqlite:///{self._folder.name}/dbos.sqlite"
        DBOS(config={"name": "booking", "system_database_url": url, "log_level": "ERROR"})
        DBOS.launch()

    def _go_on(self, answer: Answer | BaseException) -> None:
        assert self._gate is not None
        self._gate.open(answer)
        self._gate = self._gates.next_stop()


def _watch(handle: WorkflowHandle[None], gates: Gates) -> None:
    """Say when a workflow has ended, by itself or because it was let go."""
    with suppress(AbandonedError, error.DBOSAwaitedWorkflowCancelledError):
        handle.get_result(polling_interval_sec=0.001)
    gates.at_rest()

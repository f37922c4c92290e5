# pyright: basic, reportMissingImports=false
"""Drives the planners on dramatiq. Messages stay with the stub broker until an event is about one of them, which is
then handed to a worker through a queue that nothing else is in; a delayed message is the deadline, and is handed over
when the deadline fires."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module
from typing import Final

from dramatiq import MessageProxy, Worker
from dramatiq.brokers.stub import StubBroker
from fenceproof.specs.reference.messages import Kind, ToolAnswer

from . import surroundings
from .driving import CALL, LibraryAdapter
from .surroundings import Answer, RefusedError

#: The queue that a planner's worker takes messages from.
_QUEUES: Final = ("first", "second")
#: How long a worker may take for a message before a run is given up.
PATIENCE_MS: Final = 20_000


class DramatiqAdapter(LibraryAdapter):
    """dramatiq over its in-process broker, with a worker for each planner."""

    def __init__(self, *, is_fenced: bool) -> None:
        super().__init__(is_fenced=is_fenced)
        # A delayed message is due at once; when a worker gets it is decided here.
        surroundings.DEADLINE_S = 0.0
        self._planner = import_module(".dramatiq_fenced" if is_fenced else ".dramatiq_planner", __package__)
        self._broker: StubBroker = self._planner.broker
        self._workers: dict[int, Worker] = {}
        self._refused = 0
        logging.getLogger("dramatiq").setLevel(logging.CRITICAL)
        for queue in _QUEUES:
            self._broker.declare_queue(queue)
        surroundings.tool.answered_by = surroundings.compensator.answered_by = self._service

    def end(self) -> None:
        self._broker.flush_all()

    def begin(self) -> None:
        self._held: dict[tuple[str, int], MessageProxy] = {}
        self._stop_worker(1)
        if 0 not in self._workers:
            self._start_worker(0)
        self._planner.start(CALL)
        self._collect()

    def time_out(self, planner: int) -> None:
        self._run(self._held["deadline", 0], planner)
        self._collect()

    def run_tool(self, epoch: int, answer: ToolAnswer, *, again: bool) -> None:
        self._take: Callable[[], str] = lambda: self.tool.execute(CALL, epoch, answer=answer, again=again)
        self._answer = self.answer_of(answer, epoch)
        self._run(self._held["reserve", epoch])
        self._collect(answer, epoch)

    def run_compensator(self, epoch: int, *, again: bool) -> None:
        self._take = lambda: self.compensator.compensate(CALL, epoch, again=again)
        self._answer = self.answer_of("compensated", epoch)
        self._run(self._held["release", epoch])
        self._collect("compensated", epoch)

    def take_answer(self, kind: Kind, answer: Answer, *, again: bool, planner: int) -> None:
        self._run(self._held[kind, 1], planner)

    def take_compensation(self, epoch: int, answer: Answer, *, again: bool, planner: int) -> None:
        self._run(self._held["compensated", epoch], planner)

    def crash(self, planner: int) -> None:
        self._stop_worker(planner)
        self._start_worker(planner)

    def take_over(self) -> None:
        self._start_worker(1)

    def close(self) -> None:
        """Stop the workers."""
        for planner in list(self._workers):
            self._stop_worker(planner)

    def _service(self, call: int, epoch: int | None) -> Answer:
        """The service that a running actor asks takes the request; in the worker's thread."""
        if self._take() == "refused":
            self._refused = 1
            raise RefusedError
        return self._answer

    def _collect(self, kind: Kind | None = None, epoch: int = 1) -> None:
        """Hold what the planner has sent, by the event that it is for; answers are those of a kind and an epoch."""
        for queue in ("default", "default.DQ"):
            messages = self._broker.consume(queue, timeout=0)
            for message in iter(messages.__next__, None):
                messages.ack(message)
                self._held[self._place(message.actor_name, kind, epoch)] = message

    def _place(self, actor: str, kind: Kind | None, epoch: int) -> tuple[str, int]:
        if actor == "deadline":
            return "deadline", 0
        if actor == "reserve":
            return "reserve", 1
        if actor == "release":
            self.opened += 1
            return "release", self.opened
        assert kind is not None, "callbacks come of what has run"
        return kind, epoch

    def _run(self, message: MessageProxy, planner: int = 0) -> None:
        """Let a worker process a message, and wait until it has."""
        queue = _QUEUES[planner]
        self._broker.enqueue(message.copy(queue_name=queue))
        self._broker.join(queue, timeout=PATIENCE_MS, fail_fast=False)
        self._workers[planner].join()
        dead = self._broker.dead_letters_by_queue[queue]
        assert len(dead) == self._refused, f"{dead} failed, and no service had refused anything"
        dead.clear()
        self._refused = 0

    def _start_worker(self, planner: int) -> None:
        worker = Worker(self._broker, queues={_QUEUES[planner]}, worker_threads=1, worker_timeout=10)
        worker.start()
        self._workers[planner] = worker

    def _stop_worker(self, planner: int) -> None:
        if planner in self._workers:
            self._workers.pop(planner).stop()

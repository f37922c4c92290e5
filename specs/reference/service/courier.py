"""Brings results to whoever asked for them: later, several times, or not before somebody lets them go."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx

from .clock import Clock
from .errors import ServiceError
from .script import Behaviour
from .worker import Worker


@dataclass(order=True, frozen=True, slots=True)
class Parcel:
    """A result on its way: when it is due, and in which order it was handed over."""

    due_s: float
    number: int
    url: str = field(compare=False)
    body: bytes = field(compare=False)


class Courier:
    """POSTs results to the address that their request named, in the order in which they are due.

    At most once: a result that the planner does not take is not tried again, because the outbox will send the request
    again, and the tool will answer it again without doing it again.
    """

    def __init__(self, name: str, clock: Clock, client: httpx.Client, failed: Callable[[Exception], None]) -> None:
        self._clock = clock
        self._client = client
        self._failed = failed
        self._lock = threading.Lock()
        self._parcels: list[Parcel] = []
        self._held: list[Parcel] = []
        self._number = 0
        self._worker = Worker(f"{name}-courier", self._deliver_what_is_due, clock, failed)

    def start(self) -> None:
        """Begin to deliver."""
        self._worker.start()

    def close(self) -> None:
        """End, and leave undelivered what is not due."""
        self._worker.close()

    def hand_over(self, url: str, body: bytes, behaviour: Behaviour) -> None:
        """Take a result, to be delivered as the script says."""
        with self._lock:
            for _ in range(behaviour.copies):
                self._number += 1
                parcel = Parcel(self._clock.now() + behaviour.delay_s, self._number, url, body)
                if behaviour.is_held:
                    self._held.append(parcel)
                else:
                    heapq.heappush(self._parcels, parcel)
        self._worker.wake()

    def let_go(self) -> int:
        """Deliver what was held back; how many results that are."""
        with self._lock:
            held, self._held = self._held, []
            for parcel in held:
                heapq.heappush(self._parcels, parcel)
        self._worker.wake()
        return len(held)

    def _deliver_what_is_due(self) -> float | None:
        while True:
            with self._lock:
                if not self._parcels or self._parcels[0].due_s > self._clock.now():
                    return self._parcels[0].due_s if self._parcels else None
                parcel = heapq.heappop(self._parcels)
            try:
                self._client.post(parcel.url, content=parcel.body)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                self._failed(ServiceError(f"a result cannot be brought to {parcel.url}: {error}"))

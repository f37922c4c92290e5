"""The tool and the compensator as HTTP servers, and the reservations that both of them change.

A request names its call, its epoch and an address for the result (a callback), and is answered at once: 202 means
that it was taken, not that it was done. Were the result the response, it would have to come before the client stops
waiting; a result after that would be lost, and so would every result for a planner that was started again. As a
callback it comes whenever it comes, which is the very case that the fence is for.

The reservations are one thing with two ways to change it, so tool and compensator look at the same fence: if each had
one of its own, the tool could not know that its effect was compensated already. They share nothing with the planner.
"""

from __future__ import annotations

import json
import threading
from typing import Literal, NamedTuple

import httpx

from ..design import Design
from ..messages import ToolAnswer
from ..world import World
from .clock import Clock
from .courier import Courier
from .script import Behaviour, Script
from .server import LoopbackServer, Request, Response
from .telemetry import Telemetry


class Reservations:
    """The reservation of each call, safe for threads. The key of an effect is the call that its request names."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._lock = threading.Lock()
        self._worlds: dict[int, World] = {}

    def reserve(self, call: int, epoch: int) -> str:
        """The tool's effect; "executed", or "refused" by the fence."""
        with self._lock:
            return "executed" if self._world(call).reserve(epoch) else "refused"

    def release(self, call: int, epoch: int) -> str:
        """The compensator's effect."""
        with self._lock:
            self._world(call).release(epoch)
            return "compensated"

    def is_reserved(self, call: int) -> bool:
        """Whether a call has its reservation."""
        with self._lock:
            return self._world(call).is_reserved

    def applied(self, call: int) -> tuple[int, int]:
        """How often the tool's and the compensator's effect took place; 2 stands for more."""
        with self._lock:
            world = self._world(call)
            return world.applications, world.compensations

    def _world(self, call: int) -> World:
        return self._worlds.setdefault(call, World(self._design))


class Order(NamedTuple):
    """What a request asks for."""

    call: int
    epoch: int
    reply_to: str


class EffectServer:
    """The tool or the compensator, with a script of what goes wrong."""

    def __init__(
        self,
        name: Literal["tool", "compensator"],
        reservations: Reservations,
        clock: Clock,
        telemetry: Telemetry,
        script: Script | None = None,
        *,
        port: int = 0,
    ) -> None:
        self.name = name
        self._reservations = reservations
        self._telemetry = telemetry
        self._script = script or Script()
        self._server = LoopbackServer(name, self._answer, port)
        self._client = httpx.Client(timeout=5, trust_env=False)
        self._courier = Courier(name, clock, self._client, lambda error: telemetry.failed(name, error))

    @property
    def url(self) -> str:
        """Where it takes requests."""
        return self._server.url

    def start(self) -> None:
        """Begin to take requests."""
        self._courier.start()
        self._server.start()

    def close(self) -> None:
        """Take no more requests, and end."""
        self._server.close()
        self._courier.close()
        self._client.close()

    def let_go(self) -> int:
        """Let the results go that were held back; how many that are."""
        return self._courier.let_go()

    def _answer(self, request: Request) -> Response:
        order = read_order(request.body)
        if order is None:
            return Response(400, 'a request is JSON with "call", "epoch" and "reply_to"')
        behaviour = self._script.next()
        if behaviour.garbage is not None:
            return Response(200, raw=behaviour.garbage)
        if behaviour.lost == "request":
            return Response(200, raw=b"")
        return self._take(order, behaviour)

    def _take(self, order: Order, behaviour: Behaviour) -> Response:
        act = self._reservations.reserve if self.name == "tool" else self._reservations.release
        with self._telemetry.span(self.name, "execute", order.call, order.epoch) as happening:
            happening.outcome = act(order.call, order.epoch)
        if happening.outcome == "refused":
            return Response(409, "the fence is higher than that epoch")
        if behaviour.lost != "result":
            self._courier.hand_over(order.reply_to, result_body(order.epoch, behaviour.body), behaviour)
        return Response(202)


def read_order(body: bytes) -> Order | None:
    """What a request asks for, None where it is not one."""
    try:
        match json.loads(body):
            case {"call": int(call), "epoch": int(epoch), "reply_to": str(reply_to)}:
                return Order(call, epoch, reply_to)
            case _:
                return None
    except (ValueError, RecursionError):
        return None


def result_body(epoch: int, answer: ToolAnswer) -> bytes:
    """What a result says: the epoch that it answers, unless something is wrong with it."""
    return {"success": json.dumps({"epoch": epoch}).encode(), "no-echo": b"{}", "empty-body": b""}[answer]

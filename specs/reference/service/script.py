"""What a server does about its requests, written down beforehand: request 1, request 2, and so on."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..messages import ToolAnswer


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What becomes of one request; by default all goes well.

    `lost`: the "request", so that nothing happens and the connection breaks, or the "result", so that the effect
    happens and nobody hears of it. `delay_s`: how long the result is kept, by the clock; `is_held`: kept until somebody
    lets it go. `copies`: how often the result is sent. `body`: what is wrong with it. `garbage`: bytes that are
    answered to the request in place of HTTP, and nothing happens.
    """

    lost: Literal["request", "result"] | None = None
    delay_s: float = 0
    is_held: bool = False
    copies: int = 1
    body: ToolAnswer = "success"
    garbage: bytes | None = None


class Script:
    """Behaviours by the number of the request, from 1; any other request goes well."""

    def __init__(self, behaviours: Mapping[int, Behaviour] | None = None) -> None:
        self._behaviours = dict(behaviours or {})
        self._requests = 0
        self._lock = threading.Lock()

    def next(self) -> Behaviour:
        """The behaviour for the request that came in just now."""
        with self._lock:
            self._requests += 1
            return self._behaviours.get(self._requests, Behaviour())

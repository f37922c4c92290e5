"""Sends the requests of an epoch to the tool and the compensator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Final

import httpx

from ..design import Design
from ..outbox import requests_of
from ..record import Outcome
from .telemetry import Telemetry

#: Bytes of an answer that are looked at, so that no server can fill our memory.
_MOST_BYTES: Final = 64 * 1024


class Requests:
    """A client of the tool and the compensator. `reply_to` says where the result of a call is to be sent."""

    def __init__(
        self,
        design: Design,
        tool_url: str,
        compensator_url: str,
        reply_to: Callable[[int, Outcome], str],
        telemetry: Telemetry,
        *,
        timeout_s: float = 5.0,
    ) -> None:
        self._design = design
        self._tool_url = tool_url
        self._compensator_url = compensator_url
        self._reply_to = reply_to
        self._telemetry = telemetry
        # A proxy from the environment has no business between two parts on one machine.
        self._client = httpx.Client(timeout=timeout_s, trust_env=False)

    def close(self) -> None:
        """Give back the connections."""
        self._client.close()

    def send(self, call: int, epoch: int) -> bool:
        """Send what an epoch asks for, in order; whether all of it was taken. What was not is told, and not raised."""
        taken = [self._send(kind, call, epoch) for kind in requests_of(self._design, epoch)]
        return all(taken)

    def _send(self, kind: str, call: int, epoch: int) -> bool:
        url = self._tool_url if kind == "tool" else self._compensator_url
        outcome: Outcome = "success" if kind == "tool" else "compensated"
        document = {"call": call, "epoch": epoch, "reply_to": self._reply_to(call, outcome)}
        with self._telemetry.span("planner", f"send {kind}", call, epoch) as happening:
            happening.outcome = self._post(url, document)
        return happening.outcome == "taken"

    def _post(self, url: str, document: Mapping[str, object]) -> str:
        try:
            with self._client.stream("POST", url, json=document) as response:
                # The body says nothing that we need; it is read in part so that a broken one is noticed.
                next(response.iter_bytes(_MOST_BYTES), b"")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return f"failed: {type(error).__name__}"
        if response.status_code == HTTPStatus.ACCEPTED:
            return "taken"
        # Another epoch has been opened since, or the request is no use to them: the result decides, not this.
        return f"refused: {response.status_code}"

"""Results as they arrive at the planner over HTTP: the address says which call and outcome, the body which epoch."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Final, cast

from ..messages import Result
from ..record import Outcome
from .server import LoopbackServer, Request, Response

_PATH: Final = re.compile(r"/results/(\d{1,9})/(success|compensated)", re.ASCII)


class ResultServer:
    """Takes results, and answers with what `handle` made of them.

    KeyError of `handle` is a call that is not served here; any other error is told to `failed`, and answered with 503:
    nothing was decided.
    """

    def __init__(self, handle: Callable[[Result], str], failed: Callable[[Exception], None], *, port: int = 0) -> None:
        self._handle = handle
        self._failed = failed
        self._server = LoopbackServer("planner", self._answer, port)
        self.start = self._server.start
        self.close = self._server.close

    def address(self, call: int, outcome: Outcome) -> str:
        """Where the result of a request is to be sent."""
        return f"{self._server.url}/results/{call}/{outcome}"

    def _answer(self, request: Request) -> Response:
        found = _PATH.fullmatch(request.path)
        if found is None:
            return Response(404, "results are sent to /results/CALL/success or /results/CALL/compensated")
        try:
            return Response(200, self._handle(read_result(int(found[1]), cast("Outcome", found[2]), request.body)))
        except KeyError:
            return Response(404, f"there is no call {found[1]}")
        except Exception as error:
            self._failed(error)
            return Response(503, "the result could not be taken")


def read_result(call: int, outcome: Outcome, body: bytes) -> Result:
    """A result with what its body says; a body that cannot be read counts as none."""
    try:
        content: object = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        return Result(call, outcome, None, has_body=False)
    epoch = cast("dict[str, object]", content).get("epoch")
    if epoch is not None and (type(epoch) is not int or not 0 < epoch < 2**31):
        return Result(call, outcome, None, has_body=False)
    return Result(call, outcome, epoch, has_body=True)

"""An HTTP server on loopback that is given a function from request to response, and ends without leaving a thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, cast

from .errors import ServiceError

log = logging.getLogger(__name__)

HOST: Final = "127.0.0.1"
#: Bytes of a request that are read at most: what we are sent is a line of JSON.
MOST_BYTES: Final = 64 * 1024
#: Seconds that a client may keep us waiting for its request, and so keep the server from ending.
READ_TIMEOUT_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Request:
    """A request that was POSTed."""

    path: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Response:
    """An answer. With `raw` these bytes are written in place of HTTP, none of them to break off the connection."""

    status: int
    text: str = ""
    raw: bytes | None = None


class LoopbackServer:
    """Serves POST on a port of 127.0.0.1, a free one unless one is named. ServiceError for a port that is in use."""

    def __init__(self, name: str, answer: Callable[[Request], Response], port: int = 0) -> None:
        try:
            self._server = _Server((HOST, port), answer)
        except OSError as error:
            raise ServiceError(f"the {name} cannot listen on port {port} of {HOST}: {error.strerror}") from error
        self._thread = threading.Thread(
            # How long closing takes at most until it is heard.
            target=lambda: self._server.serve_forever(poll_interval=0.02),
            name=f"fenceproof-{name}",
        )

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://{HOST}:{self._server.server_address[1]}"

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """Take no more requests, and wait for those that are being answered. Closing twice is fine."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    # A daemon's thread would not be waited for, and so be left behind.
    daemon_threads = False
    # Else a port that somebody listens on could be taken over on some systems.
    allow_reuse_address = False

    def __init__(self, address: tuple[str, int], answer: Callable[[Request], Response]) -> None:
        self.answer = answer
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        log.warning("a connection of %s ended in an error", client_address, exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    timeout = READ_TIMEOUT_S

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if not length.isascii() or not length.isdecimal():
            self._respond(Response(400, "the length of the request is not a number"))
        elif int(length) > MOST_BYTES:
            self._respond(Response(413, f"a request has at most {MOST_BYTES:,} bytes"))
        else:
            body = self.rfile.read(int(length))
            self._respond(cast("_Server", self.server).answer(Request(self.path, body)))

    def _respond(self, response: Response) -> None:
        if response.raw is not None:
            self.wfile.write(response.raw)
            return
        body = response.text.encode()
        self.send_response(response.status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        log.debug(format, *args)

"""What the service says of itself: log records with fields, OpenTelemetry spans where that is installed, and listeners.

Every record and every span has the same three fields, `call`, `epoch` and `outcome`, so that a call can be followed
through planner, tool and compensator.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

log = logging.getLogger(__name__)
# Who uses the service decides where its log goes; without a handler Python would put it on standard error.
log.addHandler(logging.NullHandler())

TRACER_NAME: Final = "fenceproof.reference"


@dataclass(slots=True)
class Happening:
    """Something that happened: who says so, what it was about, and what came of it.

    `epoch` is None for a result that echoes none, `call` for what concerns no call.
    """

    who: str
    what: str
    call: int | None = None
    epoch: int | None = None
    outcome: str = ""
    error: Exception | None = None

    @property
    def level(self) -> int:
        """How much it matters to whoever runs the service."""
        if self.error is not None or self.outcome == "parked":
            return logging.ERROR
        return logging.WARNING if self.outcome.startswith(("reject", "refused", "failed")) else logging.INFO


class Telemetry:
    """Where happenings go. A `tracer` is made if none is given and the package opentelemetry-api is there."""

    def __init__(self, listeners: Sequence[Callable[[Happening], None]] = (), tracer: Tracer | None = None) -> None:
        self._listeners = tuple(listeners)
        self._tracer = tracer or _installed_tracer()

    def tell(self, happening: Happening) -> None:
        """Log something that happened, and tell the listeners."""
        fields = {"call": happening.call, "epoch": happening.epoch, "outcome": happening.outcome}
        text = "%s: %s, call %s, epoch %s: %s"
        shown = (happening.who, happening.what, happening.call, happening.epoch, happening.outcome)
        log.log(happening.level, text, *shown, extra=fields, exc_info=happening.error)
        for listener in self._listeners:
            listener(happening)

    def failed(self, who: str, error: Exception) -> None:
        """Something that is tried again raised an error."""
        self.tell(Happening(who, "error", outcome="failed", error=error))

    @contextmanager
    def span(self, who: str, what: str, call: int, epoch: int | None) -> Generator[Happening]:
        """A piece of work as a span; told as a happening at its end, when its `outcome` has been filled in."""
        happening = Happening(who, what, call, epoch)
        if self._tracer is None:
            yield happening
        else:
            with self._tracer.start_as_current_span(f"{who} {what}") as span:
                span.set_attribute("call", call)
                if epoch is not None:
                    span.set_attribute("epoch", epoch)
                yield happening
                span.set_attribute("outcome", happening.outcome)
        self.tell(happening)


def _installed_tracer() -> Tracer | None:
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    return trace.get_tracer(TRACER_NAME)

"""The injected traces: named event orders as data, and what their events mean in the protocol's actions.

A trace is what a planner sees. Which actions show as which event stands here; that the rest happens in between by
itself is up to whoever runs them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, cast

from fenceproof.model.errors import FormatError, nearest

from .properties import Planner

MOST_TRACES: Final = 1000
MOST_EVENTS: Final = 50

#: How an event's kind is written in a trace file, and which result it is in the protocol.
RESULTS: Final = {
    "success": "success",
    "empty": "empty-body",
    "anonymous": "no-echo",
    "compensate_ok": "compensated",
}
TIMEOUTS: Final = frozenset({"deadline", "deadline_early", "compensation_late", "clock_jump"})
#: The actions that happen by themselves between two events.
SILENT: Final = frozenset(
    {"execute", "execute_again", "execute_empty", "execute_anonymous", "compensate", "compensate_again", "dispatch"}
)
#: What a planner says of a call at the end of a trace.
STATES: Final = ("committed", "compensating", "waiting")
_EVENT: Final = re.compile(r"(success|empty|anonymous|compensate_ok)@([1-9][0-9]?)")


class Control(Planner, decide="last-writer", check_commit=False):
    """The control: the last writer wins, and a timeout after a commit still opens an epoch, as once published."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event: send, timeout, or a result of an epoch."""

    text: str
    kind: str
    epoch: int | None

    def shown_by(self, action: str, args: Mapping[str, object]) -> bool:
        """Whether an action of the protocol is seen as this event."""
        if self.kind == "send":
            return action == "dispatch"
        if self.kind == "timeout":
            return action in TIMEOUTS
        wanted = RESULTS[self.kind]
        if not action.startswith("deliver") or args["epoch"] != self.epoch:
            return False
        return args.get("kind", "compensated") == wanted


@dataclass(frozen=True, slots=True)
class InjectedTrace:
    """A named event order, with what the fenced planner is to write down; None where the file does not say."""

    name: str
    events: tuple[Event, ...]
    records: tuple[str, ...] | None
    state: str | None
    naive_broken: bool | None

    @property
    def epochs(self) -> int:
        """How many epochs its events need."""
        timeouts = sum(1 for event in self.events if event.kind == "timeout")
        return max([3, timeouts + 1, *(event.epoch or 1 for event in self.events)])


def shipped() -> list[InjectedTrace]:
    """The traces that come with the kit."""
    path = files("fenceproof.specs").joinpath("traces.toml")
    return parse(path.read_text(encoding="utf-8"), "traces.toml")


def parse(text: str, name: str) -> list[InjectedTrace]:
    """The traces in a TOML text; `name` is the file's, for messages. Raises FormatError for anything else."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{name}: not TOML: {error}.") from error
    unknown = set(document) - {"trace"}
    if unknown:
        raise FormatError(f"{name}: {nearest(min(unknown), ['trace'], 'The table')}")
    tables = document.get("trace")
    listed = cast("list[object]", tables) if isinstance(tables, list) else []
    if not listed:
        raise FormatError(f"{name}: there is no trace. Write [[trace]] with a name and events.")
    if len(listed) > MOST_TRACES:
        raise FormatError(f"{name}: there are more than {MOST_TRACES} traces.")
    found = [_trace(table, f"{name}: trace {number}") for number, table in enumerate(listed, start=1)]
    names = [trace.name for trace in found]
    for trace in found:
        if names.count(trace.name) > 1:
            raise FormatError(f"{name}: two traces are called {trace.name!r}.")
    return found


#: The keys of a trace: what each may be, and how that is written.
_KEYS: Final[dict[str, tuple[tuple[type, ...], str]]] = {
    "name": ((str,), "a text, in quotes"),
    "events": ((list,), "a list of events, in square brackets"),
    "records": ((list, type(None)), "a list of texts, in square brackets"),
    "state": ((str, type(None)), "a text, in quotes"),
    "naive_broken": ((bool, type(None)), "true or false"),
}


def _trace(table: object, where: str) -> InjectedTrace:
    if not isinstance(table, dict):
        raise FormatError(f"{where} is not a table. Write [[trace]].")
    fields = cast("dict[str, Any]", table)
    for key in fields:
        if key not in _KEYS:
            raise FormatError(f"{where}: {nearest(key, _KEYS, 'The key')}")
    for key, (types, written) in _KEYS.items():
        if type(fields.get(key)) not in types:
            raise FormatError(f"{where}: {key} is {fields.get(key)!r:.60}, which it cannot be. Write {written}.")
    events = [_event(event, where) for event in fields["events"]]
    if not events or len(events) > MOST_EVENTS:
        raise FormatError(f"{where}: a trace has from 1 to {MOST_EVENTS} events.")
    if events[0].kind != "send":
        raise FormatError(
            f"{where}: {events[0].text} comes first, and nothing was sent that it could answer. Begin with send."
        )
    state = fields.get("state")
    if state is not None and state not in STATES:
        raise FormatError(f"{where}: {nearest(state, STATES, 'The state')}")
    records = fields.get("records")
    if records is not None and not all(isinstance(record, str) for record in records):
        raise FormatError(f"{where}: records is a list of texts.")
    return InjectedTrace(
        fields["name"],
        tuple(events),
        tuple(records) if records is not None else None,
        state,
        fields.get("naive_broken"),
    )


def _event(text: object, where: str) -> Event:
    if text in ("send", "timeout"):
        return Event(str(text), str(text), None)
    match = _EVENT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise FormatError(
            f"{where}: {text!r:.60} is no event. Write send, timeout, success@1, empty@1, anonymous@1, compensate_ok@2."
        )
    return Event(match[0], match[1], int(match[2]))


def record_of(event: Event, outcome: str) -> str:
    """What a planner writes down about a result: `commit:success:epoch=1`, or a rejection with its reason."""
    verdict, _, reason = outcome.partition(":")
    echo = "none" if event.kind == "anonymous" else event.epoch
    return f"{verdict}:{event.kind}:epoch={echo}" + (f" ({reason})" if reason else "")

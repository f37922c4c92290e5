"""Reading a log of a recorded run: JSON lines, an event each, or OpenTelemetry's JSON lines, an event a span.

A log is untrusted data: read within limits, and refused with the line where it is not what it says it is. Whether the
run is a behaviour of a model is asked in `logs.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from fenceproof.model.constants import as_items, as_mapping
from fenceproof.model.errors import FormatError, nearest
from fenceproof.model.system import TransitionSystem, called
from fenceproof.model.untrusted import BYTE_ORDER_MARK, Document, check_fields

#: Events of a log, at most.
MOST_EVENTS: Final = 100_000
_LINE: Final = Document("line of a log", numbers_of="log", most_nested=50, fractions=True)
_KEYS: Final = ("action", "args", "outcome", "state", "time", "meta")
#: What OpenTelemetry's files of one line a batch have, and we have not.
_SPANS: Final = "resourceSpans"
#: Before an attribute that is about the model, where there may be others of the same name.
_PREFIX: Final = "fenceproof."


@dataclass(frozen=True, slots=True)
class Entry:
    """An event of a log: its line, the action, and what is said of its arguments, outcome and the state after it.

    What is not said may be anything: arguments that are left out, an outcome where `has_outcome` is False.
    """

    line: int
    action: str
    args: Mapping[str, object]
    has_outcome: bool
    outcome: str | None
    state: Mapping[str, object] | None

    def __str__(self) -> str:
        said = called(self.action, self.args)
        return said if not self.has_outcome else f"{said} with the outcome {self.outcome or 'none'}"


@dataclass(frozen=True, slots=True)
class Log:
    """The events of a log in their order, how many were ignored as asked, and how many leave arguments open.

    `overlapping` counts spans that began before the one before them had ended: their order is that of their ends.
    """

    entries: tuple[Entry, ...]
    ignored: int
    left_open: int
    overlapping: int = 0


def read_log(path: Path, system: TransitionSystem, ignored: Sequence[str] = ()) -> Log:
    """The events of a log of a system. Events whose names match a pattern of `ignored` are left out, and counted.

    Raises FormatError, with the line, for what is no event, names none of the system's actions, or is out of order.
    """
    text = _LINE.text(path)
    if text.startswith(BYTE_ORDER_MARK):
        raise FormatError(f"{path}: the file begins with a byte order mark, which JSON has not. Save it without one.")
    vocabulary = _Vocabulary(path, system, tuple(ignored))
    lines = (
        (number, _LINE.object_in(line, path, number))
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    )
    first = next(lines, None)
    if first is None:
        raise FormatError(f"{path}: the log is empty, so there is nothing to hold against the model.")
    log = _of_spans(vocabulary, first, lines) if _SPANS in first[1] else _of_events(vocabulary, first, lines)
    if not log.entries:
        raise FormatError(f"{path}: no event of the log is one of the model's: {log.ignored:,} are ignored.")
    return log


class _Vocabulary:
    """What the actions of a system and their arguments are called, and which events are none of them."""

    def __init__(self, path: Path, system: TransitionSystem, ignored: tuple[str, ...]) -> None:
        self.path, self._ignored = path, ignored
        self._switched_off = system.switched_off
        self._arguments: dict[str, set[str]] = {}
        for transition in system.transitions:
            self._arguments.setdefault(transition.action, set()).update(transition.args)

    def is_ignored(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self._ignored)

    def arguments(self, line: int, action: str) -> set[str]:
        """The arguments of an action. FormatError where there is no such action."""
        if action in self._switched_off:
            raise FormatError(
                f"{self.path}:{line}: the action {action} is a fault, "
                "which --faults and --most-faults leave no room for."
            )
        if action not in self._arguments:
            raise FormatError(
                f"{self.path}:{line}: {nearest(action, self._arguments, 'The action')}\n"
                f"    If it is no event of the model, leave it out: --ignore {action:.60}"
            )
        return self._arguments[action]

    def log(self, entries: Sequence[Entry], ignored: int, overlapping: int = 0) -> Log:
        left_open = sum(set(entry.args) != self._arguments[entry.action] for entry in entries)
        return Log(tuple(entries), ignored, left_open, overlapping)

    def check_length(self, line: int, found: Sequence[object]) -> None:
        if len(found) >= MOST_EVENTS:
            raise FormatError(
                f"{self.path}:{line}: the log has more than {MOST_EVENTS:,} events, the most that is read."
            )


Lines = Iterator[tuple[int, dict[str, Any]]]


def _of_events(vocabulary: _Vocabulary, first: tuple[int, dict[str, Any]], rest: Lines) -> Log:
    entries: list[Entry] = []
    ignored = 0
    last: tuple[int, float] | None = None
    for line, fields in _again(first, rest):
        where = f"{vocabulary.path}:{line}"
        if _SPANS in fields:
            raise FormatError(f"{where}: this line is of OpenTelemetry, and the lines before it are not.")
        check_fields(f"{where}: this event", fields, {"action": (str,)})
        moment = _moment(where, fields.get("time"))
        if moment is not None:
            if last is not None and moment < last[1]:
                raise FormatError(f"{where}: this event is out of order: its time is before that of line {last[0]}.")
            last = line, moment
        if vocabulary.is_ignored(fields["action"]):
            ignored += 1
            continue
        vocabulary.check_length(line, entries)
        entries.append(_entry(vocabulary, line, fields))
    return vocabulary.log(entries, ignored)


def _again(first: tuple[int, dict[str, Any]], rest: Lines) -> Lines:
    yield first
    yield from rest


def _entry(vocabulary: _Vocabulary, line: int, fields: Mapping[str, Any]) -> Entry:
    where = f"{vocabulary.path}:{line}"
    for key in fields:
        if key not in _KEYS:
            raise FormatError(f'{where}: {nearest(key, _KEYS, "The key")} What else there is to say goes into "meta".')
    action: str = fields["action"]
    known = vocabulary.arguments(line, action)
    args = fields.get("args", {})
    state = fields.get("state")
    check_fields(f"{where}: this event", {"args": args}, {"args": (dict,)})
    check_fields(f"{where}: this event", fields, {k: (str, type(None)) for k in ("outcome",) if k in fields})
    check_fields(f"{where}: this event", fields, {k: (dict,) for k in ("state",) if k in fields})
    for name in args:
        if name not in known:
            raise FormatError(f"{where}: {nearest(name, known, f'The argument of {action}')}")
    return Entry(line, action, args, "outcome" in fields, fields.get("outcome"), state)


def _moment(where: str, given: object) -> float | None:
    """A time as a number of seconds, or of whatever a log counts in; None for none."""
    if given is None:
        return None
    if type(given) in (int, float) and isinstance(given, int | float) and math.isfinite(given):
        return given
    if isinstance(given, str):
        try:
            moment = datetime.fromisoformat(given)
        except ValueError as error:
            raise FormatError(f"{where}: the time {given!r:.60} is none. Write a number, or ISO 8601.") from error
        if moment.tzinfo is None:
            raise FormatError(f"{where}: the time {given!r:.60} has no time zone. Add one, as in 12:00:00Z.")
        return moment.timestamp()
    raise FormatError(f"{where}: the time {given!r:.60} is none. Write a number, or ISO 8601.")


@dataclass(frozen=True, slots=True)
class _Span:
    line: int
    name: str
    began: int
    ended: int
    attributes: Mapping[str, object]


def _of_spans(vocabulary: _Vocabulary, first: tuple[int, dict[str, Any]], rest: Lines) -> Log:
    """The events that spans are, in the order of their ends, whatever order they were sent in."""
    spans: list[_Span] = []
    ignored = 0
    for line, fields in _again(first, rest):
        for span in _spans(vocabulary.path, line, fields):
            if vocabulary.is_ignored(span.name):
                ignored += 1
                continue
            vocabulary.check_length(line, spans)
            spans.append(span)
    spans.sort(key=lambda span: span.ended)
    overlapping = sum(later.began < earlier.ended for earlier, later in pairwise(spans))
    entries: list[Entry] = []
    for span in spans:
        known = vocabulary.arguments(span.line, span.name)
        said = {name.removeprefix(_PREFIX): value for name, value in span.attributes.items()}
        args = {name: said[name] for name in known if name in said}
        outcome = said.get("outcome")
        if outcome is not None and not isinstance(outcome, str):
            raise FormatError(f"{vocabulary.path}:{span.line}: the outcome of {span.name} is {outcome!r:.60}, no text.")
        entries.append(Entry(span.line, span.name, args, outcome is not None, outcome, None))
    return vocabulary.log(entries, ignored, overlapping)


def _spans(path: Path, line: int, fields: Mapping[str, Any]) -> Iterator[_Span]:
    where = f"{path}:{line}"
    if _SPANS not in fields:
        raise FormatError(f"{where}: this line has no {_SPANS!r}, as those of OpenTelemetry before it have.")
    for resource in _objects(where, fields, _SPANS):
        for scope in _objects(where, resource, "scopeSpans"):
            for span in _objects(where, scope, "spans"):
                check_fields(f"{where}: a span", span, {"name": (str,)})
                began, ended = (_nanoseconds(where, span, key) for key in ("startTimeUnixNano", "endTimeUnixNano"))
                if ended < began:
                    raise FormatError(f"{where}: the span {span['name']!r:.60} ends before it begins.")
                yield _Span(line, span["name"], began, ended, _attributes(where, span))


def _objects(where: str, owner: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The objects in a list; the list may be left out, as OpenTelemetry leaves out what is empty."""
    found: list[Mapping[str, Any]] = []
    items = as_items(owner.get(key, []))
    for item in items if items is not None else [None]:
        mapping = as_mapping(item)
        if mapping is None:
            raise FormatError(f"{where}: {key!r} is not a list of objects.")
        found.append({str(name): value for name, value in mapping.items()})
    return found


def _nanoseconds(where: str, span: Mapping[str, Any], key: str) -> int:
    given = span.get(key)
    if type(given) is int:
        return given
    # OpenTelemetry writes numbers of 64 bits as text.
    if isinstance(given, str) and given.isascii() and given.isdecimal() and len(given) <= 20:
        return int(given)
    raise FormatError(f"{where}: the span {span['name']!r:.60} has {given!r:.60} for {key!r}, which is no time.")


def _attributes(where: str, span: Mapping[str, Any]) -> dict[str, object]:
    found: dict[str, object] = {}
    for attribute in _objects(where, span, "attributes"):
        check_fields(f"{where}: an attribute of {span['name']!r:.60}", attribute, {"key": (str,), "value": (dict,)})
        key, value = attribute["key"], attribute["value"]
        if key in found:
            raise FormatError(f"{where}: the span {span['name']!r:.60} has the attribute {key!r:.60} twice.")
        if "intValue" in value:
            number = value["intValue"]
            text = str(number)
            if type(number) not in (int, str) or not text.removeprefix("-").isdecimal() or len(text) > 20:
                raise FormatError(f"{where}: the attribute {key!r:.60} is {number!r:.60}, and no whole number.")
            found[key] = int(text)
        else:
            found[key] = value.get("stringValue", value.get("boolValue"))
    return found

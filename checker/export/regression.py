"""A trace as a pytest file: its events, and what a right design does with each, asked of an implementation.

The file imports nothing of ours but what it is to drive. What an adapter shows is compared, and no more; where only
what is shown could tell the right design from the one that fell, showing too little is a failure as well.
"""

from __future__ import annotations

import pprint
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from fenceproof import __version__
from fenceproof.model.system import called

from ..counterpart import Answer, Counterpart

_RUN: Final = '''
class Run:
    """An adapter that is driven event by event; after each, what it shows is compared with what is expected."""

    def __init__(self, adapter: Any, parameters: dict[str, Any]) -> None:
        self.adapter, self.parameters = adapter, parameters
        self.expected: dict[str, Any] = {}
        self.is_told_apart = False

    def begins(self, expected: dict[str, Any], fallen: dict[str, Any] | None = None) -> None:
        """After a reset the state is this; the design that fell has what is in `fallen` otherwise."""
        self.adapter.reset(dict(self.parameters))
        self.look("after reset", expected, fallen)

    def takes(
        self, event: tuple[str, dict[str, Any]], outcome: str | None, changes: dict[str, Any], fallen: Any = None
    ) -> None:
        """An event happens with this outcome, and changes these variables."""
        action, args = event
        try:
            got = self.adapter.apply({"action": action, "args": dict(args)})
        except ValueError as error:
            raise AssertionError(f"{action}({args}): expected the outcome {outcome!r}, was refused: {error}") from error
        assert got == outcome, f"{action}({args}): expected the outcome {outcome!r}, got {got!r}. {RULE}"
        self.look(f"after {action}({args})", changes, fallen)

    def refuses(self, event: tuple[str, dict[str, Any]], fallen: Any = None) -> None:
        """An event cannot happen now: it is a ValueError, or does nothing that can be seen."""
        action, args = event
        try:
            self.adapter.apply({"action": action, "args": dict(args)})
        except (json.JSONDecodeError, UnicodeError):
            raise  # Something could not be read, which is no refusal.
        except ValueError:
            pass
        self.look(f"after {action}({args}), which cannot happen now,", {}, fallen)

    def look(self, where: str, changes: dict[str, Any], fallen: dict[str, Any] | None) -> None:
        self.expected = {**self.expected, **changes}
        shown = json.loads(json.dumps(self.adapter.snapshot()))
        assert isinstance(shown, dict) and shown, f"{where}: the snapshot shows nothing: {shown!r}"
        unknown = [name for name in shown if name not in self.expected]
        assert not unknown, f"{where}: the snapshot shows what is no variable: {unknown}"
        for place, expected, got in differences("", self.expected, shown):
            raise AssertionError(f"{where}: {place} is {got!r}, expected {expected!r}. {RULE}")
        self.is_told_apart |= any(True for _ in differences("", {**self.expected, **(fallen or {})}, shown))


def differences(place: str, expected: Any, got: Any) -> Iterator[tuple[str, Any, Any]]:
    """Where what is shown is something else; what is not shown does not matter."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key, value in got.items():
            yield from differences(f"{place}.{key}".strip("."), expected.get(key, "not there"), value)
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for number, (one, other) in enumerate(zip(expected, got)):
            yield from differences(f"{place}[{number}]", one, other)
    elif expected != got or type(expected) is not type(got):
        yield place, expected, got
'''


@dataclass(frozen=True, slots=True)
class Adapting:
    """How a file makes what it drives: its imports, the lines of `make_adapter`, and what it is reset with."""

    imports: tuple[str, ...]
    body: tuple[str, ...]
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Fall:
    """What a counterexample shows: the design that fell, and the property with its meaning."""

    design: str
    violated: str
    meaning: str

    @property
    def rule(self) -> str:
        """What is said wherever something else comes of an event."""
        return f"The property {self.violated}: {self.meaning}" if self.meaning else f"The property {self.violated}."


@dataclass(frozen=True, slots=True)
class Story:
    """The right design, and what fell beside it; None where its own trace is all there is."""

    right: str
    fall: Fall | None = None


def write(story: Story, found: Counterpart, adapting: Adapting) -> str:
    """The whole file."""
    return "".join(f"{line}\n" for line in _lines(story, found, adapting))


def _lines(story: Story, found: Counterpart, adapting: Adapting) -> Iterator[str]:
    yield f'"""{_in_docstring(_told(story, found))}\n"""'
    yield ""
    yield "from __future__ import annotations"
    yield ""
    standard = [line for line in adapting.imports if line.startswith("import ")]
    paths = [line for line in adapting.imports if line.startswith("from pathlib ")]
    yield from sorted(["import json", *standard])
    yield from ("from collections.abc import Iterator", *paths, "from typing import Any", "")
    others = [line for line in adapting.imports if line not in (*standard, *paths)]
    yield from others
    yield from [""] * bool(others)
    yield "#: Said wherever something else comes of an event."
    rule = f"{story.right} does something else." if story.fall is None else story.fall.rule
    yield f"RULE = {_one_line(rule)!r}"
    yield f"PARAMETERS: dict[str, Any] = {_literal(adapting.parameters, 0)}"
    yield ""
    yield ""
    yield "def make_adapter() -> Any:"
    yield '    """What is tested. Name your own here: an object with reset(parameters), apply(event) and snapshot()."""'
    yield from (f"    {line}" for line in adapting.body)
    yield ""
    yield ""
    yield f"def test_{_identifier(story.right if story.fall is None else story.fall.violated)}() -> None:"
    yield "    adapter = make_adapter()"
    yield "    try:"
    yield "        events(Run(adapter, PARAMETERS))"
    yield "    finally:"
    yield '        getattr(adapter, "close", lambda: None)()'
    yield ""
    yield ""
    yield "def events(run: Run) -> None:"
    yield from _script(story, found)
    yield ""
    yield _RUN.rstrip()


def _script(story: Story, found: Counterpart) -> Iterator[str]:
    by_sight = not found.is_told_by_an_answer
    yield f"    run.begins({_arguments([found.initial, *_fallen(by_sight, found.begins_otherwise)])})"
    before = found.initial
    for number, answer in enumerate(found.answers, start=1):
        yield ""
        yield f"    # {number}. {_one_line(_answer_text(story, answer))}"
        event = f"({str(answer.action)!r}, {_literal(dict(answer.args), 8)})"
        changes = {n: v for n, v in answer.state.items() if before.get(n) != v}
        before = answer.state
        fallen = _fallen(by_sight, answer.fallen.otherwise if answer.fallen is not None else {})
        if answer.is_refused:
            yield f"    run.refuses({', '.join([event, *map(_literal_argument, fallen)])})"
            continue
        yield f"    run.takes({event}, {answer.outcome!r}, {_arguments([changes, *fallen])})"
    if by_sight:
        yield ""
        yield "    # Nothing but what is shown tells the right design from the one that fell."
        yield '    assert run.is_told_apart, "the snapshot shows too little to see a fault by. " + RULE'


def _fallen(by_sight: bool, otherwise: Mapping[str, object]) -> list[Mapping[str, object]]:
    return [otherwise] if by_sight and otherwise else []


def _arguments(values: Sequence[Mapping[str, object]]) -> str:
    return ", ".join(map(_literal_argument, values))


def _literal_argument(value: Mapping[str, object]) -> str:
    return _literal(value, 8)


def _literal(value: Mapping[str, object], indent: int) -> str:
    """A value as Python, on lines that are indented."""
    return pprint.pformat(dict(value), width=112 - indent, sort_dicts=False).replace("\n", "\n" + " " * indent)


def _told(story: Story, found: Counterpart) -> str:
    fall, right = story.fall, _one_line(story.right)
    if fall is None:
        first = [f"What {right} does with these events.", ""]
    else:
        first = [f"{_one_line(fall.design)} violates {_one_line(fall.violated)}; what {right} does instead.", ""]
        first += [f"The property says: {_one_line(fall.meaning)}", ""] if fall.meaning else []
    lines = [
        *first,
        *(f"{n}. {_one_line(_answer_text(story, answer))}" for n, answer in enumerate(found.answers, start=1)),
        "",
        "Events are applied in this order. After each, its outcome and what the snapshot shows are to be as "
        f"{right} has them.",
        f"Written by fenceproof {__version__}; run it with pytest.",
    ]
    return "\n".join(lines)


def _answer_text(story: Story, answer: Answer) -> str:
    right = "cannot happen" if answer.is_refused else str(answer.outcome or "happens")
    told = f"{called(answer.action, answer.args)}: {right}"
    if story.fall is None:
        return told
    if answer.fallen is None:
        return f"{told}; with {story.fall.design} it cannot happen"
    if answer.tells or answer.is_refused:
        return f"{told}; with {story.fall.design} {answer.fallen.outcome or 'it happens'}"
    return told


def _one_line(text: str) -> str:
    """Text as it may stand in a comment: of one line, and of what can be printed."""
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))


def _in_docstring(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _identifier(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").lower() or "property"

"""Sequence diagrams, read by Mermaid's own parser: it takes them, and finds in them what the trace says."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from drawn_models import WORDS, Nasty, Turning, Unsaid
from fenceproof.checker.api import check
from fenceproof.checker.export.mermaid import escaped, write
from fenceproof.checker.export.traces import Shown
from fenceproof.checker.export.visible import visible
from fenceproof.checker.report.sequence import FOR_EVER, Message, sequence
from fenceproof.checker.result import CheckResult
from fenceproof.checker.targets import build, find
from mermaid_parser import MermaidParser, Parsed, installed
from npm_packages import NoPackageError

pytestmark = pytest.mark.slow

#: As the parser counts kinds of lines: a solid arrow with a head, a note, a loop's two ends.
ARROW, NOTE, LOOP, LOOP_END = 0, 2, 10, 11


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> MermaidParser:
    try:
        return installed(tmp_path_factory.mktemp("mermaid"))
    except NoPackageError as error:
        pytest.fail(str(error))


def shown(result: CheckResult, name: str) -> Shown:
    trace = result.trace(name)
    assert trace is not None
    return Shown(result.system.name, result.system, trace, name)


@pytest.mark.parametrize(
    ("checked", "violated"),
    [
        (lambda: check(build(find("last-writer"), {}), faults="delay", properties="no-ghost"), "no-ghost"),
        (lambda: check(build(find("last-writer"), {"calls": "2"}), faults="delay", properties="no-ghost"), "no-ghost"),
        (lambda: check(build(find("wait"), {}), faults="loss", properties="settles"), "settles"),
        (lambda: check(Turning), "arrives"),
        (lambda: check(Nasty), "never <b>; end #35;"),
        (lambda: check(Unsaid), "never"),
    ],
    ids=["ghost", "two calls", "stuttering lasso", "lasso", "nasty", "unsaid"],
)
def test_mermaid_reads_the_lanes_and_the_messages_of_the_trace(
    parser: MermaidParser, checked: Callable[[], CheckResult], violated: str
) -> None:
    drawn = shown(checked(), violated)
    made = sequence(drawn.target, drawn.system, drawn.trace, drawn.violated)
    (read,) = parser.parse(write(drawn))
    assert isinstance(read, Parsed), read
    assert (read.kind, read.title) == ("sequence", visible(made.title))
    assert list(read.actors.values()) == [visible(lane) for lane in made.participants]
    alias = dict(zip(made.participants, read.actors, strict=True))
    expected = [
        (alias[item.sender], alias[item.receiver], visible(item.label), ARROW)
        if isinstance(item, Message)
        else (alias[item.lanes[0]], alias[item.lanes[-1]], visible(item.label), NOTE)
        for item in made.items
    ]
    assert [m for m in read.messages if m[3] in (ARROW, NOTE)] == expected
    loops = [m[3] for m in read.messages if m[3] in (LOOP, LOOP_END)]
    assert loops == ([LOOP, LOOP_END] if made.loop else [])
    assert [m[2] for m in read.messages if m[3] == LOOP] == [FOR_EVER] * bool(made.loop)


def test_mermaid_shows_every_text_as_it_is(parser: MermaidParser) -> None:
    rolled = random.Random(7)
    alphabet = [*"#;:<>&%{}\"'`\\\n\r\t $@()[]|/*_-+=,.!?~^0aZ", *"ﬂ°¶ßé日🙂\u2028\u202e\ud800", *WORDS[:20]]
    texts = ["".join(rolled.choices(alphabet, k=rolled.randrange(1, 9))) for _ in range(500)]
    lines = [
        f"    participant a{n} as {escaped(text)}\n    Note over a{n}: {escaped(text)}" for n, text in enumerate(texts)
    ]
    (read,) = parser.parse("sequenceDiagram\n" + "\n".join(lines) + "\n")
    assert isinstance(read, Parsed), read
    assert list(read.actors.values()) == [visible(text) for text in texts]
    assert [m[2] for m in read.messages] == [visible(text) for text in texts]


def test_mermaid_takes_a_text_of_no_letters(parser: MermaidParser) -> None:
    empty = escaped("")
    (read,) = parser.parse(f"sequenceDiagram\n    participant a as {empty}\n    Note over a: {empty}\n")
    assert isinstance(read, Parsed), read
    assert (read.actors, [m[2] for m in read.messages]) == ({"a": "\u200b"}, ["\u200b"])


def test_what_is_not_escaped_is_refused_or_read_as_something_else(parser: MermaidParser) -> None:
    text = write(shown(check(Turning), "arrives"))
    broken, loose, closed = parser.parse(
        text.replace("->>", "->>>", 1), text.replace("started", "star;ted"), text + "    end\n"
    )
    assert isinstance(broken, str) and "Parse error on line 7" in broken
    assert isinstance(loose, str) and isinstance(closed, str)

"""`fenceproof compare` as a person and as a pipeline use it: the four forms, files, limits, and wrong input."""

from __future__ import annotations

import json
import os
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from command import ENVIRONMENT, FENCEPROOF, RESTS, fenceproof, model_file

WAIT = ("compare", "wait", "--faults", "loss,delay")
#: Words that mean something in HTML, Markdown and to rich.
ODD = """
from fenceproof.model import Model, Range, Step, action, fault, invariant, require, step_property, terminal


class First(Model):
    \"\"\"Up <script>alert(1)</script> | "and" [red]down[/red] & so on.\"\"\"

    costs = {"a|b": ("up",), "<i>c</i>": ("slip",)}

    def __init__(self, most: int = 2) -> None:
        self.most = most
        self.n = Range(0, most)

    @action
    def up(self) -> None:
        require(self.n < self.most)
        self.n += 1

    @fault("slip")
    @action
    def slip(self) -> None:
        require(self.n > 0)
        self.n = 0

    @invariant(name="not|two")
    def not_two(self) -> bool:
        \"\"\"It is <b>"less"</b> than two.\"\"\"
        return self.n != 2

    @step_property(name="no-slip")
    def no_slip(self, step: Step) -> bool:
        return step.action != "slip"

    @terminal
    def end(self) -> bool:
        return self.n == self.most


class Second(Model):
    \"\"\"Others.\"\"\"

    def __init__(self, size: int = 3) -> None:
        self.n = Range(0, size)

    @action
    def up(self) -> None:
        require(self.n == 0)
        self.n = 1

    @fault("jump")
    @action
    def jump(self) -> None:
        require(self.n == 1)
        self.n = 0

    @terminal
    def end(self) -> bool:
        return self.n == 1
"""


def compared(*arguments: str) -> Any:
    """The document of a run that is complete."""
    ran = fenceproof("compare", *arguments, "--json")
    assert (ran.code, ran.err) == (0, ""), ran
    return json.loads(ran.out)


def lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_the_text_shows_cells_minimal_sets_and_trade_offs() -> None:
    ran = fenceproof(*WAIT)
    assert (ran.code, ran.err) == (0, "")
    said = lines(ran.out)
    assert "  - no fault\n  a delay\n  b loss\n  * any 3 of these\n" in ran.out
    assert ["settles", "·", "·", "2", "2"] in said
    assert ["stale-rejected", "v", "v", "v", "v"] in said
    assert ["wait", "settles", "loss"] in said
    assert ["wait", "3", "3", "0-1", "0", "2", "of", "13"] in said or ["wait", "3", "3", "1", "0"] in [
        line[:5] for line in said
    ]
    assert "Open for ever: wait, under loss.\n" in ran.out
    assert "every reachable state of 1 design at calls=1, epochs=3" in ran.out


def test_minimal_faults_leave_out_the_cells() -> None:
    ran = fenceproof(*WAIT, "--minimal-faults")
    assert ["wait", "no-deadlock", "loss"] in lines(ran.out)
    assert "no fault" not in ran.out and "Trade-offs" not in ran.out and "stale-rejected" not in ran.out


def test_json_is_one_document_and_its_traces_replay() -> None:
    written = compared("last-writer", "wait", "--faults", "delay,loss", "--most-faults", "1")
    assert (written["format"], written["version"], written["complete"]) == ("fenceproof-matrix", 1, True)
    assert written["columns"] == [[], ["delay"], ["loss"], ["delay", "loss"]]
    assert [design["target"] for design in written["designs"]] == ["last-writer", "wait"]
    replayed = 0
    for design in written["designs"]:
        for prop in design["properties"]:
            for fall in prop["falls"]:
                assert {step["fault"] for step in fall["trace"]["steps"]} - {None} == set(fall["faults"])
                if prop["name"] in ("no-ghost", "settles"):
                    Path("trace.json").write_text(json.dumps(fall["trace"]))
                    assert fenceproof("replay", "trace.json").code == 0
                    replayed += 1
    assert replayed == 2


def test_markdown_keeps_its_tables_whatever_names_and_meanings_are() -> None:
    model_file(ODD)
    text = fenceproof("compare", "mine.py", "--format", "markdown").out
    assert "<script>" not in text and "<i>" not in text
    for block in text.split("\n\n"):
        rows = [row for row in block.splitlines() if row.startswith("|")]
        assert len({row.replace("\\|", "").count("|") for row in rows}) <= 1, rows
    assert "| not\\|two | 2 | 2 |  |" in text
    assert "a\\|b | &lt;i&gt;c&lt;/i&gt; |" in text


class Page(HTMLParser):
    """What a page has: its tags, the titles of its elements, its policies, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.titles: list[str] = []
        self.policies: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        given = dict(attrs)
        self.attributes |= set(given)
        self.titles += [given["title"] or ""] if "title" in given else []
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policies.append(given["content"] or "")
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_page_is_whole_escaped_and_loads_nothing() -> None:
    model_file(ODD)
    page = Page(fenceproof("compare", "mine.py", "--format", "html").out)
    assert page.open == []
    assert {"script", "link", "img", "iframe", "a", "i", "b"}.isdisjoint(page.tags)
    assert page.attributes == {"lang", "charset", "http-equiv", "content", "class", "title"}
    assert page.policies == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert 'Up <script>alert(1)</script> | "and" [red]down[/red] & so on.' in page.text
    assert 'It is <b>"less"</b> than two.' in page.titles
    assert "no-slip under slip:\nup()\nslip()" in page.titles


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_a_file_has_what_is_otherwise_printed(form: str) -> None:
    model_file(ODD)
    ran = fenceproof("compare", "mine.py", "--format", form, "--out", "found")
    assert (ran.code, ran.out, ran.err) == (0, "", "written: found\n")
    printed = fenceproof("compare", "mine.py", "--format", form, environment={"COLUMNS": "120"})
    tidy = [line.rstrip() for line in Path("found").read_text().splitlines()]
    assert tidy == [line.rstrip() for line in printed.out.splitlines()]


def test_a_file_that_is_there_is_not_written_over() -> None:
    Path("found").write_text("mine")
    assert "found is there already" in fenceproof(*WAIT, "--out", "found").message
    assert Path("found").read_text() == "mine"


def test_what_cannot_be_written_is_on_standard_output() -> None:
    ran = fenceproof(*WAIT, "--json", "--out", "nowhere/found.json")
    assert ran.code == 2
    assert json.loads(ran.out)["designs"][0]["target"] == "wait"
    assert "nowhere/found.json cannot be written: No such file or directory." in ran.err


def test_all_models_of_a_file_have_their_bounds_and_only_their_faults() -> None:
    model_file(ODD)
    ran = fenceproof("compare", "mine.py")
    said = lines(ran.out)
    assert ["no-slip", "·", "2"] in said
    assert ["no-deadlock", "·", "·", "·"] not in said and ["no-deadlock", "·", "·"] in said
    assert "of 2 designs at most=2; size=3, faults" in ran.out
    written = compared("mine.py")
    assert [d["target"] for d in written["designs"]] == ["mine.py:First", "mine.py:Second"]
    assert [[c["faults"] for c in d["properties"][0]["cells"]] for d in written["designs"]] == [
        [[], ["slip"]],
        [[], ["jump"]],
    ]


@pytest.mark.parametrize("targets", [["wait"], ["mine.py"]])
def test_what_no_property_asked_is_not_said_to_settle(targets: list[str]) -> None:
    """`wait` stays open for ever once a result is lost; whoever asks for ghosts only has not heard otherwise."""
    model_file(RESTS)
    name = "no-ghost" if targets == ["wait"] else "no-deadlock"
    out = fenceproof("compare", *targets, "--property", name, "--format", "markdown").out
    said = next(line for line in out.splitlines() if line.startswith("Open for ever:"))
    assert said.startswith(f"Open for ever: {targets[0]}") and "not asked" in said


def test_a_limit_is_no_verdict_and_never_says_never() -> None:
    ran = fenceproof("compare", "last-writer", "--max-states", "3000")
    assert ran.code == 3
    said = lines(ran.out)
    assert ["settles", *"?" * 13] in said
    assert next(line for line in said if line[0:1] == ["single-commit"])[1] == "6"
    row = next(line for line in said if line[-2:] == ["of", "13"])
    assert row[0] == "last-writer" and "never" not in row and row[-5:-3] == ["at", "least"] and "?" in row
    assert "Open for ever: last-writer, not decided.\n" in ran.out
    assert "only a part of the states" in ran.out
    written = json.loads(fenceproof("compare", "last-writer", "--max-states", "3000", "--json").out)
    verdicts = {cell["verdict"] for prop in written["designs"][0]["properties"] for cell in prop["cells"]}
    assert (written["complete"], verdicts) == (False, {"violated", "inconclusive"})


def test_a_limit_holds_for_what_confirms_too() -> None:
    """So many calls have more states than any machine holds: a trace is looked for in no more than was seen."""
    only = ("--faults", "delay", "--property", "no-ghost", "--calls", "7", "--max-states", "9000")
    ran = fenceproof("compare", "last-writer", *only, "--minimal-faults")
    assert ran.code == 3
    assert ["last-writer", "no-ghost", "delay"] in lines(ran.out)
    assert "only a part of the states" in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["wait", "wait"], "wait is named twice."),
        (["last-writer", "last_writer"], "last-writer is named twice."),
        (["mine.py", "mine.py:First"], "mine.py:First is named twice."),
        (["fencd"], "Did you mean fenced?"),
        (["none.py"], "there is no file none.py"),
        (["fenced", "--faults", "delai"], "Did you mean delay"),
        (["fenced", "--property", "no-gost"], "Did you mean no-ghost?"),
        (["mine.py:First", "--set", "mst=3"], "Did you mean most?"),
        (["wait", "--set", "calls"], "Write --set name=value."),
        (["wait", "--epochs", "0"], "epochs=0 is not a number from 1 to 16."),
        (["wait", "--most-faults", "-1"], "--most-faults -1 is not a number from 0 to 1000."),
        (["wait", "--max-states", "0"], "0 is not in the range"),
        (["wait", "--format", "pdf"], "'pdf' is not one of"),
    ],
)
def test_what_is_not_there_is_refused_with_the_nearest_name(arguments: list[str], said: str) -> None:
    model_file(ODD)
    assert said in fenceproof("compare", *arguments).message


def test_a_budget_without_a_limit_and_one_of_two() -> None:
    for budget in ("unlimited", "2"):
        written = compared("wait", "--faults", f"loss={budget}", "--most-faults", "2")
        falls = {
            p["name"]: [f["faults"] for f in p["falls"]] for p in written["designs"][0]["properties"] if p["falls"]
        }
        assert falls == {"no-deadlock": [["loss"]], "settles": [["loss"]]}


def test_no_fault_at_all_has_one_column() -> None:
    assert compared("fenced", "--faults", "none", "--epochs", "1")["columns"] == [[]]
    assert compared("wait", "--most-faults", "0")["columns"] == [[]]


#: A model during whose search somebody presses Ctrl-C.
INTERRUPTS = ODD.replace(
    "class Second(Model):",
    """import os
import signal

import fenceproof.checker.engines.explicit as engine

real = engine.Search._expand_level


def interrupted(search: engine.Search) -> None:
    real(search)
    if search.system.name == "Second":
        os.kill(os.getpid(), signal.SIGINT)


signal.signal(signal.SIGINT, signal.default_int_handler)
engine.Search._expand_level = interrupted


class Second(Model):""",
)


def test_an_interrupt_prints_what_is_done_and_begins_nothing_more() -> None:
    model_file(INTERRUPTS)
    ran = fenceproof("compare", "mine.py", "wait", "--json")
    written = json.loads(ran.out)
    assert (ran.code, ran.err, written["complete"]) == (130, "", False)
    assert [design["target"] for design in written["designs"]] == ["mine.py:First"]


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_where_nothing_is_done_yet_an_interrupt_says_so(form: str) -> None:
    model_file(INTERRUPTS)
    ran = fenceproof("compare", "mine.py:Second", "--format", form)
    assert (ran.code, ran.err) == (130, "")
    assert "only a part of the states of 0 designs" in ran.out


def test_a_reader_that_leaves_hears_nothing_more() -> None:
    model_file(RESTS)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*FENCEPROOF, "compare", "mine.py"], env=ENVIRONMENT, stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.stderr, done.returncode) == (b"", 141)

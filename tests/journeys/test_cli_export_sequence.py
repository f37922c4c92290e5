"""`fenceproof export --format mermaid` and `svg` as a person uses them: of a target, of a saved trace, and refused."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from command import RESTS, fenceproof, model_file

GHOST = ("last-writer", "--faults", "delay", "--property", "no-ghost")
FORMATS = pytest.mark.parametrize("name", ["mermaid", "svg"])
#: A model that says who takes part, in a file of a user's.
SAID = """
from fenceproof.model import Model, Range, action, invariant


class Said(Model):
    def __init__(self) -> None:
        self.n = Range(0, 2)

    @action(sender="<me>", receiver="you; & end")
    def up(self) -> None:
        self.n = 1

    @invariant
    def never(self) -> bool:
        return self.n == 0
"""


def begins(name: str, text: str) -> bool:
    """Whether a text is a diagram in this format, and of the ghost."""
    if name == "mermaid":
        return text.startswith("sequenceDiagram\n    title last-writer violates no-ghost in 4 steps\n")
    root = ElementTree.fromstring(text)
    return (root.findtext("{*}title") or "") == "last-writer violates no-ghost in 4 steps"


@FORMATS
def test_a_target_and_its_saved_trace_are_the_same_diagram(name: str) -> None:
    assert fenceproof("check", *GHOST, "--out", "traces").code == 1
    of_target = fenceproof("export", *GHOST, "--format", name)
    of_trace = fenceproof("export", "traces/last-writer-no-ghost.json", "--format", name)
    assert (of_target.code, of_target.err) == (of_trace.code, of_trace.err) == (0, "")
    assert begins(name, of_target.out)
    assert of_target.out == of_trace.out


@FORMATS
def test_a_users_model_and_its_trace(name: str) -> None:
    model_file(SAID)
    ran = fenceproof("export", "mine.py", "--format", name)
    assert ran.code == 0
    lanes = "participant p0 as #60;me#62;\n    participant p1 as you#59; #38; #101;nd\n"
    assert (lanes if name == "mermaid" else "&lt;me&gt;, you; &amp; end") in ran.out
    assert fenceproof("check", "mine.py", "--out", "traces").code == 1
    (trace,) = Path("traces").iterdir()
    assert f"--model {Path('mine.py')}" in fenceproof("export", trace, "--format", name).message
    assert fenceproof("export", trace, "--model", "mine.py", "--format", name).out == ran.out


@FORMATS
def test_what_holds_has_no_diagram_and_a_search_that_stopped_is_inconclusive(name: str) -> None:
    said = fenceproof("export", "fenced", "--faults", "none", "--format", name, "--out", "file").message
    assert "none of the 13 properties that were checked of fenced is violated" in said
    stopped = fenceproof("export", *GHOST, "--max-states", "3", "--format", name, "--out", "file")
    assert (stopped.code, stopped.out) == (3, "")
    assert not Path("file").exists()


@FORMATS
def test_a_file_that_is_there_is_written_over_only_by_force(name: str) -> None:
    Path("old").write_text("old")
    assert "old is there already" in fenceproof("export", *GHOST, "--format", name, "--out", "old").message
    assert Path("old").read_text() == "old"
    ran = fenceproof("export", *GHOST, "--format", name, "--out", "old", "--force")
    assert (ran.code, ran.out) == (0, "")
    assert begins(name, Path("old").read_text(encoding="utf-8"))


def test_the_title_says_which_safeguard_was_taken_away() -> None:
    without = ("--without", "live-check", "--faults", "delay", "--property", "no-ghost")
    ran = fenceproof("export", "fenced", *without, "--format", "mermaid")
    assert ran.code == 0
    assert "    title fenced without live-check violates no-ghost in 4 steps" in ran.out.splitlines()


#: An invariant that divides by zero in its second state.
DIVIDES = RESTS.replace("action, terminal", "action, invariant, terminal").replace(
    "    @terminal",
    "    @invariant\n    def fine(self) -> bool:\n        return 4 // (1 - self.n) > 0\n\n    @terminal",
)


def test_a_property_that_cannot_be_judged_is_said_at_the_end() -> None:
    ran = fenceproof("export", model_file(DIVIDES), "--format", "mermaid")
    assert ran.code == 0
    assert "    title mine.py goes wrong after 1 step" in ran.out.splitlines()
    assert "the model goes wrong: ZeroDivisionError" in ran.out

"""A violation told to a person: the story, the marked step, the faults spent, and why it violates."""

import re
from functools import cache
from pathlib import Path

import pytest
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.faults import parse_faults
from fenceproof.checker.report.changes import changes
from fenceproof.checker.report.story import faults_spent, story
from fenceproof.checker.report.text import as_text
from fenceproof.checker.report.why import why
from fenceproof.checker.result import CheckResult
from fenceproof.checker.targets import build, find
from fenceproof.model import Model, Range, action, invariant
from fenceproof.model.lift import lift
from fenceproof.model.step import take

KEPT = Path(__file__).parent / "ghost_story.txt"


class Counter(Model):
    def __init__(self) -> None:
        self.n = Range(0, 3)

    @action
    def grow(self) -> str:
        """It <b>grows</b>
        by one. And that is all."""
        self.n += 1
        return "said\n'so'"

    @invariant
    def small(self) -> bool:
        """It stays small."""
        return self.n < 2 or self.n > 4


@cache
def ghost() -> CheckResult:
    model = build(find("last-writer"), {})
    return check(lift(model, parse_faults("delay", None, (), model)), properties=["no-ghost"])


def test_the_story_of_the_ghost_is_kept() -> None:
    text = re.sub(r"(?m)^took .*$", "took", as_text(ghost(), "last-writer"))
    assert text == KEPT.read_text(encoding="utf-8")


def test_the_story_says_what_the_trace_says_in_its_order() -> None:
    system, trace = ghost().system, ghost().properties[0].trace
    assert trace is not None
    told = story(system, trace)
    place = 0
    for number, (before, position) in enumerate(zip(trace.states, trace.transitions, strict=False), start=1):
        transition = system.transitions[position]
        fault = f"; fault {transition.fault}" if transition.fault else ""
        outcome = take(transition, before).outcome
        place = told.index(
            f"({number}) {transition.meaning.rstrip('.')} [{transition.called}{fault}; outcome {outcome}].", place
        )
    assert [system.transitions[p].fault for p in trace.transitions] == [None, None, "delay", None]
    assert faults_spent(system, trace) == "faults spent: delay ×1 (budget 1)"


def test_why_names_the_values_of_the_state() -> None:
    system, found = ghost().system, ghost().properties[0]
    assert found.trace is not None
    (line,) = why(system, found)
    opened = system.decode(found.trace.states[-2])["opened"]
    assert opened == [2]
    assert line.startswith("(1 < opened[0]) is true; here opened[0] = 2 (")
    assert re.search(r"properties\.py:\d+\)$", line)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_nothing_is_cut_off_however_narrow(width: int) -> None:
    system, trace = ghost().system, ghost().properties[0].trace
    assert trace is not None
    text = as_text(ghost(), "last-writer", width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    assert re.search(r"(?m)^> 4\. ", text)
    # A table folds a cell into lines of a column, so its words are looked for by column.
    letters = "".join(text.split())
    for line in (story(system, trace), faults_spent(system, trace), *why(system, ghost().properties[0])):
        assert "".join(line.split()) in letters
    for before, after in zip(trace.states, trace.states[1:], strict=False):
        for changed in changes(system, before, after):
            assert all(part in letters for word in changed.split() for part in re.findall(r"\w{1,6}", word))


def test_an_authors_words_are_one_sentence_and_only_what_decides_is_shown() -> None:
    result = check(lift(Counter()))
    small = next(p for p in result.properties if p.name == "small")
    assert small.trace is not None
    once = "It <b>grows</b> by one [grow(); outcome said 'so']."
    assert story(result.system, small.trace) == f"What happens: (1) {once} (2) {once}"
    assert [line.split(";")[0] for line in why(result.system, small)] == ["(n < 2) is false"]

"""A violation told to a person: the story, the marked step, the faults spent, and why it violates."""

import re
from enum import Enum
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
from fenceproof.model import (
    Array,
    Bool,
    Choice,
    Map,
    Maybe,
    Model,
    Range,
    Set,
    Step,
    action,
    eventually,
    fault,
    forall,
    implies,
    invariant,
    require,
    step_property,
)
from fenceproof.model.lift import lift
from fenceproof.model.trace import Trace

KEPT = Path(__file__).parent / "ghost_story.txt"


class Phase(Enum):
    IDLE = 1
    BUSY = 2


class Worker(Model):
    """A worker that is stuck once it is busy, and whose properties fall in every way that is told."""

    def __init__(self) -> None:
        self.phase = Choice(Phase)
        self.job = Map(("a", "b"), Maybe(Choice("slow", "fast")))
        self.seen = Set(Range(0, 1))

    @fault("slip")
    @action
    def slip(self) -> None:
        require(self.phase == Phase.IDLE)

    @action(name="take", says={"taken": "It takes {job[a]} and {job[b]}!", "else": "never"})
    def start(self) -> str:
        require(self.phase == Phase.IDLE and 0 not in self.seen)
        self.phase = Phase.BUSY
        self.job["a"] = "fast"
        self.seen.add(1)
        return "taken"

    @invariant
    def fine(self) -> bool:
        return not (self.phase == Phase.BUSY and self.job["a"] == "fast") and (self.job["b"] is not None or self.idle())

    def idle(self) -> bool:
        return self.phase == Phase.IDLE and 1 not in self.seen

    @invariant
    def slow(self) -> bool:
        return forall(("a", "b"), lambda key: implies(self.phase == Phase.BUSY, self.job[key] == "slow"))

    @step_property
    def never(self, step: Step) -> bool:
        return step.outcome != "taken"

    @eventually(fair=["take"])
    def ends(self) -> bool:
        return self.job["b"] == "slow"


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
    system, found = ghost().system, ghost().properties[0]
    trace = found.trace
    assert trace is not None
    sentences = story(system, trace, found).removeprefix("What happens: ").removesuffix(".").split(". ")
    *told, end = sentences
    assert len(told) == len(trace) == 4
    for sentence, after, position in zip(told, trace.states[1:], trace.transitions, strict=True):
        transition = system.transitions[position]
        state = system.decode(after)
        for argument, value in transition.args.items():
            # A call or an epoch is named with its number, the kind of a result by itself.
            assert (str(value) if argument == "kind" else f"{argument} {value}") in sentence
        assert sentence.endswith(f"[fault: {transition.fault}]") is (transition.fault is not None)
        if transition.action == "deadline_early":
            assert f"opens epoch {state['outbox'][0]['epoch']} " in sentence  # type: ignore[index]
        if transition.action == "deliver":
            assert sentence.endswith("is committed") and state["record"][0]["committed"] == 1  # type: ignore[index]
            opened = state["opened"][0]  # type: ignore[index]
            assert end == f"This violates no-ghost: call 0: success of epoch 1 commits after epoch {opened} was opened"
    assert [system.transitions[p].fault for p in trace.transitions] == [None, None, "delay", None]
    assert faults_spent(system, trace) == "faults spent: delay ×1 of 1"


def test_budgets_of_each_call_do_not_look_overrun() -> None:
    model = build(find("last-writer"), {"calls": 2})
    system = lift(model, parse_faults("delay,crash", None, (), model))
    early = [i for i, t in enumerate(system.transitions) if t.action == "deadline_early"]
    spent = faults_spent(system, Trace(system.initial, tuple(early)))
    assert spent == "faults spent: delay ×2 (each of 2 may have 1)"
    free = lift(model, parse_faults("delay=unlimited", None, (), model))
    assert faults_spent(free, Trace(free.initial, (early[0],))) == "faults spent: delay ×1 (no limit)"


def test_why_says_what_was_needed_and_what_was_there() -> None:
    system, found = ghost().system, ghost().properties[0]
    assert found.trace is not None
    (line,) = why(system, found)
    opened = system.decode(found.trace.states[-2])["opened"]
    assert opened == [2]
    written = next(p for p in system.step_properties if p.name == "no-ghost").site
    assert line == f"opened[0] <= 1 is false; here opened[0] = 2 ({written})"


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
    for line in (
        story(system, trace, ghost().properties[0]),
        faults_spent(system, trace),
        *why(system, ghost().properties[0]),
    ):
        assert "".join(line.split()) in letters
    for before, after in zip(trace.states, trace.states[1:], strict=False):
        for changed in changes(system, before, after):
            assert all(part in letters for word in changed.split() for part in re.findall(r"\w{1,6}", word))


def test_an_authors_words_are_one_sentence_and_only_what_decides_is_shown() -> None:
    result = check(lift(Counter()))
    small = next(p for p in result.properties if p.name == "small")
    assert small.trace is not None
    once = "It <b>grows</b> by one [grow() → said 'so']."
    assert story(result.system, small.trace, small) == f"What happens: {once} {once} This violates small."
    assert [line.split(" (")[0] for line in why(result.system, small)] == ["n < 2 is false; here n = 2"]


def test_values_are_shown_as_an_author_writes_them_and_every_sort_says_what_it_lacks() -> None:
    result = check(lift(Worker()))
    by_name = {p.name: p for p in result.properties}
    site = r" \(.*test_story\.py:\d+\)"

    def lines(name: str) -> list[str]:
        return [re.sub(site, "", line) for line in why(result.system, by_name[name])]

    assert lines("fine") == [
        "job['a'] != fast is false; here phase = BUSY, job['a'] = fast",
        "job['b'] != none is false; here phase = BUSY, job['a'] = fast, job['b'] = none",
    ]
    assert lines("slow") == [
        "phase != BUSY is false; here phase = BUSY, job['a'] = fast, job['b'] = none",
    ]
    assert lines("never") == ["it is false of any take()"]
    assert lines("no-deadlock") == ["take() needs phase == IDLE; here phase = BUSY"]
    assert lines("ends") == ["what has to come never does: at the end job['b'] == slow is false; here job['b'] = none"]
    trace = by_name["no-deadlock"].trace
    assert trace is not None
    assert story(result.system, trace, by_name["no-deadlock"]) == (
        "What happens: It takes fast and none! Nothing is left to happen then, but for faults, and nothing says that "
        "it may end: no-deadlock."
    )


def test_no_more_is_listed_than_can_be_read() -> None:
    class Many(Model):
        def __init__(self) -> None:
            self.off = Array(9, Bool(start=True))

        @action
        def switch(self) -> None:
            require(self.off[0])
            for i in range(9):
                self.off[i] = False

        @invariant
        def all_off(self) -> bool:
            return all(self.off)

        @invariant
        def some_off(self) -> bool:
            return any(self.off)

    result = check(lift(Many()))
    both = {p.name: why(result.system, p) for p in result.properties}
    assert len(both["all_off"]) == 7 and both["all_off"][6].startswith("3 more (")
    (line,) = both["some_off"]
    assert " or off[5] or 3 more) is false; here off[0] = false, " in line and ", off[5] = false, and 3 more (" in line

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
    Bag,
    Bool,
    Choice,
    Map,
    Maybe,
    Model,
    Range,
    Set,
    Step,
    action,
    choose,
    eventually,
    exists,
    fault,
    forall,
    implies,
    invariant,
    leads_to,
    require,
    step_property,
    terminal,
)
from fenceproof.model.lift import lift
from fenceproof.model.step import false_clauses
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


def test_what_is_stuck_says_what_each_action_and_the_end_would_need() -> None:
    model = build(find("wait"), {})
    result = check(lift(model, parse_faults("loss", None, (), model)), properties=["no-deadlock"])
    (found,) = result.properties
    assert found.trace is not None
    told = story(result.system, found.trace, found)
    assert told.endswith(
        " Nothing is left to happen then, but for faults, and it may not end so: this violates no-deadlock."
    )
    said = why(result.system, found)
    # Each at the line of the clause, and not of the action.
    stuck = {t.action: t for t in result.system.transitions if t.fault is None}
    clauses = [false_clauses(t, found.trace.states[-1])[0] for t in stuck.values()]
    sites = [str(t.site_of(clause)) for t, clause in zip(stuck.values(), clauses, strict=True)]
    assert [line.rpartition(" (")[2].rstrip(")") for line in said[:-1]] == sites
    assert not {str(t.site) for t in stuck.values()} & set(sites)
    assert [re.sub(r" \(fenceproof/.*\)$", "", line) for line in said] == [
        "dispatch(call=0) needs outbox[0].pending, which is false",
        "execute(call=0, epoch=1) needs (tool epoch=1 in tool_path[0]), which is false",
        "deliver(call=0, kind=success, epoch=1) needs (success epoch=1 in tool_path[0]), which is false",
        "to end there needs record[0].committed != none; here record[0].committed = none",
    ]


def test_an_alternative_that_another_includes_is_not_said() -> None:
    class Turns(Model):
        def __init__(self) -> None:
            self.n = Range(0, 3)

        @action
        def turn(self) -> None:
            self.n = 1

        @invariant
        def fine(self) -> bool:
            return exists((1, 2), lambda i: self.n == 2 if i == 2 else self.n != 1)

    result = check(lift(Turns()))
    found = next(p for p in result.properties if p.name == "fine")
    assert [line.split(" (")[0] for line in why(result.system, found)] == ["n != 1 is false; here n = 1"]


def test_budgets_of_each_call_do_not_look_overrun() -> None:
    model = build(find("last-writer"), {"calls": "2"})
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
    assert [line.split()[1] for line in text.splitlines() if line.startswith("> ")] == ["4."]
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
        "job['b'] != none is false; here phase = BUSY, job['b'] = none",
        "job['a'] != fast is false; here phase = BUSY, job['a'] = fast",
    ]
    assert lines("slow") == [
        "phase != BUSY is false; here phase = BUSY, job['a'] = fast, job['b'] = none",
    ]
    assert lines("never") == ["it is false of any take() with the outcome taken"]
    assert lines("no-deadlock") == ["take() needs phase == IDLE; here phase = BUSY"]
    assert lines("ends") == ["what has to come never does: at the end job['b'] == slow is false; here job['b'] = none"]
    trace = by_name["no-deadlock"].trace
    assert trace is not None
    assert story(result.system, trace, by_name["no-deadlock"]) == (
        "What happens: It takes fast and none! Nothing is left to happen then, but for faults, and nothing says that "
        "it may end: this violates no-deadlock."
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


class Shop(Model):
    """A shop that goes round and round; what its author says is as bad as it can be."""

    def __init__(self) -> None:
        self.open = Bool(start=True)
        self.queue = Set(Choice("a b", "'\n\"{0}"))
        self.stock = Bag(Choice("x", "y"), most=2)
        self.rests = Bool()

    @action(who=("a b", "'\n\"{0}"), says="[bold]{who}[/] joins:\n  the <queue> {{open}} \u202e {open}")
    def join(self, who: str) -> None:
        require(self.open and who not in self.queue)
        self.queue.add(who)

    @action(says={"sold": "One is sold", None: "None is sold"})
    def serve(self) -> str:
        """Serves. Then rests."""
        require("a b" in self.queue)
        self.queue.discard("a b")
        return "it's \n off"

    @action
    def fill(self) -> None:
        require(len(self.stock) == 0)
        self.stock.add("x")

    @invariant(says="[red]the queue[/red] is {open} and too long")
    def short(self) -> bool:
        return "'\n\"{0}" not in self.queue

    @invariant
    def empty(self) -> bool:
        return len(self.stock) == 0

    @step_property(says={None: "{who} joined while open was {open}"})
    def alone(self, step: Step) -> bool:
        if step.action != "join":
            return True
        return not (step.before.open and step.after.open) or step.args["who"] == "a b"

    @leads_to(fair=["serve"])
    def filled(self) -> tuple[bool, bool]:
        return "a b" in self.queue, self.rests

    @terminal
    def anywhere(self) -> bool:
        return self.rests


def test_what_an_author_says_is_printed_as_it_is_and_never_obeyed() -> None:
    result = check(lift(Shop()))
    by_name = {p.name: p for p in result.properties}

    def told(name: str) -> str:
        found = by_name[name]
        assert found.trace is not None
        return story(result.system, found.trace, found)

    joins = "What happens: [bold]' \"{0}[/] joins: the <queue> {true} \u202e true."
    assert told("short") == f"{joins} This violates short: [red]the queue[/red] is true and too long."
    assert told("alone") == f"{joins} This violates alone: ' \"{{0}} joined while open was true."
    assert told("empty") == "What happens: fill(). This violates empty."
    text = as_text(result)
    assert "[bold]' \"{0}[/] joins: the <queue>" in text and "\x1b" not in text


def test_a_behaviour_that_goes_round_says_from_where_and_what_never_comes() -> None:
    result = check(lift(Shop()))
    found = next(p for p in result.properties if p.name == "filled")
    assert found.trace is not None and found.trace.loop is not None and found.trace.loop < len(found.trace)
    told = story(result.system, found.trace, found)
    assert told.startswith("What happens: [bold]a b[/] joins: ")
    start = found.trace.loop + 1
    assert told.endswith(f" From step {start} on the same happens for ever: this violates filled.")
    (line,) = why(result.system, found)
    written = next(p.site for p in result.system.liveness if p.name == "filled")
    assert line == f"what has to come never does: at the end rests is false ({written})"
    assert f"Then from step {start} on the same again, for ever." in as_text(result)


def test_elements_are_named_by_what_holds_them() -> None:
    result = check(lift(Shop()))
    by_name = {p.name: [line.rsplit(" (", 1)[0] for line in why(result.system, p)] for p in result.properties}
    assert by_name["empty"] == ["len(stock) == 0 is false; here len(stock) = 1"]
    assert by_name["short"] == ["not (' \"{0} in queue) is false"]
    assert by_name["alone"] == ["not open is false"]


class Slips(Model):
    """A model that goes wrong in a step, or where a property is judged."""

    def __init__(self, most: int) -> None:
        self.n = Range(0, 3)
        self.flags = Array(most, Bool())

    @action(by=(1, 2))
    def up(self, by: int) -> str:
        """Goes up."""
        require(self.n < 3)
        self.n += by
        return "up"

    @invariant
    def low(self) -> bool:
        return not self.flags[self.n]


@pytest.mark.parametrize(
    ("most", "sentences", "line"),
    [
        (4, "Goes up [up(by=2) → up]. Goes up [up(by=2)].", "up(by=2) goes wrong; here n = 2"),
        (2, "Goes up [up(by=2) → up].", "low cannot be judged; here n = 2"),
    ],
)
def test_a_mistake_of_the_model_is_told_with_the_values_that_it_has(most: int, sentences: str, line: str) -> None:
    result = check(lift(Slips(most)))
    assert result.wrong is not None
    assert story(result.system, result.wrong.trace, result.wrong) == (
        f"What happens: {sentences} There the model goes wrong."
    )
    assert why(result.system, result.wrong) == [line]
    text = as_text(result)
    assert f"\nWhy: {line}\n" in text
    assert len(re.findall(r"(?m)^> \d", text)) == 1


def test_a_violation_in_the_beginning_is_told_as_one() -> None:
    class Broken(Model):
        def __init__(self) -> None:
            self.n = Range(0, 1)

        @action
        def up(self) -> None:
            self.n = 1

        @invariant(says="n is {n}")
        def one(self) -> bool:
            return self.n == 1

    found = next(p for p in check(lift(Broken())).properties if p.name == "one")
    system = lift(Broken())
    assert found.trace is not None
    assert story(system, found.trace, found) == "What happens: Nothing has happened yet. This violates one: n is 0."
    assert [line.split(" (")[0] for line in why(system, found)] == ["n == 1 is false; here n = 0"]


def test_a_part_says_no_more_where_another_says_all() -> None:
    class Parts(Model):
        def __init__(self) -> None:
            self.a, self.b, self.c = Bool(start=True), Bool(start=True), Range(0, 2)

        @action
        def off(self) -> None:
            self.a = self.b = False

        @invariant
        def either(self) -> bool:
            return forall((0, 1), lambda i: self.a if i == 0 else implies(self.c == 0, self.a))

        @invariant
        def one(self) -> bool:
            return (self.a if self.c == 1 else self.b) and self.c != 2

        @action
        def count(self) -> str:
            require(self.c < 2)
            self.c += 1
            return choose(["odd", "even"])

        @step_property
        def slow(self, step: Step) -> bool:
            return step.after.c != 2 or step.before.c == 0 or step.outcome == "even"

    result = check(lift(Parts()))
    lines = {p.name: [line.split(" (tests")[0] for line in why(result.system, p)] for p in result.properties}
    assert lines["either"] == ["a is false"]
    assert lines["one"] == ["b is false; here b = false, c = 0"]
    assert lines["slow"] == ["(c' != 2 or c == 0) is false; here c = 1, c' = 2"]

"""Of a model with several initial states a trace says in which of them it begins, wherever it is shown."""

from io import StringIO

from fenceproof.checker.engines.explicit import check
from fenceproof.checker.export.mermaid import write
from fenceproof.checker.export.svg import write as write_svg
from fenceproof.checker.export.traces import Shown
from fenceproof.checker.report.beginning import beginning
from fenceproof.checker.report.sequence import sequence
from fenceproof.checker.report.steps import print_trace
from fenceproof.checker.report.story import story
from fenceproof.checker.report.text import as_text
from fenceproof.checker.result import CheckResult
from fenceproof.model import (
    Array,
    Bool,
    Choice,
    Maybe,
    Model,
    Range,
    Set,
    action,
    choose,
    initial,
    invariant,
    require,
    terminal,
)
from fenceproof.model.lift import lift
from fenceproof.model.step import take
from fenceproof.model.trace import Trace
from rich.console import Console


class Starts(Model):
    """A model with several initial states, which differ in some of what there is."""

    def __init__(self) -> None:
        self.seats = Array(2, Range(0, 2, start=0))
        self.taken = Set(Range(0, 1), start=choose([{0}, {0, 1}]))
        self.host = Maybe(Choice("a", "b"), start=choose([None, "b"]))
        self.same = Range(1, 2)

    @initial
    def somebody_sits(self) -> None:
        self.seats[1] = choose([1, 2])

    @action
    def leave(self) -> str:
        require(1 in self.taken)
        self.taken.remove(1)
        return "left"

    @invariant
    def occupied(self) -> bool:
        return len(self.taken) == 2 or self.host is None or self.seats[1] == 1

    @terminal
    def anywhere(self) -> bool:
        return True


def _after_one_step(result: CheckResult) -> Trace:
    system = result.system
    first = next(s for s in system.initial if system.decode(s)["taken"] == [0, 1] and system.decode(s)["host"] == "b")
    after = take(system.transitions[0], first).state
    assert after is not None
    return Trace((first, after), (0,))


def test_of_several_initial_states_it_is_said_which_it_is_and_by_what_alone() -> None:
    result = check(lift(Starts()))
    trace = _after_one_step(result)
    assert beginning(result.system, trace.states[0]) == ("seats[1] = 1", "taken = [0, 1]", "host = b")
    begun = "seats[1] = 1, taken = [0, 1], host = b."
    assert story(result.system, trace) == f"What happens: It begins with {begun} leave() → left."
    found = next(p for p in result.properties if p.name == "occupied")
    assert found.trace is not None and not found.trace.transitions
    told = story(result.system, found.trace, found)
    assert told.endswith("taken = [0], host = b. Nothing has happened yet. This violates occupied.")
    console = Console(file=StringIO(), width=100)
    print_trace(console, result.system, trace)
    assert isinstance(console.file, StringIO)
    lines = console.file.getvalue().splitlines()
    assert lines[1].split() == ["0.", "initial", "state", "seats[1]", "=", "1"]
    assert [line.strip() for line in lines[2:4]] == ["taken = [0, 1]", "host = b"]
    assert lines[4].split()[:2] == ["1.", "leave()"]
    drawn = sequence("starts", result.system, trace, None)
    assert drawn.stem[0].label == f"begins with {begun.removesuffix('.')}"
    shown = Shown("starts", result.system, trace, None)
    assert "begins with seats[1] = 1" in write(shown)
    assert "begins with seats[1] = 1" in write_svg(shown)


class Doors(Model):
    """Two shortest counterexamples, which begin in different states and are different stories."""

    def __init__(self, ways: int = 2) -> None:
        self.way = Choice("left", "right", start=choose(["left", "right"][:ways]))
        self.inside = Bool()

    @action
    def enter(self) -> str:
        self.inside = True
        return "by the left" if self.way == "left" else "by the right"

    @invariant
    def outside(self) -> bool:
        return not self.inside


def test_stories_that_begin_otherwise_say_so() -> None:
    text = as_text(check(lift(Doors()), all_shortest=True))
    assert "shortest counterexamples: 2 of 1 step; 2 stories" in text
    assert "    0. initial state: way = right" in text


def test_of_one_initial_state_nothing_is_said() -> None:
    result = check(lift(Doors(ways=1)))
    assert beginning(result.system, result.system.initial[0]) == ()


def test_of_a_state_in_which_no_behaviour_begins_nothing_is_said() -> None:
    result = check(lift(Doors()))
    inside = take(result.system.transitions[0], result.system.initial[0]).state
    assert inside is not None
    assert beginning(result.system, inside) == ()

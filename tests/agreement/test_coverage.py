"""Coverage against a plain walk in which the author's own code runs on plain values, on random models.

The walk goes by the one-step interpreter. What a step comes along is then seen by calling the action itself, not
lifted, on a stand-in that holds the state before it as plain numbers, and listening to its lines.
"""

from __future__ import annotations

import sys
from collections import Counter
from inspect import getsourcelines
from types import FrameType
from typing import Any

from fenceproof.checker.coverage import Coverage, cover
from fenceproof.checker.limits import Limits
from fenceproof.model import Array, Bool, Maybe, Model, Range, action, require, terminal
from fenceproof.model.budgets import Settings
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take
from fenceproof.model.system import State, TransitionSystem
from hypothesis import given, settings
from hypothesis import strategies as st

Numbers = tuple[int, ...]


class Drawn(Model):
    """Tests of every sort against numbers that are drawn, so that which of its lines are dead is another each time."""

    def __init__(self, drawn: Numbers) -> None:
        self.drawn = drawn
        self.a = Range(0, 2)
        self.b = Range(0, 2)
        self.on = Bool()
        self.last = Maybe(Range(0, 2))
        self.cells = Array(2, Range(0, 1))

    @action(by=(1, 2))
    def move(self, by: int) -> str:
        d = self.drawn
        require(self.a + by <= 2 or self.on)
        if self.a == d[0] and self.b != d[1]:
            self.b = (self.b + by) % 3
            if self.b > d[2]:
                return "high"
            self.on = not self.on
        elif self.last is None:
            self.last = self.a
            return "noted"
        else:
            if self.last < d[3]:
                require(self.b < d[4])
                self.a = d[5]
            while self.b > d[6]:
                self.b -= 1
        self.a = (self.a + by) % 3
        return "far" if self.a > d[7] else "near"

    @action(cell=(0, 1))
    def write(self, cell: int) -> str:
        d = self.drawn
        require(self.on or self.cells[cell] < d[8])
        found = [i for i in range(2) if self.cells[i] == d[9]]
        if len(found) == 2:
            self.last = None
            return "full"
        for i in found:
            self.cells[i] = 1
        self.cells[cell] = min(self.cells[cell] + 1, 1)
        return "written"

    @terminal
    def anywhere(self) -> bool:
        return True


class Plain:
    """A state as plain values under the names that the actions know."""

    def __init__(self, values: dict[str, Any], drawn: Numbers) -> None:
        vars(self).update({**values, "drawn": drawn})


def lines_of(name: str, args: dict[str, Any], state: Plain, monkey: Any) -> tuple[set[int], str]:
    """The lines that an action comes along on plain values, and its outcome."""
    lines: set[int] = set()
    code = getattr(Drawn, name).__code__

    def see(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != code.co_filename:
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return see

    def met(condition: object) -> None:
        assert condition, "the interpreter says that this is enabled"

    kept, before = monkey["require"], sys.gettrace()
    monkey["require"] = met
    sys.settrace(see)
    try:
        outcome = getattr(Drawn, name)(state, **args)
    finally:
        sys.settrace(before)
        monkey["require"] = kept
    # The functions of this test that the action calls are in the same file.
    return {line for line in lines if code.co_firstlineno < line < code.co_firstlineno + 40} & within(code), outcome


def within(code: Any) -> set[int]:
    found = {line for _, _, line in code.co_lines() if line}
    for const in code.co_consts:
        if hasattr(const, "co_lines"):
            found |= within(const)
    return found


def walked(
    system: TransitionSystem, drawn: Numbers
) -> tuple[Counter[int], Counter[tuple[str, str | None]], Counter[str]]:
    """How often each line, outcome and action is come along, by a plain walk."""
    lines, outcomes, taken = Counter[int](), Counter[tuple[str, str | None]](), Counter[str]()
    waiting, seen = list(system.initial), set[State](system.initial)
    while waiting:
        state = waiting.pop()
        for position in enabled(system, state):
            transition = system.transitions[position]
            after = take(transition, state)
            assert after.state is not None
            run, outcome = lines_of(transition.action, transition.args, Plain(system.decode(state), drawn), globals())
            assert outcome == after.outcome
            lines.update(run)
            outcomes[transition.action, outcome] += 1
            taken[transition.action] += 1
            if after.state not in seen:
                seen.add(after.state)
                waiting.append(after.state)
    return lines, outcomes, taken


def covered_lines(found: Coverage) -> Counter[int]:
    lines = Counter[int]()
    for trail, count, _ in found.trails:
        for _, line in trail.lines:
            lines[line] += count.times
    return +lines


@settings(max_examples=12, deadline=None)
@given(st.tuples(*[st.integers(0, 2)] * 10))
def test_every_line_outcome_and_action_is_counted_as_often_as_a_plain_walk_comes_along(drawn: Numbers) -> None:
    model = Drawn(drawn)
    found = cover(model, Settings(), Limits())
    lines, outcomes, taken = walked(lift(model), drawn)
    assert covered_lines(found) == lines
    assert {(a.name, o): c.times for a in found.actions for o, c in a.outcomes.items() if c.times} == outcomes
    assert {a.name: a.count.times for a in found.actions if a.count.times} == taken


@settings(max_examples=12, deadline=None)
@given(st.tuples(*[st.integers(0, 2)] * 10))
def test_the_sides_of_a_test_that_is_made_once_add_up_to_the_steps_along_it(drawn: Numbers) -> None:
    """`self.b > d[2]` is made in every run that comes along its line, and its sides lead to other lines."""
    found = cover(Drawn(drawn), Settings(), Limits())
    lines = covered_lines(found)
    text, first = getsourcelines(Drawn.move)
    asked = first + next(i for i, line in enumerate(text) if "self.b > d[2]" in line)
    sides = {s.holds: c.times for s, c in found.sides.items() if s.test.line == asked}
    assert (sides.get(True, 0), sides.get(False, 0)) == (lines[asked + 1], lines[asked + 2])

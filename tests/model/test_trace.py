"""A trace is a behaviour exactly when every step of it can be taken again, and is written down whole."""

from __future__ import annotations

import pytest
from fenceproof.model.kinds import BoolKind
from fenceproof.model.trace import Trace, replay, to_json
from toys import Builder, clock, counter

UP = Trace(((0,), (1,), (2,)), (0, 0))

CASES: dict[str, tuple[Trace, str | None]] = {
    "every step": (UP, None),
    "no step": (Trace(((0,),), ()), None),
    "the mistake after the last state": (Trace(UP.states, UP.transitions, mistake=0), None),
    "a start in the middle": (Trace(((1,), (2,)), (0,)), "the first state is not an initial state of the model."),
    "another successor": (Trace(((0,), (2,)), (0,)), "step 1: up leads to another state."),
    "a second step that is wrong": (Trace(((0,), (1,), (1,)), (0, 0)), "step 2: up leads to another state."),
    "a step after the mistake": (Trace((*UP.states, (3,)), (0, 0, 0)), "step 3: up leads to another state."),
    "a step that is not named": (Trace(UP.states, (0,)), "it has not one state more than it has steps."),
    "a state that is not shown": (Trace(UP.states[:2], (0, 0)), "it has not one state more than it has steps."),
    "a mistake too early": (
        Trace(((0,),), (), mistake=0),
        "the model does not go wrong in up after the last state.",
    ),
    "a loop that does not close": (
        Trace(UP.states, UP.transitions, loop=1),
        "the last state is not the state that the loop goes back to.",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_replaying_says_whether_it_is_a_behaviour_and_if_not_why(name: str) -> None:
    trace, problem = CASES[name]
    assert replay(counter(4, wrong_at=2), trace) == problem


def test_a_step_that_is_not_enabled_is_named() -> None:
    assert replay(counter(1), Trace(((0,), (1,), (2,)), (0, 0))) == "step 2: up is not enabled there."


def test_a_lasso_closes_where_its_loop_says() -> None:
    lasso = Trace(((0,), (1,), (0,)), (0, 0), loop=0)
    assert replay(clock(), lasso) is None
    assert len(lasso) == 2


def test_a_trace_is_written_with_the_whole_state_after_each_step() -> None:
    b = Builder({"on": BoolKind(), "seen": BoolKind()})
    b.act("flip", b.x.true, {0: b.x.negate(b.slot(0))}, outcome=b.x.number(b.slot(0)), outcomes=("lit", "dark"))
    b.act("see", b.slot(0), {1: b.x.true}, fault="glance")
    system = b.build([(0, 0)])
    written = to_json(system, Trace(((0, 0), (1, 0), (1, 1), (0, 1)), (0, 1, 0)), "toy.py", "fine")
    assert written == {
        "format": "fenceproof-trace",
        "version": 1,
        "target": "toy.py",
        "model": "toy",
        "parameters": {},
        "faults": {"glance": 1},
        "most_faults": None,
        "without": [],
        "property": "fine",
        "initial": {"on": False, "seen": False},
        "steps": [
            {"action": "flip", "args": {}, "outcome": "lit", "fault": None, "state": {"on": True, "seen": False}},
            {"action": "see", "args": {}, "outcome": None, "fault": "glance", "state": {"on": True, "seen": True}},
            {"action": "flip", "args": {}, "outcome": "dark", "fault": None, "state": {"on": False, "seen": True}},
        ],
        "loop": None,
    }

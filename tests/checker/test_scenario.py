"""Finding a behaviour that shows given events: as short as there is, and as far as any behaviour goes."""

from __future__ import annotations

from fenceproof.checker.scenario import Scenario, Shows, find_behaviour
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import replay
from toys import counter, graph

#: 0 goes to 3 by way of 1 and 2, or by way of 4; 3 goes back to 0.
RING = graph([(0, 1), (1, 2), (2, 3), (0, 4), (4, 3), (3, 0)])


def find(system: TransitionSystem, *events: str, silent: str = "") -> Scenario:
    """A behaviour that shows the actions named, with those in `silent` in between."""

    def shows(name: str) -> Shows:
        return lambda transition: transition.action == name

    return find_behaviour(system, [shows(name) for name in events], lambda t: t.action in silent.split())


def actions(system: TransitionSystem, found: Scenario) -> list[str]:
    assert replay(system, found.trace) is None
    return [system.transitions[t].action for t in found.trace.transitions]


def test_events_that_follow_each_other_need_no_silent_step() -> None:
    found = find(RING, "0-1", "1-2")
    assert (actions(RING, found), found.shown, found.steps) == (["0-1", "1-2"], 2, (0, 1))


def test_what_happens_unseen_in_between_is_found_and_is_shortest() -> None:
    found = find(RING, "3-0", silent="0-1 1-2 2-3 0-4 4-3")
    assert (actions(RING, found), found.shown, found.steps) == (["0-4", "4-3", "3-0"], 1, (2,))


def test_an_event_that_is_also_silent_may_happen_unseen_before_it_is_seen() -> None:
    found = find(RING, "0-1", "0-1", silent="0-1 1-2 2-3 3-0")
    assert actions(RING, found) == ["0-1", "1-2", "2-3", "3-0", "0-1"]
    assert found.steps == (0, 4)


def test_nothing_happens_after_the_last_event() -> None:
    found = find(counter(3), "up", silent="up")
    assert (len(found.trace), found.steps) == (1, (0,))


def test_of_events_that_cannot_all_be_shown_as_many_as_can_are() -> None:
    found = find(RING, "0-1", "1-2", "0-4", silent="2-3")
    assert (actions(RING, found), found.shown) == (["0-1", "1-2"], 2)
    assert found.steps == (0, 1)


def test_no_events_are_shown_by_standing_still() -> None:
    found = find(RING)
    assert (len(found.trace), found.shown, found.steps, found.trace.states) == (0, 0, (), ((0, 0),))


def test_any_initial_state_may_be_the_beginning() -> None:
    system = graph([(0, 0), (1, 2), (2, 2)], initial=(0, 1))
    assert find(system, "1-2").trace.states == ((1, 0), (2, 0))


def test_a_step_at_which_the_model_goes_wrong_is_not_taken() -> None:
    wrong = counter(3, wrong_at=1)
    found = find(wrong, "up", "up")
    assert (found.shown, found.trace.states) == (1, ((0,), (1,)))

"""Two small systems beside each other: what is said of them, by which search, and in what words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from beside import mirrored, renamed
from fenceproof.checker.difference import Comparison, compare
from fenceproof.checker.engines import explicit
from fenceproof.checker.events import Event, Seen, Side, follow
from fenceproof.checker.limits import Limits, Progress
from fenceproof.checker.verdict import Verdict
from fenceproof.model.errors import InternalError, ModelError
from fenceproof.model.kinds import RangeKind
from fenceproof.model.system import TransitionSystem
from toys import Builder, clock, counter, graph


def compared(
    left: TransitionSystem, right: TransitionSystem, seen: Seen | None = None, limits: Limits | None = None
) -> Comparison:
    return compare(Side("left", left), Side("right", right), seen or Seen(), limits or Limits())


def told(found: Comparison) -> tuple[list[str], str, int] | str:
    """Where they part: the events before, the event, and which side can do it; else the verdict."""
    parted = found.difference
    return found.verdict if parted is None else ([e.action for e in parted.events], parted.event.action, parted.can)


def answering(outcomes: tuple[str, str], at: int) -> TransitionSystem:
    """Counts to 3, with the first of two outcomes before `at` and the second from there on."""
    b = Builder({"n": RangeKind(0, 3)})
    n = b.slot(0)
    outcome = b.x.choose(b.x.less(n, b.x.const(at)), b.x.const(0), b.x.const(1))
    up = {0: b.x.add(n, b.x.const(1))}
    b.act("up", b.x.less(n, b.x.const(3)), up, outcome=outcome, outcomes=outcomes)
    return b.build([(0,)])


def walk(*edges: tuple[int, str, int], initial: tuple[int, ...] = (0,)) -> TransitionSystem:
    """A graph whose edges have names, which several may share."""
    found = graph([(a, z) for a, _, z in edges], initial=initial)
    return renamed(found, {f"{a}-{z}": name for a, name, z in edges})


def test_a_system_is_the_same_as_itself_and_nothing_is_explored() -> None:
    found = compared(counter(3), counter(3))
    assert (found.verdict, found.method, found.pairs, found.depth) == ("equivalent", "same", 0, 0)


def test_other_initial_states_are_not_the_same() -> None:
    right = replace(counter(3), initial=((1,),))
    assert (compared(counter(3), right).method, told(compared(counter(3), right))) == ("product", (["up"] * 2, "up", 0))


def counting(by: int, name: str = "up") -> TransitionSystem:
    b = Builder({"n": RangeKind(0, 3)})
    n = b.slot(0)
    b.act(name, b.x.less(n, b.x.const(2)), {0: b.x.add(n, b.x.const(by))})
    return b.build([(0,)])


def test_other_updates_and_other_names_are_not_the_same() -> None:
    assert told(compared(counting(1), counting(2))) == (["up"], "up", 0)
    assert told(compared(counting(1), counting(1, "down"))) == ([], "up", 0)


@pytest.mark.parametrize("most", [2, 4])
def test_another_range_is_not_the_same(most: int) -> None:
    assert compared(counter(3), counter(most)).method == "product"


def test_the_same_behaviour_in_other_words_is_found_by_pairs_of_states() -> None:
    found = compared(counter(3), mirrored(graph([(0, 1), (1, 2), (2, 3)])))
    assert told(found) == ([], "up", 0)
    system = answering(("few", "many"), 2)
    # A second slot that nothing reads.
    b = Builder({"n": RangeKind(0, 3), "idle": RangeKind(0, 1)})
    n = b.slot(0)
    outcome = b.x.choose(b.x.less(n, b.x.const(2)), b.x.const(1), b.x.const(0))
    b.act("up", b.x.less(n, b.x.const(3)), {0: b.x.add(n, b.x.const(1))}, outcome=outcome, outcomes=("many", "few"))
    found = compared(system, b.build([(0, 0)]))
    assert (found.verdict, found.method, found.pairs, found.depth) == ("equivalent", "product", 4, 4)


@pytest.mark.parametrize(("left", "right", "can"), [(3, 2, 0), (2, 3, 1)])
def test_the_longer_counter_does_what_the_shorter_cannot(left: int, right: int, can: int) -> None:
    found = compared(counter(left), counter(right))
    assert told(found) == (["up", "up"], "up", can)
    parted = found.difference
    assert parted is not None
    assert parted.why == ("not met: n < 2",)
    assert [len(t) for t in parted.traces] == ([3, 2] if can == 0 else [2, 3])


def test_another_outcome_is_a_difference_unless_outcomes_are_ignored() -> None:
    one, other = answering(("few", "many"), 2), answering(("few", "many"), 1)
    parted = compared(one, other).difference
    assert parted is not None
    assert parted.events == (Event("up", "{}", "few"),)
    assert (parted.event.outcome, parted.can, parted.instead, parted.why) == ("few", 0, ("many",), ())
    # Both runs go on: with what one side does, and with what the other does instead.
    assert [t.states for t in parted.traces] == [((0,), (1,), (2,))] * 2
    assert told(compared(one, other, Seen(ignore_outcomes=True))) == "equivalent"
    # The same where there is a choice, and sets are compared.
    twice = replace(one, initial=one.initial * 2)
    found = compared(twice, other)
    assert (found.method, found.difference) == ("sets", parted)
    assert told(compared(twice, other, Seen(ignore_outcomes=True))) == "equivalent"


def test_outcomes_are_compared_by_name_and_not_by_position() -> None:
    assert told(compared(answering(("a", "b"), 4), answering(("b", "a"), 4))) == ([], "up", 0)
    assert told(compared(answering(("a", "b"), 4), answering(("b", "a"), 0))) == "equivalent"


def test_an_action_that_only_one_side_has_is_no_difference_until_it_can_happen() -> None:
    both = graph([(0, 1), (1, 0)])
    never = graph([(0, 1), (1, 0), (5, 6)])
    found = compared(both, never)
    assert (told(found), found.method) == ("equivalent", "product")
    parted = compared(both, graph([(0, 1), (1, 0), (1, 2)])).difference
    assert parted is not None
    assert ([e.action for e in parted.events], parted.event.action, parted.can) == (["0-1"], "1-2", 1)
    assert parted.why == ("there is no action 1-2",)


def test_the_first_difference_is_the_shortest() -> None:
    one = graph([(0, 1), (1, 2), (2, 3), (3, 4), (0, 3)])
    other = graph([(0, 1), (1, 2), (2, 3), (0, 3)])
    assert told(compared(one, other)) == (["0-3"], "3-4", 0)


def test_nothing_is_explored_behind_the_first_difference() -> None:
    chain = [(i, i + 1) for i in range(50)]
    found = compared(graph([*chain, (1, 0)]), graph(chain))
    assert (told(found), found.pairs, found.depth) == ((["0-1"], "1-0", 0), 2, 2)


def test_a_hidden_step_is_taken_unseen() -> None:
    one = walk((0, "a", 1), (1, "b", 2))
    other = walk((0, "a", 1), (1, "hush", 2), (2, "b", 3))
    assert told(compared(one, other)) == (["a"], "b", 0)
    found = compared(one, other, Seen(frozenset({"hush"})))
    assert (found.verdict, found.method, found.pairs, found.states) == ("equivalent", "sets", 3, (3, 4))


def test_hidden_steps_may_go_round() -> None:
    one = walk((0, "hush", 1), (1, "hush", 0), (1, "a", 2))
    other = walk((0, "a", 1))
    assert told(compared(one, other, Seen(frozenset({"hush"})))) == "equivalent"


def test_a_run_shows_the_hidden_steps_on_its_way() -> None:
    one = walk((0, "hush", 1), (1, "a", 2), (2, "hush", 3), (3, "b", 4))
    parted = compared(one, walk((0, "a", 1)), Seen(frozenset({"hush"}))).difference
    assert parted is not None
    assert [one.transitions[t].action for t in parted.traces[0].transitions] == ["hush", "a", "hush", "b"]
    assert len(parted.traces[1]) == 1


def test_a_choice_that_is_made_early_is_no_difference_of_sequences() -> None:
    early = walk((0, "a", 1), (0, "a", 2), (1, "b", 3), (2, "c", 4))
    late = walk((0, "a", 1), (1, "b", 2), (1, "c", 3))
    found = compared(early, late)
    assert (found.verdict, found.method, found.pairs) == ("equivalent", "sets", 4)


def test_of_several_states_it_is_said_that_none_can() -> None:
    early = walk((0, "a", 1), (0, "a", 2), (1, "b", 3), (2, "c", 4), (5, "d", 6))
    late = walk((0, "a", 1), (1, "d", 2))
    parted = compared(early, late).difference
    assert parted is not None
    assert (parted.event.action, parted.can) == ("b", 0)
    parted = compared(late, early).difference
    assert parted is not None
    assert (parted.event.action, parted.why) == (
        "d",
        ("it is not enabled in any of the 2 states that it may then be in",),
    )


def test_several_initial_states_are_a_choice_as_well() -> None:
    one = walk((0, "a", 2), (1, "b", 2), initial=(0, 1))
    other = walk((0, "a", 1), (0, "b", 2))
    assert told(compared(one, other)) == "equivalent"
    assert told(compared(replace(one, initial=((0, 0),)), other)) == ([], "b", 1)


def test_a_fault_is_an_event_like_any_other() -> None:
    assert told(compared(graph([(0, 1)]), graph([(0, 1)], faults=[(0, 1)]))) == "equivalent"
    parted = compared(graph([(0, 1)], faults=[(0, 1)]), replace(clock(), switched_off=("0-1",))).difference
    assert parted is not None
    assert parted.why == ("its fault is switched off",)


def test_a_model_that_goes_wrong_is_compared_with_no_other() -> None:
    wrong = counter(3, wrong_at=1)
    with pytest.raises(ModelError, match="up goes wrong, in up of left"):
        compared(wrong, counter(3))
    with pytest.raises(ModelError, match="up goes wrong, in up of right"):
        compared(counter(3), wrong)
    with pytest.raises(ModelError, match="up goes wrong, in up of left"):
        compared(wrong, counter(3), Seen(frozenset({"up"})))


def test_what_goes_wrong_behind_a_difference_is_of_no_account() -> None:
    assert told(compared(counter(3, wrong_at=2), counter(1))) == (["up"], "up", 0)
    assert told(compared(counter(1), renamed(counter(3, wrong_at=2), {}))) == (["up"], "up", 1)


@pytest.mark.parametrize("hidden", [set[str](), {"tick"}], ids=["product", "sets"])
def test_a_limit_leaves_it_inconclusive(hidden: set[str]) -> None:
    seen = Seen(frozenset(hidden))
    left = graph([(i, i + 1) for i in range(50)])
    right = mirrored(graph([(i, i + 1) for i in range(50)], bad=[60]))
    right = replace(right, initial=(*right.initial, *right.initial)) if hidden else right
    assert told(compared(left, right, seen)) == "equivalent"
    found = compared(left, right, seen, Limits(max_states=7))
    assert found.verdict == "inconclusive"
    assert found.stop is not None
    assert found.stop.kind == "states"
    assert compared(left, right, seen, Limits(memory_bytes=100)).verdict == "inconclusive"


@pytest.mark.parametrize("sets", [False, True])
def test_an_interrupt_leaves_it_inconclusive(sets: bool) -> None:
    ring = graph([(i, (i + 1) % 50) for i in range(50)])
    left, right = ring, mirrored(ring)
    left = replace(left, transitions=(*left.transitions, *left.transitions)) if sets else left
    right = replace(right, initial=right.initial * (1 + sets))

    def interrupt(_: Progress) -> None:
        raise KeyboardInterrupt

    found = compare(Side("left", left), Side("right", right), Seen(), Limits(), interrupt)
    assert (found.verdict, found.stop and found.stop.kind) == ("inconclusive", "interrupted")


def test_a_difference_that_is_not_there_is_a_mistake_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(*_: object) -> Event:
        return Event("up", "{}", "never")

    monkeypatch.setattr("fenceproof.checker.difference._first_difference", other)
    with pytest.raises(InternalError, match="both sides do the same"):
        compared(counter(3), counter(2))


def test_where_events_lead_is_every_state_that_they_may_lead_to() -> None:
    early = Side("early", walk((0, "a", 1), (0, "a", 2), (1, "hush", 3)))
    word = [Event("a", "{}", None)]
    assert {state[0] for state in follow(early, Seen(frozenset({"hush"})), word).last} == {1, 2, 3}
    assert {state[0] for state in follow(early, Seen(), word).last} == {1, 2}
    assert follow(early, Seen(), [*word, *word]).last == []


def test_the_search_ends_at_the_first_violation_if_it_is_told_to() -> None:
    ring = graph([(i, (i + 1) % 50) for i in range(50)], bad=[3])
    result = explicit.check(ring, until_violation=True)
    verdicts = {p.name: p.verdict for p in result.properties}
    assert verdicts == {"fine": Verdict.VIOLATED, "no-deadlock": Verdict.INCONCLUSIVE}
    assert (result.distinct, result.complete, result.stop and result.stop.kind) == (4, False, "violation")
    assert explicit.check(graph([(0, 1), (1, 0)]), until_violation=True).complete

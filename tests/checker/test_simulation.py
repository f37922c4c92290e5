"""The injected traces on the fenced planner and the last-writer control, to the letter."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from fenceproof.checker.simulation import Outcome, Systems, run_trace
from fenceproof.model.errors import FormatError
from fenceproof.specs import Planner
from fenceproof.specs.injected import MOST_EVENTS, MOST_TRACES, parse, shipped
from fenceproof.specs.variants import VARIANTS

SYSTEMS = Systems()


def ran(text: str, planner: type[Planner] = Planner) -> Outcome:
    return run_trace(parse(text, "mine.toml")[0], planner, SYSTEMS)


def trace(events: str, **more: str) -> str:
    """A trace of events joined by spaces, as TOML."""
    keys = "".join(f"{key} = {value}\n" for key, value in more.items())
    return f'[[trace]]\nname = "mine"\nevents = {events.split()!r}\n{keys}'


class Row(NamedTuple):
    """What the published table says of a trace."""

    events: str
    answers: list[str]
    state: str
    naive_broken: bool


STALE, COMMITTED = "reject:success:epoch=1 (stale)", "reject:success:epoch=1 (committed)"
SUCCESS, COMPENSATED = "commit:success:epoch=1", "commit:compensate_ok:epoch=2"
AGAIN = "reject:compensate_ok:epoch=2 (committed)"
TABLE = {
    "happy_success": Row("send success@1", ["tool", SUCCESS], "committed", False),
    "timeout_then_compensate": Row("send timeout compensate_ok@2", ["tool", "bump", COMPENSATED], "committed", False),
    "late_success_after_compensate": Row(
        "send timeout success@1 compensate_ok@2", ["tool", "bump", STALE, COMPENSATED], "committed", True
    ),
    "duplicate_success_same_epoch": Row("send success@1 success@1", ["tool", SUCCESS, COMMITTED], "committed", False),
    "compensate_then_late_success": Row(
        "send timeout compensate_ok@2 success@1", ["tool", "bump", COMPENSATED, STALE], "committed", True
    ),
    "timeout_without_compensate_result": Row("send timeout", ["tool", "bump"], "compensating", False),
    "ghost_then_duplicate_compensate": Row(
        "send timeout success@1 compensate_ok@2 compensate_ok@2",
        ["tool", "bump", STALE, COMPENSATED, AGAIN],
        "committed",
        True,
    ),
    "success_before_timeout_ignored": Row("send success@1 timeout", ["tool", SUCCESS, "ignored"], "committed", True),
}


def test_the_shipped_traces_are_the_published_eight_in_their_order() -> None:
    assert {t.name: " ".join(e.text for e in t.events) for t in shipped()} == {n: r.events for n, r in TABLE.items()}
    assert [t.name for t in shipped()] == list(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_a_shipped_trace_gives_what_the_published_table_says(name: str) -> None:
    outcome = run_trace(next(t for t in shipped() if t.name == name), Planner, SYSTEMS)
    assert [seen.record or seen.outcome for seen in outcome.planner.seen] == TABLE[name].answers
    assert (outcome.planner.state, outcome.naive_broken) == (TABLE[name].state, TABLE[name].naive_broken)
    assert (outcome.problems, outcome.planner.violated, outcome.planner.ghosts) == ((), (), 0)


@pytest.mark.parametrize("name", TABLE)
def test_what_a_shipped_trace_declares_is_what_the_published_table_says(name: str) -> None:
    declared = next(t for t in shipped() if t.name == name)
    records = [answer for answer in TABLE[name].answers if ":" in answer]
    assert declared.records == tuple(records)
    assert (declared.state, declared.naive_broken) == (TABLE[name].state, TABLE[name].naive_broken)


def test_the_durable_record_after_each_event_is_shown() -> None:
    outcome = ran(trace("send timeout success@1 compensate_ok@2"))
    assert [dict(seen.durable) for seen in outcome.planner.seen] == [
        {"live": 1, "committed": None, "outcome": None},
        {"live": 2, "committed": None, "outcome": None},
        {"live": 2, "committed": None, "outcome": None},
        {"live": 2, "committed": 2, "outcome": "compensated"},
    ]


@pytest.mark.parametrize(
    ("variant", "failing"),
    [
        (
            "last-writer",
            {
                "late_success_after_compensate",
                "duplicate_success_same_epoch",
                "compensate_then_late_success",
                "ghost_then_duplicate_compensate",
            },
        ),
        ("bump-after-commit", {"success_before_timeout_ignored"}),
        ("lenient-echo", set[str]()),
    ],
)
def test_other_planners_fail_on_the_traces_that_show_their_fault(variant: str, failing: set[str]) -> None:
    outcomes = [run_trace(t, VARIANTS[variant].model, SYSTEMS) for t in shipped()]
    assert {outcome.trace.name for outcome in outcomes if outcome.problems} == failing


def test_a_violated_property_is_named_among_the_problems() -> None:
    outcome = ran(trace("send timeout success@1"), VARIANTS["last-writer"].model)
    assert outcome.planner.violated == ("no-ghost", "stale-rejected")
    assert outcome.problems == ("no-ghost is violated", "stale-rejected is violated")
    assert outcome.planner.ghosts == 1


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"records": '["commit:success:epoch=2"]'}, "the planner was to write down commit:success:epoch=2"),
        ({"records": "[]"}, "the planner was to write down nothing"),
        ({"state": '"waiting"'}, "the call was to end waiting, and is committed"),
        ({"naive_broken": "true"}, "the control was to have naive_broken=True"),
    ],
)
def test_a_wrong_expectation_is_a_problem(more: dict[str, str], problem: str) -> None:
    assert ran(trace("send success@1", **more)).problems == (problem,)


def test_without_expectations_a_trace_is_run_and_only_its_properties_count() -> None:
    outcome = ran(trace("send anonymous@1 empty@1 timeout"))
    assert [seen.record or seen.outcome for seen in outcome.planner.seen] == [
        "tool",
        "reject:anonymous:epoch=none (malformed)",
        "reject:empty:epoch=1 (malformed)",
        "bump",
    ]
    assert outcome.problems == ()


@pytest.mark.parametrize(
    ("events", "state"),
    [
        ("send", "waiting"),
        ("send empty@1", "waiting"),
        ("send timeout", "compensating"),
        ("send success@1", "committed"),
    ],
)
def test_where_a_call_ends_is_said(events: str, state: str) -> None:
    assert ran(trace(events)).planner.state == state


@pytest.mark.parametrize(
    ("events", "impossible"),
    [
        ("send compensate_ok@2", "compensate_ok@2"),
        ("send timeout success@2", "success@2"),
    ],
)
def test_an_event_that_cannot_happen_at_its_place_is_a_problem(events: str, impossible: str) -> None:
    outcome = ran(trace(events))
    assert outcome.planner.impossible == impossible
    assert f"{impossible} cannot happen at this point" in outcome.problems


def test_a_trace_with_more_timeouts_gets_the_epochs_it_needs() -> None:
    outcome = ran(trace("send timeout timeout timeout compensate_ok@4"))
    assert (outcome.problems, outcome.planner.state) == ((), "committed")
    assert dict(outcome.planner.seen[-1].durable) == {"live": 4, "committed": 4, "outcome": "compensated"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "mine.toml: there is no trace. Write [[trace]] with a name and events."),
        ("trace = 3\n", "there is no trace"),
        ("[[trace\n", "mine.toml: not TOML"),
        ("[[traces]]\n", "mine.toml: The table 'traces' is not known. Did you mean trace?"),
        ("trace = [3]\n", "mine.toml: trace 1 is not a table. Write [[trace]]."),
        (trace("send", state="3"), "trace 1: state is 3, which it cannot be. Write a text, in quotes."),
        (trace("send", state='"commited"'), "trace 1: The state 'commited' is not known. Did you mean committed?"),
        (trace("send", state='"gone"'), "'gone' is not known. There is: committed, compensating, waiting."),
        (trace("send", naive_broken="1"), "trace 1: naive_broken is 1, which it cannot be. Write true or false."),
        (trace("send", naive_broken='"no"'), "naive_broken is 'no', which it cannot be. Write true or false."),
        (trace("send", records='"x"'), "trace 1: records is 'x', which it cannot be. Write a list of texts"),
        (trace("success@1"), "trace 1: success@1 comes first, and nothing was sent that it could answer. Begin with"),
        (trace("timeout"), "trace 1: timeout comes first, and nothing was sent that it could answer. Begin with send."),
        (trace("send", record='"x"'), "trace 1: The key 'record' is not known. Did you mean records?"),
        (trace("send", records="[1]"), "trace 1: records is a list of texts."),
        (trace("send succes@1"), "trace 1: 'succes@1' is no event. Write send, timeout, success@1"),
        (trace("success@0"), "'success@0' is no event"),
        (trace("success@100"), "'success@100' is no event"),
        (trace(""), f"trace 1: a trace has from 1 to {MOST_EVENTS} events."),
        (trace("send " * (MOST_EVENTS + 1)), f"trace 1: a trace has from 1 to {MOST_EVENTS} events."),
        (trace("send") * 2, "two traces are called 'mine'."),
        (trace("send") * (MOST_TRACES + 1), f"mine.toml: there are more than {MOST_TRACES} traces."),
        ('[[trace]]\nevents = ["send"]\n', "trace 1: name is None, which it cannot be."),
        ('[[trace]]\nname = "mine"\n', "trace 1: events is None, which it cannot be."),
    ],
)
def test_what_is_no_trace_is_refused_with_its_place(text: str, words: str) -> None:
    with pytest.raises(FormatError) as refused:
        parse(text, "mine.toml")
    assert words in str(refused.value)

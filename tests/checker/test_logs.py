"""Logs: whether a recorded run is a behaviour, against a plainer search; and logs that are not what they say."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from fenceproof.checker.conformance.logfile import Entry, read_log
from fenceproof.checker.conformance.logs import hidden_by_default, validate
from fenceproof.checker.events import Event, Seen, Side, follow
from fenceproof.checker.limits import Limits
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import FormatError
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take
from fenceproof.model.trace import replay
from fenceproof.specs.variants import VARIANTS

FENCED = lift(VARIANTS["fenced"].model(), Settings(most_faults=2))
HIDDEN = frozenset({"execute", "compensate", "crash"})


def walk(seed: int) -> list[Event]:
    """A random behaviour as events."""
    draw = random.Random(seed)
    state, events = FENCED.initial[0], list[Event]()
    while (possible := enabled(FENCED, state)) and len(events) < 15:
        position = draw.choice(possible)
        transition = FENCED.transitions[position]
        after = take(transition, state)
        assert after.state is not None
        events.append(Event(transition.action, json.dumps(transition.args, sort_keys=True), after.outcome))
        state = after.state
    return events


def entries(events: list[Event]) -> list[Entry]:
    return [Entry(n, e.action, e.args, True, e.outcome, None) for n, e in enumerate(events, start=1)]


@pytest.mark.parametrize("seed", range(20))
def test_a_run_is_a_behaviour_with_or_without_its_hidden_steps(seed: int) -> None:
    events = walk(seed)
    whole = validate(FENCED, entries(events), frozenset())
    assert (whole.mismatch, whole.stop, whole.matched, len(whole.trace)) == (None, None, len(events), len(events))
    logged = [e for e in events if e.action not in HIDDEN]
    part = validate(FENCED, entries(logged), HIDDEN)
    assert (part.mismatch, part.matched) == (None, len(logged))
    assert replay(FENCED, part.trace) is None
    shown = [FENCED.transitions[i].action for i in part.trace.transitions]
    assert [a for a in shown if a not in HIDDEN] == [e.action for e in logged]


@pytest.mark.parametrize("seed", range(30))
def test_the_longest_matching_prefix_is_that_of_the_plainer_search(seed: int) -> None:
    draw = random.Random(seed)
    events = [e for e in walk(seed) if e.action not in HIDDEN]
    for _ in range(2):
        place = draw.randrange(len(events))
        other = draw.choice(walk(draw.randrange(1000)))
        events[place] = other if other.action not in HIDDEN else events[place]._replace(outcome="nonsense")
    found = validate(FENCED, entries(events), HIDDEN)
    layers = follow(Side("fenced", FENCED), Seen(HIDDEN), events).layers
    longest = max(n for n, layer in enumerate(layers) if layer)
    assert found.matched == longest
    assert (found.mismatch is None) == (longest == len(events))
    if found.mismatch is not None:
        assert found.mismatch.entry.line == longest + 1
        assert len(found.trace) >= longest


def test_what_would_have_been_possible_is_what_the_model_can_do_there() -> None:
    stale = [
        Event("dispatch", '{"call": 0}', "tool"),
        Event("execute", '{"call": 0, "epoch": 1}', "executed"),
        Event("deadline_early", '{"call": 0}', "bump"),
        Event("deliver", '{"call": 0, "epoch": 1, "kind": "success"}', "commit"),
    ]
    found = validate(FENCED, entries(stale), frozenset())
    assert (found.matched, len(found.trace)) == (3, 3)
    mismatch = found.mismatch
    assert mismatch is not None
    text = "deliver(call=0, kind=success, epoch=1) with the outcome reject:stale"
    assert text in mismatch.possible
    assert mismatch.nearly == (f"{text}, not the outcome commit",)
    assert not mismatch.is_beyond


def test_what_an_event_leaves_open_may_be_anything_and_what_it_says_may_not() -> None:
    first = Entry(1, "dispatch", {}, False, None, None)
    assert validate(FENCED, [first], frozenset()).mismatch is None
    assert validate(FENCED, [Entry(1, "dispatch", {}, True, None, None)], frozenset()).mismatch is not None
    assert validate(FENCED, [Entry(1, "dispatch", {"call": True}, False, None, None)], frozenset()).mismatch is not None
    armed = Entry(1, "dispatch", {}, False, None, {"armed": [True]})
    assert validate(FENCED, [armed], frozenset()).mismatch is None
    unarmed = validate(FENCED, [Entry(1, "dispatch", {}, False, None, {"armed": [False]})], frozenset()).mismatch
    assert unarmed is not None
    assert unarmed.nearly[0].endswith("not armed[0]: False after it, but True")


def test_an_event_beyond_the_bounds_is_said_to_be_beyond_them() -> None:
    found = validate(FENCED, [Entry(1, "dispatch", {"call": 7}, False, None, None)], frozenset())
    assert found.mismatch is not None and found.mismatch.is_beyond


def test_a_limit_of_states_or_time_is_no_answer() -> None:
    logged = entries([e for e in walk(1) if e.action not in HIDDEN])
    found = validate(FENCED, logged, HIDDEN, Limits(max_states=3))
    assert (found.mismatch, found.stop is not None and found.stop.kind) == (None, "states")
    ticks = iter(range(100))
    late = validate(FENCED, logged, HIDDEN, Limits(time_s=2, clock=lambda: float(next(ticks))))
    assert (late.mismatch, late.stop is not None and late.stop.kind) == (None, "time")


GOOD = '{"action": "dispatch", "args": {"call": 0}, "outcome": "tool"}'


def log_of(*lines: str) -> Path:
    path = Path("events.jsonl")
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], r"events\.jsonl: the log is empty"),
        (["", "  "], r"events\.jsonl: the log is empty"),
        ([GOOD, GOOD[:30]], r"events\.jsonl:2: not JSON .*cut short"),
        ([GOOD, "nonsense"], r"events\.jsonl:2: not JSON"),
        ([GOOD, "", "[1]"], r"events\.jsonl:3: a line of a log is a JSON object"),
        (['{"args": {}}'], r"events\.jsonl:1: this event has no 'action'"),
        ([GOOD, '{"action": "dispach"}'], r"events\.jsonl:2: The action 'dispach' .* dispatch(.|\n)*--ignore dispach"),
        ([GOOD.replace("outcome", "outcom")], r"events\.jsonl:1: The key 'outcom' .* outcome"),
        ([GOOD.replace("call", "cal")], r"events\.jsonl:1: The argument of dispatch 'cal' .* call"),
        (['{"action": "dispatch", "args": [0]}'], r"events\.jsonl:1: this event has \[0\] for 'args'"),
        (['{"action": "dispatch", "outcome": 3}'], r"events\.jsonl:1: this event has 3 for 'outcome'"),
        (['{"action": "dispatch", "state": 3}'], r"events\.jsonl:1: this event has 3 for 'state'"),
        (['{"action": "dispatch", "action": "crash"}'], r"events\.jsonl:1: the key 'action' stands twice"),
        (['{"action": "dispatch", "time": 2}', '{"action": "crash", "time": 1.5}'], r":2: .* out of order.* line 1"),
        (['{"action": "dispatch", "time": "soon"}'], r"events\.jsonl:1: the time 'soon' is none"),
        (['{"action": "dispatch", "time": "2026-01-01T00:00:00"}'], r"events\.jsonl:1: .* has no time zone"),
        (['{"action": "dispatch", "time": NaN}'], r"events\.jsonl:1: NaN is not a number"),
        (['{"action": "dispatch", "time": 1e999}'], r"events\.jsonl:1: the time inf is none"),
        (["[" * 100_000], r"events\.jsonl:1: this is nested too deeply"),
        ([GOOD, '{"resourceSpans": []}'], r"events\.jsonl:2: this line is of OpenTelemetry"),
        (['{"resourceSpans": []}', GOOD], r"events\.jsonl:2: this line has no 'resourceSpans'"),
        (['{"resourceSpans": []}'], r"events\.jsonl: no event of the log is one of the model's"),
        (['{"resourceSpans": [3]}'], r"events\.jsonl:1: 'resourceSpans' is not a list of objects"),
    ],
)
def test_a_log_that_is_none_is_refused_with_its_line(lines: list[str], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_log(log_of(*lines), FENCED)


def test_a_log_of_more_events_than_are_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fenceproof.checker.conformance.logfile.MOST_EVENTS", 2)
    assert len(read_log(log_of(GOOD, GOOD), FENCED).entries) == 2
    with pytest.raises(FormatError, match=r"events\.jsonl:3: the log has more than 2 events"):
        read_log(log_of(GOOD, GOOD, GOOD), FENCED)


def test_what_is_ignored_is_counted_and_nothing_else_is_left_out() -> None:
    log = read_log(log_of(GOOD, '{"action": "http.get"}', '{"action": "dispatch"}'), FENCED, ["http.*"])
    assert ([e.line for e in log.entries], log.ignored, log.left_open) == ([1, 3], 1, 1)
    assert "dispatch" not in hidden_by_default(FENCED, log)
    assert "execute" in hidden_by_default(FENCED, log)


def span(name: str, began: int, ended: int, **attributes: object) -> dict[str, object]:
    kinds: dict[type, str] = {int: "intValue", str: "stringValue", bool: "boolValue"}
    return {
        "name": name,
        "startTimeUnixNano": str(began),
        "endTimeUnixNano": str(ended),
        "attributes": [
            {"key": key.replace("__", "."), "value": {kinds[type(v)]: str(v) if type(v) is int else v}}
            for key, v in attributes.items()
        ],
    }


def batch(*spans: dict[str, object]) -> str:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]})


def test_spans_are_events_in_the_order_of_their_ends() -> None:
    late = span("deliver", 5, 6, fenceproof__call=0, kind="success", epoch=1, outcome="commit", other="x")
    path = log_of(batch(late), batch(span("dispatch", 1, 3, call=0, outcome="tool"), span("execute", 2, 4, call=0)))
    log = read_log(path, FENCED)
    assert [(e.line, e.action) for e in log.entries] == [(2, "dispatch"), (2, "execute"), (1, "deliver")]
    assert log.entries[2].args == {"call": 0, "kind": "success", "epoch": 1}
    assert (log.entries[2].outcome, log.entries[1].has_outcome) == ("commit", False)
    assert (log.overlapping, log.left_open) == (1, 1)
    assert validate(FENCED, log.entries, frozenset()).mismatch is None


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (span("http", 1, 2), r":1: The action 'http' is not known"),
        (span("dispatch", 3, 2), r":1: the span 'dispatch' ends before it begins"),
        ({**span("dispatch", 1, 2), "endTimeUnixNano": "x"}, r":1: the span 'dispatch' has 'x' for 'endTimeUnixNano'"),
        ({"name": "dispatch"}, r":1: the span 'dispatch' has None for 'startTimeUnixNano'"),
        ({"startTimeUnixNano": "1"}, r":1: a span has no 'name'"),
        ({**span("dispatch", 1, 2), "attributes": [{"key": "call"}]}, r":1: an attribute of 'dispatch' has no 'value'"),
        (
            {**span("dispatch", 1, 2), "attributes": [{"key": "call", "value": {"intValue": "zero"}}]},
            r":1: the attribute 'call' is 'zero', and no whole number",
        ),
        (
            {**span("dispatch", 1, 2), "attributes": [{"key": "call", "value": {"intValue": "0"}}] * 2},
            r":1: the span 'dispatch' has the attribute 'call' twice",
        ),
        (span("dispatch", 1, 2, outcome=3), r":1: the outcome of dispatch is 3, no text"),
    ],
)
def test_spans_that_are_none_are_refused_with_their_line(broken: dict[str, object], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_log(log_of(batch(broken)), FENCED)

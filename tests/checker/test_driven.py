"""An adapter that is driven with care: each thing that it can do wrong is one message, at a line of its author's."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from fenceproof.checker.driven import driven
from fenceproof.model.errors import AdapterError


class Counter:
    """A right adapter: counts, and can be reset."""

    def __init__(self) -> None:
        self.count: Any = 0
        self.closed = False

    def reset(self, parameters: Mapping[str, object]) -> None:
        self.count = parameters["from"]

    def apply(self, event: Mapping[str, object]) -> Any:
        if event["action"] == "impossible":
            raise ValueError("not now")
        self.count += 1
        return "counted"

    def snapshot(self) -> Any:
        return {"count": self.count}

    def close(self) -> None:
        self.closed = True


UP: dict[str, object] = {"action": "up", "args": {}}
START: dict[str, object] = {"from": 3}


def run(make: Callable[[], object], *events: dict[str, object], patience_s: float = 60.0, resets: int = 1) -> Any:
    """Reset an adapter, let events happen, reset it more often; its last snapshot."""
    with driven("mine", make, patience_s=patience_s) as adapter:
        adapter.reset(START)
        for event in events:
            adapter.apply(event)
        for _ in range(resets - 1):
            adapter.reset(START)
        return adapter.snapshot()


def line_of(words: str) -> int:
    """The number of the line of this file that holds a comment."""
    return next(n for n, line in enumerate(Path(__file__).read_text().splitlines(), start=1) if f"# {words}" in line)


def test_a_right_adapter_is_driven_and_closed_and_its_thread_ends() -> None:
    before = threading.active_count()
    made = Counter()
    assert run(lambda: made, UP, UP) == {"count": 5}
    assert (made.closed, threading.active_count()) == (True, before)


def test_every_call_is_made_in_one_thread() -> None:
    seen: set[int] = set()

    class Threaded(Counter):
        def __init__(self) -> None:
            seen.add(threading.get_ident())
            super().__init__()

        def apply(self, event: Mapping[str, object]) -> Any:
            seen.add(threading.get_ident())
            return super().apply(event)

    run(Threaded, UP, UP)
    assert len(seen) == 1
    assert threading.get_ident() not in seen


def test_an_event_that_is_not_possible_is_the_adapters_answer() -> None:
    with pytest.raises(ValueError, match="not now"):
        run(Counter, {"action": "impossible", "args": {}})


class Raises(Counter):
    def apply(self, event: Mapping[str, object]) -> Any:
        return self.missing  # type: ignore[attr-defined]  # pyright: ignore  # raised here


class Exits(Counter):
    def apply(self, event: Mapping[str, object]) -> Any:
        raise SystemExit(0)  # exited here


class Undecodable(Counter):
    def apply(self, event: Mapping[str, object]) -> Any:
        import json

        return json.loads("")  # decoded here


class RaisesInReset(Counter):
    def reset(self, parameters: Mapping[str, object]) -> None:
        raise ValueError("no such parameter")  # refused here


class RaisesInTheMaking(Counter):
    def __init__(self) -> None:
        raise OSError("no such server")  # made here


@pytest.mark.parametrize(
    ("make", "place", "words"),
    [
        (Raises, "raised here", "mine raised AttributeError in apply: 'Raises' object has no attribute 'missing'."),
        (Exits, "exited here", "mine raised SystemExit in apply: 0."),
        (Undecodable, "decoded here", "mine raised JSONDecodeError in apply: Expecting value"),
        (RaisesInReset, "refused here", "mine raised ValueError in reset: no such parameter."),
        (RaisesInTheMaking, "made here", "mine raised OSError in making it: no such server."),
    ],
)
def test_an_adapter_that_raises_is_named_with_the_line(make: type[Counter], place: str, words: str) -> None:
    with pytest.raises(AdapterError) as raised:
        run(make, UP)
    assert f"test_driven.py:{line_of(place)}: {words}" in str(raised.value)


def test_an_adapter_that_hangs_is_named_with_the_line_that_it_is_at_and_is_closed() -> None:
    go_on = threading.Event()

    class Hangs(Counter):
        def apply(self, event: Mapping[str, object]) -> Any:
            go_on.wait()  # hung here

        def close(self) -> None:
            go_on.set()

    with pytest.raises(AdapterError) as raised:
        run(Hangs, UP, patience_s=2)
    assert f"test_driven.py:{line_of('hung here')}: mine hangs: apply has not come back after 2 s." in str(raised.value)
    assert "--patience" in str(raised.value)
    deadline = time.monotonic() + 60
    while any(t.name == "fenceproof-adapter" for t in threading.enumerate()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [t for t in threading.enumerate() if t.name == "fenceproof-adapter"] == []


def answering(outcome: object) -> type[Counter]:
    class Answers(Counter):
        def apply(self, event: Mapping[str, object]) -> Any:
            return outcome

    return Answers


def showing(show: Callable[[Any], object]) -> type[Counter]:
    class Shows(Counter):
        def snapshot(self) -> Any:
            return show(self.count)

    return Shows


def endless(_: object) -> object:
    held: dict[str, object] = {}
    held["again"] = held
    return held


class Kind(StrEnum):
    WARM = "warm"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (answering(7), "mine returned 7 from apply, of the type int."),
        (answering(b"commit"), "mine returned b'commit' from apply, of the type bytes."),
        (showing(lambda _: None), "mine returned None from snapshot, of the type NoneType."),
        (showing(lambda _: [1]), "mine returned [1] from snapshot, of the type list."),
        (
            showing(lambda n: {"seen": {n}}),
            "returned from snapshot what is not JSON: seen is a set, which has no order",
        ),
        (showing(lambda n: {"seen": [object]}), "what is not JSON: seen[0] is <class 'object'>, of the type type"),
        (showing(lambda n: {"seen": float("nan")}), "what is not JSON: seen is nan, of the type float"),
        (showing(lambda n: {1: n}), "what is not JSON: snapshot is a mapping with the key 1, and keys are text"),
        (showing(endless), "nested more than 100 deep"),
    ],
)
def test_an_adapter_that_returns_what_is_no_answer_is_named_with_its_method(make: type[Counter], words: str) -> None:
    with pytest.raises(AdapterError) as raised:
        run(make, UP)
    assert words in str(raised.value)
    assert str(raised.value).startswith(("test_driven.py:", "/")), raised.value


def test_what_is_derived_from_text_is_text() -> None:
    assert run(showing(lambda n: {"kind": Kind.WARM, "pair": (n, True)})) == {"kind": "warm", "pair": [3, True]}
    with driven("mine", answering(Kind.WARM)) as adapter:
        adapter.reset(START)
        assert type(adapter.apply(UP)) is str


class Live(Counter):
    """Shows its state itself, and not a copy."""

    def __init__(self) -> None:
        super().__init__()
        self.state = {"count": 0}

    def reset(self, parameters: Mapping[str, object]) -> None:
        self.state["count"] = 3

    def apply(self, event: Mapping[str, object]) -> Any:
        self.state["count"] += 1

    def snapshot(self) -> Any:
        return self.state


def test_a_snapshot_that_changes_after_it_was_returned_is_refused() -> None:
    with pytest.raises(
        AdapterError, match=r"mine changes a snapshot that it has returned: count was 3 and is 4\.\n .*deepcopy"
    ):
        run(Live, UP)


def test_what_is_done_to_a_snapshot_is_done_to_a_copy() -> None:
    with driven("mine", Counter) as adapter:
        adapter.reset(START)
        seen: Any = adapter.snapshot()
        seen["count"] = 9
        adapter.apply(UP)
        assert adapter.snapshot() == {"count": 4}


class Keeps(Counter):
    def reset(self, parameters: Mapping[str, object]) -> None:
        self.count += 1


def test_an_adapter_that_keeps_state_across_reset_is_refused() -> None:
    with pytest.raises(AdapterError, match=r"mine keeps state across reset: count is 3 now, and was 1 at first\."):
        run(Keeps, UP, resets=2)
    assert run(Counter, UP, resets=2) == {"count": 3}


def test_what_an_adapter_does_to_its_event_is_done_to_a_copy() -> None:
    class Takes(Counter):
        def apply(self, event: Any) -> Any:
            event["args"].clear()

    event: dict[str, object] = {"action": "up", "args": {"call": 0}}
    run(Takes, event)
    assert event["args"] == {"call": 0}


def test_what_an_adapter_prints_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    class Prints(Counter):
        def apply(self, event: Mapping[str, object]) -> Any:
            print("hello")

    run(Prints, UP)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "hello\n")


def test_a_class_without_the_methods_is_no_adapter() -> None:
    with pytest.raises(AdapterError, match="mine has no method reset"):
        run(object)


def test_an_adapter_that_raises_in_close_is_told_unless_something_was_wrong_before() -> None:
    class Sticks(Counter):
        def close(self) -> None:
            raise OSError("it sticks")

    with pytest.raises(AdapterError, match="mine raised OSError in close: it sticks"):
        run(Sticks, UP)
    with pytest.raises(ValueError, match="not now"):
        run(Sticks, {"action": "impossible", "args": {}})

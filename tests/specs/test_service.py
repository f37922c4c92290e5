"""The reference as a service: what is sent, what comes back, and in what order."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fenceproof.specs.reference.design import Design
from fenceproof.specs.reference.memory_store import MemoryStore
from fenceproof.specs.reference.planner import Counters
from fenceproof.specs.reference.record import CallRecord
from fenceproof.specs.reference.service.clock import HandClock, RealClock
from fenceproof.specs.reference.service.demo import FENCED, run
from fenceproof.specs.reference.service.effects import EffectServer, Reservations
from fenceproof.specs.reference.service.errors import ServiceError
from fenceproof.specs.reference.service.policy import Policy
from fenceproof.specs.reference.service.script import Behaviour
from fenceproof.specs.reference.service.server import LoopbackServer, Response
from fenceproof.specs.reference.service.telemetry import Happening, Telemetry
from fenceproof.specs.reference.service.worker import Worker
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from running import STILL, Running

COMMITTED = CallRecord(live=1, committed=1, outcome="success", intent_epoch=1, pending=False, attempts=1)


def test_a_call_that_goes_well_is_committed_once() -> None:
    with Running() as running:
        assert running.wait_for("planner", "success") == "commit"
        assert running.store.read(0) == COMMITTED
        assert (running.reservations.is_reserved(0), running.reservations.applied(0)) == (True, (1, 0))


def test_a_result_after_the_deadline_arrives_and_is_rejected_as_stale() -> None:
    with Running(tool={1: Behaviour(delay_s=40)}, policy=Policy(first_retry_s=900, longest_retry_s=900)) as running:
        running.wait_for("tool", "execute")
        running.clock.turn(30)
        assert running.wait_for("planner", "deadline") == "bump"
        assert running.wait_for("planner", "compensated") == "commit"
        running.clock.turn(10)
        assert running.wait_for("planner", "success") == "reject:stale"
        rejects = running.planner.rejects
        assert (rejects.stale, rejects.malformed, rejects.committed) == (1, 0, 0)
        record = running.store.read(0)
        assert (record.live, record.committed, record.outcome) == (2, 2, "compensated")
        assert not running.reservations.is_reserved(0)


@pytest.mark.parametrize(
    ("behaviour", "answer"),
    [
        (Behaviour(lost="request"), "failed: RemoteProtocolError"),
        (Behaviour(garbage=b"\x00\xff no HTTP\r\n\r\n"), "failed: RemoteProtocolError"),
        (Behaviour(garbage=b"HTTP/1.0 202 OK\r\nContent-Length: 99\r\n\r\n{"), "failed: RemoteProtocolError"),
        (Behaviour(garbage=b"HTTP/1.0 500 No\r\n\r\n"), "refused: 500"),
        (Behaviour(lost="result"), "taken"),
    ],
)
def test_what_is_lost_is_sent_again_after_the_back_off_and_done_once(behaviour: Behaviour, answer: str) -> None:
    with Running(tool={1: behaviour}) as running:
        assert running.wait_for("planner", "send tool") == answer
        running.clock.turn(4)
        assert running.all("planner", "success") == []
        running.clock.turn(1)
        assert running.wait_for("planner", "success") == "commit"
        assert running.store.read(0).attempts == 2
        assert running.reservations.applied(0) == (1, 0)


@pytest.mark.parametrize("behaviour", [Behaviour(lost="result"), Behaviour(delay_s=5)])
def test_a_result_that_is_kept_or_lost_is_overtaken_by_that_of_another_call(behaviour: Behaviour) -> None:
    with Running(calls=2, tool={1: behaviour}) as running:
        running.wait_for("planner", "success", 1)
        assert running.all("planner", "success") == [(1, 1, "commit")]
        running.clock.turn(5)
        running.wait_for("planner", "success", 2)
        assert running.all("planner", "success")[1] == (0, 1, "commit")


def test_the_back_off_doubles_up_to_its_longest() -> None:
    policy = Policy(first_retry_s=1, longest_retry_s=6)
    assert [policy.retry_s(n) for n in (1, 2, 3, 4, 5, 10_000)] == [1, 2, 4, 6, 6, 6]


@pytest.mark.parametrize("wrong", [{"most_attempts": 1}, {"deadline_s": 0}, {"first_retry_s": -1}])
def test_a_policy_without_a_meaning_is_refused(wrong: Mapping[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))}="):
        Policy(**wrong)


def test_a_poisoned_request_is_parked_told_and_sent_no_more(caplog: pytest.LogCaptureFixture) -> None:
    lost = {n: Behaviour(lost="request") for n in range(1, 9)}
    with Running(tool=lost, policy=Policy(deadline_s=900, first_retry_s=5, most_attempts=3, poll_s=900)) as running:
        running.wait_for("planner", "send tool", 1)
        running.clock.turn(5)
        running.wait_for("planner", "send tool", 2)
        running.clock.turn(10)
        running.wait_for("outbox", "attempt 3", 2)
        assert running.all("outbox", "attempt 3") == [(0, 1, "sending"), (0, 1, "parked")]
        running.clock.turn(800)
        running.planner.wake()
        record = running.store.read(0)
        assert (record.attempts, record.parked, record.pending) == (3, True, True)
    assert len(running.all("planner", "send tool")) == 3
    assert [r.levelname for r in caplog.records if getattr(r, "outcome", "") == "parked"] == ["ERROR"]


def test_a_parked_request_does_not_hold_back_the_compensation() -> None:
    with Running(tool={n: Behaviour(lost="request") for n in (1, 2)}, policy=_parks_at_once()) as running:
        running.wait_for("planner", "send tool", 1)
        running.clock.turn(5)
        running.wait_for("outbox", "attempt 2", 2)
        running.clock.turn(25)
        assert running.wait_for("planner", "compensated") == "commit"


def _parks_at_once() -> Policy:
    return Policy(deadline_s=30, first_retry_s=5, most_attempts=2, poll_s=900)


def test_the_requests_of_an_epoch_are_sent_in_order_and_the_oldest_intent_first() -> None:
    design = Design(on_timeout="compensate-and-retry")
    with Running(calls=3, tool={n: Behaviour(is_held=True) for n in range(1, 9)}, design=design) as running:
        running.wait_for("planner", "send tool", 3)
        running.clock.turn(30)
        running.wait_for("planner", "send compensate", 3)
    assert running.all("outbox", "attempt 1") == [(call, epoch, "sending") for epoch in (1, 2) for call in range(3)]
    sent = [(h.call, h.what) for h in running.seen if h.what.startswith("send") and h.epoch == 2]
    assert sent == [(call, what) for call in range(3) for what in ("send tool", "send compensate")]


def test_a_result_that_comes_twice_is_committed_once() -> None:
    with Running(tool={1: Behaviour(copies=2)}) as running:
        assert running.wait_for("planner", "success", 2) == "reject:committed"
        rejects = running.planner.rejects
        assert (rejects.stale, rejects.malformed, rejects.committed) == (0, 0, 1)
        assert running.store.read(0) == COMMITTED


@pytest.mark.parametrize("body", ["empty-body", "no-echo"])
def test_a_result_without_a_body_or_echo_is_malformed_and_asked_for_again(body: Any) -> None:
    with Running(tool={1: Behaviour(body=body)}) as running:
        assert running.wait_for("planner", "success") == "reject:malformed"
        running.clock.turn(5)
        assert running.wait_for("planner", "success", 2) == "commit"
        rejects = running.planner.rejects
        assert (rejects.stale, rejects.malformed, rejects.committed) == (0, 1, 0)


@pytest.mark.parametrize(
    "body", [b"{", b"\xff\xfe", b"[1]", b'{"epoch": "1"}', b'{"epoch": true}', b'{"epoch": 9e99}', b"[" * 50_000]
)
def test_a_result_that_cannot_be_read_is_malformed(body: bytes) -> None:
    with Running(tool={1: Behaviour(is_held=True)}) as running:
        response = running.post_result(body)
        assert (response.status_code, response.text) == (200, "reject:malformed")


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/results/7/success", b"{}", 404),
        ("/results/0/succeeded", b"{}", 404),
        ("/", b"", 404),
        ("/results/0/success", b" " * 70_000, 413),
    ],
)
def test_what_is_no_result_is_refused_and_nothing_decided(path: str, body: bytes, status: int) -> None:
    with Running(tool={1: Behaviour(is_held=True)}) as running:
        assert running.post_result(body, path).status_code == status
        assert running.store.read(0).committed is None


class Failing(MemoryStore):
    """A store that fails so many times to open an epoch and to commit, as a database that is locked does."""

    failures = 1

    def _fail(self) -> None:
        if self.failures:
            self.failures -= 1
            raise OSError("the database is locked")

    def commit_if_live(self, call: int, epoch: int, outcome: Any) -> bool:
        self._fail()
        return super().commit_if_live(call, epoch, outcome)

    def open_next(self, call: int, *, even_if_committed: bool, raise_fence: bool) -> int | None:
        self._fail()
        return super().open_next(call, even_if_committed=even_if_committed, raise_fence=raise_fence)


def test_a_result_that_the_store_could_not_take_is_told_and_comes_again() -> None:
    with Running(Failing(1)) as running:
        assert running.wait_for("planner", "error") == "failed"
        running.clock.turn(5)
        assert running.wait_for("planner", "success", 1) == "commit"
        assert running.store.read(0).committed == 1


def test_a_deadline_that_the_store_could_not_take_fires_again() -> None:
    with Running(Failing(1), tool={n: Behaviour(is_held=True) for n in range(1, 9)}) as running:
        running.wait_for("planner", "send tool")
        running.clock.turn(30)
        assert running.wait_for("planner", "error") == "failed"
        running.clock.turn(1)
        assert running.wait_for("planner", "compensated") == "commit"


def sockets() -> int:
    return sum(str(fd.readlink()).startswith("socket:") for fd in Path("/proc/self/fd").iterdir() if fd.is_symlink())


def test_a_service_leaves_no_thread_and_no_socket() -> None:
    before = set(threading.enumerate()), sockets()
    with Running(tool={1: Behaviour(is_held=True)}) as running:
        running.wait_for("tool", "execute")
        assert len(threading.enumerate()) >= len(before[0]) + 7
    assert (set(threading.enumerate()), sockets()) == before


def test_a_server_that_ends_waits_for_whoever_is_still_asking() -> None:
    before = set(threading.enumerate())
    server = LoopbackServer("test", lambda request: Response(200))
    server.start()
    with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as client:
        client.sendall(b"POST / HTTP/1.0\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.0 200")
    with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as client:
        client.sendall(b"POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n{")
        while len(threading.enumerate()) < len(before) + 2:
            threading.Event().wait(0.01)
        server.close()
        assert set(threading.enumerate()) == before


def test_a_demonstration_that_is_interrupted_leaves_nothing_running() -> None:
    before = set(threading.enumerate()), sockets()
    shown: list[str] = []

    def show(line: str) -> None:
        shown.append(line)
        if line.startswith("compensator"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(MemoryStore(1), 0, FENCED, show)
    assert len(shown) == 7
    assert (set(threading.enumerate()), sockets()) == before


def test_a_port_that_is_in_use_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ServiceError, match=f"the tool cannot listen on port {port} of 127.0.0.1: Address already"):
            EffectServer("tool", Reservations(Design()), HandClock(), Telemetry(), port=port)


def test_a_planner_that_sends_before_it_writes_is_no_service() -> None:
    with pytest.raises(ValueError, match="no outbox"):
        Running(design=Design(bump="after-send", basis="copy"))


def test_log_records_have_call_epoch_and_outcome(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="fenceproof"), Running(tool={1: Behaviour(body="no-echo")}) as running:
        running.wait_for("planner", "success")
    found = [(r.levelname, *(getattr(r, f, "") for f in ("call", "epoch", "outcome"))) for r in caplog.records]
    assert ("INFO", 0, 1, "executed") in found
    assert ("WARNING", 0, None, "reject:malformed") in found


def test_spans_have_call_epoch_and_outcome() -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with Running(telemetry=lambda tell: Telemetry([tell], provider.get_tracer("test"))) as running:
        running.wait_for("planner", "success")
    spans = {span.name: dict(span.attributes or {}) for span in exporter.get_finished_spans()}
    assert spans["tool execute"] == {"call": 0, "epoch": 1, "outcome": "executed"}
    assert spans["planner send tool"] == {"call": 0, "epoch": 1, "outcome": "taken"}
    assert spans["planner success"] == {"call": 0, "epoch": 1, "outcome": "commit"}


def test_without_opentelemetry_there_are_no_spans_and_all_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry", None)
    seen: list[Happening] = []
    with Telemetry([seen.append]).span("planner", "success", 0, 1) as happening:
        happening.outcome = "commit"
    assert [(h.what, h.call, h.epoch, h.outcome) for h in seen] == [("success", 0, 1, "commit")]


def test_counters_lose_nothing_to_other_threads() -> None:
    counters = Counters()
    threads = [threading.Thread(target=lambda: [counters.count("stale") for _ in range(20_000)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (counters.stale, counters.malformed, counters.committed) == (80_000, 0, 0)


def test_a_worker_steps_when_the_real_clock_has_come_to_its_time() -> None:
    stepped = threading.Semaphore(0)
    clock = RealClock()

    def step() -> float:
        stepped.release()
        return clock.now() + 0.001

    worker = Worker("test", step, clock, lambda error: None)
    worker.start()
    try:
        assert all(stepped.acquire(timeout=20) for _ in range(3))
    finally:
        worker.close()


def test_a_clock_is_not_turned_back() -> None:
    with pytest.raises(ValueError, match="not turned back"):
        HandClock().turn(-1)


def test_the_default_policy_arms_no_deadline_after_the_last_epoch() -> None:
    held = {n: Behaviour(is_held=True) for n in range(1, 99)}
    with Running(tool=held, compensator=held, policy=STILL) as running:
        running.wait_for("planner", "send tool")
        for number in (1, 2):
            running.clock.turn(30)
            running.wait_for("planner", "deadline", number)
            running.wait_for("compensator", "execute", number)
        running.clock.turn(900)
        assert running.does_not_happen("planner", "error")
        assert running.store.read(0).live == 3
    assert [epoch for _, epoch, _ in running.all("planner", "deadline")] == [1, 2]

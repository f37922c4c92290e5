"""Engines in processes of their own: whatever befalls one is its answer, and none is left behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fenceproof.checker import engines
from fenceproof.checker.agreement import DisagreementError
from fenceproof.checker.engines import explicit
from fenceproof.checker.limits import Limits, Progress
from fenceproof.checker.processes import together
from fenceproof.checker.processes.carry import packed, unpacked
from fenceproof.checker.processes.child import Child
from fenceproof.checker.processes.together import compare, race
from fenceproof.checker.proof import Proof
from fenceproof.checker.result import CheckResult
from fenceproof.checker.verdict import Verdict
from fenceproof.model.errors import InternalError, UsageError
from fenceproof.model.system import TransitionSystem
from toys import counter, graph


def children() -> list[str]:
    """The processes that this one has begun and that are not reaped."""
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def crashes(system: TransitionSystem, **_: object) -> CheckResult:
    os.kill(os.getpid(), signal.SIGSEGV)
    raise AssertionError


def hangs(system: TransitionSystem, **_: object) -> CheckResult:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(60)


def eats(system: TransitionSystem, **_: object) -> CheckResult:
    held: list[bytearray] = []
    while True:
        held.append(bytearray(1 << 24))


def lies(system: TransitionSystem, **_: object) -> CheckResult:
    found = explicit.check(system)
    said = tuple(replace(p, verdict=Verdict.HOLDS, trace=None, witnesses=0) for p in found.properties)
    return replace(found, engine="other", properties=said)


def slips(system: TransitionSystem, **_: object) -> CheckResult:
    raise ValueError("a slip of ours")


def refuses(system: TransitionSystem, **_: object) -> CheckResult:
    raise UsageError("not for this model")


Injected = Callable[[Callable[..., CheckResult]], None]


@pytest.fixture(autouse=True)
def injected(monkeypatch: pytest.MonkeyPatch) -> Injected:
    """The table with the explicit engine, and another one beside it; afterwards there is no child that was not there
    before."""

    def add(engine: Callable[..., CheckResult]) -> None:
        monkeypatch.setitem(engines.ENGINES, "other", engine)

    for name in [name for name in engines.ENGINES if name != "explicit"]:
        monkeypatch.delitem(engines.ENGINES, name)
    return add


@pytest.mark.parametrize(
    ("engine", "limits", "kind", "reason"),
    [
        (crashes, Limits(), "crash", "its process crashed (SIGSEGV)"),
        (hangs, Limits(time_s=0.2), "time", "the search took more than"),
        (eats, Limits(memory_bytes=1 << 24), "memory", "the engine needed more memory than it was given"),
        (refuses, Limits(), "refused", "not for this model"),
    ],
)
def test_what_befalls_an_engine_is_inconclusive_and_the_other_ones_verdict_stands(
    injected: Injected, engine: Callable[..., CheckResult], limits: Limits, kind: str, reason: str
) -> None:
    injected(engine)
    before = children()
    found = compare(graph([(0, 1), (1, 2), (2, 0)], bad=[2]), limits=limits)
    assert children() == before
    assert {p.name: p.verdict for p in found.properties} == {"fine": Verdict.VIOLATED, "no-deadlock": Verdict.HOLDS}
    told = found.engines[1]
    assert told.stop is not None
    assert (told.engine, told.stop.kind, told.verdict) == ("other", kind, Verdict.INCONCLUSIVE)
    assert told.stop.reason.startswith(reason)


def test_an_engine_that_lies_is_found_out_and_both_claims_are_told(injected: Injected) -> None:
    injected(lies)
    before = children()
    with pytest.raises(DisagreementError) as raised:
        compare(graph([(0, 1), (1, 0)], bad=[1]))
    assert children() == before
    assert "of fine, explicit says: violated in 1 step; other says: holds" in str(raised.value)
    assert raised.value.found[0].one.trace is not None


def test_a_slip_of_ours_is_no_verdict(injected: Injected) -> None:
    injected(slips)
    before = children()
    with pytest.raises(InternalError, match="a slip of ours"):
        compare(counter(3))
    assert children() == before


def test_where_every_engine_refuses_a_model_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in engines.ENGINES:
        monkeypatch.setitem(engines.ENGINES, name, refuses)
    with pytest.raises(UsageError, match="not for this model"):
        compare(counter(3))


def test_a_race_ends_with_the_first_conclusive_answer_and_stops_the_others(injected: Injected) -> None:
    injected(hangs)
    before = children()
    found = race(graph([(0, 1), (1, 0)], bad=[1]))
    assert children() == before
    assert [each.engine for each in found.engines] == ["explicit"]
    assert found.verdict is Verdict.VIOLATED


@pytest.mark.parametrize("error", [BrokenPipeError, ValueError])
def test_an_error_in_the_parent_leaves_no_child(injected: Injected, error: type[Exception]) -> None:
    injected(hangs)
    before = children()

    def told(_: Progress) -> None:
        raise error

    with pytest.raises(error):
        compare(graph([(0, 1), (1, 0)]), progress=told)
    assert children() == before


def test_an_interrupt_leaves_no_child_and_is_said(injected: Injected) -> None:
    injected(hangs)
    before = children()

    def told(_: Progress) -> None:
        raise KeyboardInterrupt

    found = compare(graph([(0, 1), (1, 0)], bad=[1]), progress=told)
    assert children() == before
    assert found.stop is not None
    assert found.stop.kind == "interrupted"


def test_an_interrupt_after_the_last_answer_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def decided(_: object) -> bool:
        os.kill(os.getpid(), signal.SIGINT)
        return True

    monkeypatch.setattr(together, "_is_decided", decided)
    found = race(graph([(0, 1), (1, 0)], bad=[1]))
    assert found.stop is not None
    assert (found.stop.kind, found.properties[0].verdict) == ("interrupted", Verdict.VIOLATED)


def test_a_proof_comes_back_in_the_terms_of_the_system_it_is_of() -> None:
    system = counter(5)
    x = system.expressions
    kept = x.less(system.invariants[0].judgement.holds.args[0], x.const(2))
    found = explicit.check(system)
    proved = replace(found.properties[0], proof=Proof("pdr", (kept, system.invariants[0].judgement.holds)))
    back = unpacked(system, packed(system, replace(found, properties=(proved,))))
    assert back.system is system
    assert back.properties == (proved,)
    assert back.properties[0].proof is not None
    assert back.properties[0].proof.invariant[0] is kept


PARENT = """
import os, sys, time
from fenceproof.checker import engines
from fenceproof.checker.processes.together import race

def hangs(system, **_):
    os.write(told, f"{os.getpid()}\\n".encode())
    while True:
        time.sleep(60)

sys.path[:0] = PATH
from toys import counter
from fenceproof.checker.processes import child
told = os.open(sys.argv[1], os.O_WRONLY)
os.closerange = lambda *_: None
engines.ENGINES.clear()
engines.ENGINES.update(one=hangs, two=hangs)
race(counter(3))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda n: n.name)
def test_a_parent_that_is_ended_takes_its_children_along(tmp_path: Path, number: signal.Signals) -> None:
    pipe = tmp_path / "told"
    os.mkfifo(pipe)
    script = PARENT.replace("PATH", repr([p for p in sys.path if "toys" in p]))
    running = subprocess.Popen([sys.executable, "-c", script, str(pipe)], stderr=subprocess.DEVNULL)
    with pipe.open() as told:
        pids = [int(told.readline()) for _ in range(2)]
        running.send_signal(number)
        running.wait(timeout=60)
        # Only children still hold the writing end by now: the pipe ends when they have.
        ready, _, _ = select.select([told], [], [], 60)
        for pid in pids if not ready else ():
            os.kill(pid, signal.SIGKILL)
        assert ready, "children outlive their parent"
        assert told.read() == ""
    assert len(set(pids)) == 2


def test_a_child_that_is_ended_before_it_has_begun_ends_at_once() -> None:
    """It has its parent's handlers then, which raise what is not for it, and may be lost."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for _ in range(10):
            child = Child(lambda _: signal.pause())
            child.end()
            assert child.ended == -signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, before)

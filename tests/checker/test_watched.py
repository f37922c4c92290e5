"""A call of z3 in a thread of its own: what ends it, and what may not happen beside it."""

from __future__ import annotations

import gc
import signal
import sys
import weakref
from collections.abc import Callable
from itertools import count
from threading import Event
from types import FrameType

import pytest
from fenceproof.checker.limits import Limits, Watch
from fenceproof.checker.processes.child import Child
from fenceproof.checker.smt import watched as watched_module
from fenceproof.checker.smt.backend import z3
from fenceproof.checker.smt.watched import StoppedError, allocated, watched


def hard() -> object:
    """Eleven pigeons in ten holes, which takes z3 minutes."""
    solver = z3.SolverFor("QF_FD")
    solver.set("ctrl_c", False)
    sits = [[z3.Bool(f"{pigeon} in {hole}") for hole in range(11)] for pigeon in range(12)]
    solver.add([z3.Or(row) for row in sits])
    for hole in range(11):
        for one in range(12):
            solver.add([z3.Not(z3.And(sits[one][hole], sits[other][hole])) for other in range(one)])
    return solver.check


def stopped(limits: Limits) -> StoppedError:
    with pytest.raises(StoppedError) as found:
        watched(hard(), Watch.start(limits))  # type: ignore[arg-type]
    # z3 has ended, simplifies as ever, and answers what else it is asked.
    assert z3.is_true(z3.simplify(z3.ULT(z3.BitVecVal(3, 4), z3.BitVecVal(5, 4))))
    solver = z3.SolverFor("QF_FD")
    solver.add(z3.Bool("anything"))
    assert solver.check() == z3.sat
    return found.value


def test_a_question_that_takes_too_long_is_stopped_in_the_middle() -> None:
    ticks = count()
    assert stopped(Limits(time_s=5, clock=lambda: float(next(ticks)))).stop.kind == "time"


def test_a_question_is_stopped_though_its_own_error_comes_out_of_the_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    context = z3.main_ctx()
    interrupt = context.interrupt

    def interrupt_and_hear() -> None:
        interrupt()
        raise z3.Z3Exception("canceled")

    monkeypatch.setattr(context, "interrupt", interrupt_and_hear)
    ticks = count()
    assert stopped(Limits(time_s=5, clock=lambda: float(next(ticks)))).stop.kind == "time"


def test_a_question_is_stopped_by_an_interrupt() -> None:
    ticks = count()

    def clock_that_interrupts() -> float:
        if next(ticks) == 4:
            signal.raise_signal(signal.SIGINT)
        return 0.0

    assert stopped(Limits(time_s=5, clock=clock_that_interrupts)).stop.kind == "interrupted"


def test_a_question_is_stopped_when_z3_holds_too_much() -> None:
    assert stopped(Limits(memory_bytes=1)).stop.kind == "memory"


def test_an_error_of_z3_is_a_reason_and_another_error_stays_what_it_is() -> None:
    def fails() -> None:
        raise z3.Z3Exception(b"out of memory")

    with pytest.raises(StoppedError, match="out of memory"):
        watched(fails, Watch.start(Limits()))
    with pytest.raises(ZeroDivisionError):
        watched(lambda: 1 // 0, Watch.start(Limits()))


def test_an_interrupt_as_the_thread_begins_leaves_nothing_running(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Event] = []
    worker = watched_module.WORKER
    begin = worker.begin

    def interrupted(work: Callable[[], None]) -> None:
        ended = Event()
        begun.append(ended)

        def noted() -> None:
            work()
            ended.set()

        begin(noted)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(worker, "begin", interrupted)
    assert stopped(Limits()).stop.kind == "interrupted"
    assert [ended.wait(1) for ended in begun] == [True]


def test_an_interrupt_that_comes_too_late_is_forgotten() -> None:
    ticks = count()

    with pytest.raises(StoppedError):
        # As long as an interrupt takes to come, and z3 not at work.
        watched(lambda: Event().wait(0.2), Watch.start(Limits(time_s=2, clock=lambda: float(next(ticks)))))
    assert z3.is_true(z3.simplify(z3.ULT(z3.BitVecVal(3, 4), z3.BitVecVal(5, 4))))


def test_what_z3_holds_is_known_after_many_questions() -> None:
    def ask() -> None:
        solver = z3.SolverFor("QF_FD")
        numbers = [z3.BitVec(f"n{place}", 8) for place in range(60)]
        watched(lambda: solver.add(z3.Distinct(numbers)), Watch.start(Limits()))

    before = allocated()
    for _ in range(200):
        ask()
    assert abs(allocated() - before) < 1_000_000


def test_a_process_that_was_forked_has_a_thread_of_its_own() -> None:
    assert watched(lambda: 1, Watch.start(Limits())) == 1
    said: list[object] = []
    child = Child(lambda send: send(watched(lambda: 2, Watch.start(Limits()))))
    while child.ended is None:
        said += child.messages(wait_s=1.0)
    assert said == [2]


class Knot:
    """Refers to itself, so that only a collection of garbage ends it."""

    def __init__(self) -> None:
        self.itself = self


def test_no_garbage_is_collected_while_z3_works_and_afterwards_it_is_again() -> None:
    gone = weakref.ref(Knot())

    def busy() -> bool:
        held = [[Knot()] for _ in range(5 * gc.get_threshold()[0])]
        return bool(held) and gone() is not None

    assert watched(busy, Watch.start(Limits()))
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        watched(lambda: 1 // 0, Watch.start(Limits()))
    assert gc.isenabled()
    gc.collect()
    assert gone() is None


def test_collection_stays_off_for_whoever_turned_it_off() -> None:
    gc.disable()
    try:
        watched(lambda: None, Watch.start(Limits()))
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_an_interrupt_amid_the_making_of_a_term_stays_one() -> None:
    """In a conversion by ctypes it would come out as an ArgumentError; so no line of Python is run there."""
    made = z3.Bool("one"), z3.Bool("other")

    def press(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename == z3.z3types.__file__:
            raise KeyboardInterrupt

    sys.setprofile(press)
    try:
        both = z3.And(*made)
    finally:
        sys.setprofile(None)
    assert z3.eq(z3.simplify(both), z3.simplify(z3.And(*made)))

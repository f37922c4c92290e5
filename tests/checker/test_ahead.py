"""Work that is begun ahead: its answer is that of the work, whatever becomes of the process that does it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from fenceproof.checker.processes.ahead import Ahead


def children() -> set[str]:
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def test_the_work_is_done_in_another_process_which_is_gone_afterwards() -> None:
    before = children()
    with Ahead(os.getpid) as ahead:
        assert ahead.result() != os.getpid()
    assert children() == before


def test_work_whose_answer_nobody_waits_for_is_ended() -> None:
    before = children()
    with Ahead(signal.pause):
        assert len(children() - before) == 1
    assert children() == before


@pytest.mark.parametrize(
    "end",
    [
        lambda: os.kill(os.getpid(), signal.SIGKILL),
        lambda: os._exit(0),
        lambda: bytearray(1 << 62),
        lambda: 1 // 0,
        lambda: lambda: None,  # which cannot be sent
    ],
)
def test_where_the_process_has_no_answer_the_work_is_done_here(end: Callable[[], object]) -> None:
    here = os.getpid()
    with Ahead(lambda: "here" if os.getpid() == here else end()) as ahead:
        assert ahead.result() == "here"


def test_what_the_work_raises_is_raised_here() -> None:
    def wrong() -> None:
        raise ValueError("it went wrong")

    with Ahead(wrong) as ahead, pytest.raises(ValueError, match="it went wrong"):
        ahead.result()


def test_without_processes_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    with Ahead(os.getpid) as ahead:
        assert ahead.result() == os.getpid()

"""The engines beside each other: what a run says comes back, and engines that contradict each other print no table."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import beside_engines
import pytest
from beside_engines import Contradiction, engines_table
from engine_run import Job, Outcome, run

ROOT = Path(__file__).resolve().parent.parent.parent
COUNTER = str(ROOT / "docs/examples/counter.py")
JOB = Job(COUNTER, "explicit", "nothing_lost", {"clients": 2}, None, 6, 60.0)


@pytest.mark.parametrize("engine", ["explicit", "bmc"])
def test_a_run_in_a_process_of_its_own_says_what_the_engine_does(engine: str, tmp_path: Path) -> None:
    outcome = run(replace(JOB, engine=engine), tmp_path)
    assert (outcome.verdict, outcome.steps) == ("violated", 4)
    assert outcome.cpu_s > 0 and outcome.peak_bytes > 1_000_000


def test_engines_that_contradict_each_other_print_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def said(job: Job) -> Outcome:
        return Outcome("holds" if job.engine == "explicit" else "violated", None, 1.0, 1)

    monkeypatch.setattr(beside_engines, "measured", said)
    with pytest.raises(Contradiction, match=r"explicit: holds; .*bmc: violated"):
        engines_table(JOB, ["nothing_lost"])


def test_a_bounded_verdict_contradicts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def said(job: Job) -> Outcome:
        return Outcome("violated" if job.engine == "explicit" else "holds up to 6", None, 1.0, 1)

    monkeypatch.setattr(beside_engines, "measured", said)
    assert engines_table(JOB, ["nothing_lost", "never_more"]).row_count == 2


def test_a_target_that_is_not_there_is_wrong_usage() -> None:
    command = [sys.executable, str(ROOT / "benchmarks/beside_engines.py"), "no-such"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert "no-such" in done.stderr and "Traceback" not in done.stderr

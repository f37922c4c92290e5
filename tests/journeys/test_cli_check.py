"""`fenceproof check` as a person and as a pipeline use it: exit codes, streams, limits, interrupts, full disks."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command import ENVIRONMENT, FENCEPROOF, RESTS, fenceproof, model_file

ROOT = Path(__file__).resolve().parents[2]
LEASE = ROOT / "docs" / "examples" / "lease.py"
COUNTER = ROOT / "docs" / "examples" / "counter.py"
FENCE = ROOT / "benchmarks" / "models" / "fence.py"
SCHEMA = json.loads(files("fenceproof.checker").joinpath("report/report.schema.json").read_text())
VALIDATOR: Any = jsonschema.Draft202012Validator(SCHEMA)

NEVER = (
    RESTS.replace("action, terminal", "action, require, terminal").replace("most: int = 1", "most: int = 3")
    + """
    @action
    def never(self) -> None:
        require(self.n == 3)
"""
)
LEAPS = RESTS.replace("self.n = 1\n", "self.n += 5\n")
UNSAVED = ("--property", "never-backwards", "--set", "fenced=false", "--expect", "violated:never-backwards")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([LEASE], 0, "holds"),
        ([LEASE, "--set", "fenced=false"], 1, "violated"),
        ([LEASE, "--set", "fenced=false", "--expect", "violated:never_backwards"], 0, "violated"),
        ([LEASE, "--set", "fenced=false", "--expect", "violated:holder_has_newest"], 1, "violated"),
        ([LEASE, "--expect", "holds"], 0, "holds"),
        ([LEASE, "--expect", "violated:never_backwards"], 1, "holds"),
        ([LEASE, "--max-states", "10"], 3, "inconclusive"),
        ([LEASE, "--memory", "100"], 3, "inconclusive"),
        ([LEASE, "--time", "1e-9"], 3, "inconclusive"),
        (["fenced", "--faults", "none"], 4, "vacuous"),
        (["fenced", "--faults", "delay"], 4, "vacuous"),
        (["fenced", "--calls", "2", "--most-faults", "1"], 0, "holds"),
        (["last-writer", "--faults", "none", "--property", "single-commit"], 1, "violated"),
        (["bump-after-commit", "--faults", "none", "--without", "live-check"], 1, "violated"),
    ],
)
def test_the_exit_code_and_the_first_word_of_quiet_say_the_same(
    arguments: list[str | Path], code: int, said: str
) -> None:
    ran = fenceproof("check", *arguments, "--quiet")
    assert ran.code == code
    name = f"{arguments[0]} without live-check" if "--without" in arguments else arguments[0]
    assert ran.out.removeprefix(f"{name}: ").rstrip("\n").partition(":")[0] == said


def test_without_a_target_the_fenced_planner_is_checked_and_holds() -> None:
    ran = fenceproof("check")
    assert (ran.code, ran.err) == (0, "")
    assert "every reachable state of fenced: 489,452 distinct, 4,621,292" in ran.out


def test_an_action_that_is_never_enabled_exits_with_4() -> None:
    model_file(NEVER)
    ran = fenceproof("check", "mine.py")
    assert (ran.code, ran.err) == (4, "")
    assert "never" in ran.out


def test_a_model_that_goes_wrong_exits_with_2_and_shows_the_line_and_the_trace() -> None:
    model_file(LEAPS)
    ran = fenceproof("check", "mine.py")
    assert (ran.code, ran.err) == (2, "trace saved: fenceproof-traces/mine-model-error.json\n")
    assert "mine.py:11: " in ran.out
    assert "up()" in ran.out


@pytest.mark.parametrize(
    ("text", "options", "code", "verdict"),
    [
        (RESTS, [], 0, "holds"),
        (LEASE.read_text(), ["--set", "fenced=false"], 1, "violated"),
        (LEAPS, [], 2, "model error"),
        (RESTS, ["--set", "most=9", "--max-states", "1"], 3, "inconclusive"),
        (NEVER, [], 4, "vacuous"),
    ],
)
def test_json_prints_one_document_and_nothing_else(text: str, options: list[str], code: int, verdict: str) -> None:
    model_file(text)
    ran = fenceproof("check", "mine.py", "--json", *options)
    assert (ran.code, ran.err) == (code, "")
    written = json.loads(ran.out)
    VALIDATOR.validate(written)
    assert (written["target"], written["verdict"]) == ("mine.py", verdict)
    assert not Path("fenceproof-traces").exists()


def test_traces_are_saved_where_asked_and_each_can_be_replayed() -> None:
    ran = fenceproof("check", LEASE, "--set", "fenced=false", "--out", "deep/er", "--quiet")
    assert (ran.code, ran.err) == (1, "trace saved: deep/er/lease-never-backwards.json\n")
    again = fenceproof("replay", "deep/er/lease-never-backwards.json", "--model", LEASE, "--quiet")
    assert (again.code, again.err) == (0, "")
    assert "5 steps replayed" in again.out


def test_colour_is_left_out_where_asked_even_on_a_terminal() -> None:
    color = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    environment = {k: v for k, v in ENVIRONMENT.items() if k != "NO_COLOR"} | color
    command = [*FENCEPROOF, "check", str(LEASE)]
    plain = subprocess.run([*command, "--no-color"], env=environment, capture_output=True, check=True, timeout=60)
    colored = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60)
    assert b"\x1b[32m" in colored.stdout
    assert b"\x1b[3" not in plain.stdout


@pytest.mark.parametrize("folder", ["/dev/full/traces", "file/traces"])
def test_a_folder_that_cannot_be_written_costs_no_verdict_and_is_no_success(folder: str) -> None:
    Path("file").write_text("")
    for options in ([], ["--quiet"], ["--json"]):
        ran = fenceproof("check", LEASE, *UNSAVED, "--out", folder, *options)
        assert ran.code == 2
        assert "Traceback" not in ran.err
        assert f"the trace of never_backwards was not saved to {folder}/lease-never-backwards.json" in ran.err
        assert "violated" in ran.out


def test_a_trace_that_cannot_be_saved_leaves_a_violation_a_violation() -> None:
    ran = fenceproof("check", LEASE, "--set", "fenced=false", "--out", "/dev/full/traces", "--quiet")
    assert (ran.code, ran.out) == (1, f"{LEASE}: violated: never_backwards (5 steps)\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", str(LEASE)],
        ["check", str(LEASE), "--json"],
        ["check", str(LEASE), "--quiet"],
        ["show", str(LEASE)],
        ["simulate", "--inject", "happy_success"],
        ["--version"],
        ["--help"],
    ],
)
def test_a_full_disk_is_said_and_is_no_verdict(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*FENCEPROOF, *arguments], env=ENVIRONMENT, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (
        2,
        "fenceproof: the output cannot be written: No space left on device.\n",
    )


#: A search that interrupts itself, as Ctrl-C does, when it has begun.
INTERRUPTS = RESTS.replace(
    "class Rests",
    """import os
import signal

import fenceproof.checker.engines.explicit as engine

real = engine.Search._expand_level


def interrupted(search: engine.Search) -> None:
    real(search)
    os.kill(os.getpid(), signal.SIGINT)


signal.signal(signal.SIGINT, signal.default_int_handler)
engine.Search._expand_level = interrupted


class Rests""",
)


@pytest.mark.parametrize("options", [[], ["--json"], ["--quiet"]], ids=["text", "json", "quiet"])
def test_an_interrupt_exits_with_130_and_says_what_was_covered(options: list[str]) -> None:
    model_file(INTERRUPTS)
    ran = fenceproof("check", "mine.py", *options)
    assert (ran.code, ran.err) == (130, "")
    assert "inconclusive" in ran.out
    if options == ["--json"]:
        written = json.loads(ran.out)
        assert (written["stopped"], written["states"]["complete"]) == ("the search was interrupted", False)
    elif not options:
        assert "only part of the states of mine.py, because the search was interrupted: " in ran.out


def test_a_long_search_on_a_terminal_shows_how_far_it_is_and_ends_on_an_interrupt() -> None:
    """The search is known to be under way when its progress shows on the terminal that standard error is."""
    screen, terminal = pty.openpty()
    # A child inherits that an interrupt is ignored, as it is where the tests run in the background.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    running = subprocess.Popen(
        [*FENCEPROOF, "check", f"{FENCE}:Fence", "--set", "calls=5", "--all-copies"],
        env={**ENVIRONMENT, "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
    )
    signal.signal(signal.SIGINT, before)
    os.close(terminal)
    seen = b""
    while b"level 1" not in seen:
        seen += os.read(screen, 1024)
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=60)
    os.close(screen)
    assert running.returncode == 130
    assert b"distinct states" in seen
    assert "because the search was interrupted" in out


def test_an_interrupt_outside_a_search_is_said_too() -> None:
    model_file("import os, signal\nsignal.signal(2, signal.default_int_handler)\nos.kill(os.getpid(), 2)\n")
    ran = fenceproof("check", "mine.py")
    assert (ran.code, ran.out, ran.err.strip()) == (130, "", "fenceproof: interrupted.")


def test_the_version_is_said_without_importing_what_is_heavy() -> None:
    script = (
        "import sys\nfrom fenceproof.checker.cli import main\nsys.argv = ['fenceproof', '--version']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    print(end.code, *sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    said, ended = ran.stdout.splitlines()
    assert said == "fenceproof 0.1.0"
    assert ended.split()[0] == "0"
    assert {"z3", "networkx", "numpy", "rich", "fenceproof.specs"} & set(ended.split()) == set()


@pytest.mark.parametrize("arguments", [["show", "fenced"], ["check", "mine.py", "--json"], ["check", "mine.py"]])
def test_a_closed_pipe_is_silent_and_is_no_verdict(arguments: list[str]) -> None:
    model_file(RESTS)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*FENCEPROOF, *arguments], env=ENVIRONMENT, stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False
    )
    os.close(writing)
    assert (done.stderr, done.returncode) == (b"", 141)


def test_a_reader_that_has_seen_enough_gets_its_line_and_nobody_complains() -> None:
    running = subprocess.Popen([*FENCEPROOF, "show", "fenced"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout is not None
    first = running.stdout.readline()
    running.stdout.close()
    running.stdout = None
    _, err = running.communicate(timeout=60)
    assert (first, err) == (b"model Planner(calls=1, epochs=3)\n", b"")

"""What a model prints goes to standard error, and a request to end ends a search as Ctrl-C does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command import ENVIRONMENT, FENCEPROOF, RESTS, Ran, fenceproof, model_file

#: Prints as it is imported, and as its model is made.
PRINTS = RESTS.replace("class Rests", 'print("imported")\n\n\nclass Rests').replace(
    "        self.n = Range", '        print("made")\n        self.n = Range'
)
#: A search that is asked to end when it has begun, as `timeout` and `kill` do.
ENDED = RESTS.replace(
    "class Rests",
    """import os
import signal

import fenceproof.checker.engines.explicit as engine

real = engine.Search._expand_level


def ended(search: engine.Search) -> None:
    real(search)
    os.kill(os.getpid(), signal.SIGTERM)


engine.Search._expand_level = ended


class Rests""",
)


def test_what_a_model_prints_is_no_part_of_the_document() -> None:
    model_file(PRINTS)
    ran = fenceproof("check", "mine.py", "--json")
    assert json.loads(ran.out)["verdict"] == "holds"
    assert (ran.code, ran.err) == (0, "imported\nmade\n")


def test_what_a_model_prints_is_no_part_of_the_system_that_is_shown() -> None:
    model_file(PRINTS)
    ran = fenceproof("show", "mine.py")
    assert ran.out.startswith("model Rests(most=1)\n")
    assert ran.err == "imported\nmade\n"


@pytest.mark.parametrize("options", [[], ["--json"], ["--quiet"]], ids=["text", "json", "quiet"])
def test_a_request_to_end_exits_with_130_and_says_what_was_covered(options: list[str]) -> None:
    model_file(ENDED)
    ran = fenceproof("check", "mine.py", *options)
    assert (ran.code, ran.err) == (130, "")
    assert "the search was interrupted" in ran.out


@pytest.mark.parametrize(
    "command",
    [
        ["check", "last-writer", "--faults", "duplicate"],
        ["check", "fenced", "--engine", "pdr", "--property", "single-commit"],
        ["check", "mine.py", "--all"],
        ["compare", "fenced", "last-writer", "--most-faults", "1", "--property", "single-commit"],
        ["diff", "fenced", "last-writer", "--most-faults", "1"],
        ["refine", "fenced", "atomic-fence", "--faults", "delay"],
        ["simulate", "--question", "second-timeout"],
    ],
    ids=lambda command: "-".join(command[:2]),
)
def test_no_line_that_goes_to_a_file_ends_in_blanks(command: list[str]) -> None:
    model_file(RESTS)
    ran = fenceproof(*command)
    lines = ran.out.splitlines()
    assert len(lines) > 3, ran
    assert [line for line in lines if line != line.rstrip()] == []


def test_a_request_to_end_outside_a_search_is_said_too() -> None:
    model_file(f"import os\nos.kill(os.getpid(), {int(signal.SIGTERM)})\n")
    ran = fenceproof("check", "mine.py")
    assert (ran.code, ran.out, ran.err.strip()) == (130, "", "fenceproof: interrupted.")


#: Asks for an end when a module is imported that the command line needs, and again when Python ends.
STARTING = """
import atexit, os, signal, sys

class Ending:
    def find_spec(self, name, *_):
        if name == "click":
            os.kill(os.getpid(), NUMBER)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Ending())
atexit.register(os.kill, os.getpid(), NUMBER)
from fenceproof.__main__ import main
main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda n: n.name)
def test_a_request_to_end_while_the_command_starts_is_said_as_well(number: signal.Signals) -> None:
    done = run([sys.executable, "-c", STARTING.replace("NUMBER", str(int(number)))])
    assert done == Ran(130, "", "\nfenceproof: interrupted.\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda n: n.name)
def test_a_second_request_to_end_changes_nothing(number: signal.Signals) -> None:
    end = f"os.kill, os.getpid(), {int(number)}"
    model_file(f"import atexit\nimport os\natexit.register({end})\n({end})[0](*({end})[1:])\n")
    assert fenceproof("check", "mine.py") == Ran(130, "", "\nfenceproof: interrupted.\n")


def test_a_request_to_end_when_all_is_said_changes_nothing() -> None:
    model_file(f"import atexit\nimport os\natexit.register(os.kill, os.getpid(), {int(signal.SIGTERM)})\n{RESTS}")
    ran = fenceproof("check", "mine.py", "--quiet")
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_change_neither_verdict_nor_files(closed: str) -> None:
    model_file(RESTS)
    assert in_shell(closed, "prove", "mine.py", "--out", "written.json").code == 0
    assert in_shell(closed, "recheck", "written.json").code == 0
    assert in_shell(closed, "check", "mine.py", "--engine", "all").code == 0
    assert json.loads(Path("written.json").read_text())["target"] == "mine.py"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check", "nosuch"], 2),
        (["check", "--nosuch"], 2),
        (["nosuch"], 2),
        (["check", "ends.py"], 130),
        (["check", "spoilt.py"], 70),
    ],
    ids=["target", "option", "command", "interrupted", "internal"],
)
def test_an_error_that_cannot_be_told_has_its_exit_code(arguments: list[str], code: int) -> None:
    model_file(f"import os\nos.kill(os.getpid(), {int(signal.SIGTERM)})\n", "ends.py")
    model_file(f"{RESTS}\nimport fenceproof.checker.commands.check as spoilt\nspoilt.lift = None\n", "spoilt.py")
    assert in_shell("2>/dev/full", *arguments).code == code


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]], ids=" ".join)
def test_help_that_nobody_reads_is_silent(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = run([*FENCEPROOF, *arguments], stdout=writing)
    os.close(writing)
    assert done == Ran(141, "", "")


def test_what_a_stream_cannot_encode_is_written_as_json_has_it() -> None:
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    ran = fenceproof("check", "last-writer", "--faults", "delay", environment=ascii_only)
    assert (ran.code, ran.out.isascii(), "\\u2192" in ran.out) == (1, True, True)
    model_file(RESTS.replace("class Rests(Model):", 'class Rests(Model):\n    """Äh, \U0001f600 → ß."""\n'))
    ran = fenceproof("show", "mine.py", environment=ascii_only)
    assert (ran.code, ran.out.isascii()) == (0, True)
    model_file(RESTS, "ä→.py")
    documents = [
        json.loads(fenceproof("check", "ä→.py", "--json", environment=environment).out)
        for environment in (ascii_only, {"PYTHONIOENCODING": "utf-8"})
    ]
    for document in documents:
        del document["seconds"], document["claim"]
    assert documents[0] == documents[1]
    assert documents[0]["target"] == "ä→.py"


def test_a_folder_that_was_removed_is_no_mistake_of_ours() -> None:
    Path("gone").mkdir()
    for command in (FENCEPROOF, [str(Path(sys.executable).parent / "fenceproof")]):
        os.makedirs("gone", exist_ok=True)
        done = run(["sh", "-c", 'cd gone; rmdir ../gone; exec "$@"', "sh", *command, "show", "fenced"])
        assert (done.code, done.err) == (0, "")


def test_a_trace_that_does_not_fit_on_the_disk_leaves_what_was_there(tmp_path: Path) -> None:
    saved = tmp_path / "fenceproof-traces" / "last-writer-single-commit.json"
    saved.parent.mkdir()
    saved.write_text("before")
    check = ["check", "last-writer", "--faults", "none"]
    done = run(["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *FENCEPROOF, *check])
    assert (done.code, "was not saved to" in done.err, saved.read_text()) == (1, True, "before")
    assert list(saved.parent.iterdir()) == [saved]


def in_shell(redirected: str, *arguments: str) -> Ran:
    """Run the command with its streams redirected by a shell."""
    return run(["sh", "-c", f'exec "$@" {redirected}', "sh", *FENCEPROOF, *arguments])


def run(command: list[str], stdout: int = subprocess.PIPE) -> Ran:
    """Run a command in the current folder."""
    done = subprocess.run(
        command, env=ENVIRONMENT, stdout=stdout, stderr=subprocess.PIPE, encoding="utf-8", timeout=120, check=False
    )
    return Ran(done.returncode, done.stdout or "", done.stderr)

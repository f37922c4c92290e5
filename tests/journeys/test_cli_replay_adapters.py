"""`fenceproof replay --against` for an implementation of one's own, and for the databases of the reference."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from cluster import Cluster
from command import ENVIRONMENT, FENCEPROOF, Ran, fenceproof, model_file

LEASE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "lease.py"
TRACE = "lease-never-backwards.json"
#: A lock service and a store, which checks no token: what the trace wants.
STORE = """
class Store:
    def reset(self, parameters):
        self.fenced = parameters["fenced"]
        self.granted, self.holder, self.written = 0, None, 0
        self.token = [None] * parameters["clients"]

    def apply(self, event):
        args = event["args"]
        if event["action"] == "acquire":
            if self.holder is not None:
                raise ValueError("somebody holds it")
            self.granted += 1
            self.holder = args["client"]
            self.token[args["client"]] = self.granted
        elif event["action"] == "expire":
            self.holder = None
        else:
            self.written = self.token[args["client"]]
            return "accept"

    def snapshot(self):
        return {"holder": self.holder, "token": list(self.token), "written": self.written}
"""


@pytest.fixture(autouse=True)
def _saved(_in_a_folder_of_its_own: None) -> None:  # pyright: ignore[reportUnusedFunction]
    """A trace of a model that is no planner, in the current folder."""
    assert fenceproof("check", LEASE, "--set", "fenced=false", "--out", ".", "--quiet").code == 1


def replayed(*options: str, text: str = STORE) -> Ran:
    model_file(text, "store.py")
    return fenceproof("replay", TRACE, "--model", LEASE, "--quiet", "--against", *options)


def line_of(text: str, words: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), start=1) if words in line)


@pytest.mark.parametrize("name", ["store.py", "store.py:Store", "store:Store"])
def test_a_trace_of_any_model_runs_on_an_adapter_with_the_models_parameters(name: str) -> None:
    ran = replayed(name)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1] == f"{name}: did the same in all 5 steps."


def test_the_first_divergence_names_step_event_field_both_values_and_the_command() -> None:
    right = "            if (self.token[args['client']] or 0) < self.written:\n                return 'reject:stale'\n"
    ran = replayed("store.py", text=STORE.replace("        else:\n", f"        else:\n{right}"))
    assert (ran.code, ran.err) == (
        5,
        "fenceproof: store.py diverges from the model at step 5 of 5, write(client=0):\n"
        "    outcome: expected 'accept', got 'reject:stale'\n"
        f"    To see it again: fenceproof replay {TRACE} --model {LEASE} --quiet --against store.py\n",
    )
    ran = replayed("store.py", text=STORE.replace("self.holder = None\n        else", "pass\n        else"))
    assert ran.code == 5
    assert "at step 2 of 5, expire():\n    holder: expected None, got 0\n" in ran.err
    ran = replayed("store.py", text=STORE.replace("self.granted, self.holder", "self.granted, self.holdr", 1))
    assert "store.py raised AttributeError in snapshot" in ran.err


def test_a_wrong_beginning_is_told_as_that() -> None:
    ran = replayed("store.py", text=STORE.replace("None, 0\n", "1, 0\n"))
    assert ran.code == 5
    assert "store.py diverges from the model after reset:\n    holder: expected None, got 1\n" in ran.err


BROKEN: list[tuple[str, str, str, str]] = [
    ("self.written = self.token", "1 / 0; self.written = self.token", "1 / 0", "raised ZeroDivisionError in apply"),
    ('return "accept"', "return 7", "def apply", "returned 7 from apply, of the type int"),
    ("list(self.token)", "set(self.token)", "def snapshot", "returned from snapshot what is not JSON: token is a set"),
    ("list(self.token)", "self.token", "def snapshot", "changes a snapshot that it has returned: token[0] was None"),
    ("self.holder = None\n        else", "import time; time.sleep(600)\n        else", "time.sleep", "hangs: apply"),
    ("self.granted, self.holder, self.written = 0, None, 0", "self.__dict__.setdefault('granted', 0); "
     "self.holder = None; self.written = self.granted", "def reset", "keeps state across reset: written is 2 now"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "place", "words"), BROKEN)
def test_a_broken_adapter_is_one_message_with_its_line_and_no_divergence(
    old: str, new: str, place: str, words: str
) -> None:
    text = STORE.replace(old, new)
    ran = replayed("store.py", "--patience", "3", text=text)
    assert ran.code == 2
    assert ran.err.startswith(f"fenceproof: store.py:{line_of(text, place)}: store.py {words}"), ran.err
    assert "Traceback" not in ran.err


def test_a_server_of_an_adapter_that_hangs_is_ended() -> None:
    text = (
        STORE
        + """
class Served(Store):
    def __init__(self):
        import subprocess
        self.server = subprocess.Popen(["sleep", "600"])
        print(self.server.pid, file=open("pid", "w"), flush=True)

    def apply(self, event):
        return str(self.server.wait())

    def close(self):
        self.server.kill()
        self.server.wait()
"""
    )
    ran = replayed("store.py:Served", "--patience", "3", text=text)
    assert (ran.code, "hangs: apply has not come back after 3 s." in ran.err) == (2, True)
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path("pid").read_text()), 0)


def test_an_interrupt_ends_the_run_and_what_the_adapter_started() -> None:
    hangs = "def reset(self, parameters):\n        print('here', flush=True); import time; time.sleep(600)"
    text = STORE.replace("def reset(self, parameters):", hangs)
    text += "\n    def close(self):\n        open('closed', 'w')\n"
    model_file(text, "store.py")
    command = [*FENCEPROOF, "replay", TRACE, "--model", str(LEASE), "--against", "store.py", "--patience", "600"]
    with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "here\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == "\nfenceproof: interrupted.\n"
        assert process.wait(timeout=60) == 130
    assert Path("closed").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["memroy"], "Did you mean memory?"),
        (["store.py:Stor"], "Did you mean Store?"),
        (["store.py", "--as", "fenced"], "store.py is an adapter of your own"),
        (["store.py", "--url", "sqlite:///a.db"], "store.py is an adapter of your own"),
        (["store.py", "--patience", "0"], "--patience"),
        (["store.py", "--patience", "nan"], "--patience nan is not a number of seconds"),
        (["store.py", "--patience", "1e10"], "--patience 1e+10 is more than 4,000,000 seconds"),
        (["sqlite"], "the sqlite reference is a planner of the epoch-fence protocol, and this model is not one."),
    ],
)
def test_wrong_options_are_refused_before_anything_is_printed(options: list[str], words: str) -> None:
    assert words in replayed(*options).message


@pytest.mark.parametrize("option", [["--url", "sqlite:///a.db"], ["--patience", "3"]])
def test_an_option_of_an_implementation_asks_for_one(option: list[str]) -> None:
    message = fenceproof("replay", TRACE, "--model", LEASE, *option).message
    assert f"{option[0]} is about an implementation, and none is named. Add --against." in message


@pytest.fixture(name="ghost")
def _ghost() -> str:
    """The trace of a ghost write."""
    fenceproof("check", "last-writer", "--faults", "delay", "--property", "no-ghost", "--out", ".", "--quiet")
    return "last-writer-no-ghost.json"


def test_the_ghost_runs_on_sqlite_and_leaves_nothing_behind(ghost: str, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    where = {"TMPDIR": str(tmp_path / "temporary")}
    ran = fenceproof("replay", ghost, "--against", "sqlite", "--quiet", environment=where)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1] == "sqlite: did the same in all 4 steps."
    ran = fenceproof("replay", ghost, "--against", "sqlite", "--as", "fenced", "--quiet", environment=where)
    assert (ran.code, "expected 'commit', got 'reject:stale'" in ran.err) == (5, True)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_the_ghost_runs_on_postgres(ghost: str, postgres: Cluster) -> None:
    url = postgres.new_database()
    ran = fenceproof("replay", ghost, "--against", "postgres", "--url", url, "--quiet")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1] == "postgres: did the same in all 4 steps."
    named = {"FENCEPROOF_URL": url}
    ran = fenceproof("replay", ghost, "--against", "postgres", "--as", "fenced", "--quiet", environment=named)
    assert (ran.code, "expected 'commit', got 'reject:stale'" in ran.err) == (5, True)


def test_a_server_that_cannot_be_reached_is_one_message(ghost: str) -> None:
    message = fenceproof("replay", ghost, "--against", "postgres", "--url", "postgresql://127.0.0.1:1/none").message
    assert message.startswith(
        "fenceproof: postgres: the database postgresql+psycopg://127.0.0.1:1/none cannot be used: "
    )


def test_what_an_adapter_prints_is_not_mixed_with_the_report() -> None:
    ran = replayed("store.py", text="print('loaded')\n" + STORE.replace("args = ", "print('applied'); args = "))
    assert (ran.code, ran.err) == (0, "loaded\n" + "applied\n" * 5)
    assert len(ran.out.splitlines()) == 2


#: Text of the store that is replaced, by what, and what is said of it.
WORSE = [
    (
        "            self.holder = None\n        else",
        "            import os; os._exit(0)\n        else",
        "raised SystemExit in apply: 0",
    ),
    (
        "            self.holder = None\n        else",
        "            raise KeyboardInterrupt\n        else",
        "raised KeyboardInterrupt in apply",
    ),
    ('return "accept"', "return Odd()", "returned <Odd, whose repr raises RuntimeError> from apply"),
    ('return "accept"', "raise Mute", "raised Mute in apply.\n"),
    (
        "def snapshot(self):",
        "close = property(lambda self: 1 / 0)\n\n    def snapshot(self):",
        "raised ZeroDivisionError in close",
    ),
]
ODD = """
class Odd:
    def __repr__(self):
        raise RuntimeError("no")


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no")

"""


@pytest.mark.parametrize(("old", "new", "words"), WORSE)
def test_what_would_end_the_run_or_cannot_be_shown_is_said_in_one_message(old: str, new: str, words: str) -> None:
    assert STORE.count(old) == 1
    ran = replayed("store.py", text=ODD + STORE.replace(old, new))
    assert ran.code == 2 and words in ran.err and "store.py:" in ran.err and "internal" not in ran.err, ran


def test_a_value_of_any_size_is_shown_shortly() -> None:
    ran = replayed("store.py", text=STORE.replace('return "accept"', 'return "x" * 10_000_000'))
    assert ran.code == 5 and len(ran.err) < 3000 and "xxx…" in ran.err

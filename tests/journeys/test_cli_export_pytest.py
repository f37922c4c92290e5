"""`fenceproof export TRACE --format pytest`: the file that is written, run by pytest; and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import ENVIRONMENT, Ran, fenceproof, model_file
from fenceproof.checker import check
from fenceproof.model.trace import to_json
from fenceproof.specs.variants import VARIANTS

LEASE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "lease.py"
#: A lock service with a store, which checks tokens or not.
STORE = """
class Store:
    checks = True

    def reset(self, parameters):
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
        elif self.checks and self.token[args["client"]] < self.written:
            self.token[args["client"]] = None
            return "reject:stale"
        else:
            self.written = self.token[args["client"]]
            return "accept"

    def snapshot(self):
        return {"written": self.written}


class Trusting(Store):
    checks = False
"""


@pytest.fixture(name="ghost", scope="module")
def _ghost() -> str:
    result = check(VARIANTS["last-writer"].model, faults={"delay": 1}, properties=["no-ghost"])
    trace = result.properties[0].trace
    assert trace is not None
    return json.dumps(to_json(result.system, trace, "last-writer", "no-ghost"))


@pytest.fixture(autouse=True)
def _saved(ghost: str, _in_a_folder_of_its_own: None) -> None:  # pyright: ignore[reportUnusedFunction]
    Path("ghost.json").write_text(ghost)


def exported(*options: str | Path, trace: str = "ghost.json") -> Ran:
    return fenceproof("export", trace, "--format", "pytest", *options)


def ran_by_pytest(*paths: str) -> Ran:
    """What pytest says of files, one after another."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        os.devnull,
        "--rootdir",
        ".",
        *paths,
    ]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=120, check=False)
    return Ran(done.returncode, done.stdout, done.stderr)


def test_the_test_of_the_ghost_write_passes_on_the_fenced_planner_and_fails_on_the_last_writer() -> None:
    assert exported("--against", "memory", "--out", "test_fenced.py") == Ran(0, "", "")
    assert exported("--against", "memory", "--as", "last-writer", "--out", "test_last.py") == Ran(0, "", "")
    passed, failed = ran_by_pytest("test_fenced.py"), ran_by_pytest("test_last.py")
    assert passed.code == 0
    assert "1 passed" in passed.out
    assert failed.code == 1
    assert "expected the outcome 'reject:stale', got 'commit'. The property no-ghost: No success commits" in failed.out


def test_without_an_implementation_it_drives_the_reference_and_says_so() -> None:
    ran = exported()
    assert ran.code == 0
    assert "the test drives the reference in memory. Name your own" in ran.err
    assert '"""last-writer violates no-ghost; what fenced does instead.' in ran.out
    assert "4. deliver(call=0, kind=success, epoch=1): reject:stale; with last-writer commit\n" in ran.out
    assert [line for line in ran.out.splitlines() if "import" in line and "fenceproof" in line] == [
        "from fenceproof.specs.reference.memory import Memory"
    ]


def test_an_adapter_in_a_file_is_found_from_where_the_test_is() -> None:
    fenceproof("check", LEASE, "--set", "fenced=false", "--out", ".", "--quiet")
    model_file(STORE, "store.py")
    Path("tests").mkdir()
    for name, code in (("Store", 0), ("Trusting", 1)):
        options = ("--model", LEASE, "--set", "fenced=true", "--against", f"store.py:{name}")
        ran = exported(*options, "--out", f"tests/test_{name}.py", trace="lease-never-backwards.json")
        assert ran == Ran(0, "", "")
        assert "fenceproof" not in "".join(
            line for line in Path(f"tests/test_{name}.py").read_text().splitlines() if "import" in line
        )
        assert ran_by_pytest(f"tests/test_{name}.py").code == code


def test_a_model_without_a_safeguard_is_held_against_the_same_with_it() -> None:
    payments = LEASE.with_name("payments.py")
    fenceproof("check", payments, "--without", "once", "--out", ".", "--quiet")
    model_file(STORE, "store.py")
    options = ("--model", payments, "--against", "store.py:Store")
    ran = exported(*options, trace="payments-no-more-than-was-sent.json")
    assert (ran.code, ran.err) == (0, "")
    assert "ignored; with" in ran.out


def test_names_with_quotes_and_line_breaks_stay_text() -> None:
    model_file(
        '''
from fenceproof.model import Model, Choice, action, invariant, terminal


class Odd(Model):
    def __init__(self, ok: bool = False) -> None:
        self.ok = ok
        self.said = Choice("", '"""\\\\ \\n\\u2028\\'é')

    @action
    def speak(self) -> str:
        if not self.ok:
            self.said = '"""\\\\ \\n\\u2028\\'é'
        return '"""' if self.ok else "\\n\\'"

    @invariant(name='quiet """\\\\')
    def quiet(self) -> bool:
        """Nothing \\"\\"\\" is said\\\\"""
        return self.said == ""

    @terminal
    def over(self) -> bool:
        return True
'''
    )
    model_file(
        '''
class Odd:
    def reset(self, parameters):
        pass

    def apply(self, event):
        return '"""'

    def snapshot(self):
        return {"said": ""}
''',
        "odd.py",
    )
    fenceproof("check", "mine.py", "--out", ".", "--quiet")
    (trace,) = (name for name in os.listdir() if name.startswith("mine-"))
    options = ("--model", "mine.py", "--set", "ok=true", "--against", "odd:Odd", "--out", "test_odd.py")
    assert exported(*options, trace=trace) == Ran(0, "", "")
    assert ran_by_pytest("test_odd.py").code == 0


def test_a_file_that_is_there_is_written_over_only_by_force() -> None:
    Path("test_mine.py").write_text("old")
    assert "test_mine.py is there already" in exported("--against", "memory", "--out", "test_mine.py").message
    assert Path("test_mine.py").read_text() == "old"
    assert exported("--against", "memory", "--out", "test_mine.py", "--force") == Ran(0, "", "")
    assert ran_by_pytest("test_mine.py").code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--right", "late-bump"], "late-bump violates no-ghost on these events as well"),
        (["--right", "last-writer"], "last-writer does the same with these events as what violates no-ghost"),
        (["--right", "fencd"], "Did you mean fenced?"),
        (["--right", str(LEASE)], "has not the events of this trace. The action 'dispatch' is not known"),
        (["--against", "postgres"], "Use memory or sqlite, or your own adapter."),
        (["--against", "nothing:Adapter"], "there is no module nothing"),
        (["--against", "store.py"], "store.py names no class. Write store.py:Adapter"),
        (["--against", "memory", "--as", "fencd"], "Did you mean fenced?"),
        (["--depth", "3"], "--depth has no meaning with --format pytest"),
        (["--faults", "none"], "--faults has no meaning with --format pytest"),
        (["--set", "calls=many"], "calls"),
    ],
)
def test_what_cannot_be_done_is_refused(options: list[str], said: str) -> None:
    model_file(STORE.replace("class Trusting", "class _Trusting").partition("class _Trusting")[0], "store.py")
    assert said in exported(*options, "--out", "test_no.py").message
    assert not Path("test_no.py").exists()


def test_a_divergence_that_was_saved_becomes_a_test_that_fails_on_what_diverged() -> None:
    held = fenceproof("conform", "fenced", "--against", "memory", "--as", "last-writer", "--faults", "delay")
    assert held.code == 5
    saved = held.err.splitlines()[0].removeprefix("trace saved: ")
    assert exported("--against", "memory", "--out", "test_right.py", trace=saved) == Ran(0, "", "")
    assert exported("--against", "memory", "--as", "last-writer", "--out", "test_wrong.py", trace=saved).code == 0
    assert ran_by_pytest("test_right.py").code == 0
    failed = ran_by_pytest("test_wrong.py")
    assert failed.code == 1
    assert "fenced does something else." in failed.out


def test_two_folders_with_neighbours_of_the_same_name_are_each_tested_by_their_own() -> None:
    fenceproof("check", LEASE, "--set", "fenced=false", "--out", ".", "--quiet")
    for folder, checks in (("one", False), ("two", True)):
        Path(folder).mkdir()
        model_file(STORE.replace("checks = True", f"checks = {checks}"), f"{folder}/planner.py")
        Path(folder, "adapter.py").write_text("from planner import Store\n\n\nclass Adapter(Store):\n    pass\n")
        options = ("--model", LEASE, "--set", "fenced=true", "--against", f"{folder}/adapter.py:Adapter")
        ran = exported(*options, "--out", f"{folder}/test_{folder}.py", trace="lease-never-backwards.json")
        assert ran == Ran(0, "", "")
    for order in (("two/test_two.py", "one/test_one.py"), ("one/test_one.py", "two/test_two.py")):
        both = ran_by_pytest(*order)
        assert "1 failed, 1 passed" in both.out
        assert "FAILED one/test_one.py" in both.out


def test_a_trace_that_violates_nothing_has_no_other_design_beside_it_and_some_steps() -> None:
    right = {**json.loads(Path("ghost.json").read_text()), "property": None}
    Path("ghost.json").write_text(json.dumps(right))
    said = "says of no property that it violates it: what it does is right. Leave --right and --set away."
    assert said in exported("--against", "memory", "--right", "fenced").message
    assert said in exported("--against", "memory", "--set", "calls=1").message
    Path("ghost.json").write_text(json.dumps({**right, "steps": []}))
    assert "has no steps" in exported("--against", "memory").message


def test_other_formats_have_no_use_for_the_options_of_a_test() -> None:
    said = fenceproof("export", "fenced", "--format", "chc", "--right", "fenced").message
    assert "--right has no meaning with --format chc. Leave it away." in said

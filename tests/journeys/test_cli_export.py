"""`fenceproof export` as a person and a pipeline use it: what is refused and how, streams, files, interrupts."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from pathlib import Path

import pytest
from command import ENVIRONMENT, FENCEPROOF, RESTS, fenceproof, model_file
from fenceproof.checker.export import FORMATS

ROOT = Path(__file__).resolve().parents[2]
LEASE = ROOT / "docs" / "examples" / "lease.py"
LEAPS = RESTS.replace("self.n = 1\n", "self.n += 5\n")
ENDS = (
    RESTS.replace("action, terminal", "action, eventually, terminal, weak")
    + """
    @eventually(fair=[weak("*")])
    def ends(self) -> bool:
        return self.n == 1
"""
)
#: A model whose making is interrupted, as by Ctrl-C.
INTERRUPTED = RESTS.replace(
    "        self.n = Range", "        os.kill(os.getpid(), signal.SIGINT)\n        self.n = Range"
).replace(
    "class Rests",
    "import os\nimport signal\n\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n\n\nclass Rests",
)
#: Interrupts the moment at which what was written takes the file's place.
INTERRUPTED_LATE = RESTS.replace(
    "class Rests",
    """import os
import signal

signal.signal(signal.SIGINT, signal.default_int_handler)


def ended(*files: str) -> None:
    os.kill(os.getpid(), signal.SIGINT)


os.replace = ended


class Rests""",
)


#: How the lines of a file's comment begin; those that are not here are for solvers.
BEGINS = {"promela": (" * ", "/*\n"), "tla": ("\\* ", "---- MODULE "), "quint": ("// ", "// Quint: ")}
#: The formats with a digest, which is of what solvers are asked.
FOR_SOLVERS = [name for name in FORMATS if name not in BEGINS]


def comment(name: str, text: str) -> str:
    """The comment's lines, without what each begins with."""
    mark, _ = BEGINS.get(name, ("; ", ""))
    return "".join(line.removeprefix(mark) for line in text.splitlines(keepends=True) if line.startswith(mark))


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_the_only_thing_on_standard_output(name: str) -> None:
    ran = fenceproof("export", LEASE, "--format", name)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(BEGINS[name][1] if name in BEGINS else "; ")
    assert ran.out.endswith("\n")
    assert "lease.py (Lease)\n" in comment(name, ran.out)


@pytest.mark.parametrize("name", FOR_SOLVERS)
def test_the_digest_is_that_of_everything_but_comments(name: str) -> None:
    text = fenceproof("export", LEASE, "--format", name).out
    (digest,) = re.findall(r"^; sha256 of what is no comment .*: ([0-9a-f]{64})$", text, re.MULTILINE)
    rest = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(";"))
    assert digest == hashlib.sha256(rest.encode()).hexdigest()


def test_the_digest_tells_models_apart_that_differ_in_their_last_initial_state() -> None:
    wide = RESTS.replace("Range(0, most)", "Range(0, 40, start=choose(range(most)))").replace(
        "Model, ", "Model, choose, "
    )
    model_file(wide)
    one, other = (fenceproof("export", "mine.py", "--set", f"most={n}", "--format", "btor2").out for n in (30, 31))
    found = re.findall("[0-9a-f]{64}", one + other)
    assert len(found) == len(set(found)) == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--format", "chc", "--property", "never_backward"],
            "'never_backward' is not known. Did you mean never_backwards",
        ),
        (
            ["--format", "btor2", "--depth", "5"],
            "--depth has no meaning with btor2, which asks about any number of steps",
        ),
        (["--format", "smtlib", "--depth", "0"], "0 is not in the range 1<=x<=10000"),
        (["--format", "smtlib", "--depth", "-3"], "-3 is not in the range"),
        (["--format", "smtlib", "--depth", "many"], "'many' is not a valid integer"),
        (["--format", "nusmv"], "'nusmv' is not one of 'smtlib', 'chc', 'vmt', 'btor2'"),
        ([], "Missing option '--format'"),
        (["--format", "chc", "--out", "no/such"], "no/such cannot be written: No such file or directory"),
        (["--format", "chc", "--out", "."], ". is a folder. Name a file: --out model.txt"),
        (["--format", "chc", "--out", "/dev/full"], "/dev/full cannot be written: No space left on device"),
        (["--format", "chc", "--without", "nothing"], "nothing"),
        (["--format", "chc", "--set", "clients=many"], "clients"),
    ],
)
def test_what_cannot_be_done_is_refused(options: list[str], said: str) -> None:
    assert said in fenceproof("export", LEASE, *options).message
    assert os.listdir() == []


def test_an_unknown_target_is_refused_with_the_nearest() -> None:
    assert "'fencd' is not known. Did you mean fenced?" in fenceproof("export", "fencd", "--format", "chc").message


@pytest.mark.parametrize("name", [name for name, made in FORMATS.items() if not made.takes_liveness])
def test_liveness_is_refused_where_it_is_named_and_said_to_be_left_out_where_not(name: str) -> None:
    model_file(ENDS)
    refused = fenceproof("export", "mine.py", "--format", name, "--property", "ends").message
    assert "ends says that something eventually happens" in refused
    assert "`fenceproof check --property ends` does" in refused
    ran = fenceproof("export", "mine.py", "--format", name)
    said = f"fenceproof: {name} asks what can be reached, so this is left out: ends.\n"
    assert (ran.code, ran.err) == (0, said)
    assert "left out, since no bad state decides it: ends\n" in comment(name, ran.out)


def test_a_module_of_tla_in_a_file_of_another_name_is_written_and_its_name_said() -> None:
    model_file(ENDS)
    other, right = (fenceproof("export", "mine.py", "--format", "tla", "--out", f) for f in ("x.tla", "Rests.tla"))
    assert (other.code, right.code, right.err) == (0, 0, "")
    assert (
        other.err == "fenceproof: TLC and Apalache read this module from a file by its name only: call it Rests.tla.\n"
    )
    assert Path("x.tla").read_text() == Path("Rests.tla").read_text()


@pytest.mark.parametrize("name", ["tla", "smtlib", "dot"])
def test_a_saved_trace_in_a_format_of_models_is_refused_with_those_of_traces(name: str) -> None:
    fenceproof("check", LEASE, "--set", "fenced=false", "--out", ".", "--quiet")
    message = fenceproof("export", "lease-never-backwards.json", "--format", name, "--model", LEASE).message
    assert f"is a saved trace, and {name} is a format of a whole model. Of a trace there are itf, json," in message


@pytest.mark.parametrize("name", ["tla", "quint", "promela"])
def test_budgets_of_faults_are_written_in_ascii(name: str) -> None:
    text = fenceproof("export", "last-writer", "--faults", "delay=2", "--format", name, "--property", "no-ghost").out
    assert "faults: delay x2\n" in comment(name, text)


def test_liveness_is_a_formula_where_a_format_has_words_for_it() -> None:
    model_file(ENDS)
    ran = fenceproof("export", "mine.py", "--format", "tla")
    assert (ran.code, ran.err) == (0, "")
    assert "\nends_fairness == WF_vars(" in ran.out
    assert "\nends == ends_fairness => <>(n = 1)\n" in ran.out
    alone = fenceproof("export", "mine.py", "--format", "tla", "--property", "ends")
    assert (alone.code, alone.err) == (0, "")
    assert "\nends == ends_fairness => <>(n = 1)\n" in alone.out
    assert "left out, since others were named: no-deadlock\n" in comment("tla", alone.out)
    other = fenceproof("export", "mine.py", "--format", "tla", "--property", "no-deadlock")
    assert "left out, since others were named: ends\n" in comment("tla", other.out)
    assert "ends ==" not in other.out


def test_a_property_by_name_is_asked_about_alone_and_the_comment_says_which_are_not() -> None:
    ran = fenceproof("export", LEASE, "--format", "btor2", "--property", "never-backwards")
    assert (ran.code, ran.err) == (0, "")
    assert re.findall(r"^\d+ bad \d+ (.*)$", ran.out, re.MULTILINE) == ["never_backwards"]
    assert "; left out, since others were named: holder_has_newest, no-deadlock\n" in ran.out


def test_whether_the_model_goes_wrong_is_asked_about_where_it_can() -> None:
    model_file(LEAPS)
    asked = fenceproof("export", "mine.py", "--format", "btor2")
    assert (asked.code, asked.err) == (0, "")
    assert re.findall(r"^\d+ bad \d+ (.*)$", asked.out, re.MULTILINE) == ["no-deadlock", "model-error"]
    assert "; steps in which the model goes wrong: asked about; such a step changes nothing else\n" in asked.out
    left_out = fenceproof("export", "mine.py", "--format", "btor2", "--property", "no-deadlock").out
    assert "; left out, since others were named: model-error\n" in left_out
    assert "; steps in which the model goes wrong: left out; nothing comes after them\n" in left_out
    cannot = fenceproof("export", LEASE, "--format", "btor2").out
    assert "; steps in which the model goes wrong: there are none, since nothing in it can\n" in cannot


def test_the_depth_is_what_was_asked_for_and_twenty_where_nothing_was() -> None:
    for options, steps in (([], 20), (["--depth", "1"], 1), (["--depth", "7"], 7)):
        text = fenceproof("export", LEASE, "--format", "smtlib", *options).out
        assert f"within {steps} step" in text.splitlines()[0]
        assert text.count("(assert (step ") == steps


def test_a_file_is_written_whole_and_nothing_is_printed() -> None:
    printed = fenceproof("export", LEASE, "--format", "vmt").out
    Path("old.vmt").write_text("old")
    Path("link.vmt").symlink_to("old.vmt")
    for name in ("new.vmt", "old.vmt", "link.vmt"):
        ran = fenceproof("export", LEASE, "--format", "vmt", "--out", name, "--force")
        assert (ran.code, ran.out, ran.err) == (0, "", "")
        assert Path(name).read_text() == printed
    assert Path("link.vmt").is_symlink()
    assert sorted(os.listdir()) == ["link.vmt", "new.vmt", "old.vmt"]
    mask = os.umask(0)
    os.umask(mask)
    assert Path("new.vmt").stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_device_stays_one() -> None:
    ran = fenceproof("export", LEASE, "--format", "vmt", "--out", "/dev/null")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("text", [INTERRUPTED, INTERRUPTED_LATE], ids=["while made", "while written"])
def test_an_interrupt_leaves_what_was_there(text: str) -> None:
    model_file(text)
    Path("out.txt").write_text("old")
    ran = fenceproof("export", "mine.py", "--format", "btor2", "--out", "out.txt", "--force")
    assert (ran.code, ran.out, ran.err) == (130, "", "\nfenceproof: interrupted.\n")
    assert Path("out.txt").read_text() == "old"
    assert sorted(name for name in os.listdir() if name != "__pycache__") == ["mine.py", "out.txt"]


@pytest.mark.parametrize("name", FORMATS)
def test_a_closed_pipe_and_a_full_disk_end_it_without_a_word_too_many(name: str) -> None:
    command = [*FENCEPROOF, "export", str(LEASE), "--format", name]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, env=ENVIRONMENT, stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(writing)
    assert (done.stderr, done.returncode) == (b"", 141)
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, env=ENVIRONMENT, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr == b"fenceproof: the output cannot be written: No space left on device.\n"


def test_what_a_model_prints_is_no_part_of_the_export() -> None:
    model_file(RESTS.replace("class Rests", 'print("1 sort bitvec 1")\n\n\nclass Rests'))
    ran = fenceproof("export", "mine.py", "--format", "btor2")
    assert (ran.code, ran.err) == (0, "1 sort bitvec 1\n")
    assert ran.out.startswith("; BTOR2")


def test_two_runs_write_the_same() -> None:
    arguments = ("export", "fenced", "--epochs", "2", "--most-faults", "1", "--format", "chc")
    assert fenceproof(*arguments, environment={"PYTHONHASHSEED": "1"}).out == (
        fenceproof(*arguments, environment={"PYTHONHASHSEED": "2"}).out
    )

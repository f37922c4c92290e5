"""`fenceproof recheck` as a person runs it: a certificate that is right, one that is not, and what is none."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from certificates import GATE, INVARIANT, NAMES, QUEUE, gate, with_invariant
from command import ENVIRONMENT, FENCEPROOF, fenceproof
from fenceproof.checker.certificate.asking import Answer, Said
from fenceproof.checker.certificate.core import core_of
from fenceproof.checker.certificate.document import digest, identity_of, part_of, signed, whole
from fenceproof.checker.certificate.solvers import SOLVERS
from fenceproof.checker.result import Independence
from fenceproof.checker.targets import build, find
from fenceproof.model.lift import lift

SCHEMA = json.loads(files("fenceproof.checker").joinpath("report/recheck.schema.json").read_text())
VALIDATOR: Any = jsonschema.Draft202012Validator(SCHEMA)


@pytest.fixture
def document() -> Any:
    made = with_invariant(gate(), INVARIANT)
    Path("cert.json").write_text(json.dumps(made))
    return made


def resigned(document: Any, **changes: Any) -> None:
    changed = {**document, **changes}
    Path("cert.json").write_text(json.dumps({**changed, "digest": digest(changed)}))


@pytest.mark.usefixtures("document")
def test_a_certificate_is_accepted_by_three_solvers_against_the_model() -> None:
    ran = fenceproof("recheck", "cert.json", "--model", "gate.py")
    assert (ran.code, ran.err) == (0, "")
    assert "model: derived again from gate.py" in ran.out
    for name, solver in SOLVERS.items():
        assert f"{name} {solver.version}: accepted, 11 of 11 obligations" in ran.out


@pytest.mark.usefixtures("document")
def test_without_a_model_what_is_trusted_is_said_and_no_file_is_run() -> None:
    Path("gate.py").write_text("raise SystemExit('it was run')")
    ran = fenceproof("recheck", "cert.json", "--solver", "bitwuzla", "--json")
    found = json.loads(ran.out)
    VALIDATOR.validate(found)
    assert (ran.code, found["verdict"], found["model_from"], found["reason"]) == (0, "accepted", None, None)
    assert [solver["name"] for solver in found["parts"][0]["solvers"]] == ["bitwuzla"]
    assert len(found["not_checked"]) == 4
    lines = fenceproof("recheck", "cert.json", "--solver", "z3").out.splitlines()
    for nothing in found["not_checked"]:
        assert f"not checked: {nothing}" in lines
    assert any(line.startswith("model: trusted as the certificate holds it") for line in lines)
    # What is accepted is the system that is embedded, and nothing that the certificate calls it.
    assert lines[-1] == "cert.json: accepted, of the system that it holds"
    said = [line for line in lines if "Parameters" in line or "Faults" in line or "Behaviours" in line]
    assert len(said) == 3
    assert all(line.startswith("    so the certificate says, and it was not compared: ") for line in said)
    assert not any(line.startswith("epochs=4") for line in lines)


@pytest.mark.usefixtures("document")
def test_held_against_its_model_nothing_is_taken_on_its_word() -> None:
    ran = fenceproof("recheck", "cert.json", "--model", "gate.py", "--solver", "z3")
    assert (ran.code, "not checked" in ran.out, "so the certificate says" in ran.out) == (0, False, False), ran.out
    assert ran.out.splitlines()[-1] == "cert.json: accepted"
    found = json.loads(fenceproof("recheck", "cert.json", "--model", "gate.py", "--solver", "z3", "--json").out)
    VALIDATOR.validate(found)
    assert (found["verdict"], found["not_checked"]) == ("accepted", [])


def test_what_a_certificate_says_is_no_command_to_copy(document: Any) -> None:
    resigned(document, target="gate.py:; rm -r *")
    assert "--model 'gate.py:; rm -r *'" in fenceproof("recheck", "cert.json", "--solver", "z3").out


def test_a_logic_in_the_words_of_a_model_is_not_that_of_the_questions() -> None:
    text = GATE.replace("def bump(self)", "def bump(self, word: str)").replace(
        "self.done = Range", 'self.words = ["(set-logic NONE)"]\n        self.done = Range'
    )
    Path("words.py").write_text(text.replace("@action\n    def bump", '@action(word="words")\n    def bump'))
    ran = fenceproof("prove", "words.py", "--property", "done_within_fence", "--out", "words.json")
    assert ran.code == 0, ran.err
    assert fenceproof("recheck", "words.json", "--model", "words.py").code == 0


#: A model that can go wrong, so that its text says where: `n` may leave its range.
CLIMBS = """
from fenceproof.model import Model, Range, action, invariant, require


class Climbs(Model):
    def __init__(self) -> None:
        self.n = Range(0, 3)
        self.up = Range(0, 1)

    @action
    def climb(self) -> None:
        require(self.up == 0 or self.n < 0)
        self.n = self.n + self.up

    @invariant
    def low(self) -> bool:
        return self.n <= 2
"""


def test_a_model_that_was_commented_renamed_or_moved_is_the_same_model() -> None:
    Path("climbs.py").write_text(CLIMBS)
    assert fenceproof("prove", "climbs.py", "--property", "low", "--quiet", "--out", "climbs.json").code == 0
    Path("away").mkdir()
    Path("away/other.py").write_text(CLIMBS.replace("class", '"""Said since."""\n\n\nclass'))
    ran = fenceproof("recheck", "climbs.json", "--model", "away/other.py", "--solver", "z3")
    assert (ran.code, ran.err) == (0, ""), ran


def test_of_a_model_that_was_changed_the_first_line_that_differs_is_shown() -> None:
    Path("climbs.py").write_text(CLIMBS)
    assert fenceproof("prove", "climbs.py", "--property", "low", "--quiet", "--out", "climbs.json").code == 0
    Path("climbs.py").write_text(CLIMBS.replace("Range(0, 3)", "Range(0, 4)"))
    ran = fenceproof("recheck", "climbs.json", "--model", "climbs.py", "--solver", "z3")
    assert (ran.code, ran.out) == (70, "")
    assert "refused: it is not of this model" in ran.err
    assert "    the model        n: Range(0, 4)\n    the certificate  n: Range(0, 3)\n" in ran.err


def test_that_copies_share_nothing_is_no_finding_where_only_the_certificate_says_so() -> None:
    gate()
    system = lift(build(find("gate.py"), {"epochs": "1"}))
    shared = Independence("epochs", 4, (2, 3))
    part, _ = part_of(identity_of(system, shared), core_of(system, NAMES), INVARIANT)
    accepted = [Answer("cvc5", "99.9", Said.ACCEPTED, "", 1, 1, 0.0)]
    Path("cert.json").write_text(json.dumps(signed(whole("gate.py", system.name, [part]), accepted)))
    ran = fenceproof("recheck", "cert.json", "--solver", "z3")
    assert (ran.code, "any number" in ran.out, "99.9" in ran.out) == (0, False, False), ran.out
    assert "not checked: whether copies share nothing" in ran.out
    assert "so the certificate says, and it was not compared: epochs share nothing" in ran.out
    found = json.loads(fenceproof("recheck", "cert.json", "--solver", "z3", "--json").out)
    assert found["parts"][0]["independence_compared"] is False
    assert "epochs share nothing" in fenceproof("recheck", "cert.json", "--model", "gate.py").err


def test_a_wrong_proof_is_refused_with_the_obligation_that_fails() -> None:
    Path("cert.json").write_text(json.dumps(with_invariant(gate(), INVARIANT[1:])))
    ran = fenceproof("recheck", "cert.json", "--model", "gate.py")
    assert ran.code == 70
    assert "z3" in ran.out
    assert "refused" in ran.out
    assert "done_within_fence holds in every state of the invariant, and can be judged there) does not hold" in ran.out
    found = json.loads(fenceproof("recheck", "cert.json", "--json").out)
    VALIDATOR.validate(found)
    assert (found["verdict"], found["reason"], found["parts"][0]["solvers"][0]["said"]) == ("refused", None, "refused")


def test_what_was_changed_is_refused_with_exit_70_and_a_message(document: Any) -> None:
    Path("cert.json").write_text(json.dumps({**document, "model": "Fence"}))
    ran = fenceproof("recheck", "cert.json")
    assert (ran.code, ran.out) == (70, "")
    assert "the digest is not that of the certificate" in ran.err
    ran = fenceproof("recheck", "cert.json", "--json")
    found = json.loads(ran.out)
    VALIDATOR.validate(found)
    assert (ran.code, found["verdict"], found["model_from"], found["parts"]) == (70, "refused", None, [])
    assert found["reason"] in ran.err
    assert found["reason"].startswith("the digest is not that of the certificate")
    resigned(document, target="fenced")
    assert "it is about the model 'Gate'" in fenceproof("recheck", "cert.json").err
    resigned(document, target="no-such-design")
    assert "neither a shipped design nor a Python file" in fenceproof("recheck", "cert.json").message


@pytest.mark.usefixtures("document")
def test_another_model_is_a_refusal_and_none_at_all_a_mistake_of_the_call() -> None:
    gate(GATE.replace("class Gate", "class Fence"), "other.py")
    for model in ("fenced", "other.py"):
        ran = fenceproof("recheck", "cert.json", "--model", model)
        assert (ran.code, ran.out) == (70, "")
        assert f"refused: it is about the model 'Gate', and {model} is " in ran.err
    Path("later.py").write_text(GATE.replace("epochs", "until"))
    ran = fenceproof("recheck", "cert.json", "--model", "later.py")
    assert (ran.code, "refused: later.py cannot be made as it says" in ran.err) == (70, True)
    Path("slip.py").write_text(GATE.replace("self.fence += 1", "print(self.fence)"))
    Path("stops.py").write_text(GATE.replace("self.epochs = epochs", "self.epochs = epochs // 0"))
    for model, words in (
        ("none.py", "there is no file none.py"),
        ("fencd", "Did you mean fenced?"),
        ("slip.py", "slip.py:1"),
        ("stops.py", "ZeroDivisionError"),
    ):
        assert words in fenceproof("recheck", "cert.json", "--model", model).message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON (Expecting value); the file may be cut short, so it is no certificate"),
        (b"[1, 2", "; the file may be cut short"),
        (b'{"a": "b', "; the file may be cut short"),
        (b"import math\n", "cert.json:1: not JSON (Expecting value), so it is no certificate."),
        (b"\xef\xbb\xbf{}", "the file begins with a byte order mark, which JSON has not. Save it as UTF-8"),
        (b"[1, 2]", "a JSON object"),
        (b"\xff\xfe", "not text"),
        (b'{"a": 1, "a": 2}', "stands twice"),
        (b'{"a": NaN}', "NaN is not a whole number"),
        (b'{"a": 1.5}', "1.5 is not a whole number"),
        (b'{"a": ' + b"9" * 5000 + b"}", "larger than any"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[" * 50 + b"]" * 50, "nested too deeply"),
        (b'{"a": "\\ud800"}', "half of a character"),
        (b'{"format": "fenceproof-trace"}', "its format is 'fenceproof-trace'"),
        (b'{"format": "fenceproof-certificate", "version": 2}', "has version 2"),
        (b'{"format": "fenceproof-certificate", "version": true}', "has version True"),
        (b'{"format": "fenceproof-certificate", "version": 1}', "has no 'target'"),
        (b" " * (64 * 2**20 + 1), "too long for a certificate"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_what_is_no_certificate_is_refused_with_one_message(content: bytes, message: str) -> None:
    Path("cert.json").write_bytes(content)
    assert message in fenceproof("recheck", "cert.json").message


def test_a_python_file_is_said_to_be_one() -> None:
    gate()
    assert "gate.py: this is a Python file, and not a certificate" in fenceproof("recheck", "gate.py").message


def test_what_is_no_file_is_refused_before_it_is_opened() -> None:
    Path("folder").mkdir()
    os.mkfifo("pipe")
    for path, words in (
        ("folder", "a folder"),
        ("pipe", "a pipe"),
        ("/dev/zero", "a device"),
        ("/dev/full", "a device"),
    ):
        assert f"{path}: this is {words}, and a certificate is a file." in fenceproof("recheck", path).message
    assert "cannot be read" in fenceproof("recheck", "none.json").message


@pytest.mark.usefixtures("document")
@pytest.mark.parametrize("time_s", ["0", "nan", "inf", "-1"])
def test_a_time_that_is_none_is_refused(time_s: str) -> None:
    assert "time" in fenceproof("recheck", "cert.json", "--time", time_s).message


@pytest.mark.usefixtures("document")
def test_no_time_is_inconclusive_and_exits_3() -> None:
    ran = fenceproof("recheck", "cert.json", "--solver", "z3", "--time", "0.000001")
    assert ran.code == 3
    assert "could not say, 0 of 11 obligations" in ran.out


def children_of(process: int) -> list[int]:
    """The processes that a process started and that are still there."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


@pytest.mark.usefixtures("document")
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_leaves_no_child_behind() -> None:
    # A solver that never answers stands for one that takes long.
    Path("cvc5.py").write_text("import time\nwhile True:\n    time.sleep(1)\n")
    started = subprocess.Popen(
        [*FENCEPROOF, "recheck", "cert.json", "--solver", "cvc5"],
        env={**ENVIRONMENT, "PYTHONPATH": os.getcwd()},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    children: list[int] = []
    for _ in range(600):
        children = children_of(started.pid)
        if children:
            break
        time.sleep(0.1)
    assert len(children) == 1
    started.send_signal(signal.SIGINT)
    _, err = started.communicate(timeout=60)
    assert (started.returncode, "Traceback" in err) == (130, False)
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)


def test_what_is_proved_of_every_number_is_certified_of_every_number_though_a_trace_has_few() -> None:
    few = "    @invariant\n    def few(self) -> bool:\n        return self.last < 2\n\n    @invariant\n    def drawn"
    Path("queue.py").write_text(QUEUE.replace("    @invariant\n    def drawn", few))
    ran = fenceproof("prove", "queue.py", "--out", "queue.json")
    assert ran.code == 1
    assert "certificate written: queue.json (of never_back, drawn, no-deadlock; " in ran.err
    ran = fenceproof("recheck", "queue.json", "--model", "queue.py")
    assert (ran.code, ran.err) == (0, "")
    steps = json.loads(Path("queue.json").read_text())["parts"][0]["system"]["steps"]
    assert [step["name"] for step in steps] == ["draw()", "serve(number='1..')", "close()"]

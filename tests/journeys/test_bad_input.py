"""Wrong names, wrong numbers, files that are no models: one message that says what to write, exit 2, no traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import RESTS, fenceproof, model_file

SEVERAL = RESTS + "\n\nclass Other(Rests):\n    pass\n"
#: What the action does stands in line 11 of the file.
IN_ACTION = RESTS.replace("self.n = 1\n", "{}['gone']\n")
BY_INDEX = RESTS.replace("self.n = 1\n", "self.n = [0, 1][self.n + 1]\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chek"], "The command 'chek' is not known. Did you mean check or recheck?"),
        (["check", "fencd"], "The target 'fencd' is not known. Did you mean fenced?"),
        (["check", "fenced", "--property", "no-gost"], "The property 'no-gost' is not known. Did you mean no-ghost?"),
        (["check", "fenced", "--faults", "comp-dely"], "'comp-dely' is not known. Did you mean comp-delay"),
        (["check", "fenced", "--set", "cals=2"], "The parameter of fenced 'cals' is not known. Did you mean calls?"),
        (["check", "fenced", "--without", "echo"], "The safeguard 'echo' is not known. Did you mean echo-check?"),
        (["check", "fenced", "--without", "ech"], "The safeguard 'ech' is not known. Did you mean echo-check?"),
        (["check", "fenced", "--propety", "x"], "'--propety'. Did you mean '--property'?"),
        (["check", "fenced", "--tokens", "4"], "--tokens'. A parameter of the model is set by --set tokens=VALUE."),
        (["prove", "fenced", "--engine", "bmc"], "fenceproof check --engine bmc"),
        (["check", "fenced", "--expect", "violated:no-gost"], "'no-gost' is not known. Did you mean no-ghost?"),
        (["check", "fenced", "--engine", "explict"], "explicit"),
        (["check", "fenced", "more"], "unexpected extra argument (more)"),
        (["replay"], "Missing argument 'TRACE'"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(arguments: list[str], words: str) -> None:
    assert words in fenceproof(*arguments).message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--calls", "two"], "calls=two is not a whole number. Write, for example, calls=2."),
        (["--calls", "1", "--set", "calls=2"], "--set calls is given twice"),
        (["--set", "calls"], "--set calls sets nothing. Write --set name=value."),
        (["--calls", "1000000"], "calls=1000000 is not a number from 1 to 8."),
        (["--calls", "9" * 50], "is not a number from 1 to 8."),
        (["--calls", "-1"], "calls=-1 is not a number from 1 to 8."),
        (["--calls", "9" * 5000], "calls="),
        (["--epochs", "0"], "fenceproof/specs/protocol.py:"),
        (["--epochs", "999999999999999999"], "fenceproof/specs/protocol.py:"),
        (["--faults", "delay=x"], "delay=x is not a budget. Write a number from 0 to 1000, or delay=unlimited."),
        (["--faults", "delay=1001"], "delay=1001 is not a budget."),
        (["--most-faults", "-1"], "--most-faults -1 is not a number from 0 to 1000."),
        (["--most-faults", "few"], "'few' is not a valid integer"),
        (["--memory", "lots"], "--memory lots is not a size. Write a number of bytes, or 500M, or 4G."),
        (["--memory", "0"], "--memory 0 is not a size."),
        (["--max-states", "0"], "0 is not in the range"),
        (["--time", "0"], "0.0 is not in the range"),
        (["--time", "nan"], "--time nan is not a number of seconds. Write, for example, --time 60."),
        (["--time", "inf"], "--time inf is more than 4,000,000 seconds, the most that is counted. Leave --time away"),
        (["--time", "1e300"], "--time 1e+300 is more than 4,000,000 seconds"),
        (["--time", "soon"], "'soon' is not a valid float"),
        (["--expect", "success"], "--expect success says nothing. Write --expect holds or --expect violated:NAME"),
        (["--out", "file"], "file"),
    ],
)
def test_a_value_that_is_none_is_refused(options: list[str], words: str) -> None:
    Path("file").write_text("")
    assert words in fenceproof("check", "fenced", *options).message


@pytest.mark.parametrize(
    "command",
    [
        ["prove", "fenced"],
        ["diff", "fenced", "fenced"],
        ["refine", "fenced", "fence"],
        ["compare", "fenced"],
        ["space"],
    ],
    ids=lambda command: command[0],
)
def test_a_time_without_end_is_refused_by_every_command(command: list[str]) -> None:
    for time_s in ("inf", "1e300"):
        assert "Leave --time away for no limit." in fenceproof(*command, "--time", time_s).message


@pytest.mark.parametrize("engine", ["explicit", "bmc", "kinduction", "pdr", "enclose", "all"])
def test_the_longest_time_is_one_that_every_engine_can_count(engine: str) -> None:
    model_file(RESTS)
    ran = fenceproof("check", "mine.py", "--engine", engine, "--time", "4000000", "--quiet")
    assert (ran.code, ran.err) == (3 if engine == "bmc" else 0, ""), ran


@pytest.mark.parametrize(
    "command",
    [["check", ""], ["prove", ""], ["show", ""], ["export", "", "--format", "vmt"], ["diff", "", "fenced"]],
    ids=lambda command: command[0],
)
def test_a_target_without_a_name_is_refused(command: list[str]) -> None:
    assert "The name of a target is empty. Name a shipped variant, as fenced" in fenceproof(*command).message


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["recheck", ""], "'FILE': it is empty. Name a file."),
        (["replay", ""], "'TRACE': it is empty. Name a file."),
        (["prove", "fenced", "--out", ""], "'--out': it is empty. Name a file."),
        (["export", "fenced", "--format", "vmt", "--out", ""], "'--out': it is empty. Name a file."),
        (["check", "fenced", "--out", ""], "'--out': it is empty. Name a folder."),
    ],
    ids=["recheck", "replay", "prove", "export", "check"],
)
def test_a_file_without_a_name_is_refused(command: list[str], words: str) -> None:
    assert words in fenceproof(*command).message


@pytest.mark.parametrize("json_too", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (RESTS.replace("(Model):", "(Model)"), "mine.py:5: ", "this file is not Python: expected ':'."),
        ("x = 1\n", "mine.py:1: ", "there is no model in this file."),
        ("", "mine.py:1: ", "there is no model in this file."),
        (SEVERAL, "mine.py:1: ", "there are 2 models in this file: Rests, Other."),
        ("import math\n\nmath.sqrt(-1)\n", "mine.py:3: ", "ValueError: math domain error"),
        ("import numpie\n", "mine.py:1: ", "ModuleNotFoundError: No module named 'numpie'"),
        (RESTS.replace("Range(0, most)", "Range(0, most // 0)"), "mine.py:7: ", "ZeroDivisionError"),
        (RESTS.replace("Range(0, most)", "Range(1, 0)"), "mine.py:7: ", "Range(1, 0) holds nothing."),
        (RESTS.replace("    @action\n", ""), "mine.py:", "Rests has no action."),
        (RESTS.replace("Range(0, most)", "most"), "mine.py:", "Rests has no state."),
        (RESTS.replace("self.n = 1\n", "print(self.n)\n"), "mine.py:11: ", ""),
    ],
)
def test_a_file_that_is_no_model_is_refused_with_its_line(
    text: str, place: str, words: str, json_too: list[str]
) -> None:
    model_file(text)
    message = fenceproof("check", "mine.py", *json_too).message
    assert message.startswith(f"fenceproof: {place}")
    assert words in message


@pytest.mark.parametrize(
    ("text", "words"), [(IN_ACTION, "KeyError: 'gone'"), (BY_INDEX, "IndexError")], ids=["always", "in one state"]
)
def test_an_exception_inside_an_action_is_a_model_error_with_its_line(text: str, words: str) -> None:
    model_file(text)
    ran = fenceproof("check", "mine.py", "--json")
    assert (ran.code, ran.err) == (2, "")
    error = json.loads(ran.out)["model_error"]
    assert (error["site"], words in error["message"]) == ("mine.py:11", True)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nowhere.py", "there is no file nowhere.py. Name a Python file with a model in it, or a shipped variant."),
        ("folder", "folder is not a Python file."),
        ("folder.py", "there is no file folder.py."),
        ("mine.txt", "mine.txt is not a Python file."),
        ("binary.py", "binary.py:1: this file is not Python"),
        ("mine.py:Rest", "mine.py:1: The model 'Rest' is not known. Did you mean Rests?"),
        ("mine.py:", "mine.py: names no class after its colon. Write mine.py, or mine.py:Class."),
        ("fenced:Rests", "The target 'fenced:Rests' is not known."),
        (":", "The target ':' is not known."),
    ],
)
@pytest.mark.parametrize("command", ["check", "show"])
def test_what_is_no_model_file_is_refused(command: str, target: str, words: str) -> None:
    model_file(RESTS)
    model_file(RESTS, "mine.txt")
    for folder in ("folder", "folder.py"):
        Path(folder).mkdir()
    Path("binary.py").write_bytes(bytes(range(256)) * 8)
    assert words in fenceproof(command, target).message


def test_a_file_that_python_would_read_for_minutes_is_refused_by_its_size() -> None:
    path = str(model_file(RESTS + "#" * (2_000_000 - len(RESTS))))
    assert fenceproof("check", path, "--quiet").code == 0
    Path(path).write_text(RESTS + "#" * (2_000_001 - len(RESTS)))
    assert "has 2,000,001 bytes, and a model file has 2,000,000 at most." in fenceproof("check", path).message


def test_a_variant_may_not_be_taken_for_a_file_of_the_same_name() -> None:
    model_file(RESTS, "fenced.py")
    ran = fenceproof("check", "fenced.py", "--quiet")
    assert (ran.code, ran.out) == (0, "fenced.py: holds\n")


def test_names_are_said_back_as_they_were_given() -> None:
    ran = fenceproof("check", "[bold]fenced[/bold]")
    assert "'[bold]fenced[/bold]' is not known" in ran.message


@pytest.mark.parametrize(
    "command",
    [
        ["check", "--engine", "explicit"],
        ["check", "--engine", "bmc"],
        ["check", "--engine", "kinduction"],
        ["check", "--engine", "enclose"],
        ["check", "--all-copies"],
        ["compare"],
        ["space"],
    ],
    ids=" ".join,
)
def test_what_cannot_deal_with_numbers_without_a_bound_refuses_them(command: list[str]) -> None:
    message = fenceproof(*command[:1], "fenced", *command[1:], "--epochs", "any").message
    assert "cannot visit infinitely many states: record[0].live has no bound. Give --epochs a number" in message

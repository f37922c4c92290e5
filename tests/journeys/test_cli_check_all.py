"""`fenceproof check --all`: every model of a file in one table, one exit code, and none of them hidden by another."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command import Ran, fenceproof, model_file
from referencing import Registry, Resource

SCHEMAS: dict[str, Any] = {
    name: json.loads(files("fenceproof.checker").joinpath(f"report/{name}").read_text())
    for name in ("report.schema.json", "report-list.schema.json")
}
MAKE: Any = Registry
READ: Any = Resource
REGISTRY: Any = MAKE().with_resources([(name, READ.from_contents(schema)) for name, schema in SCHEMAS.items()])
VALIDATOR: Any = jsonschema.Draft202012Validator(SCHEMAS["report-list.schema.json"], registry=REGISTRY)

HEAD = """\
from abc import ABC, abstractmethod
from dataclasses import dataclass

from fenceproof.model import *
from fenceproof.specs import Planner


@dataclass
class Helper:
    size: int = 1


"""
#: It holds; it may lose a message, and its check may be taken away.
HOLDS = """
class Holds(Model):
    def __init__(self, most: int = 2):
        self.most = most
        self.n = Range(0, most)

    @safeguard("top")
    def is_below(self):
        return self.n < self.most

    @action
    def up(self):
        require(self.is_below())
        self.n += 1

    @fault("loss")
    @action
    def lose(self):
        self.n = 0

    @invariant
    def small(self):
        return self.n <= 2

    @terminal
    def anywhere(self):
        return True
"""
FALLS = """
class Falls(Holds):
    @invariant
    def small(self):
        return self.n < 2
"""
ERRS = """
class Errs(Model):
    def __init__(self):
        self.n = Range(0, 3)

    @action
    def up(self):
        self.m = 1
"""
VACUOUS = """
class Vacuous(Holds):
    @invariant
    def small(self):
        return implies(self.n > 2, False)
"""
#: A base with nothing to happen in it, and what is built on it.
BASE = """
class Base(Model):
    def __init__(self):
        self.on = Bool()


class Switch(Base):
    @action
    def turn(self):
        self.on = not self.on
"""


def check_all(*parts: str, options: tuple[str, ...] = ("--quiet",)) -> Ran:
    """Check every model of a file of these parts."""
    model_file(HEAD + "\n".join(parts))
    return fenceproof("check", "mine.py", "--all", *options)


def rows(ran: Ran) -> dict[str, str]:
    """What --quiet says of each class."""
    return dict(line.removeprefix("mine.py:").split(": ", 1) for line in ran.out.splitlines())


def line_of(text: str, *parts: str) -> int:
    """The line of mine.py that begins with this."""
    lines = (HEAD + "\n".join(parts)).splitlines()
    return next(n for n, line in enumerate(lines, start=1) if line.strip().startswith(text))


def test_the_table_has_a_row_for_each_model_that_is_defined_in_the_file() -> None:
    ran = check_all(HOLDS, FALLS, options=())
    table = re.sub(r"\d+\.\d\d s", "… s", ran.out).splitlines()
    assert [line.split() for line in table[:3]] == [
        ["target", "verdict", "states", "took", "found"],
        ["mine.py:Holds", "holds", "6", "…", "s"],
        ["mine.py:Falls", "violated", "6", "…", "s", "small", "(2", "steps)"],
    ]
    assert table[4].startswith("2 models: 1 violated, 1 holds. What holds, holds in every reachable state under ")
    assert (ran.code, ran.err) == (1, "trace saved: fenceproof-traces/mine-Falls-small.json\n")


@pytest.mark.parametrize("columns", [45, 60, 77])
def test_in_a_narrow_terminal_nothing_is_cut(columns: int) -> None:
    model_file(HEAD + HOLDS + FALLS)
    ran = fenceproof("check", "mine.py", "--all", environment={"COLUMNS": str(columns)})
    assert max(map(len, ran.out.splitlines())) <= columns
    table = re.sub(r"\d+\.\d\d s", "… s", ran.out).splitlines()
    assert table[:3] == [
        "mine.py:Holds: holds, 6 states, … s",
        "mine.py:Falls: violated, 6 states, … s",
        "  small (2 steps)",
    ]


def test_one_model_is_a_table_too_and_bears_its_name() -> None:
    assert rows(check_all(HOLDS)) == {"Holds": "holds"}


def test_each_trace_is_saved_under_a_name_of_its_own_and_can_be_replayed() -> None:
    twin = FALLS.replace("Falls", "Falls_")
    ran = check_all(HOLDS, FALLS, twin, options=("--quiet", "--out", "traces"))
    assert ran.code == 1
    assert sorted(path.name for path in Path("traces").iterdir()) == [
        "mine-Falls-small-2.json",
        "mine-Falls-small.json",
    ]
    for path, target in (("mine-Falls-small", "mine.py:Falls"), ("mine-Falls-small-2", "mine.py:Falls_")):
        again = fenceproof("replay", f"traces/{path}.json", "--model", target, "--quiet")
        assert (again.code, json.loads(Path(f"traces/{path}.json").read_text())["target"]) == (0, target)


def test_a_model_that_cannot_be_lifted_takes_a_row_with_its_line_and_hides_no_other() -> None:
    ran = check_all(ERRS, HOLDS, FALLS)
    found = rows(ran)
    assert (ran.code, ran.err, list(found)) == (2, "", ["Errs", "Holds", "Falls"])
    line = line_of("self.m = 1", ERRS)
    assert found["Errs"].startswith(f"model error: mine.py:{line}: ")
    assert (found["Holds"], found["Falls"]) == ("holds", "violated: small (2 steps)")


@pytest.mark.parametrize(
    ("spoilt", "words"),
    [
        (HOLDS.replace("self.n = Range(0, most)", "self.n = [][1]"), "IndexError"),
        (HOLDS.replace('@fault("loss")', '@fault("loss", budget=-1)'), "the budget of the fault 'loss' is -1."),
        (HOLDS.replace("most: int = 2", "most: int"), "mine.py:Holds needs a value for most: --set most="),
        (HOLDS.replace("self.n = Range(0, most)", "raise SystemExit(0)"), "SystemExit: 0"),
    ],
    ids=["constructor", "mark", "parameter", "exit"],
)
def test_every_way_to_have_no_meaning_is_a_row(spoilt: str, words: str) -> None:
    ran = check_all(spoilt, BASE)
    found = rows(ran)
    assert (ran.code, ran.err) == (2, "")
    assert re.match(rf"model error: mine\.py:\d+: .*{re.escape(words)}", found["Holds"]), found
    assert found["Switch"] == "holds"


def test_a_model_that_goes_wrong_as_it_runs_is_a_row_with_its_trace() -> None:
    leaps = HOLDS.replace("self.n += 1", "self.n += 3")
    ran = check_all(leaps, BASE, options=())
    assert (ran.code, ran.err) == (2, "trace saved: fenceproof-traces/mine-Holds-model-error.json\n")
    assert f"mine.py:{line_of('self.n += 3', leaps)}: " in ran.out
    assert "3 models: 1 model error, 1 holds, 1 skipped." in ran.out


BASES = {
    "without an action": (BASE, "other models build on it, and it has no action of its own"),
    "abstract": (
        BASE.replace("class Base(Model)", "class Base(Model, ABC)").replace(
            "Bool()\n", "Bool()\n\n    @action\n    @abstractmethod\n    def turn(self): ...\n", 1
        ),
        "other models build on it, and it is abstract",
    ),
    "without state": (
        BASE.replace("self.on = Bool()", "pass\n\n    @action\n    def off(self):\n        self.on = False").replace(
            "class Switch(Base):\n", "class Switch(Base):\n    def __init__(self):\n        self.on = Bool()\n\n"
        ),
        "other models build on it, and it has no state of its own",
    ),
}


@pytest.mark.parametrize("name", BASES)
def test_a_mere_base_of_others_is_said_to_be_skipped(name: str) -> None:
    text, why = BASES[name]
    ran = check_all(text)
    assert rows(ran) == {"Base": f"skipped: {why}", "Switch": "holds"}
    assert ran.code == 0


@pytest.mark.parametrize("name", BASES)
def test_what_is_no_base_of_another_is_not_skipped_but_wrong(name: str) -> None:
    text, _ = BASES[name]
    ran = check_all(text.partition("class Switch")[0])
    assert ran.code == 2
    assert rows(ran)["Base"].startswith("model error: mine.py:")


def test_a_base_whose_marks_have_no_meaning_is_not_skipped_but_wrong() -> None:
    ran = check_all(
        BASE.replace("Bool()\n", "Bool()\n\n    @fault('x')\n    def f(self): ...\n", 1), options=("--quiet",)
    )
    assert ran.code == 2
    assert "f is marked as a fault, and not as an action." in rows(ran)["Base"]


def test_a_second_name_of_a_model_is_no_second_model() -> None:
    assert list(rows(check_all(HOLDS, "Same = Holds\n"))) == ["Holds"]


def test_without_a_file_every_shipped_variant_is_checked() -> None:
    ran = fenceproof("check", "--all", "--faults", "delay", "--property", "no-ghost", "--quiet")
    found = dict(line.split(": ", 1) for line in ran.out.splitlines())
    fallen = {
        "last-writer": "no-ghost (4 steps)",
        "late-bump": "no-ghost (4 steps)",
        "folded-retry": "no-ghost (5 steps)",
    }
    assert (ran.code, ran.err, len(found)) == (1, "", 14)
    assert {name: said.removeprefix("violated: ") for name, said in found.items() if said != "holds"} == fallen


@pytest.mark.parametrize(
    ("parts", "code", "verdict"),
    [
        ((HOLDS, BASE), 0, "holds"),
        ((HOLDS, VACUOUS), 4, "vacuous"),
        ((HOLDS, VACUOUS, FALLS), 1, "violated"),
        ((HOLDS, VACUOUS, FALLS, ERRS), 2, "model error"),
    ],
)
def test_the_exit_code_and_the_verdict_are_the_gravest_of_the_rows(
    parts: tuple[str, ...], code: int, verdict: str
) -> None:
    ran = check_all(*parts, options=("--json",))
    assert (ran.code, ran.err) == (code, "")
    written = json.loads(ran.out)
    VALIDATOR.validate(written)
    assert (written["format"], written["version"], written["verdict"]) == ("fenceproof-report-list", 1, verdict)
    assert not Path("fenceproof-traces").exists()


def test_json_has_a_report_of_each_model_or_why_there_is_none() -> None:
    written = json.loads(check_all(ERRS, BASE, FALLS.replace("Holds", "Model"), HOLDS, options=("--json",)).out)
    VALIDATOR.validate(written)
    kinds = {report["target"]: set(report) for report in written["reports"]}
    assert kinds["mine.py:Errs"] == {"target", "model_error"}
    assert kinds["mine.py:Base"] == {"target", "skipped"}
    assert "claim" in kinds["mine.py:Holds"]
    error = written["reports"][0]["model_error"]
    assert error["site"] == f"mine.py:{line_of('self.m = 1', ERRS)}"


def test_limits_are_for_each_model() -> None:
    ran = check_all(HOLDS, BASE, options=("--quiet", "--max-states", "3"))
    assert ran.code == 3
    assert rows(ran)["Holds"] == "inconclusive: small, no-deadlock (more than 3 states)"
    assert rows(ran)["Switch"] == "holds"


ELSEWHERE = "fenceproof: checked without the {} {}, which is not in them: mine.py:Switch.\n"


@pytest.mark.parametrize(
    ("option", "value", "what", "name"),
    [
        ("--set", "most=1", "parameter", "most"),
        ("--faults", "loss=2", "fault", "loss"),
        ("--without", "top", "safeguard", "top"),
    ],
)
def test_an_option_speaks_of_the_models_that_have_what_it_names(option: str, value: str, what: str, name: str) -> None:
    ran = check_all(HOLDS, BASE, options=("--json", option, value))
    assert ran.err == ELSEWHERE.format(what, name)
    reports = {report["target"]: report for report in json.loads(ran.out)["reports"]}
    holds, switch = reports["mine.py:Holds"], reports["mine.py:Switch"]
    assert switch["verdict"] == "holds"
    said = {"parameter": holds["parameters"], "fault": holds["faults"], "safeguard": holds["without"]}[what]
    assert said == {"parameter": {"most": 1}, "fault": {"loss": 2}, "safeguard": ["top"]}[what]


def test_faults_that_are_named_are_the_only_ones_in_every_model() -> None:
    other = HOLDS.replace("Holds", "Other").replace('"loss"', '"gain"')
    written = json.loads(check_all(HOLDS, other, options=("--json", "--faults", "loss")).out)
    assert [report["faults"] for report in written["reports"]] == [{"loss": 1}, {"gain": 0}]


def test_a_model_without_the_property_that_is_asked_for_is_skipped_and_not_said_to_hold() -> None:
    ran = check_all(HOLDS, BASE, options=("--quiet", "--property", "small"))
    assert (ran.code, ran.err) == (0, "")
    assert rows(ran)["Switch"] == "skipped: it has no property small"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--set", "mst=1"), "The parameter 'mst' is not known. Did you mean most?"),
        (("--set", "most=few"), "most=few is not a whole number. Write, for example, most=2."),
        (("--faults", "los"), "The fault 'los' is not known. Did you mean loss?"),
        (("--faults", "loss=-1"), "loss=-1 is not a budget."),
        (("--without", "tap"), "The safeguard 'tap' is not known. Did you mean top?"),
        (("--property", "smal"), "The property 'smal' is not known. Did you mean small?"),
        (("--most-faults", "-1"), "--most-faults -1 is not a number from 0 to 1000."),
        (("--expect", "violated:small"), "--expect violated:small is not for --all, which expects that each holds."),
    ],
)
def test_what_no_model_has_is_refused_before_anything_is_checked(options: tuple[str, ...], words: str) -> None:
    assert words in check_all(HOLDS, BASE, options=options).message


def test_to_expect_that_each_holds_is_what_the_exit_code_says() -> None:
    assert check_all(HOLDS, BASE, options=("--quiet", "--expect", "holds")).code == 0
    assert check_all(HOLDS, FALLS, options=("--quiet", "--expect", "holds")).code == 1


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("mine.py:Holds", "mine.py:Holds is one model, and --all checks every model of a file."),
        ("fenced", "fenced is one model, and --all checks every model of a file."),
        ("mine.py:Hold", "The model 'Hold' is not known. Did you mean Holds?"),
        ("nowhere.py", "there is no file nowhere.py."),
        ("none.py", "none.py:1: there is no model in this file."),
    ],
)
def test_what_is_no_file_of_models_is_refused(target: str, words: str) -> None:
    model_file("from fenceproof.specs import Planner\n", "none.py")
    model_file(HEAD + HOLDS)
    assert words in fenceproof("check", target, "--all").message


INTERRUPT = """
import os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


class Last(Holds):
    pass
"""
IN_CONSTRUCTOR = FALLS.replace("Falls(Holds):\n", "Falls(Holds):\n    def __init__(self):\n        interrupt()\n\n")
#: The search of this model, which is the second, interrupts itself.
IN_SEARCH = """
import fenceproof.checker.engines.explicit as engine

real = engine.Search._expand_level


def interrupted(search):
    real(search)
    if search.system.name == "Falls":
        interrupt()


engine.Search._expand_level = interrupted
"""


@pytest.mark.parametrize("where", ["constructor", "search"])
@pytest.mark.parametrize("options", [(), ("--quiet",), ("--json",)], ids=["text", "quiet", "json"])
def test_an_interrupt_prints_what_is_done_so_far(options: tuple[str, ...], where: str) -> None:
    more = IN_CONSTRUCTOR if where == "constructor" else FALLS.replace("< 2", "<= 2") + IN_SEARCH
    ran = check_all(HOLDS, more, INTERRUPT, options=options)
    assert (ran.code, ran.err) == (130, "")
    before = "the run was interrupted before it was searched"
    if options == ("--quiet",):
        during = "inconclusive: small, no-deadlock (the search was interrupted)" if where == "search" else ""
        assert rows(ran) == {
            "Holds": "holds",
            "Falls": during or f"inconclusive: {before}",
            "Last": f"inconclusive: {before}",
        }
    elif options == ("--json",):
        written = json.loads(ran.out)
        VALIDATOR.validate(written)
        assert written["verdict"] == "inconclusive"
        assert written["reports"][2] == {"target": "mine.py:Last", "inconclusive": before}
    else:
        assert "3 models: 2 inconclusive, 1 holds." in ran.out


def test_a_mistake_of_ours_at_one_model_is_a_row_and_the_gravest() -> None:
    spoil = IN_SEARCH.replace("        interrupt()\n", "        raise AssertionError('of ours')\n")
    ran = check_all(HOLDS, FALLS, spoil, ERRS, options=("--json",))
    written = json.loads(ran.out)
    VALIDATOR.validate(written)
    assert (ran.code, ran.err, written["verdict"]) == (70, "", "internal error")
    assert "AssertionError: of ours" in written["reports"][1]["internal_error"]
    assert [report.get("verdict") for report in written["reports"]] == ["holds", None, None]
    assert rows(check_all(HOLDS, FALLS, spoil))["Falls"].startswith("internal error: AssertionError: of ours (")


def test_what_ends_the_program_at_one_model_is_an_error_of_that_model() -> None:
    spoil = IN_SEARCH.replace("        interrupt()\n", "        raise SystemExit(0)\n")
    ran = check_all(HOLDS, FALLS, spoil)
    line = line_of("raise SystemExit", HOLDS, FALLS, spoil)
    assert ran.code == 2
    assert rows(ran) == {"Holds": "holds", "Falls": f"model error: mine.py:{line}: SystemExit: 0, which ends no check."}


def test_memory_that_does_not_suffice_for_one_model_leaves_it_open() -> None:
    spoil = IN_SEARCH.replace("        interrupt()\n", "        raise MemoryError\n")
    ran = check_all(HOLDS, FALLS, spoil)
    assert ran.code == 3
    assert rows(ran)["Falls"] == "inconclusive: the memory of this machine does not suffice"


def test_traces_that_cannot_be_saved_cost_no_verdict() -> None:
    Path("file").write_text("")
    ran = check_all(HOLDS, FALLS, options=("--quiet", "--out", "file/traces"))
    assert (ran.code, rows(ran)["Falls"]) == (1, "violated: small (2 steps)")
    assert "the trace of small was not saved to file/traces/mine-Falls-small.json" in ran.err

"""`fenceproof check --all-shortest` and `--needed-faults`, and `fenceproof trace needed`: what a person sees."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command import fenceproof, model_file
from referencing import Registry, Resource

SCHEMAS: dict[str, Any] = {
    name: json.loads(files("fenceproof.checker").joinpath(f"report/{name}").read_text())
    for name in ("report.schema.json", "needed.schema.json")
}
SCHEMA = SCHEMAS["report.schema.json"]
MAKE: Any = Registry
READ: Any = Resource
REGISTRY: Any = MAKE().with_resources([(name, READ.from_contents(schema)) for name, schema in SCHEMAS.items()])
VALIDATOR: Any = jsonschema.Draft202012Validator(SCHEMAS["needed.schema.json"], registry=REGISTRY)
EARLY = ("--faults", "delay,clock-jump", "--property", "no-ghost")
#: A lamp that two switches turn on, or a short circuit.
LAMP = """from fenceproof.model import Bool, Choice, Model, action, fault, invariant, terminal


class Lamp(Model):
    def __init__(self) -> None:
        self.on = Bool()
        self.which = Choice("none", "<b>left</b>", "ri\\nght")

    @action(side=("<b>left</b>", "ri\\nght"))
    def press(self, side: str) -> str:
        self.on = True
        self.which = side
        return f"on by {side}"

    @action
    @fault("short", budget=1)
    def short(self) -> None:
        self.on = True

    @invariant
    def dark(self) -> bool:
        return not self.on

    @terminal
    def anywhere(self) -> bool:
        return True
"""


def properties(out: str) -> dict[str, Any]:
    """The properties of a report by name; the report is as its schema says."""
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    return {found["name"]: found for found in document["properties"]}


def test_the_stories_and_the_faults_that_are_needed_are_told_below_the_counterexample() -> None:
    ran = fenceproof("check", "last-writer", *EARLY, "--all-shortest")
    assert ran.code == 1
    told = ran.out[ran.out.index("not needed") : ran.out.index("checked ")].strip()
    assert told == "\n".join(
        [
            "not needed: delay (without it no-ghost is still violated, in 4 steps with clock-jump)",
            "some fault is needed: without any no-ghost is not violated within these bounds",
            "shortest counterexamples: 4 of 4 steps; 2 stories",
            "  story 1, the one above: 2 counterexamples",
            "  story 2: 2 counterexamples",
            "    1. dispatch(call=0): tool",
            "    2. execute(call=0, epoch=1): executed",
            "    3. clock_jump(call=0) [fault: clock-jump]: bump",
            "    4. deliver(call=0, kind=success, epoch=1): commit",
        ]
    )
    assert "one story    counterexamples with the same steps" in ran.out


def test_one_fault_alone_is_needed_and_no_story_is_told_unasked() -> None:
    ran = fenceproof("check", "last-writer", "--faults", "delay", "--property", "no-ghost")
    assert (
        "faults needed: delay (without it no-ghost is not violated, whatever other faults happen within these bounds)"
        in ran.out
    )
    assert "stor" not in ran.out.replace("restored", "")


def test_the_document_has_the_same_with_a_trace_of_each_story() -> None:
    ran = fenceproof("check", "last-writer", *EARLY, "--all-shortest", "--json")
    found = properties(ran.out)["no-ghost"]
    assert found["needed"] == {
        "faults": [{"fault": "delay", "said": "not needed", "steps": 4, "with": ["clock-jump"], "reason": None}],
        "any": {"said": "needed", "steps": None, "with": [], "reason": None},
    }
    shortest = found["shortest"]
    assert (shortest["count"], shortest["exact"], shortest["stories"], shortest["all_stories"]) == (4, True, 2, True)
    assert [told["count"] for told in shortest["told"]] == [2, 2]
    assert shortest["told"][0]["trace"] == found["trace"]


def test_names_of_any_sort_are_shown_and_mean_nothing() -> None:
    model_file(LAMP)
    ran = fenceproof("check", "mine.py", "--all-shortest")
    # Both sides are alike in their steps but not in their outcomes; the short circuit has a fault.
    assert "shortest counterexamples: 3 of 1 step; 3 stories" in ran.out
    assert "    1. press(side=ri ght): on by ri ght\n" in ran.out
    found = properties(fenceproof("check", "mine.py", "--all-shortest", "--json").out)["dark"]
    assert found["shortest"]["stories"] == 3
    assert "needed" not in found


def test_where_more_stories_are_told_than_shown_the_rest_is_counted() -> None:
    ran = fenceproof("check", "late-bump", "--faults", "delay,clock-jump,duplicate", "--all-shortest")
    assert "shortest counterexamples: 12 of 4 steps; 6 stories" in ran.out
    assert "  and 1 more; --json has them" in ran.out


def test_nothing_is_said_where_nothing_is_violated() -> None:
    ran = fenceproof("check", "fenced", "--most-faults", "1", "--property", "no-ghost", "--all-shortest")
    assert ran.code == 0, ran
    assert not [word for word in ("shortest counterexamples", "one story", "needed") if word in ran.out]


def test_counterexamples_without_end_are_not_counted_which_is_said() -> None:
    ran = fenceproof("check", "wait", "--faults", "loss", "--property", "settles", "--all-shortest")
    assert "fenceproof: counterexamples of settles are not counted: they are behaviours without end." in ran.err
    assert "faults needed: loss" in ran.out


@pytest.mark.parametrize("option", ["--all-shortest", "--needed-faults"])
@pytest.mark.parametrize("other", [("--engine", "bmc", "--depth", "4"), ("--all",)], ids=["bmc", "all"])
def test_other_engines_and_many_models_are_refused(option: str, other: tuple[str, ...]) -> None:
    target = () if other == ("--all",) else ("last-writer",)
    assert f"Leave {option} or {' '.join(other[:2])} away." in fenceproof("check", *target, *other, option).message


#: The search without a fault is interrupted: it is the second one.
INTERRUPTED = f"""import fenceproof.checker.needed as needed


def interrupted(*_given, **_options):
    raise KeyboardInterrupt


needed.check = interrupted
{LAMP.replace("self.on = True", "self.on = False", 1)}"""


def test_an_interrupt_of_the_second_look_leaves_what_was_found() -> None:
    model_file(INTERRUPTED)
    ran = fenceproof("check", "mine.py")
    assert ran.code == 130
    assert "dark is violated in 1 step." in ran.out
    assert "interrupted before it was found out which faults are needed." in ran.err


#: Looking at a state is interrupted: that is in the search itself.
UNSEARCHED = """
from fenceproof.checker.engines import expand


def interrupted(*_given, **_options):
    raise KeyboardInterrupt


expand.Expander.edges = interrupted
"""


def test_an_interrupt_of_the_search_says_that_no_needed_faults_were_asked_for() -> None:
    ran = fenceproof("check", model_file(LAMP + UNSEARCHED), "--needed-faults")
    assert ran.code == 130
    assert "interrupted before it was asked which faults are needed." in ran.err
    assert "needed" not in fenceproof("check", "mine.py").err


#: A lamp that is turned on by a short circuit only; a moment is one state.
MOMENT = f"""import fenceproof.checker.needed as needed

needed.QUICK_STATES = 1
{LAMP.replace("self.on = True", "self.on = False", 1)}"""


def test_a_look_of_a_moment_says_how_to_look_further() -> None:
    model_file(MOMENT)
    brief, further = fenceproof("check", "mine.py"), fenceproof("check", "mine.py", "--needed-faults")
    assert "needed or not: short, which was not found out, because more than 1 states" in brief.out
    assert "fenceproof: which faults dark needs was looked at for a moment only. To look further: --needed-faults" in (
        brief.err
    )
    assert "faults needed: short (without it dark is not violated" in further.out
    assert "moment" not in further.err


@pytest.fixture
def ghost(tmp_path: Path) -> Path:
    assert fenceproof("check", "last-writer", *EARLY, "--quiet", "--out", tmp_path).code == 1
    return tmp_path / "last-writer-no-ghost.json"


def test_a_saved_trace_says_which_of_its_faults_are_needed(ghost: Path) -> None:
    ran = fenceproof("trace", "needed", ghost)
    assert ran.code == 0
    assert ran.out.splitlines() == [
        f"{ghost}: no-ghost of last-writer is violated with delay.",
        "not needed: delay (without it no-ghost is still violated, in 4 steps with clock-jump)",
        "some fault is needed: without any no-ghost is not violated within these bounds",
    ]


def test_the_same_as_one_document_that_its_schema_describes(ghost: Path) -> None:
    ran = fenceproof("trace", "needed", ghost, "--json")
    assert ran.code == 0
    document = json.loads(ran.out)
    VALIDATOR.validate(document)
    assert document["property"] == "no-ghost"
    assert document["needed"] == {
        "faults": [{"fault": "delay", "said": "not needed", "steps": 4, "with": ["clock-jump"], "reason": None}],
        "any": {"said": "needed", "steps": None, "with": [], "reason": None},
    }
    assert document["trace"] == json.loads(ghost.read_text())


def test_the_document_says_what_a_limit_left_open_and_that_there_is_no_fault(ghost: Path, tmp_path: Path) -> None:
    ran = fenceproof("trace", "needed", ghost, "--json", "--max-states", "3")
    assert ran.code == 3
    (fault,) = json.loads(ran.out)["needed"]["faults"]
    assert (fault["said"], "more than 3 states" in fault["reason"]) == ("unknown", True)
    faultless = LAMP.replace('    @fault("short", budget=1)\n', "")
    assert fenceproof("check", model_file(faultless), "--quiet", "--out", tmp_path).code == 1
    ran = fenceproof("trace", "needed", tmp_path / "mine-dark.json", "--model", "mine.py", "--json")
    VALIDATOR.validate(json.loads(ran.out))
    assert (ran.code, json.loads(ran.out)["needed"]) == (0, None)


def test_a_limit_leaves_it_open_with_exit_code_3(ghost: Path) -> None:
    ran = fenceproof("trace", "needed", ghost, "--max-states", "3")
    assert ran.code == 3
    assert "needed or not: delay, which was not found out, because more than 3 states" in ran.out


def test_a_trace_that_violates_nothing_needs_nothing(ghost: Path) -> None:
    document = json.loads(ghost.read_text())
    document["property"] = None
    ghost.write_text(json.dumps(document))
    assert "is not a trace of a violation" in fenceproof("trace", "needed", ghost).message
    ghost.write_text("{}")
    assert "fenceproof: " in fenceproof("trace", "needed", ghost).message


#: The counting is interrupted, which comes after the search.
UNCOUNTED = """
from fenceproof.checker.engines import explicit


def interrupted(*_given, **_options):
    raise KeyboardInterrupt


explicit.stories = interrupted
"""


def test_an_interrupt_of_the_counting_leaves_what_was_found() -> None:
    ran = fenceproof("check", model_file(LAMP + UNCOUNTED), "--all-shortest")
    assert ran.code == 130
    assert "interrupted before the shortest counterexamples were counted." in ran.err
    assert " is violated in " in ran.out
    assert "shortest counterexamples:" not in ran.out
    assert list(Path("fenceproof-traces").iterdir())

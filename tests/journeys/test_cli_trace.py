"""`fenceproof trace`: two traces side by side, one trace on another design, and a saved trace printed."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command import fenceproof, model_file
from fenceproof.checker.sidebyside import Pair, of_traces
from fenceproof.model import Model, Range, action, terminal
from fenceproof.model.lift import lift
from fenceproof.model.step import take
from fenceproof.model.trace import Trace
from hypothesis import given
from hypothesis import strategies as st

SCHEMA = json.loads(files("fenceproof.checker").joinpath("report/sidebyside.schema.json").read_text())
STEP_4 = "First difference: step 4, deliver(call=0, kind=success, epoch=1): commit | reject:stale"
#: A counter that wraps, and one that must be let: what one takes the other refuses.
TWO = """from fenceproof.model import Model, Range, action, invariant, require, terminal


class Wraps(Model):
    def __init__(self, most: int = 3) -> None:
        self.n = Range(0, most)
        self.most = most

    @action
    def up(self) -> str:
        self.n = 0 if self.n == self.most else self.n + 1
        return "up"

    @invariant
    def below_two(self) -> bool:
        return self.n < 2

    @terminal
    def anywhere(self) -> bool:
        return True


class Lets(Wraps):
    @action
    def up(self) -> str:
        require(self.n < 1)
        self.n += 1
        return "up"
"""
#: A model whose action goes wrong, and one whose property does.
WRONG = """from fenceproof.model import Array, Model, Range, action, invariant


class Steps(Model):
    def __init__(self) -> None:
        self.n = Range(0, 3)
        self.flags = Array(1, Range(0, 1))

    @action(by=(1, 2))
    def up(self, by: int) -> str:
        self.n += by
        return "up"


class Judged(Steps):
    @invariant
    def low(self) -> bool:
        return self.flags[self.n] == 0
"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The traces that a check of last-writer saves."""
    folder = tmp_path_factory.mktemp("traces")
    assert fenceproof("check", "last-writer", "--faults", "delay", "--quiet", "--out", folder).code == 1
    return folder


@pytest.fixture
def ghost(saved: Path) -> Path:
    return saved / "last-writer-no-ghost.json"


def document(*arguments: str | Path) -> tuple[int, Any]:
    ran = fenceproof("trace", "diff", *arguments, "--json")
    found = json.loads(ran.out)
    jsonschema.validate(found, SCHEMA)
    return ran.code, found


def test_the_same_events_on_another_design_part_where_its_fence_is(ghost: Path) -> None:
    ran = fenceproof("trace", "diff", ghost, "fenced")
    assert ran.code == 1
    lines = [line.strip() for line in ran.out.splitlines()]
    assert lines[:4] == ["A  last-writer, 4 steps", "B  fenced, 4 steps", "", STEP_4]
    assert lines[-2:] == [
        "A violates no-ghost (step 4), stale-rejected (step 4).",
        "B violates no property.",
    ]
    marked = [line for line in ran.out.splitlines() if line.startswith("≠")]
    assert [line.split()[1] for line in marked] == ["3", "4"]
    assert [line for line in lines if "dispatch" in line and line.endswith("the same")]


def test_it_is_readable_in_sixty_columns(ghost: Path) -> None:
    ran = fenceproof("trace", "diff", ghost, "fenced", environment={"COLUMNS": "60"})
    assert max(map(len, ran.out.splitlines())) <= 60
    assert "\x1b" not in ran.out
    assert " ".join(ran.out.split()).find(STEP_4) > 0


def test_below_that_the_steps_are_listed_and_no_word_is_broken(ghost: Path) -> None:
    ran = fenceproof("trace", "diff", ghost, "fenced", environment={"COLUMNS": "44"})
    lines = ran.out.splitlines()
    assert max(map(len, lines)) <= 44
    at = next(n for n, line in enumerate(lines) if line.startswith("≠ 4. deliver(call=0, kind=success, epoch=1)"))
    assert [line.strip() for line in lines[at + 1 :]][:3] == [
        "A  commit",
        "record[0].committed: none → 1",
        "record[0].outcome: none → success",
    ]
    assert "     B  reject:stale" in lines


def test_a_parameter_of_the_other_side_is_set() -> None:
    model_file(TWO)
    assert fenceproof("check", "mine.py:Wraps", "--out", ".", "--quiet").code == 1
    trace, model = "mine-Wraps-below-two.json", "mine.py:Wraps"
    assert fenceproof("trace", "diff", trace, model, "--model", model).code == 0
    ran = fenceproof("trace", "diff", trace, model, "--model", model, "--set", "most=1")
    assert (ran.code, "Parameters differ, most: 3 | 1." in ran.out) == (1, True)
    refused = fenceproof("trace", "diff", trace, trace, "--model", model, "--set", "most=1").message
    assert f"--set is about a model, and {trace} is a trace with its own parameters. Leave it away." in refused
    assert "Did you mean most?" in fenceproof("trace", "diff", trace, model, "--model", model, "--set", "mos=1").message


def test_a_trace_is_the_same_as_itself(ghost: Path) -> None:
    for other in (ghost, "last-writer"):
        code, found = document(ghost, other)
        assert (code, found["same"], found["first_difference"]) == (0, True, None)
        assert all(step["same"] for step in found["steps"])


def test_two_traces_are_matched_by_their_events(saved: Path, ghost: Path) -> None:
    code, found = document(ghost, saved / "last-writer-effect-matches-record.json")
    assert (code, found["same_events"]) == (1, False)
    numbers = [[half and half["step"] for half in step["sides"]] for step in found["steps"]]
    assert [n for n, _ in numbers if n] == [1, 2, 3, 4]
    assert [n for _, n in numbers if n] == list(range(1, 9))
    both = [step["called"] for step in found["steps"] if None not in step["sides"]]
    assert both == [
        "dispatch(call=0)",
        "execute(call=0, epoch=1)",
        "deadline_early(call=0)",
        "deliver(call=0, kind=success, epoch=1)",
    ]
    assert [v["property"] for v in found["sides"][1]["violated"]][-1] == "effect-matches-record"


def test_an_event_that_is_refused_says_which_clause_is_false_and_where() -> None:
    model_file(TWO)
    assert fenceproof("check", "mine.py:Wraps", "--quiet", "--out", ".").code == 1
    path = next(Path().glob("*below*.json"))
    line = next(n for n, text in enumerate(TWO.splitlines(), start=1) if "require(self.n" in text)
    ran = fenceproof("trace", "diff", path, "mine.py:Lets", "--model", "mine.py:Wraps")
    assert ran.code == 1
    assert f"First difference: step 2, up(): up | refused, because not met: n < 1 (mine.py:{line})" in ran.out
    assert "B  mine.py:Lets, which takes 1 of the 2 events of A" in ran.out
    assert "A violates below_two (step 2)." in ran.out
    document_code, found = document(path, "mine.py:Lets", "--model", "mine.py:Wraps")
    assert (document_code, found["steps"][1]["sides"][1]) == (1, None)
    assert len(found["sides"][1]["trace"]["steps"]) == 1


def test_a_clause_of_several_parts_is_where_it_was_asked_for() -> None:
    asks = TWO.replace("require(self.n < 1)", "require(self.n < 1 or (self.p or self.q))")
    asks = asks.replace("self.most = most\n", "self.most = most\n        self.p, self.q = Bool(), Bool()\n", 1)
    asks = asks.replace("import Model", "import Bool, Model")
    model_file(asks)
    assert fenceproof("check", "mine.py:Wraps", "--quiet", "--out", ".").code == 1
    line = next(n for n, text in enumerate(asks.splitlines(), start=1) if "require(self.n" in text)
    ran = fenceproof("trace", "diff", next(Path().glob("*below*.json")), "mine.py:Lets", "--model", "mine.py:Wraps")
    assert ran.code == 1
    assert ran.out.count(f"(mine.py:{line})") >= 1
    assert "fenceproof/" not in ran.out


def test_what_is_not_the_same_for_both_is_said(ghost: Path) -> None:
    assert (
        fenceproof("check", "last-writer", "--faults", "delay,loss", "--epochs", "2", "--quiet", "--out", "two").code
        == 1
    )
    ran = fenceproof("trace", "diff", ghost, "two/last-writer-no-ghost.json")
    assert "Parameters differ, epochs: 3 | 2." in ran.out
    assert "Budgets of faults differ, loss: 0 | 1." in ran.out


def test_a_saved_trace_is_printed_as_a_check_prints_it(ghost: Path) -> None:
    shown = fenceproof("trace", "show", ghost)
    assert shown.code == 0
    told = shown.out.removesuffix(f"{ghost}: a trace of last-writer. It ends in a violation of no-ghost.\n")
    assert told != shown.out
    lines = told.splitlines()
    assert lines[0] == "no-ghost is violated in 4 steps. It says:"
    assert [line.split()[0] for line in lines[2:3] + lines[-2:]] == ["What", "faults", "Why:"]
    assert [line.split()[:2] for line in lines if line.startswith(">")] == [[">", "4."]]
    checked = fenceproof("check", "last-writer", "--faults", "delay", "--property", "no-ghost").out
    assert f"\n\n{told.rstrip()}\n" in checked


def test_a_saved_trace_into_a_mistake_is_printed_as_a_check_prints_it() -> None:
    for name, mark in (
        ("Steps", "> 2.  up(by=2)           goes wrong"),
        ("Judged", "> 1.  up(by=1)  up       n: 0 → 1"),
    ):
        model_file(WRONG)
        checked = fenceproof("check", f"mine.py:{name}", "--out", name)
        path = Path(name) / f"mine-{name}-model-error.json"
        shown = fenceproof("trace", "show", path, "--model", f"mine.py:{name}")
        assert (checked.code, shown.code) == (2, 0)
        told = shown.out.removesuffix(f"{path}: a trace of mine.py:{name}.\n")
        assert mark in told.splitlines()
        assert f"\n\n{told.rstrip()}\n" in checked.out


def test_what_is_no_trace_no_model_or_too_much_is_refused(ghost: Path) -> None:
    Path("bad.json").write_text('{"format": "ITF"}')
    model_file(TWO)
    for arguments, words in (
        (("missing.json", "fenced"), "missing.json: the file cannot be read"),
        ((ghost, "missing.json"), "missing.json: the file cannot be read"),
        ((ghost, "bad.json"), "this is not a trace"),
        (("bad.json", "fenced"), "this is not a trace"),
        ((ghost, "fencd"), "Did you mean fenced?"),
        ((ghost, "mine.py:Wraps", "--model", "fenced"), "is a trace of the model LastWriter, and fenced is Planner."),
        ((ghost, "fenced", "--model", "last-writer", "--model", "fenced"), "Give it once, for the trace."),
    ):
        assert words in fenceproof("trace", "diff", *arguments).message
    assert fenceproof("check", "mine.py:Wraps", "--quiet", "--out", ".").code == 1
    own = next(Path().glob("*below*.json"))
    assert f"fenceproof trace diff {ghost} {own} --model" in fenceproof("trace", "diff", ghost, own).message
    assert f"fenceproof trace diff {own} {ghost} --model" in fenceproof("trace", "diff", own, ghost).message


class Letters(Model):
    """Three events that may come in any order."""

    def __init__(self) -> None:
        self.n = Range(0, 2)

    @action(to=(0, 1, 2))
    def go(self, to: int) -> None:
        self.n = to

    @terminal
    def anywhere(self) -> bool:
        return True


LETTERS = lift(Letters())


def spelled(word: list[int]) -> Trace:
    states = [LETTERS.initial[0]]
    for letter in word:
        after = take(LETTERS.transitions[letter], states[-1]).state
        assert after is not None
        states.append(after)
    return Trace(tuple(states), tuple(word))


def calls(pairs: tuple[Pair, ...], side: int) -> list[str]:
    return [half.called for pair in pairs if (half := pair.halves[side]) is not None]


@given(st.lists(st.integers(0, 2), max_size=12), st.lists(st.integers(0, 2), max_size=12))
def test_a_matching_keeps_every_step_of_both_in_order(left: list[int], right: list[int]) -> None:
    found = of_traces(("A", LETTERS, spelled(left)), ("B", LETTERS, spelled(right)))
    for side, word in enumerate((left, right)):
        assert calls(found.pairs, side) == [f"go(to={letter})" for letter in word]
        numbers = [half.number for pair in found.pairs if (half := pair.halves[side]) is not None]
        assert numbers == list(range(1, len(word) + 1))
    for pair in found.pairs:
        assert len({half.called for half in pair.halves if half is not None}) == 1
    assert found.is_same == (left == right)


def test_steps_between_two_differences_are_matched() -> None:
    found = of_traces(("A", LETTERS, spelled([0, 1, 2, 0])), ("B", LETTERS, spelled([1, 1, 2, 1])))
    numbers = [tuple(half and half.number for half in pair.halves) for pair in found.pairs]
    assert numbers == [(1, None), (None, 1), (2, 2), (3, 3), (4, None), (None, 4)]

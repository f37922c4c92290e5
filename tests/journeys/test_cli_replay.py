"""`fenceproof replay`: a saved trace on its model and on an implementation; files that are no such trace."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import RESTS, fenceproof, model_file
from fenceproof.checker import check
from fenceproof.model.trace import to_json
from fenceproof.specs.variants import VARIANTS

LEASE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "lease.py"


@pytest.fixture(name="ghost", scope="module")
def _ghost() -> str:
    """The shortest trace of a ghost write, as `check last-writer` saves it."""
    result = check(VARIANTS["last-writer"].model, faults={"delay": 1}, properties=["no-ghost"])
    trace = result.properties[0].trace
    assert trace is not None
    return json.dumps(to_json(result.system, trace, "last-writer", "no-ghost"), indent=2)


@pytest.fixture(autouse=True)
def _saved(ghost: str, _in_a_folder_of_its_own: None) -> None:  # pyright: ignore[reportUnusedFunction]
    """The ghost's trace is in the folder as `ghost.json`."""
    Path("ghost.json").write_text(ghost)


def test_a_trace_is_shown_step_by_step_and_said_to_violate() -> None:
    ran = fenceproof("replay", "ghost.json")
    assert (ran.code, ran.err) == (0, "")
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    steps = ("dispatch(call=0)", "execute(call=0, epoch=1)", "deadline_early(call=0) [fault: delay]", "deliver(call=0,")
    for number, step in enumerate(steps, start=1):
        assert any(line.startswith(f"{number}. {step}") for line in lines), step
    assert lines[-1] == "ghost.json: 4 steps replayed on last-writer; it ends in a violation of no-ghost."


def test_quiet_says_the_verdict_only() -> None:
    ran = fenceproof("replay", "ghost.json", "--quiet")
    assert ran.out == "ghost.json: 4 steps replayed on last-writer; it ends in a violation of no-ghost.\n"


def test_the_reference_does_the_same_as_the_model() -> None:
    ran = fenceproof("replay", "ghost.json", "--against", "memory", "--quiet")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1] == "memory: did the same in all 4 steps."


def test_an_implementation_that_diverges_exits_with_5_naming_event_field_and_both_values() -> None:
    ran = fenceproof("replay", "ghost.json", "--against", "memory", "--as", "fenced", "--quiet")
    assert (ran.code, ran.err) == (
        5,
        "fenceproof: memory diverges from the model at step 4 of 4, deliver(call=0, kind=success, epoch=1):\n"
        "    outcome: expected 'commit', got 'reject:stale'\n"
        "    To see it again: fenceproof replay ghost.json --against memory --as fenced --quiet\n",
    )


def test_a_trace_of_a_file_is_replayed_only_on_a_model_that_the_user_names() -> None:
    fenceproof("check", LEASE, "--set", "fenced=false", "--out", ".", "--quiet")
    refused = fenceproof("replay", "lease-never-backwards.json").message
    assert "A trace never names a file to run, so say it yourself" in refused
    assert f"fenceproof replay lease-never-backwards.json --model {LEASE}" in refused
    ran = fenceproof("replay", "lease-never-backwards.json", "--model", LEASE, "--quiet")
    assert (ran.code, ran.err) == (0, "")


def test_a_model_that_is_no_planner_has_no_reference() -> None:
    fenceproof("check", LEASE, "--set", "fenced=false", "--out", ".", "--quiet")
    ran = fenceproof("replay", "lease-never-backwards.json", "--model", LEASE, "--against", "memory", "--quiet")
    assert (ran.code, ran.err.startswith("fenceproof: the memory reference is a planner")) == (2, True)


def test_a_variant_that_is_none_is_answered_with_the_nearest() -> None:
    ran = fenceproof("replay", "ghost.json", "--against", "memory", "--as", "fencd", "--quiet")
    assert (ran.code, "Did you mean fenced?" in ran.err) == (2, True)


def with_step(number: int, **changes: object) -> Callable[[dict[str, Any]], object]:
    def changed(trace: dict[str, Any]) -> object:
        steps = [dict(step) for step in trace["steps"]]
        steps[number].update(changes)
        return {**trace, "steps": steps}

    return changed


NO_TRACES: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda t: {**t, "version": 2}, "this trace has version 2, and this program reads version 1."),
    (lambda t: {**t, "version": None}, "this trace has version None"),
    (lambda t: {**t, "format": "fenceproof-report"}, "its format is 'fenceproof-report', not 'fenceproof-trace'"),
    (lambda t: {**t, "target": "fenced"}, "is a trace of the model LastWriter, and fenced is Planner."),
    (lambda t: {**t, "model": "Planner"}, "is a trace of the model Planner, and last-writer is LastWriter."),
    (lambda t: {**t, "parameters": {"cals": 1}}, "last-writer cannot be made with the trace's parameters"),
    (lambda t: {**t, "parameters": {"calls": 10**9}}, "last-writer cannot be made with the trace's parameters"),
    (lambda t: {**t, "faults": {"dely": 1}}, "the trace is from another model: The fault 'dely' is not known."),
    (lambda t: {**t, "faults": {"delay": -1}}, "the budget of 'delay' is -1"),
    (lambda t: {**t, "without": ["echo"]}, "the trace is from another model: The safeguard 'echo' is not known."),
    (lambda t: {**t, "property": "no-gost"}, "The property 'no-gost' is not known. Did you mean no-ghost?"),
    (lambda t: {**t, "property": "single-commit"}, "the trace does not violate single-commit, as it says it does."),
    (lambda t: {**t, "property": "no-deadlock"}, "the trace does not violate no-deadlock, as it says it does."),
    (lambda t: {**t, "steps": t["steps"][:3]}, "the trace does not violate no-ghost, as it says it does."),
    (lambda t: {**t, "steps": []}, "the trace does not violate no-ghost, as it says it does."),
    (lambda t: {**t, "steps": {}}, "which it cannot be."),
    (lambda t: {**t, "steps": [3]}, "step 1 is not an object."),
    (lambda t: {**t, "steps": t["steps"][1:]}, "step 1: execute is not enabled there"),
    (lambda t: {k: v for k, v in t.items() if k != "initial"}, "the trace has no 'initial'."),
    (lambda t: {**t, "more": 1}, "The key 'more' is not known."),
    (lambda t: {**t, "loop": 9}, "the loop goes back to state 9, and there are 5 states."),
    (with_step(0, action="dispach"), "step 1: The action 'dispach' is not known. Did you mean dispatch?"),
    (with_step(0, args={"call": 7}), "step 1: dispatch is never taken with"),
    (with_step(1, outcome="refused"), "step 2: execute has the outcome 'executed' in the model."),
    (with_step(2, state={}), "bad.json: "),
    (lambda _: [1, 2], "a trace is a JSON object, and this is not one."),
]


@pytest.mark.parametrize(
    ("change", "words"),
    NO_TRACES,
)
def test_a_file_that_is_no_trace_of_the_model_is_refused(
    ghost: str, change: Callable[[dict[str, Any]], object], words: str
) -> None:
    Path("bad.json").write_text(json.dumps(change(json.loads(ghost))))
    message = fenceproof("replay", "bad.json", "--quiet").message
    assert words in message
    assert "bad.json" in message


SPOILED: list[tuple[Callable[[str], str], str]] = [
    (lambda text: text[:1000], "bad.json:62: not JSON"),
    (lambda _: "", "bad.json:1: not JSON"),
    (lambda text: text.replace("{", '{"target": "fenced",', 1), "the key 'target' stands twice in one object"),
    (lambda _: "[" * 200_000, "this is nested too deeply to be a trace."),
    (lambda text: text.replace('"version": 1', '"version": 1.0'), "1.0"),
    (lambda text: text.replace('"version": 1', '"version": NaN'), "NaN"),
    (lambda text: text.replace('"version": 1', f'"version": {"1" * 10_000}'), "the number 1111"),
]


@pytest.mark.parametrize(
    ("spoiled", "words"),
    SPOILED,
)
def test_a_file_that_is_spoiled_is_refused(spoiled: Callable[[str], str], words: str, ghost: str) -> None:
    Path("bad.json").write_text(spoiled(ghost))
    message = fenceproof("replay", "bad.json").message
    assert words in message
    assert "bad.json" in message


def test_a_trace_with_a_million_steps_is_refused(ghost: str) -> None:
    step = '{"action":"a","args":{},"outcome":null,"fault":null,"state":{}}'
    trace: dict[str, object] = {**json.loads(ghost), "steps": []}
    text = json.dumps(trace, separators=(",", ":"))
    Path("long.json").write_text(text.replace('"steps":[]', f'"steps":[{",".join([step] * 1_000_000)}]'))
    assert "long.json: " in fenceproof("replay", "long.json").message


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nowhere.json", "nowhere.json: the file cannot be read: No such file or directory."),
        ("folder", "folder: this is a folder, and a trace is a file."),
        ("binary.json", "binary.json: this is not text, let alone a trace."),
        ("mine.py", "mine.py: this is a Python file, and not a trace, which is JSON."),
    ],
)
def test_what_is_no_file_of_text_is_refused(path: str, words: str) -> None:
    Path("folder").mkdir()
    Path("binary.json").write_bytes(b"\x80\x00\xff")
    model_file(RESTS)
    assert words in fenceproof("replay", path).message
